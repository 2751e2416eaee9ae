"""What a server sent, as blocks of text: HTML, Markdown, plain text or JSON in any charset."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any

from providers.watch.html import MOST_BLOCKS, MOST_CHARACTERS, Block, blocks_of, plain

_HTML = frozenset(("text/html", "application/xhtml+xml", "text/xml", "application/xml"))
_TEXT = frozenset(
    ("application/json", "application/yaml", "application/x-yaml", "application/toml")
)
_META = re.compile(rb"""<meta[^>]{0,200}?charset\s?=\s?["']?([\w.:-]{2,40})""", re.I)
_HEAD_BYTES = 2048
# Those that decode in time that grows with the text alone; `punycode`, for one, does not.
_CHARSETS = re.compile(
    r"utf-8(?:-sig)?|utf-16(?:-[lb]e)?|ascii|iso8859-\d+|cp125\d|koi8-[ru]|gb2312|gbk|gb18030|big5"
    r"|shift_jis|euc_jp|euc_kr|tis-620"
)
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MARKDOWN_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*")
# A list, a table or a definition: a line of its own.
_OWN_LINE = re.compile(r"\s*(?:[-*+|>]|\d+[.)])\s?")
# Names that lead to a value of a JSON document: so many, and so much of each.
_NAMES, _NAME_LENGTH = 3, 80


def blocks(body: bytes, content_type: str) -> list[Block] | None:
    """None for what is no text."""
    kind, _semicolon, parameters = content_type.partition(";")
    kind = kind.strip().lower()
    charset = _charset(body, parameters)
    if not _is_text(kind) or (not charset.startswith("utf-16") and b"\0" in body[:4096]):
        return None
    text = body.decode(charset, errors="replace")[:MOST_CHARACTERS]
    if kind in _HTML or (not kind and text.lstrip()[:1] == "<"):
        return blocks_of(text)
    if kind.endswith("json"):
        return _json_blocks(text)
    return list(_text_blocks(text))


def _is_text(kind: str) -> bool:
    return not kind or kind.startswith("text/") or kind in _HTML | _TEXT or kind.endswith("+json")


def _charset(body: bytes, parameters: str) -> str:
    """By the mark at its beginning, its header, its own word, or else by trying."""
    for mark, name in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return name
    told = re.search(r"charset\s?=\s?[\"']?([\w.:-]{2,40})", parameters, re.I)
    meta = _META.search(body[:_HEAD_BYTES])
    for named in (told and told[1], meta and meta[1].decode("ascii", "replace")):
        if named and (known := _known(named)):
            return known
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _known(named: str) -> str:
    try:
        name = codecs.lookup(named).name
    except (LookupError, ValueError):
        return ""
    return name if _CHARSETS.fullmatch(name) else ""


def _text_blocks(text: str) -> Iterator[Block]:
    """Paragraphs, with the headings and lists of Markdown where it has them."""
    paragraph: list[str] = []
    for count, line in enumerate(text.splitlines()):
        if count >= 5 * MOST_BLOCKS:
            break
        heading = _MARKDOWN_HEADING.fullmatch(line) if line.startswith("#") else None
        if heading or not line.strip() or _OWN_LINE.match(line) or line[:1].isspace():
            yield from _paragraph(paragraph)
            paragraph.clear()
        if heading:
            yield Block(plain(heading[2]), len(heading[1]))
        else:
            paragraph.append(line)
    yield from _paragraph(paragraph)


def _paragraph(lines: list[str]) -> Iterator[Block]:
    if text := plain(" ".join(lines)):
        yield Block(text)


def _json_blocks(text: str) -> list[Block]:
    """A block for each value, with the last of the names that lead to it."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return list(_text_blocks(text))
    found: list[Block] = []
    # Not by recursion: the document says how deep it is.
    left: list[tuple[tuple[str, ...], Any]] = [((), document)]
    while left and len(found) < MOST_BLOCKS:
        names, value = left.pop()
        if isinstance(value, dict):
            inner = [((*names, key[:_NAME_LENGTH])[-_NAMES:], each) for key, each in value.items()]
            left += reversed(inner)
        elif isinstance(value, list):
            left += [(names, each) for each in reversed(value)]
        else:
            found.append(Block(" ".join(f"{'.'.join(names)}: {value}".split())))
    return found
