"""What a file of texts may hold: keys, each with an entry. Strict, as the catalog's files are."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from datetime import date
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, TypeAdapter

from providers.catalog.schema import Address, Name, Slug

LONGEST = 6_000


def _text(text: Any) -> Any:
    """A text of several lines as it is kept: without the line break that ends a block."""
    if not isinstance(text, str):
        return text
    text = text.rstrip("\n")
    if text != "\n".join(line.rstrip() for line in text.split("\n")).strip():
        raise ValueError("has space at its beginning or at the end of a line; take it away")
    if any(unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"} for c in text.replace("\n", "")):
        raise ValueError("has a tab or another control character; write spaces")
    if not text or len(text) > LONGEST:
        raise ValueError(f"is {len(text)} characters long; 1 to {LONGEST} are allowed")
    return text


def _day(text: str) -> str:
    # Python reads 20260820 and 2026-W34-4 as well, and one day is to have one spelling.
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        try:
            return date.fromisoformat(text).isoformat()
        except ValueError:
            pass
    raise ValueError(f"{text!r} is not a day such as 2026-08-20, or null when none is recorded")


def _digest(text: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{16}", text):
        raise ValueError(f"{text!r} is not a digest of 16 hexadecimal digits")
    return text


Text = Annotated[str, BeforeValidator(_text)]


class _Document(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class SourceDocument(_Document):
    """Where a claim about the world was read; null says that the copy bore no day."""

    address: Address
    read_on: Annotated[str, AfterValidator(_day)] | None


class EntryDocument(_Document):
    """One section, question or term; `live` is the sentence with the numbers of today."""

    title: Name
    body: Text | None = None
    live: Text | None = None
    dimension: str | None = None
    sources: list[SourceDocument] | None = None
    forms: list[Name] | None = None
    avoid: list[Name] | None = None
    of: Annotated[str, AfterValidator(_digest)] | None = None


FILE = TypeAdapter(dict[Slug, EntryDocument])


def digest(title: str, body: str | None, live: str | None) -> str:
    """Stands for what a reader reads; a translation names that of the English it was made from."""
    told = json.dumps([title, body or "", live or ""], ensure_ascii=False)
    return hashlib.sha256(told.encode()).hexdigest()[:16]
