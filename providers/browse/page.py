"""What the browse page shows, ready for the template: texts, addresses and marks, no rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from providers.answers import Text
from providers.browse.criteria import Toggles


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
    language: str = ""  # of `text`, where it is a provider's own words and no answer of ours


class Cells(tuple[Cell, ...]):
    """The answers of one offering in a row. Pages keep them, and with them how they are drawn."""

    drawn: str = ""


class PriceCell(NamedTuple):
    """The cheapest price of an offering; empty `amount` when none is known."""

    amount: str = ""  # "2.49", in the unit that the heading states
    gpu: str = ""  # "H100 SXM"
    age: str = ""  # "24 May 2026", "12 min ago"
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
    cells: Cells
    price: PriceCell
    closed: bool = False
    # Labels of the criteria that nobody can answer for this row (rows that may match).
    unknown: tuple[Text, ...] = ()
    # What the template of the page's extra column shows.
    extra: object = None


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


class FacetValue(NamedTuple):
    """A value of a facet; a page makes hundreds. The facet tells its address."""

    key: str
    match: int
    may: int
    active: bool
    id: str  # stable, so that focus stays on it through a swap
    label: str
    help: str = ""


@dataclass(frozen=True)
class Facet:
    key: str
    label: Text
    question: Text
    values: tuple[FacetValue, ...]
    active: bool
    toggles: Toggles  # the addresses with a value toggled
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


@dataclass(frozen=True, kw_only=True)
class FilteredPage:
    """What every page with Criteria shows round its rows."""

    facets: tuple[Facet, ...]
    chips: tuple[Chip, ...]
    notices: tuple[Text, ...]
    sorts: tuple[Choice, ...]
    units: tuple[Choice, ...]  # what a price is for: per GPU or instance, hour, day or month
    currencies: tuple[Choice, ...]  # empty while no exchange rate is known
    unknown_switch: Choice  # hides or shows the rows that may match
    exports: tuple[Choice, ...]
    numbers: tuple[NumberField, ...]
    hidden: tuple[HiddenField, ...]  # for the search form: all criteria but q
    number_hidden: tuple[HiddenField, ...]  # for the numbers form: all but the numbers
    path: str  # the address of the page without its criteria
    q: str
    match: int
    may: int
    price_unit: Text  # "$ / GPU / hour"
    clear_url: str
    canonical_url: str
    relaxations: tuple[Relaxation, ...] = ()
    snapshot_day: Text = ""  # set when prices come from the bundled snapshot


@dataclass(frozen=True)
class ExtraColumn:
    """A column that another page puts beside the names: its head, and the template of its cells."""

    label: Text
    template: str
    width: int  # columns of the whole table, this one included


@dataclass(frozen=True, kw_only=True)
class BrowsePage(FilteredPage):
    presets: tuple[Preset, ...] = ()
    sections: tuple[Section, ...]
    columns: tuple[Column, ...]
    column_choices: tuple[Choice, ...]
    total: int  # offerings in all, closed ones left out
    providers: int  # providers among the matches
    listings_url: str  # the priced rows under the same criteria
    compare_url: str  # where the tray leads
    compare_hidden: tuple[HiddenField, ...]  # what it takes along: the GPUs and units in use
    pages: tuple[Choice, ...] = ()
    feed_url: str = ""  # what changes under the same criteria
    extra: ExtraColumn | None = None


class ListedPrice(NamedTuple):
    """One priced row."""

    id: int
    url: str  # where it comes from: its page, which is also what the table opens
    provider: str
    provider_url: str
    offering: str
    offering_url: str
    gpu: str
    gpu_url: str  # its page; empty when the name is unknown
    gpu_count: str
    vram: str  # "80 GB", of one GPU
    region: str
    price: PriceCell  # in the shown unit
    other: str  # the price in the other divisor: of the instance, or of one GPU
    spot: str  # the spot price in the shown unit
    stock: str
    stock_state: str  # yes | partly | no | unknown
    driver: str
    cuda: str
    tier: str
    source_url: str
    source_host: str
    seen: str  # the exact moment or day
    may: bool
    unknown: tuple[Text, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ListingsPage(FilteredPage):
    rows: tuple[ListedPrice, ...]
    may_starts: int | None  # the id of the first row that only may match, when it is on this page
    other_unit: Text  # "$ / instance / hour"
    next_url: str = ""
    first_url: str = ""  # set when this is not the first page
    browse_url: str
