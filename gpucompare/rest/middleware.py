"""What holds for every address of the API: rate, language, errors, other origins.

Around the framework, so that it also holds for addresses that do not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.translation import gettext as _

from gpucompare.clients import Window, client_of, take
from gpucompare.rest.problem import ProblemError, fault, problem_response, unfit

PREFIX: Final = "/api/v1/"

_CORS: Final[Mapping[str, str]] = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": (
        "ETag, Location, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset"
    ),
}
_PREFLIGHT: Final[Mapping[str, str]] = {
    "Allow": "GET, HEAD, OPTIONS, POST",
    "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
    "Access-Control-Allow-Headers": "Accept, Accept-Language, If-None-Match",
    "Access-Control-Max-Age": "86400",
}

GetResponse = Callable[[HttpRequest], HttpResponse]


class ApiMiddleware:
    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith(PREFIX):
            return self._get_response(request)
        if request.method == "OPTIONS":
            response = HttpResponse(status=204, headers=dict(_PREFLIGHT))
        else:
            response = self._limited(request)
        for name, value in _CORS.items():
            response[name] = value
        return response

    def _limited(self, request: HttpRequest) -> HttpResponse:
        window = take(settings.API_RATE, "api", client_of(request))
        if window is None:
            return self._spoken(request)
        response = self._spoken(request) if window.allowed else _refused(window)
        response["RateLimit-Limit"] = str(window.limit)
        response["RateLimit-Remaining"] = str(window.left)
        response["RateLimit-Reset"] = str(window.reset_s)
        return response

    def _spoken(self, request: HttpRequest) -> HttpResponse:
        """The answer in the language that the address asks for."""
        language = request.GET.get("lang", settings.LANGUAGE_CODE)
        known = dict(settings.LANGUAGES)
        if language not in known:
            return problem_response(unfit([fault("lang", language, "value", known)]))
        with translation.override(language):
            response = self._answered(request)
        response["Content-Language"] = language
        return response

    def _answered(self, request: HttpRequest) -> HttpResponse:
        asked, is_head = request.method, request.method == "HEAD"
        # A HEAD is a GET whose body the server leaves out.
        request.method = "GET" if is_head else asked
        try:
            return _as_problem(self._get_response(request))
        finally:
            request.method = asked


def _refused(window: Window) -> HttpResponse:
    told = _("Wait %(n)d seconds, then ask again.") % {"n": window.reset_s}
    headers = {"Retry-After": str(window.reset_s)}
    return problem_response(ProblemError(429, "too_many_requests", told, headers=headers))


def _as_problem(response: HttpResponse) -> HttpResponse:
    """Errors that the framework wrote as pages, as problems."""
    kind = _KINDS.get(response.status_code)
    if kind is None or "json" in response.get("Content-Type", ""):
        return response
    kept = {name: response[name] for name in ("Allow", "Retry-After") if name in response}
    return problem_response(ProblemError(response.status_code, kind, headers=kept))


_KINDS: Final[Mapping[int, str]] = {
    400: "bad_request",
    403: "bad_request",
    404: "not_found",
    405: "method",
    413: "bad_request",
    414: "bad_request",
    500: "our_fault",
    503: "unavailable",
}
