"""The small markup of texts → parts. Pure: no HTML in, no HTML out.

Paragraphs and lists of `- ` lines, with `code`, **strong** and [links](/guide/); a line break
inside a paragraph is a space. `{…}` stands for something that the database knows. Whatever is
not understood is a fault: nothing is shown as it happened to be typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from checks.content.placeholders import Placeholder, TextError, placeholder


@dataclass(frozen=True)
class Words:
    text: str


@dataclass(frozen=True)
class Code:
    text: str


@dataclass(frozen=True)
class Strong:
    parts: tuple[Inline, ...]


@dataclass(frozen=True)
class Link:
    parts: tuple[Inline, ...]
    address: str


Inline = Words | Code | Strong | Link | Placeholder


@dataclass(frozen=True)
class Paragraph:
    parts: tuple[Inline, ...]


@dataclass(frozen=True)
class Bullets:
    items: tuple[tuple[Inline, ...], ...]


Block = Paragraph | Bullets

_TOKEN = re.compile(
    r"`(?P<code>[^`]+)`"
    r"|\*\*(?P<strong>[^*]+)\*\*"
    r"|\[(?P<label>[^\[\]]+)\]\((?P<address>[^()\s]+)\)"
    r"|\{(?P<placeholder>[^{}]*)\}"
)
# What is left of a mark that did not come to an end.
_STRAY = re.compile(r"[`{}\[\]]|\*\*")
_GAP = re.compile(r"\n[ ]*\n\s*")


def parse(text: str) -> tuple[Block, ...]:
    """The blocks of a text; raises TextError with its place in the text."""
    return tuple(_block(piece, at) for piece, at in _pieces(text))


def inline(text: str, at: int = 0, *, links: bool = True) -> tuple[Inline, ...]:
    """The parts of one line; `at` is where it stands in the whole text."""
    return tuple(_inlines(text, at, links=links))


def inlines_of(blocks: tuple[Block, ...]) -> Iterator[Inline]:
    """Every part of a text, those inside others included."""
    for block in blocks:
        items = block.items if isinstance(block, Bullets) else (block.parts,)
        for parts in items:
            yield from _deep(parts)


def _deep(parts: tuple[Inline, ...]) -> Iterator[Inline]:
    for part in parts:
        yield part
        if isinstance(part, Strong | Link):
            yield from _deep(part.parts)


def _pieces(text: str) -> Iterator[tuple[str, int]]:
    start = 0
    for gap in _GAP.finditer(text):
        yield text[start : gap.start()], start
        start = gap.end()
    if text[start:].strip():
        yield text[start:], start


def _block(piece: str, at: int) -> Block:
    if not piece.startswith("- "):
        return Paragraph(inline(piece, at))
    items, start = [], 0
    for mark in [*re.finditer(r"\n- ", piece), None]:
        end = mark.start() if mark else len(piece)
        items.append(inline(piece[start + 2 : end], at + start + 2))
        start = end + 1
    return Bullets(tuple(items))


def _inlines(text: str, at: int, *, links: bool) -> Iterator[Inline]:
    end = 0
    for found in _TOKEN.finditer(text):
        yield from _words(text[end : found.start()], at + end)
        yield _part(found, at, links=links)
        end = found.end()
    yield from _words(text[end:], at + end)


def _words(text: str, at: int) -> Iterator[Words]:
    if stray := _STRAY.search(text):
        raise TextError(f"{stray[0]!r} begins or ends nothing", at + stray.start())
    if text:
        yield Words(re.sub(r"\s+", " ", text))


def _part(found: re.Match[str], at: int, *, links: bool) -> Inline:
    place = at + found.start()
    match found.lastgroup:
        case "code":
            return Code(found["code"])
        case "strong":
            return Strong(inline(found["strong"], at + found.start("strong"), links=links))
        case "address":
            if not links:
                raise TextError("a link stands inside a link", place)
            parts = inline(found["label"], at + found.start("label"), links=False)
            return Link(parts, found["address"])
        case _:
            return placeholder(found["placeholder"], place)
