"""The page of one listing. No queries and no rules here: they are fetched and shown."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from providers.listing_facts import opened_listing
from providers.listing_page import listing_page
from providers.views import HtmxRequest, part_of


@require_safe
@vary_on_headers("HX-Request")
def listing(request: HtmxRequest, pk: int) -> HttpResponse:
    opened = opened_listing(pk)
    if opened is None:
        raise Http404
    part = part_of(request, "detail")
    page = listing_page(opened, timezone.now())
    return render(request, f"providers/listing.html{part}", {"page": page})
