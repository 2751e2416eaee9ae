"""Requests that are refused, and answers that could not be had in time: pages, fragments, JSON.

None of them reads the query or the database: either may be what is at fault.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from typing import Final

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.defaults import server_error
from psycopg.errors import QueryCanceled

from gpucompare import metrics
from gpucompare.rest.middleware import PREFIX
from gpucompare.rest.problem import TITLES, ProblemError, problem_response
from gpucompare.seen import route_of
from gpucompare.spoken import number

logger = logging.getLogger(__name__)

# The database restarts in seconds, and so long a busy one takes to be less so.
RETRY_S: Final = 10
# Which of a problem's kinds a status is.
_KINDS: Final[Mapping[int, str]] = {503: "unavailable"}


def refused(
    request: HttpRequest, status: int, told: str, headers: Mapping[str, str] | None = None
) -> HttpResponse:
    """Says what to do, in the form that whoever asked can read."""
    kind, kept = _KINDS.get(status, "bad_request"), {"Cache-Control": "no-store", **(headers or {})}
    if request.path_info.startswith(PREFIX):
        return problem_response(ProblemError(status, kind, told, headers=headers or {}))
    if request.headers.get("HX-Request"):
        # htmx swaps no answer of this kind: the page says that it did not arrive.
        return HttpResponse(told, "text/plain; charset=utf-8", status, headers=kept)
    page = render_to_string("refused.html", {"heading": TITLES[kind], "told": told})
    return HttpResponse(page, status=status, headers=kept)


def too_long(request: HttpRequest) -> HttpResponse:
    told = _("An address may have at most %(n)s characters: take some filters out.")
    return refused(request, 414, told % {"n": number(settings.LONGEST_ADDRESS)})


def too_large(request: HttpRequest, most_mb: float) -> HttpResponse:
    told = _("At most %(n)s MB may be sent at once: send less.")
    return refused(request, 413, told % {"n": number(most_mb)})


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """What Django could not read: too many fields, a host that is not ours, a broken form."""
    if isinstance(exception, RequestDataTooBig):
        return too_large(request, (settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0) / 2**20)
    return too_many(request)


def too_many(request: HttpRequest) -> HttpResponse:
    told = _(
        "At most %(n)s parameters are read, as pages of this site send them. "
        "Open the page and begin again."
    )
    most = number(settings.DATA_UPLOAD_MAX_NUMBER_FIELDS or 0)
    return refused(request, 400, told % {"n": most})


def our_fault(request: HttpRequest) -> HttpResponse:
    """A statement that was cut and a database that is away pass; anything else is a fault."""
    fault = sys.exc_info()[1]
    if not isinstance(fault, OperationalError | InterfaceError):
        return server_error(request)
    if isinstance(fault.__cause__, QueryCanceled):
        metrics.statement_timed_out(route_of(request))
    told = _("Wait %(n)d seconds, then ask again.") % {"n": RETRY_S}
    response = refused(request, 503, told, {"Retry-After": str(RETRY_S)})
    # In one line: while the database is away every request ends here, all at the same place.
    logger.error("%s was not answered: %s", request.path, str(fault).partition("\n")[0])
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response
