"""What the browse page shows, ready for the template: texts, addresses and marks, no rules."""

from __future__ import annotations

from dataclasses import dataclass, field

from providers.answers import Text


@dataclass(frozen=True)
class Cell:
    """One answer in the matrix. `state` is its mark and colour, `text` its word."""

    dimension: str
    state: str  # yes | partly | no | fact | unknown | contradicted
    text: Text
    url: str
    # A second, quieter line: "580–595 · CUDA ≤ 13.0".
    detail: str = ""
    due: bool = False  # the claim is due for review
    label: Text = ""  # the column's label: a card on a phone has no head to read it from


@dataclass(frozen=True)
class PriceCell:
    """The cheapest price of an offering; empty `amount` when none is known."""

    amount: str = ""  # "2.49", in the unit that the heading states
    gpu: str = ""  # "H100 SXM"
    age: Text = ""  # "24 May 2026", "12 min ago"
    band: str = "none"  # fresh | ageing | stale | last_seen | snapshot | none
    spot: bool = False
    divisor: str = ""  # "$19.92 ÷ 8"


@dataclass(frozen=True)
class Row:
    """One offering."""

    key: str  # "runpod/pods"
    name: str
    url: str
    summary: str
    docs: str
    cells: tuple[Cell, ...]
    price: PriceCell
    closed: bool = False
    # Labels of the criteria that nobody can answer for this row (rows that may match).
    unknown: tuple[Text, ...] = ()


@dataclass(frozen=True)
class Group:
    """The offerings of one provider that stand together."""

    name: str
    url: str
    kind: Text
    rows: tuple[Row, ...]
    status: str = "active"
    status_text: Text = ""


@dataclass(frozen=True)
class Section:
    """Rows of one standing: they match, they may match, or they would but are closed."""

    key: str  # match | may | closed
    heading: Text
    explanation: Text
    groups: tuple[Group, ...]
    count: int


@dataclass(frozen=True)
class FacetValue:
    key: str
    label: Text
    match: int
    may: int
    active: bool
    url: str  # the address with this value toggled
    id: str  # stable, so that focus stays on it through a swap
    help: Text = ""


@dataclass(frozen=True)
class Facet:
    key: str
    label: Text
    question: Text
    values: tuple[FacetValue, ...]
    active: bool
    # Values beyond these are folded away under "more".
    folded: tuple[FacetValue, ...] = ()
    # Facets of the seven main dimensions stand open; the rest are folded unless active.
    open: bool = False


@dataclass(frozen=True)
class Chip:
    """One active filter, and the address without it."""

    label: Text  # "Docker daemon"
    value: Text  # "Root"
    url: str
    id: str


@dataclass(frozen=True)
class Preset:
    """A question in the founding documents' words; `url` sets its criteria."""

    key: str
    label: Text
    help: Text
    url: str
    active: bool


@dataclass(frozen=True)
class Column:
    key: str
    label: Text
    question: Text


@dataclass(frozen=True)
class Choice:
    """An option of a menu whose every entry is an address (sort, columns, units)."""

    key: str
    label: Text
    url: str
    active: bool


@dataclass(frozen=True)
class Relaxation:
    """What one filter costs, when nothing matches."""

    label: Text
    value: Text
    removes: int  # rows that this filter alone removes of all
    regained: int  # rows that match once it is lifted
    url: str
    best: bool = False


@dataclass(frozen=True)
class HiddenField:
    """A criterion that a form carries along unchanged."""

    name: str
    value: str


@dataclass(frozen=True)
class NumberField:
    """A criterion that is typed in: highest price, least VRAM, least driver …"""

    name: str
    label: Text
    value: str
    inputmode: str
    hint: Text = ""


@dataclass(frozen=True)
class BrowsePage:
    sections: tuple[Section, ...]
    facets: tuple[Facet, ...]
    chips: tuple[Chip, ...]
    presets: tuple[Preset, ...]
    notices: tuple[Text, ...]
    columns: tuple[Column, ...]
    column_choices: tuple[Choice, ...]
    sorts: tuple[Choice, ...]
    unknown_switch: Choice  # hides or shows the rows that may match
    exports: tuple[Choice, ...]
    numbers: tuple[NumberField, ...]
    hidden: tuple[HiddenField, ...]  # for the search form: all criteria but q
    number_hidden: tuple[HiddenField, ...]  # for the numbers form: all but the numbers
    q: str
    match: int
    may: int
    total: int  # offerings in all, closed ones left out
    providers: int  # providers among the matches
    price_unit: Text  # "$ / GPU-hour"
    clear_url: str
    canonical_url: str
    pages: tuple[Choice, ...] = ()
    relaxations: tuple[Relaxation, ...] = field(default=())
    snapshot_day: Text = ""  # set when prices come from the bundled snapshot
