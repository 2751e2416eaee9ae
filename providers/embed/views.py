"""What stands on pages of others. No queries and no rules here: they are fetched and shown."""

from __future__ import annotations

from csp.constants import NONE
from csp.decorators import csp_replace
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import conditional_page, require_safe

from providers import queries
from providers.browse.world import World
from providers.compare.comparison import Comparison
from providers.compare.selection import Selection
from providers.coverage_facts import provider_coverage
from providers.embed.badge import Badge, badge_of, coverage_badge
from providers.embed.framed import framed_page

# An embedded page is asked for by every reader of another's: that is seldom worth a fresh price.
COMPARISON_S = 10 * 60
BADGE_S = 60 * 60


@require_safe
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"], "script-src": [NONE], "form-action": [NONE]})
@cache_control(public=True, max_age=COMPARISON_S)
@conditional_page
def compare(request: HttpRequest) -> HttpResponse:
    """The only page of the site that others may frame; nothing on it changes anything."""
    now, world = timezone.now(), World.read()
    selection, ignored = Selection.parse(request.GET, world.by_key, world.vocabulary)
    comparison = Comparison.read(selection, world, now)
    page = framed_page(comparison, ignored, request.build_absolute_uri, now)
    response = render(request, "providers/embed/compare.html", {"page": page})
    response["X-Robots-Tag"] = "noindex"
    return response


@require_safe
@cache_control(public=True, max_age=BADGE_S)
@conditional_page
def badge(request: HttpRequest, slug: str) -> HttpResponse:
    """Two kinds, by `show`; a kind that there is not is the usual one, as any other parameter."""
    drawn = _coverage(slug) if request.GET.get("show") == "coverage" else _answers(slug)
    if drawn is None:
        raise Http404
    context = {"badge": drawn}
    return render(request, "providers/embed/badge.svg", context, content_type="image/svg+xml")


def _answers(slug: str) -> Badge | None:
    facts = queries.provider_answers(slug)
    return badge_of(*facts) if facts else None


def _coverage(slug: str) -> Badge | None:
    found = provider_coverage(slug, timezone.now().date())
    return coverage_badge(*found) if found else None
