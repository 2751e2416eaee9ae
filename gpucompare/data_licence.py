"""The licence of the data, as `docs/data-licence.md` says it."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe


@require_safe
def data_licence(request: HttpRequest) -> HttpResponse:
    """The file as it is: plain text, which every browser shows."""
    text = (settings.BASE_DIR / "docs" / "data-licence.md").read_text(encoding="utf-8")
    return HttpResponse(text, content_type="text/plain; charset=utf-8")
