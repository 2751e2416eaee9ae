"""The page of changes and its feed. No queries and no rules here."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import http_date
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from providers.browse import links
from providers.browse.asked_format import by_format, format_asked
from providers.browse.criteria import Ignored
from providers.browse.export import export_response
from providers.browse.world import World
from providers.changes import feed as feeds
from providers.changes.asked import read_asked
from providers.changes.feed import Version
from providers.changes.page import changes_page
from providers.changes.select import Selection
from providers.changes.tables import changes_table
from providers.models import Change
from providers.views import unknown_format

# Sources are read once an hour or less often; nobody needs to ask more often than this.
_MAX_AGE_S = 300


@require_safe
@by_format
def changes(request: HttpRequest) -> HttpResponseBase:
    now, world = timezone.now(), World.read()
    criteria, ignored = read_asked(request, world)
    selection = Selection(criteria, world, now)
    if wanted := format_asked(request):
        return export_response(changes_table(selection), wanted, request.build_absolute_uri(), now)
    page = changes_page(selection, [*ignored, *unknown_format(request)])
    return render(request, "providers/changes.html", {"page": page})


@require_safe
def feed(request: HttpRequest) -> HttpResponseBase:
    address, last = request.get_full_path(), feeds.last_change()
    held = list(Version.held(request.headers.get("If-None-Match", ""), address))
    if current := next((version for version in held if version.last == last), None):
        return _kept(HttpResponse(status=304), current)
    world = World.read()
    criteria, ignored = read_asked(request, world)
    if ignored:
        return _refused(ignored)
    selection = Selection(criteria.put("after"), world, timezone.now())
    entries = feeds.entries_of(selection)
    version = Version.of(entries, last, address)
    if version.shown in {other.shown for other in held}:
        return _kept(HttpResponse(status=304), version)
    return _feed(request, selection, entries, version)


def _feed(
    request: HttpRequest, selection: Selection, entries: Sequence[Change], version: Version
) -> HttpResponseBase:
    host = urlsplit(request.build_absolute_uri("/")).hostname or ""
    document = feeds.atom(selection, entries, host, request.build_absolute_uri)
    response = _kept(HttpResponse(document, content_type=feeds.CONTENT_TYPE), version)
    modified = int(entries[0].at.timestamp()) if entries else None
    if modified is not None:
        response["Last-Modified"] = http_date(modified)
    return get_conditional_response(request, version.etag, modified, response) or response


def _kept(response: HttpResponse, version: Version) -> HttpResponse:
    response["ETag"] = version.etag
    patch_cache_control(response, public=True, max_age=_MAX_AGE_S)
    return response


def _refused(ignored: Sequence[Ignored]) -> HttpResponse:
    """A feed of something else than was asked for would be a wrong alarm for ever."""
    lines = [_("There is no such feed: part of its address is not understood.")]
    lines += [str(links.notice(part)) for part in ignored]
    return HttpResponse(
        "\n".join(lines) + "\n", status=400, content_type="text/plain; charset=utf-8"
    )
