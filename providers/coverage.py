"""How well the catalog is known: which questions are open, who answers the others, how old that is.

Pure: facts in, figures out. Only what can be rented counts, and of claims only those that decide
an answer. Unknown and contradicted are not known. docs/api.md says what each figure means.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from statistics import median_high

from providers.dimensions import DIMENSIONS, MAIN
from providers.freshness import ReviewBand, claim_band

OLDEST = 10
# In ages: a claim whose day was not recorded is older than any other.
_UNDATED = timedelta.max.days
_ORDER = {key: rank for rank, key in enumerate(DIMENSIONS)}


@dataclass(frozen=True)
class Rented:
    """An offering that can be rented."""

    provider: str  # slugs, and names below
    slug: str
    provider_name: str
    name: str
    main_known: int  # main questions with an answer
    contradicted: tuple[str, ...] = ()  # keys of all questions on which its best claims disagree

    @property
    def key(self) -> str:
        return f"{self.provider}/{self.slug}"


@dataclass(frozen=True)
class Cell:
    """A question about an offering."""

    offering: Rented
    dimension: str


@dataclass(frozen=True)
class Decided:
    """An answer: the claim that decides a cell."""

    cell: Cell
    own: bool  # whether its source is the provider's
    read_on: date | None


@dataclass(frozen=True)
class CoverageFacts:
    offerings: Sequence[Rented]  # in the order in which they are shown
    answers: Sequence[Decided]  # of these offerings


@dataclass(frozen=True)
class Coverage:
    """Figures of all that can be rented, or of one provider."""

    offerings: int
    main_cells: int
    main_known: int
    answers: int
    own_source: int  # of the answers
    undated: int
    due: int
    median_age_days: int | None  # None: no answer, or the middle one bears no day
    oldest: tuple[Decided, ...]
    contradictions: tuple[Cell, ...]

    @property
    def contradicted(self) -> int:
        return len(self.contradictions)

    @property
    def main_known_share(self) -> float | None:
        return share(self.main_known, self.main_cells)

    @property
    def own_source_share(self) -> float | None:
        return share(self.own_source, self.answers)


@dataclass(frozen=True)
class ProviderCoverage:
    slug: str
    name: str
    figures: Coverage


def share(count: int, of: int) -> float | None:
    """In four places, rounded down: what is not all never reads as all. None of nothing."""
    return count * 10_000 // of / 10_000 if of else None


def coverage(facts: CoverageFacts, today: date) -> Coverage:
    answers = facts.answers
    return Coverage(
        offerings=len(facts.offerings),
        main_cells=len(facts.offerings) * len(MAIN),
        main_known=sum(offering.main_known for offering in facts.offerings),
        answers=len(answers),
        own_source=sum(answer.own for answer in answers),
        undated=sum(answer.read_on is None for answer in answers),
        due=sum(claim_band(answer.read_on, today) is ReviewBand.DUE for answer in answers),
        median_age_days=_median_age(answers, today),
        oldest=_oldest(facts),
        contradictions=tuple(
            Cell(offering, key)
            for offering in facts.offerings
            for key in sorted(offering.contradicted, key=_ORDER.__getitem__)
        ),
    )


def by_provider(facts: CoverageFacts, today: date) -> tuple[ProviderCoverage, ...]:
    """Of each provider of whom something can be rented; the weakest first."""
    offerings: dict[str, list[Rented]] = {}
    answers: dict[str, list[Decided]] = {}
    for offering in facts.offerings:
        offerings.setdefault(offering.provider, []).append(offering)
    for answer in facts.answers:
        answers.setdefault(answer.cell.offering.provider, []).append(answer)
    found = (
        ProviderCoverage(
            slug,
            own[0].provider_name,
            coverage(CoverageFacts(own, answers.get(slug, ())), today),
        )
        for slug, own in offerings.items()
    )
    return tuple(sorted(found, key=_strength))


def _strength(provider: ProviderCoverage) -> tuple[float, float, int]:
    """As a key to sort by, weakest first: least known, least by the provider itself, oldest."""
    figures = provider.figures
    age = figures.median_age_days
    return (
        figures.main_known_share or 0,
        figures.own_source_share or 0,
        -(_UNDATED if age is None else age),
    )


def _median_age(answers: Iterable[Decided], today: date) -> int | None:
    """In whole days; of two in the middle the older, so that nothing looks younger than it is."""
    ages = [_age(answer.read_on, today) for answer in answers]
    middle = median_high(ages) if ages else _UNDATED
    return None if middle == _UNDATED else middle


def _age(read_on: date | None, today: date) -> int:
    # Where a curator lives, it may be tomorrow already.
    return _UNDATED if read_on is None else max((today - read_on).days, 0)


def _oldest(facts: CoverageFacts) -> tuple[Decided, ...]:
    """No day is oldest; of one day, what is asked first stands first, at whatever offering."""
    place = {offering.key: n for n, offering in enumerate(facts.offerings)}

    def order(answer: Decided) -> tuple[date, int, int]:
        cell = answer.cell
        return answer.read_on or date.min, _ORDER[cell.dimension], place[cell.offering.key]

    return tuple(sorted(facts.answers, key=order)[:OLDEST])
