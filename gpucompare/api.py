"""The JSON API: joins the routers of the apps."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from checks.api import router as checks_router
from gpucompare.rest import documentation
from gpucompare.rest.problem import TITLES
from gpucompare.rest.strict import StrictApi
from providers.api import router as providers_router

DESCRIPTION = """\
Where a container image runs on rented GPUs, what it costs, and who says so.

Read-only and without a key. Facts carry their source and the day on which they were read;
amounts carry their unit in their name. null is "not known", which is never "no".
"""

api = StrictApi(
    title="gpucompare",
    version="1.0.0",
    description=DESCRIPTION,
    docs_url=None,  # the framework's own page asks another host for its script
    urls_namespace="api",
    openapi_extra={
        "info": {"license": {"name": "Code: MIT. Data: CC BY 4.0"}},
    },
)
api.add_router("", providers_router)
api.add_router("", checks_router)


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """The OpenAPI document as a page to read."""
    page = documentation.page(api.get_openapi_schema())
    context = {"page": page, "problems": TITLES, "language": get_language()}
    return render(request, "api/docs.html", context)
