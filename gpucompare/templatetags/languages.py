"""`{% languages as links %}` for the switcher, `{% canonical address %}` for the head of a page."""

from __future__ import annotations

from urllib.parse import urlsplit

from django import template
from django.conf import settings
from django.http import HttpRequest
from django.template.context import Context
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from gpucompare.languages import LanguageLink, in_language, language_links, language_of

register = template.Library()


@register.simple_tag(takes_context=True)
def languages(context: Context) -> tuple[LanguageLink, ...]:
    """None where a page is drawn without a request: that of a server error."""
    request: HttpRequest | None = context.get("request")
    return language_links(request) if request else ()


@register.simple_tag(takes_context=True)
def canonical(context: Context, address: str = "") -> SafeString:
    """The one address of what is shown, and the same in every language.

    `address` is a path with its query or a whole address; without it, that of the request and no
    query.
    """
    request: HttpRequest = context["request"]
    parts = urlsplit(address or request.path)
    site = f"{request.scheme}://{request.get_host()}"
    query = f"?{parts.query}" if parts.query else ""
    links = [
        (code, site + in_language(parts.path, code) + query) for code, _name in settings.LANGUAGES
    ]
    alternates = [*links, ("x-default", dict(links)[settings.LANGUAGE_CODE])]
    return format_html(
        '<link rel="canonical" href="{}">{}',
        dict(links)[language_of(parts.path)],
        format_html_join("", '<link rel="alternate" hreflang="{}" href="{}">', alternates),
    )
