"""Texts → HTML. Every word is escaped; the only tags are those written here."""

from __future__ import annotations

from collections.abc import Iterable

from django.urls import translate_url
from django.utils import translation
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from checks.content.live import Live
from checks.content.markup import Block, Bullets, Code, Inline, Link, Strong, Words, parse
from checks.content.rules import ORIGINAL


def render(text: str, live: Live, language: str) -> SafeString:
    """A text as HTML blocks; links stay in `language`, which is the page's."""
    return format_html_join("", "{}", ((_block(b, live, language),) for b in parse(text)))


def _block(block: Block, live: Live, language: str) -> SafeString:
    if isinstance(block, Bullets):
        items = ((_inlines(parts, live, language),) for parts in block.items)
        return format_html("<ul>{}</ul>", format_html_join("", "<li>{}</li>", items))
    return format_html("<p>{}</p>", _inlines(block.parts, live, language))


def _inlines(parts: Iterable[Inline], live: Live, language: str) -> SafeString:
    return format_html_join("", "{}", ((_inline(part, live, language),) for part in parts))


def _inline(part: Inline, live: Live, language: str) -> SafeString | str:
    match part:
        case Words(text):
            return text
        case Code(text):
            return format_html('<code class="ltr">{}</code>', text)
        case Strong(inside):
            return format_html("<strong>{}</strong>", _inlines(inside, live, language))
        case Link(inside, address):
            href = page_address(address, language)
            return format_html('<a href="{}">{}</a>', href, _inlines(inside, live, language))
        case _:
            return str(live.shown(part))


def page_address(address: str, language: str) -> str:
    """An address as a text gives it, in the language of the page that shows it."""
    if not address.startswith("/"):
        return address
    with translation.override(ORIGINAL):
        return translate_url(address, language)
