"""For operators: is the process alive?"""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Answers as long as the process does; says nothing of database or data."""
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")
