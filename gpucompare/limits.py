"""How much one request may hold. What it may say is for whoever reads it.

The server bounds the head of a request, Django what it keeps of a body in memory and the number
of its fields. Left are the length of the address and the size of all that is sent; and what
stands in the address is counted here, because everything else reads it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from gpucompare.refusals import too_large, too_long, too_many

_DIGITS = re.compile(r"[0-9]+")
# Enough to be too large; a number may be written in more digits than Python reads.
_MOST_DIGITS = 18


class LimitsMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        query = str(request.META.get("QUERY_STRING") or "")
        if len(request.path_info) + len(query) > settings.LONGEST_ADDRESS:
            return too_long(request)
        if query.count("&") >= (settings.DATA_UPLOAD_MAX_NUMBER_FIELDS or math.inf):
            return too_many(request)
        if _body_bytes(request) > settings.LARGEST_BODY_MB * 1024 * 1024:
            return too_large(request, settings.LARGEST_BODY_MB)
        return self._get_response(request)


def _body_bytes(request: HttpRequest) -> int:
    """As announced: nothing beyond that is read, and nothing where no number is announced."""
    announced = str(request.META.get("CONTENT_LENGTH") or "0")
    return int(announced[:_MOST_DIGITS]) if _DIGITS.fullmatch(announced) else 0
