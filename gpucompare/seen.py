"""Around every request: its id, a line in the log, and what is counted of it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.conf import settings
from django.db import connection
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from gpucompare import context, metrics
from gpucompare.logs import KEPT_ID, OPERATORS

# An address that leads nowhere; whoever guesses addresses makes no series of metrics.
NOWHERE: Final = "nowhere"
STATIC: Final = "static"

logger = logging.getLogger("gpucompare.access")

GetResponse = Callable[[HttpRequest], HttpResponseBase]


class Queries:
    """Counts the queries of this thread's connection."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, execute: Callable[..., Any], *asked: Any) -> Any:
        self.count += 1
        return execute(*asked)


class SeenMiddleware:
    """Stands before all others, so that what those answer is seen too."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        own_id = context.sane_or_new(request.headers.get(context.HEADER))
        request.META[KEPT_ID] = own_id
        method = metrics.method_of(request.method)
        with context.within(request_id=own_id), metrics.in_progress(method), _counted() as queries:
            begun = time.perf_counter()
            response = self._get_response(request)
            _tell(request, method, response.status_code, time.perf_counter() - begun, queries.count)
        response.headers[context.HEADER] = own_id
        return response


@contextmanager
def _counted() -> Iterator[Queries]:
    queries = Queries()
    with connection.execute_wrapper(queries):
        yield queries


def _tell(request: HttpRequest, method: str, status: int, seconds: float, queries: int) -> None:
    route = route_of(request)
    metrics.answered(route, method, status, seconds, queries)
    told = {
        "route": route,
        "method": method,
        "status": status,
        "ms": round(seconds * 1000, 1),
        "queries": queries,
    }
    # Their lines would hide all others.
    level = logging.DEBUG if request.path_info in OPERATORS else logging.INFO
    logger.log(level, "answered", extra=told)


def route_of(request: HttpRequest) -> str:
    """The name of the address that was asked for: one of as many as there are addresses."""
    if request.resolver_match is not None:
        return request.resolver_match.view_name
    return STATIC if request.path_info.startswith(settings.STATIC_URL) else NOWHERE
