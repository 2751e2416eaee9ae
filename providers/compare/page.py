"""What the compare page shows, ready for the template: texts, addresses and marks, no rules."""

from __future__ import annotations

from dataclasses import dataclass

from providers.answers import Text
from providers.browse.page import Cell, Choice, HiddenField, PriceCell
from providers.compare.differences import Count


@dataclass(frozen=True)
class Column:
    """The head of one offering's column, with the addresses that change the columns."""

    key: str  # "runpod/pods"
    provider: str
    provider_url: str
    name: str
    url: str
    status_text: Text  # empty while it can be rented
    is_base: bool
    base_url: str
    earlier_url: str
    later_url: str
    is_first: bool
    is_last: bool
    remove_url: str
    count: Count


@dataclass(frozen=True)
class ComparedCell:
    cell: Cell
    standing: str  # base | same | different | open


@dataclass(frozen=True)
class ComparedRow:
    key: str
    label: Text
    question: Text
    main: bool
    equal: bool
    cells: tuple[ComparedCell, ...]


@dataclass(frozen=True)
class FoldedRow:
    """A row in which all agree, in one line."""

    label: Text
    state: str
    text: Text
    url: str


@dataclass(frozen=True)
class RowGroup:
    label: Text
    rows: tuple[ComparedRow, ...]
    folded: tuple[FoldedRow, ...]


@dataclass(frozen=True)
class PriceRow:
    label: Text
    cells: tuple[PriceCell, ...]


@dataclass(frozen=True)
class GivenAnswer:
    """One answer and who gives it: "None: RunPod Pods, Vast.ai Instances"."""

    state: str
    text: Text
    names: Text


@dataclass(frozen=True)
class Difference:
    label: Text
    answers: tuple[GivenAnswer, ...]


@dataclass(frozen=True)
class Summary:
    """The comparison in a sentence or two."""

    headline: Text  # "Differs in 5 of 7 main questions"
    open: Text  # "1 cannot be compared"; empty when all can
    differences: tuple[Difference, ...]


@dataclass(frozen=True)
class OthersLink:
    count: int
    answers: tuple[tuple[Text, Text], ...]  # label of the dimension, answer
    url: str


@dataclass(frozen=True)
class NextLink:
    """A comparison to look at: a label, and the offerings it names."""

    label: Text
    names: Text
    url: str


@dataclass(frozen=True)
class SourceLine:
    """One source, and the questions it answers."""

    url: str
    host: str
    about: Text  # "documented · the provider · read 20 August 2026"
    due: bool
    labels: Text


@dataclass(frozen=True)
class SourceGroup:
    name: str
    sources: tuple[SourceLine, ...]


@dataclass(frozen=True)
class OptionGroup:
    """The offerings of one provider that may be added."""

    provider: str
    options: tuple[tuple[str, str], ...]  # key, name


@dataclass(frozen=True, kw_only=True)
class ComparePage:
    title: Text
    notices: tuple[Text, ...]
    columns: tuple[Column, ...]
    summary: Summary | None
    sentences: tuple[str, ...]  # the summary for what shows only a line of a page
    groups: tuple[RowGroup, ...]
    prices: tuple[PriceRow, ...]
    price_unit: Text
    price_of: Text  # the GPUs that prices are for; empty for any
    gpus: tuple[Choice, ...]
    units: tuple[Choice, ...]
    fold: Choice
    equal: int  # rows in which all agree
    exports: tuple[Choice, ...]
    embed_url: str  # the same for a frame, with scheme and host
    embed_code: str  # HTML for a page of somebody else's
    others: tuple[OthersLink, ...]
    neighbours: tuple[NextLink, ...]
    ready: tuple[NextLink, ...]
    sources: tuple[SourceGroup, ...]
    options: tuple[OptionGroup, ...]
    chosen: tuple[str, ...]  # the columns that the form for one more carries along
    hidden: tuple[HiddenField, ...]  # and the rest of the address
    snapshot_day: Text
    canonical_url: str
    address: str  # with scheme and host, for paper
    today: Text
