"""A directory of texts → entries by file, or every fault of every file with its line.

fixtures/content/<language>/{guide,faq,glossary}.yaml
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.conf import settings
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from checks.content.rules import (
    MAX_LISTING_COUNTS,
    ORIGINAL,
    FieldFault,
    anchor_faults,
    entry_faults,
    listing_counts,
)
from checks.content.schema import FILE, EntryDocument, SourceDocument
from checks.models import ContentKind
from providers.catalog.faults import CatalogFaults, Fault
from providers.catalog.files import Parsed, parse, read_file

Entries = dict[str, EntryDocument]


@dataclass(frozen=True)
class ContentFiles:
    """The files of a directory by name (`en/faq`): what they hold, and their bytes as text."""

    entries: Mapping[str, Entries]
    texts: Mapping[str, str]


def read_content(directory: Path) -> ContentFiles:
    """Every file of `directory`; raises CatalogFaults with every fault of every file."""
    parsed = dict(_files(directory))
    faults: list[Fault] = []
    entries: dict[str, Entries] = {}
    for name, file in parsed.items():
        found, wrong = _entries_of(name, file)
        faults += wrong
        entries[name] = found
    if not faults:
        faults += _faults_between(parsed, entries)
    if faults:
        raise CatalogFaults(faults)
    return ContentFiles(entries, {name: file.text for name, file in parsed.items()})


def trusted(name: str, text: str | None) -> Entries:
    """The entries of a file as it was last loaded, not judged again by today's rules."""
    data = parse(name, text).data if text else None
    return {key: _trusted(entry) for key, entry in (data or {}).items()}


def _trusted(entry: Mapping[str, Any]) -> EntryDocument:
    texts = {n: entry[n].rstrip("\n") for n in ("body", "live") if entry.get(n)}
    sources = [SourceDocument.model_construct(**s) for s in entry.get("sources") or ()] or None
    return EntryDocument.model_construct(**{**entry, **texts, "sources": sources})


def _files(directory: Path) -> Iterator[tuple[str, Parsed]]:
    found = sorted(directory.glob("*/*.yaml"))
    if not any(path.parent.name == ORIGINAL for path in found):
        fault = Fault(str(directory), 1, "", f"holds no texts ({ORIGINAL}/*.yaml)")
        raise CatalogFaults([fault])
    for path in found:
        name = f"{path.parent.name}/{path.stem}"
        yield name, replace(read_file(path), name=f"{name}.yaml")


def _entries_of(name: str, file: Parsed) -> tuple[Entries, list[Fault]]:
    language, _slash, kind = name.partition("/")
    if language not in dict(settings.LANGUAGES) or kind not in ContentKind.values:
        known = f"{'|'.join(dict(settings.LANGUAGES))}/{'|'.join(ContentKind.values)}"
        return {}, [Fault(file.name, 1, "", f"is no file of texts; allowed: {known}")]
    faults = [replace(fault, file=file.name) for fault in file.faults]
    if file.data is None:
        return {}, faults
    try:
        entries = FILE.validate_python(file.data)
    except ValidationError as error:
        return {}, faults + [_shape_fault(file, e) for e in error.errors(include_url=False)]
    for key, entry in entries.items():
        faults += [_fault(file, key, f) for f in entry_faults(kind, language, entry)]
    return entries, faults


def _faults_between(
    parsed: Mapping[str, Parsed], entries: Mapping[str, Entries]
) -> Iterator[Fault]:
    """What takes more than one entry to see."""
    anchors = anchors_of({name: list(found) for name, found in entries.items()})
    for name, found in entries.items():
        file, kind = parsed[name], name.partition("/")[2]
        for key, entry in found.items():
            for fault in anchor_faults(entry, anchors):
                yield _fault(file, key, fault)
            if key not in entries.get(f"{ORIGINAL}/{kind}", {}):
                message = f"translates nothing: {ORIGINAL}/{kind}.yaml has no such key"
                yield Fault(file.name, file.line_of((key,)), key, message)
        counted = listing_counts([t for e in found.values() for t in (e.body, e.live) if t])
        if len(counted) > MAX_LISTING_COUNTS:
            message = f"counts listings in {len(counted)} ways; at most {MAX_LISTING_COUNTS}"
            yield Fault(file.name, 1, "", f"{message}: {', '.join(sorted(counted))}")


def anchors_of(keys: Mapping[str, list[str]]) -> dict[str, set[str]]:
    """The anchors of the two pages, from the keys of the English files by name."""
    guide, faq, terms = (
        keys.get(f"{ORIGINAL}/{kind.value}", ())
        for kind in (ContentKind.GUIDE, ContentKind.FAQ, ContentKind.GLOSSARY)
    )
    return {
        "/guide/": {*guide, "glossary", *(f"term-{key}" for key in terms)},
        "/faq/": {*faq},
    }


def _fault(file: Parsed, key: str, fault: FieldFault) -> Fault:
    line = file.line_of((key, fault.field))
    line += _lines_before(file, line, file.data[key].get(fault.field), fault.at)
    return Fault(file.name, line, f"{key}.{fault.field}", fault.message)


def _lines_before(file: Parsed, line: int, text: Any, at: int) -> int:
    """Lines between the key and a place in its text, when the text begins below the key."""
    below = file.text.split("\n")[line - 1].rstrip().endswith(("|", "|-"))
    return 1 + text.count("\n", 0, at) if below and isinstance(text, str) else 0


def _shape_fault(file: Parsed, error: ErrorDetails) -> Fault:
    path = tuple(part for part in error["loc"] if part != "[key]")
    where = ".".join(map(str, path))
    return Fault(file.name, file.line_of(path), where, _message(error, len(path)))


_WANTED = {
    "string_type": "a text (put numbers, true and false in quotes)",
    "list_type": "a list",
    "dict_type": "a mapping of keys and values",
    "model_type": "a mapping of keys and values",
}


def _message(error: ErrorDetails, depth: int) -> str:
    """What is wrong and what is allowed, in our own words."""
    match error["type"]:
        case "value_error":
            return str(error["ctx"]["error"])
        case "missing":
            return "is missing"
        case "extra_forbidden":
            model = EntryDocument if depth < 3 else SourceDocument
            return f"is not a known key; allowed: {', '.join(model.model_fields)}"
    wanted = _WANTED.get(error["type"])
    return f"{error['input']!r} is not {wanted}" if wanted else error["msg"]
