"""Small files of texts for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from checks.content import canonical
from checks.content.files import Entries
from checks.content.schema import EntryDocument, SourceDocument, digest

LIVE = "At {count:spot=yes} of {total}: [these](/?spot=yes)."


def entry(
    title: str = "What is it?", body: str | None = "It is so.", **fields: Any
) -> EntryDocument:
    return EntryDocument(title=title, body=body, **fields)


def question(title: str = "What is it?", body: str = "It is so.", **fields: Any) -> EntryDocument:
    """An entry as the FAQ has it."""
    return entry(title, body, **({"live": LIVE} | fields))


def translated(original: EntryDocument, title: str, **fields: Any) -> EntryDocument:
    """A translation that says what the English says today."""
    of = digest(original.title, original.body, original.live)
    return entry(title, "نص", **({"live": original.live, "of": of} | fields))


def source(
    address: str = "https://docs.example/page", day: str | None = "2026-08-20"
) -> SourceDocument:
    return SourceDocument(address=address, read_on=day)


def write(directory: Path, **files: Entries | str) -> Path:
    """Files by name, with `en_faq` for en/faq.yaml; of entries or of text as it stands."""
    for name, content in files.items():
        path = directory / f"{name.replace('_', '/')}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else canonical.text_of(content))
    return directory
