"""For operators: is the process alive, and has it all that it needs?"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from gpucompare.readiness import missing, readiness


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Answers as long as the process does; says nothing of database or data."""
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")


@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """What stands and what is missing; 503 while anything is. No address, no name of a host."""
    found = readiness()
    lacking = missing(found)
    told = {"ready": not lacking, "missing": lacking, "parts": found}
    return JsonResponse(told, status=503 if lacking else 200)
