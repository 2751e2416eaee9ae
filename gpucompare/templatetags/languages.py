"""`{% languages as links %}` and `{{ links|language_items }}` for the switcher, and
`{% canonical address %}` for the head of a page.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from django import template
from django.conf import settings
from django.http import HttpRequest
from django.template.context import Context
from django.utils.safestring import SafeString

from gpucompare.escaping import escape, escaped
from gpucompare.languages import LanguageLink, in_language, language_links, language_of

register = template.Library()


@register.simple_tag(takes_context=True)
def languages(context: Context) -> tuple[LanguageLink, ...]:
    """None where a page is drawn without a request: that of a server error."""
    request: HttpRequest | None = context.get("request")
    return language_links(request) if request else ()


@register.filter
def language_items(links: Iterable[LanguageLink]) -> SafeString:
    """The items of the switcher, each in its own language."""
    return SafeString("\n".join(map(_item, links)))


def _item(link: LanguageLink) -> str:
    code, current = escaped(link.code), ' aria-current="true"' if link.current else ""
    return (
        f'        <li><a href="{escape(link.url)}" hreflang="{code}" lang="{code}"'
        f' dir="{link.direction}"{current}>{escaped(link.name)}</a></li>'
    )


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
    here = escape(dict(links)[language_of(parts.path)])
    return SafeString(
        f'<link rel="canonical" href="{here}">'
        + "".join(
            f'<link rel="alternate" hreflang="{code}" href="{escape(address)}">'
            for code, address in alternates
        )
    )
