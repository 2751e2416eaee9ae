"""How well the catalog is known, in words: for the page of status, of a provider, and a badge."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gpucompare import spoken
from providers.answers import Text
from providers.coverage import Cell, Coverage, Decided, ProviderCoverage
from providers.dimensions import DIMENSIONS
from providers.failures import percent


@dataclass(frozen=True)
class CellLink:
    provider: str  # names
    offering: str
    question: Text
    url: str


@dataclass(frozen=True)
class OldAnswer:
    cell: CellLink
    day: Text
    iso: str  # empty where no day was recorded


@dataclass(frozen=True)
class CoverageView:
    """Figures; shares are empty of nothing."""

    offerings: int
    known: int
    cells: int
    share: str
    answers: int
    own: int
    own_share: str
    age: Text  # the median; empty without an answer
    due: int
    contradicted: int
    oldest: tuple[OldAnswer, ...]
    contradictions: tuple[CellLink, ...]


@dataclass(frozen=True)
class ProviderRow:
    name: str
    url: str
    said: CoverageView


def coverage_view(figures: Coverage) -> CoverageView:
    return CoverageView(
        offerings=figures.offerings,
        known=figures.main_known,
        cells=figures.main_cells,
        share=share_text(figures.main_known_share),
        answers=figures.answers,
        own=figures.own_source,
        own_share=share_text(figures.own_source_share),
        age=age_text(figures),
        due=figures.due,
        contradicted=figures.contradicted,
        oldest=tuple(map(_old_answer, figures.oldest)),
        contradictions=tuple(map(_cell_link, figures.contradictions)),
    )


def provider_row(found: ProviderCoverage) -> ProviderRow:
    url = reverse("provider", args=[found.slug])
    return ProviderRow(found.name, url, coverage_view(found.figures))


def share_text(share: float | None) -> str:
    return "" if share is None else percent(share)


def age_text(figures: Coverage) -> Text:
    """The median age of the answers: 94 days."""
    if not figures.answers:
        return ""
    days = figures.median_age_days
    if days is None:
        return _("day not recorded")
    return ngettext("%(n)s day", "%(n)s days", days) % {"n": spoken.number(days)}


def _cell_link(cell: Cell) -> CellLink:
    offering = cell.offering
    return CellLink(
        offering.provider_name,
        offering.name,
        DIMENSIONS[cell.dimension].label,
        reverse("cell", args=[offering.provider, offering.slug, cell.dimension]),
    )


def _old_answer(answer: Decided) -> OldAnswer:
    day = answer.read_on
    told = spoken.day(day) if day else _("day not recorded")
    return OldAnswer(_cell_link(answer.cell), told, day.isoformat() if day else "")
