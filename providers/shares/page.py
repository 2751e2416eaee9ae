"""What the page of a share shows, ready for the template: texts, addresses and marks, no rules."""

from __future__ import annotations

from dataclasses import dataclass

from providers.answers import Text


@dataclass(frozen=True)
class Said:
    """An answer, a price or a standing in a word, with its mark."""

    state: str  # yes | partly | no | fact | unknown | contradicted, or a verdict's; empty: no mark
    text: Text
    language: str = ""  # of `text`, where it is the catalog's own words


@dataclass(frozen=True)
class Fact:
    label: Text
    value: Text


@dataclass(frozen=True)
class ChangeLine:
    """`before` → `after`; either may be missing."""

    label: Text
    how: Text
    before: Said | None = None
    after: Said | None = None


@dataclass(frozen=True)
class Changed:
    """All that has changed of one offering."""

    name: str
    url: str  # empty when it is gone
    lines: tuple[ChangeLine, ...]


@dataclass(frozen=True)
class Head:
    """What a row or a column is about."""

    text: Text
    over: Text = ""  # the provider's name, above
    url: str = ""
    notes: tuple[Text, ...] = ()
    question: Text = ""


@dataclass(frozen=True)
class SharedCell:
    """`about` says on what basis and of which day; `now` stands where that has changed."""

    said: Said
    details: tuple[Text, ...] = ()
    about: Text = ""
    source_url: str = ""
    source_host: str = ""
    now: Said | None = None


@dataclass(frozen=True)
class TableRow:
    head: Head
    cells: tuple[SharedCell, ...]


@dataclass(frozen=True)
class TableSection:
    label: Text  # empty for what needs none
    rows: tuple[TableRow, ...]


@dataclass(frozen=True)
class Table:
    corner: Text
    columns: tuple[Head, ...]
    sections: tuple[TableSection, ...]


@dataclass(frozen=True, kw_only=True)
class SharePage:
    title: Text
    description: Text
    day: Text
    today: Text
    now: bool  # whether the table is that of today
    then_url: str
    now_url: str
    live_url: str  # the page itself
    address: str  # with scheme and host, to hand on
    picture: str  # likewise
    facts: tuple[Fact, ...]
    changes: tuple[Changed, ...]
    count: int  # of changes
    rows: int  # offerings in the table
    table: Table
