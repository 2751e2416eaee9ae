"""The pages of guide and FAQ. No queries and no rules here."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from checks.content.page import faq_page, guide_page
from checks.content.rules import ORIGINAL


@require_safe
def guide(request: HttpRequest) -> HttpResponse:
    page = guide_page(get_language() or ORIGINAL, timezone.now())
    return render(request, "checks/content/guide.html", {"page": page})


@require_safe
def faq(request: HttpRequest) -> HttpResponse:
    page = faq_page(get_language() or ORIGINAL, timezone.now())
    return render(request, "checks/content/faq.html", {"page": page})
