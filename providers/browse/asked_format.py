"""Which rendering of a page a request asks for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.vary import vary_on_headers

from providers.browse.export import FORMATS

_MARKDOWN = ("text", "markdown")
_View = TypeVar("_View", bound=Callable[..., HttpResponseBase])
# What an answer of such a page depends on, beside its address.
by_format: Callable[[_View], _View] = vary_on_headers("HX-Request", "Accept")


def format_asked(request: HttpRequest) -> str:
    """One of FORMATS, or nothing for the page.

    The address decides; where it names no format, Markdown is for whoever names it in `Accept` and
    likes a page no better. A browser never names it, and what takes anything gets the page.
    """
    wanted = request.GET.get("format", "")
    if wanted:
        return wanted if wanted in FORMATS else ""
    # By its name alone: `text/markdown;variant=GFM` is it too.
    named = [t for t in request.accepted_types if (t.main_type, t.sub_type) == _MARKDOWN]
    page = request.accepted_type("text/html")
    return "md" if named and (page is None or named[0].quality >= page.quality) else ""
