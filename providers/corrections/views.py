"""The form of a correction, and the page that tells what became of it. No rules here."""

from __future__ import annotations

import re
from datetime import datetime

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from gpucompare import clients
from gpucompare.same_origin import is_same_origin
from providers import queries
from providers.answers import Dimension
from providers.corrections import stamp, store
from providers.corrections.present import Refusal, cell_key, correct_page, correction_page
from providers.corrections.typed import Typed, said
from providers.corrections.wording import REFUSALS
from providers.dimensions import DIMENSIONS
from providers.models import Correction, Offering
from providers.shares.store import normal

_STATUS = {
    **{"origin": 403, "kind": 415, "large": 413, "often": 429, "cell": 409, "full": 503},
    **{"trap": 422, "quick": 422, "old": 422, "faults": 422},
}
_FORM = "application/x-www-form-urlencoded"
# The longest fields in letters that take twelve bytes each, twice over.
_MOST_BYTES = 64 * 1024


# Public forms set no cookie: see gpucompare.same_origin.
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def correct(request: HttpRequest, slug: str, offering: str, dimension: str) -> HttpResponse:
    """The form for one cell; `?value=` and `?source=` fill it in."""
    found, asked = queries.offering(slug, offering), DIMENSIONS.get(dimension)
    if found is None or asked is None or asked.on_offering:
        raise Http404
    form = _Form(request, found, asked, timezone.now())
    return form.send() if request.method == "POST" else form.show()


class _Form:
    """One request for the form of one cell."""

    def __init__(
        self, request: HttpRequest, offering: Offering, dimension: Dimension, now: datetime
    ) -> None:
        self.request, self.offering, self.dimension, self.now = request, offering, dimension, now

    def show(self) -> HttpResponse:
        typed = Typed.read(self.request.GET, self.dimension)
        return self._page(typed, Refusal())

    def send(self) -> HttpResponse:
        if reason := _unreadable(self.request):
            return self._refused(reason, Typed())
        fields = self.request.POST
        typed = Typed.read(fields, self.dimension)
        if not is_same_origin(self.request):
            return self._refused("origin", typed)
        if fields.get("website"):
            return self._refused("trap", typed)
        key = cell_key(self.offering, self.dimension)
        if reason := stamp.fault_of(fields.get("stamp", ""), key, self.now):
            # What came too quickly comes in time with the same stamp.
            again = fields.get("stamp", "") if reason == "quick" else ""
            return self._refused(reason, typed, again)
        if typed.faults(self.dimension):
            return self._refused("faults", typed)
        return self._taken(typed)

    def _taken(self, typed: Typed) -> HttpResponse:
        says = self.offering, self.dimension.key, said(typed), self.now
        if found := store.twin(*says):
            return _to(found)
        window = clients.take(
            settings.CORRECTION_RATE, "correction", clients.client_of(self.request)
        )
        if window and not window.allowed:
            refused = self._refused("often", typed)
            refused["Retry-After"] = str(window.reset_s)
            return refused
        try:
            return _to(store.receive(*says))
        except store.NoRoomError as fault:
            return self._refused(fault.reason, typed)

    def _refused(self, reason: str, typed: Typed, same_stamp: str = "") -> HttpResponse:
        faults = typed.faults(self.dimension) if reason == "faults" else {}
        refusal = Refusal(REFUSALS[reason], faults, same_stamp)
        return self._page(typed, refusal, _STATUS[reason])

    def _page(self, typed: Typed, refusal: Refusal, status: int = 200) -> HttpResponse:
        page = correct_page(self.offering, self.dimension, typed, self.now, refusal)
        return render(self.request, "providers/correct.html", {"page": page}, status=status)


def _unreadable(request: HttpRequest) -> str:
    """Why the body is not even looked at."""
    charset = (request.content_params or {}).get("charset", "utf-8")
    if request.content_type != _FORM or charset.lower() != "utf-8":
        return "kind"
    length = request.META.get("CONTENT_LENGTH") or "0"
    few_digits = re.fullmatch(r"[0-9]{1,9}", length)
    return "" if few_digits and int(length) <= _MOST_BYTES else "large"


def _to(found: Correction) -> HttpResponse:
    return HttpResponseRedirect(reverse("correction", args=[found.token]), status=303)


@never_cache
@require_safe
def correction(request: HttpRequest, typed: str) -> HttpResponse:
    token = normal(typed)
    found = store.find(token)
    if found is None:
        raise Http404
    if token != typed:
        return HttpResponseRedirect(reverse("correction", args=[token]))
    page = correction_page(found, request.build_absolute_uri(request.path))
    response = render(request, "providers/correction.html", {"page": page})
    response["X-Robots-Tag"] = "noindex"
    return response
