"""Operators' addresses are answered before anything that readers need has a say.

A probe names its target by whatever address it reached it under, which is no host of the site; it
has no language and no session.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import resolve

from gpucompare.logs import OPERATORS

GetResponse = Callable[[HttpRequest], HttpResponseBase]


class OperatorsMiddleware:
    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info not in OPERATORS:
            return self._get_response(request)
        match = request.resolver_match = resolve(request.path_info)
        response: HttpResponseBase = match.func(request, *match.args, **match.kwargs)
        response.headers["Cache-Control"] = "no-store"
        return response
