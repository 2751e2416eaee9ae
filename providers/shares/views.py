"""Making a share, its page and its picture. No queries and no rules here."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    JsonResponse,
    QueryDict,
)
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone, translation
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from gpucompare import clients
from gpucompare.same_origin import is_same_origin
from gpucompare.snapshot import one_snapshot
from providers.browse.world import World
from providers.models import Share
from providers.shares import kinds, opened, pictures, store
from providers.shares.content import TooLargeError
from providers.shares.present import share_page
from providers.shares.wording import REFUSALS

_STATUS = {
    "origin": 403,
    "kind": 422,
    "nothing": 422,
    "unread": 409,
    "large": 413,
    "often": 429,
    "full": 503,
}
# An address of a page; what is longer says more than any page asks.
_LONGEST_ADDRESS = 8_000


# Public forms set no cookie: see gpucompare.same_origin.
@csrf_exempt
@require_POST
def make(request: HttpRequest) -> HttpResponse:
    """Freezes what the page at `address` shows, and leads to it."""
    if not is_same_origin(request):
        return _refused(request, "origin")
    kind = kinds.kind_of(request.POST.get("kind", ""))
    if kind is None:
        return _refused(request, "kind")
    window = clients.take(settings.SHARE_RATE, "share", clients.client_of(request))
    if window and not window.allowed:
        refused = _refused(request, "often")
        refused["Retry-After"] = str(window.reset_s)
        return refused
    return _made(request, kind)


def _made(request: HttpRequest, kind: kinds.Kind) -> HttpResponse:
    address = request.POST.get("address", "")
    if len(address) > _LONGEST_ADDRESS:
        return _refused(request, "large")
    asked = QueryDict(urlsplit(address).query)
    try:
        with one_snapshot():
            content = kind.freeze(asked, World.read(), timezone.now())
        made = store.make(content)
    except kinds.NothingToShareError as fault:
        return _refused(request, fault.reason)
    except TooLargeError:
        return _refused(request, "large")
    except store.FullError:
        return _refused(request, "full")
    path = reverse("share", args=[made.pk])
    if _wants_json(request):
        return JsonResponse({"url": request.build_absolute_uri(path)}, status=201)
    return HttpResponseRedirect(path, status=303)


def _refused(request: HttpRequest, reason: str) -> HttpResponse:
    text, status = REFUSALS[reason], _STATUS[reason]
    if _wants_json(request):
        return JsonResponse({"detail": str(text)}, status=status)
    return render(request, "providers/share/refused.html", {"text": text}, status=status)


def _wants_json(request: HttpRequest) -> bool:
    return request.get_preferred_type(["text/html", "application/json"]) == "application/json"


@require_safe
def share(request: HttpRequest, typed: str) -> HttpResponse:
    """The share as it was made, or with `now=1` the same question asked today."""
    found = _found(typed)
    if found.pk != typed:
        path = reverse("share", args=[found.pk])
        query = request.META.get("QUERY_STRING", "")
        return HttpResponseRedirect(f"{path}?{query}" if query else path)
    opening = opened.open_share(found, timezone.now())
    if opening is None:
        raise Http404
    show_now = request.GET.get("now") == "1"
    page = share_page(found.pk, opening, request.build_absolute_uri, show_now=show_now)
    response = render(request, "providers/share.html", {"page": page})
    response["X-Robots-Tag"] = "noindex"
    return response


@require_safe
def picture(request: HttpRequest, typed: str) -> HttpResponse:
    """What chats show beside the link; the same for ever in each language."""
    found = _found(typed)
    drawn = pictures.picture_of(found, translation.get_language() or "en")
    if drawn is None:
        raise Http404
    response = HttpResponse(drawn, content_type="image/png")
    response["Cache-Control"] = "public, max-age=604800"
    response["X-Robots-Tag"] = "noindex"
    return response


def _found(typed: str) -> Share:
    found = store.find(store.normal(typed))
    if found is None:
        raise Http404
    return found
