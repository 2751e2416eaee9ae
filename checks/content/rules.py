"""What no single field of an entry can know: its kind, its language, its neighbours. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from checks.content.markup import Inline, Link, inlines_of, parse
from checks.content.placeholders import COUNTED, Placeholder, TextError, address_fault
from checks.content.schema import EntryDocument
from checks.models import ContentKind
from providers.dimensions import MAIN

ORIGINAL = "en"
# Every distinct count about listings is a query, and a page stays under fifteen.
MAX_LISTING_COUNTS = 4
_ALLOWED: Mapping[str, frozenset[str]] = {
    ContentKind.GUIDE: frozenset({"body", "live", "dimension", "sources"}),
    ContentKind.FAQ: frozenset({"body", "live", "sources"}),
    ContentKind.GLOSSARY: frozenset({"body", "forms", "avoid"}),
}


@dataclass(frozen=True)
class FieldFault:
    """What is wrong with a field of an entry; `at` is the place in a text."""

    field: str
    message: str
    at: int = 0


def entry_faults(kind: str, language: str, entry: EntryDocument) -> Iterator[FieldFault]:
    """Every fault of one entry but the anchors that it leads to."""
    given = {name for name in EntryDocument.model_fields if getattr(entry, name)}
    for name in sorted(given - _ALLOWED[kind] - {"title", "of"}):
        yield FieldFault(name, f"is nothing that a text of the {kind} has")
    for name in _needed(kind, language):
        if name not in given:
            yield FieldFault(name, "is missing")
    if language == ORIGINAL and entry.of:
        yield FieldFault("of", "the English is the original")
    if entry.dimension and entry.dimension not in {d.key for d in MAIN}:
        names = ", ".join(d.key for d in MAIN)
        yield FieldFault("dimension", f"{entry.dimension!r} is not one of {names}")
    for name in ("body", "live"):
        yield from _text_faults(name, getattr(entry, name) or "")
    if kind == ContentKind.FAQ and entry.live:
        yield from _live_faults(entry.live)


def _needed(kind: str, language: str) -> Iterator[str]:
    # A term in another language is its translation; what it means is said in English.
    if kind != ContentKind.GLOSSARY or language == ORIGINAL:
        yield "body"
    if kind == ContentKind.FAQ:
        yield "live"
    if language != ORIGINAL:
        yield "of"


def parts_of(text: str) -> tuple[Inline, ...]:
    """Every part of a text that was found right."""
    return tuple(inlines_of(parse(text)))


def _text_faults(name: str, text: str) -> Iterator[FieldFault]:
    try:
        parts = parts_of(text)
    except TextError as fault:
        yield FieldFault(name, str(fault), fault.at)
        return
    for part in parts:
        if isinstance(part, Link) and (wrong := address_fault(part.address)):
            yield FieldFault(name, wrong, text.index(f"({part.address})"))


def _live_faults(text: str) -> Iterator[FieldFault]:
    try:
        parts = parts_of(text)
    except TextError:
        return  # told already
    if not any(isinstance(part, Placeholder) and part.name in COUNTED for part in parts):
        yield FieldFault("live", "counts nothing; an answer ends in {count:…} or {may:…}")
    if not any(isinstance(part, Link) and part.address.startswith("/") for part in parts):
        yield FieldFault(
            "live", "leads nowhere; an answer ends in a link such as [these](/?spot=yes)"
        )


def anchor_faults(
    entry: EntryDocument, anchors: Mapping[str, Collection[str]]
) -> Iterator[FieldFault]:
    """Links to entries that do not exist; `anchors` are those of /guide/ and /faq/."""
    for name in ("body", "live"):
        text = getattr(entry, name) or ""
        for part in parts_of(text):
            path, _mark, anchor = (
                part.address.partition("#") if isinstance(part, Link) else ("",) * 3
            )
            if anchor and path in anchors and anchor not in anchors[path]:
                at = text.index(f"({path}#{anchor})")
                yield FieldFault(name, f"{path} has no entry {anchor!r}", at)


def listing_counts(texts: Collection[str]) -> set[str]:
    """The queries about listings that these texts count."""
    return {
        part.query
        for text in texts
        for part in parts_of(text)
        if isinstance(part, Placeholder) and part.about_listings
    }
