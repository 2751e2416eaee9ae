"""The screen of an offering: every answer, its claims, and what a curator does with them."""

from __future__ import annotations

from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from providers.claim_views import offering_url
from providers.desk import deeds, queries, rights
from providers.desk.screen import screen
from providers.models import Offering


@require_http_methods(["GET", "HEAD", "POST"])
def answers(request: HttpRequest, pk: int) -> HttpResponse:
    rights.may_look(request, "offering", "claim")
    offering, today = queries.offering(pk), timezone.now().date()
    if offering is None:
        raise Http404
    opened = None
    if request.method == "POST":
        rights.must_write(request)
        outcome = deeds.act(offering, request.POST, today)
        if isinstance(outcome, deeds.Done):
            messages.success(request, outcome.message)
            return HttpResponseRedirect(f"{request.path}#{outcome.anchor}")
        opened = outcome
    elif rights.may_write(request):
        opened = deeds.opened(offering, request.GET, today)
    status = 409 if opened and opened.changed else 200
    return _shown(request, offering, opened, status)


def _shown(
    request: HttpRequest, offering: Offering, opened: deeds.Opened | None, status: int
) -> HttpResponse:
    today = timezone.now().date()
    context = {
        **admin.site.each_context(request),
        "title": f"Answers of {offering}",
        "opts": Offering._meta,
        "offering": offering,
        "screen": screen(offering, queries.claims_of(offering), today, opened),
        "opened": opened,
        "may_write": rights.may_write(request),
        "page_url": offering_url(offering),
        "edit_url": reverse("admin:providers_offering_change", args=[offering.pk]),
    }
    template = "admin/providers/offering/answers.html"
    return TemplateResponse(request, template, context, status=status)
