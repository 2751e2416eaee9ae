"""The one form of a file of texts: fields in declared order, long texts as blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from checks.content.schema import EntryDocument, SourceDocument
from providers.catalog.canonical import scalar

_BLOCKS = ("body", "live")


def text_of(entries: Mapping[str, EntryDocument]) -> str:
    """The file of `entries`; ends in a line break. Reading it gives `entries` again."""
    return "\n".join(_entry(key, entry) for key, entry in entries.items())


def _entry(key: str, entry: EntryDocument) -> str:
    lines = [f"{scalar(key, flow=False)}:"]
    for name in EntryDocument.model_fields:
        value = getattr(entry, name)
        if value:
            lines += [f"  {line}".rstrip() for line in _field(name, value)]
    return "".join(f"{line}\n" for line in lines)


def _field(name: str, value: Any) -> Iterator[str]:
    if name in _BLOCKS:
        yield f"{name}: |"
        yield from (f"  {line}" for line in value.split("\n"))
    elif name == "sources":
        yield "sources:"
        yield from (f"  - {_source(source)}" for source in value)
    else:
        yield f"{name}: {scalar(value, flow=False)}"


def _source(source: SourceDocument) -> str:
    return f"{{address: {scalar(source.address)}, read_on: {scalar(source.read_on)}}}"
