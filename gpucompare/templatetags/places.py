"""`{% place_items %}`: the places of the header, with the one that the page belongs to."""

from __future__ import annotations

from functools import lru_cache

from django import template
from django.template.context import Context
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from gpucompare.places import place_links

register = template.Library()


@register.simple_tag(takes_context=True)
def place_items(context: Context) -> SafeString:
    """The page of a server error is drawn without a request, that of a wrong address without a
    view: then no place is the current one."""
    found = getattr(context.get("request"), "resolver_match", None)
    return _drawn(found.url_name or "" if found else "", get_language())


@lru_cache(maxsize=1024)
def _drawn(here: str, _language: str | None) -> SafeString:
    links = ((link.url, _current(link.current), link.label) for link in place_links(here))
    return format_html_join("\n", '      <li><a href="{}"{}>{}</a></li>', links)


def _current(said: str) -> SafeString:
    return format_html(' aria-current="{}"', said) if said else SafeString()
