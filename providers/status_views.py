"""The page of status. No queries and no rules here: they are fetched and shown."""

from __future__ import annotations

import os

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from providers.status import status_page
from providers.status_facts import status_facts


@require_safe
def status(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    page = status_page(status_facts(now.date()), now, os.environ)
    return render(request, "providers/status.html", {"page": page})
