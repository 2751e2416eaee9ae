"""/llms.txt, /sitemap.xml and /robots.txt."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from providers.dimensions import MAIN
from providers.discovery import provider_lines, site_map

# A day: what changes in them is a provider or a GPU more.
_MAX_AGE_S = 24 * 60 * 60


@require_safe
def llms(request: HttpRequest) -> HttpResponse:
    """What the site is and how to ask it, for a program that reads; see llmstxt.org."""
    context = {"providers": provider_lines(), "questions": MAIN, "site": _site(request)}
    return _text(request, "discovery/llms.txt", context, "text/markdown")


@require_safe
def sitemap(request: HttpRequest) -> HttpResponse:
    context = {"places": site_map(), "site": _site(request)}
    return _text(request, "discovery/sitemap.xml", context, "application/xml")


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    return _text(request, "discovery/robots.txt", {"site": _site(request)}, "text/plain")


def _site(request: HttpRequest) -> str:
    """Scheme and host, for addresses that stand alone."""
    return request.build_absolute_uri("/").rstrip("/")


def _text(
    request: HttpRequest, template: str, context: Mapping[str, object], kind: str
) -> HttpResponse:
    response = render(request, template, context, content_type=f"{kind}; charset=utf-8")
    patch_cache_control(response, public=True, max_age=_MAX_AGE_S)
    return response
