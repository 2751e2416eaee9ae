"""Every public answer: from one snapshot, with an ETag that names all it is made of, made once.

What is asked for again with that ETag costs one statement. An ETag holds the address, the form
in which it is asked for, the state of the database, the program, and the moment until which
freshness says the same: a page ages also when nothing is written any more.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import ResolverMatch, resolve
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.translation import get_language

from gpucompare.caching import control
from gpucompare.caching.answers import Answers
from gpucompare.caching.release import release
from gpucompare.rest.middleware import PREFIX
from gpucompare.snapshot import one_snapshot, state
from providers.ageing import boundary_at, next_boundary

View = Callable[..., HttpResponseBase]
GetResponse = Callable[[HttpRequest], HttpResponseBase]

# Not for the public, or of this process and this moment.
_OTHERS: Final = ("/admin/", "/healthz", "/readyz", "/metrics")
# The forms of one address. A part that htmx swaps also tells whether its address is a step away
# from where htmx stands.
_PAGE: Final = ("HX-Request", "Accept")
_PART: Final = (*_PAGE, "HX-History-Restore-Request", "HX-Current-URL")

answers = Answers()


class HeldMiddleware:
    """A client that has the answer already is told so after one statement, without a snapshot.

    Outside of all that only whoever makes an answer needs: sessions, users, forms.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return _held_already(request) or self._get_response(request)


class AnswersMiddleware:
    """The innermost: nothing inside it may depend on who asks."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        if not is_public(request) or response.status_code not in (200, 304):
            return response
        return _controlled(request, _conditional(request, response))

    def process_view(
        self, request: HttpRequest, view: View, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> HttpResponseBase | None:
        if not _has_a_name(request):
            return None
        with ExitStack() as stack:
            try:
                seen = stack.enter_context(one_snapshot())
            except (OperationalError, InterfaceError):
                return None  # what needs no database can be had without one
            etag = etag_of(request, seen, next_boundary(timezone.now()))
            if held := get_conditional_response(request, etag):
                held["ETag"] = etag  # what else it has to say is said by `__call__`
                return held
            return _made(request, etag, lambda: view(request, *args, **kwargs))


def is_public(request: HttpRequest) -> bool:
    return request.method in ("GET", "HEAD") and not request.path_info.startswith(_OTHERS)


def is_asked_anew(request: HttpRequest) -> bool:
    """Whether an image is read for it, which writes and goes on beside the answer; and while the
    program itself is being changed."""
    return settings.DEBUG or "image" in request.GET


def _has_a_name(request: HttpRequest) -> bool:
    # Inside a transaction, as tests have one, rows may be seen that have no name yet.
    return is_public(request) and not is_asked_anew(request) and not connection.in_atomic_block


def _held_already(request: HttpRequest) -> HttpResponseBase | None:
    if "If-None-Match" not in request.headers or not _has_a_name(request):
        return None
    try:
        now_at = state()
    except (OperationalError, InterfaceError):
        return None
    boundary = boundary_at(timezone.now(), now_at)
    if boundary is None:
        return None
    etag = etag_of(request, now_at, boundary)
    held = get_conditional_response(request, etag)
    if held is None:
        return None
    held["ETag"] = etag
    request.resolver_match = _match(request.path_info, get_language())  # for those who count
    return _controlled(request, held)


# Where an address leads depends on nothing else.
@lru_cache(maxsize=1024)
def _match(path: str, language: str | None) -> ResolverMatch:
    return resolve(path)


def etag_of(request: HttpRequest, state: str, boundary: datetime) -> str:
    parts = (
        *(request.scheme, request.get_host(), request.get_full_path(), get_language()),
        *(request.headers.get(name, "") for name in _PART),
        *(release(), state, boundary.isoformat()),
    )
    return f'"{hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}"'


def _made(
    request: HttpRequest, etag: str, make: Callable[[], HttpResponseBase]
) -> HttpResponseBase:
    def make_with_etag() -> HttpResponseBase:
        response = make()
        if may_keep(response):
            response.headers.setdefault("ETag", etag)
        return response

    def may_keep(response: HttpResponseBase) -> bool:
        return (
            response.status_code == 200
            and not response.streaming
            and not response.cookies
            and not request.session.accessed
            and "no-" not in response.get("Cache-Control", "")
        )

    return answers.answer(etag, make_with_etag, may_keep)


def _conditional(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """By its content where nothing else names it; 304 where the client has it already."""
    if not isinstance(response, HttpResponse) or "no-store" in response.get("Cache-Control", ""):
        return response
    if response.status_code == 200 and "ETag" not in response:
        response["ETag"] = f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
    found = get_conditional_response(request, response.get("ETag"), response=response)
    return found or response


def _controlled(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    if response.status_code == 304:
        # Browsers take its headers for those of what they kept: the usual policies would forbid
        # an embedded page its frame.
        response.xframe_options_exempt = response._csp_exempt = True  # type: ignore[attr-defined]
    said = response.get("Cache-Control", "")
    if "no-store" in said:
        return response
    usual = control.ASKED_ANEW if is_asked_anew(request) else control.ANYBODY
    if settings.SESSION_COOKIE_NAME in request.COOKIES:
        usual = said = control.CURATOR
    response["Cache-Control"] = control.with_stale(said) or usual
    if not request.path_info.startswith(PREFIX):
        # No answer depends on a cookie, but for how long it may be kept does: what a browser kept
        # before its user logged in at the desk must not hide what was written there. Readers send
        # none, so that all of them share one.
        form = _PART if "HX-Request" in request.headers else _PAGE
        patch_vary_headers(response, (*form, "Cookie"))
    return response
