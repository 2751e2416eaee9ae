"""Two counts for each value of each facet, with the facet's own filter lifted.

Here of offerings, by what a statement found of their listings: where a page ranks their hosts.
Other pages count over an index (:mod:`providers.browse.index_tally`), listings too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, partial
from typing import Any, NamedTuple

from providers.answers import Dimension
from providers.browse.judge import Truth, answer_values, judge_answer, truth
from providers.browse.judging import Judging, best_rank
from providers.browse.listing_sql import FACETS, Found
from providers.browse.ranks import says
from providers.dimensions import DIMENSIONS
from providers.models import Gpu, GpuFamily, Offering, ProviderKind

# Families and values of listings, each with how well a listing of it fits the value counted.
Fits = list[tuple[Truth, Found]]
# Offerings by what they all answer.
Alike = dict[Any, list[Offering]]
# The facets whose rows fit one value only.
_EXACT = ("gpu_count", "region", "freshness")


class ByValue:
    """The rows of a facet, sorted once, so that each value is counted without the others' rows."""

    def __init__(self) -> None:
        self._rows: dict[object, list[tuple[Offering, Truth, list[Found]]]] = {}
        # Those without any rows, or with some that leave the value open, may count for every value.
        self._open: list[tuple[Offering, Truth, dict[object, list[Found]], list[Found]]] = []

    def add(
        self,
        offering: Offering,
        verdict: Truth,
        rows: Sequence[Found],
        value: Callable[[Found], object],
    ) -> None:
        """An offering with what is said of it itself, and its rows."""
        by_value: dict[object, list[Found]] = {}
        for row in rows:
            by_value.setdefault(value(row), []).append(row)
        undecided = by_value.pop(None, [])
        if undecided or not rows:
            self._open.append((offering, verdict, by_value, undecided))
            return
        for known, of_it in by_value.items():
            self._rows.setdefault(known, []).append((offering, verdict, of_it))

    def values(self) -> set[object]:
        return {*self._rows, *(value for _, _, by_value, _ in self._open for value in by_value)}

    def fitting(
        self, value: object, fit: Callable[[Found], Truth]
    ) -> Iterator[tuple[Offering, Truth, Fits]]:
        """What may count for a value; an offering all of whose rows are of others does not."""
        for offering, verdict, rows in self._rows.get(value, ()):
            yield offering, verdict, [(fit(row), row) for row in rows]
        for offering, verdict, by_value, undecided in self._open:
            rows = [*by_value.get(value, ()), *undecided]
            yield offering, verdict, [(fit(row), row) for row in rows]


class FacetCount(NamedTuple):
    """How many rows match a value, and how many may."""

    value: str
    match: int
    may: int


@dataclass(frozen=True)
class Cost:
    """What one filter costs: rows it alone removes of all, rows that match once it is lifted."""

    name: str
    removes: int
    regained: int


@dataclass(frozen=True)
class Tally:
    """Counts open offerings."""

    judging: Judging

    def facets(self) -> dict[str, tuple[FacetCount, ...]]:
        """The counts of every facet by its parameter."""
        found = {d.key: self._of_dimension(d) for d in DIMENSIONS.values() if d.filterable}
        found["kind"] = self._of_kind()
        found["gpu"] = self._of_gpu()
        found |= {name: self._of_listing_value(name) for name in FACETS if name != "gpu"}
        return found

    @cached_property
    def counted(self) -> dict[str, tuple[FacetCount, ...]]:
        """The same, counted once; not to be changed."""
        return self.facets()

    def rows(self, offering: Offering, verdict: Truth, fits: Fits) -> tuple[int, int]:
        """(match, may) that one offering adds, when what is said of it itself is `verdict`."""
        both = min(verdict, self._best(offering, fits))
        return int(both == Truth.YES), int(both == Truth.MAYBE)

    def _best(self, offering: Offering, fits: Fits) -> int:
        """How well the listings of an offering fit a value and the standings that are asked for;
        without listings anything may fit."""
        judging = self.judging
        fitting = [(min(fit, found.truth), found) for fit, found in fits]
        best = max((fit for fit, _ in fitting), default=Truth.MAYBE)
        if not judging.standings or not best:
            return best
        rank = best_rank(fitting) if fits else judging.rank("all", offering.pk)
        return min(best, says(rank, judging.standings))

    @cached_property
    def _as_listed(self) -> dict[int, Fits]:
        """The listings of each open offering as they stand, whatever value is counted."""
        judging = self.judging
        return {o.pk: [(Truth.YES, f) for f in judging.listed(o)] for o in judging.open}

    @cached_property
    def _best_as_listed(self) -> dict[int, int]:
        return {o.pk: self._best(o, self._as_listed[o.id]) for o in self.judging.open}

    @cached_property
    def _of_offerings(self) -> dict[int, Truth]:
        """What all filters about offerings say of each open one."""
        return {o.pk: self.judging.of_offering(o) for o in self.judging.open}

    @cached_property
    def _price_steps(self) -> list[Decimal]:
        return self.judging.criteria.price_steps

    def _count(self, value: str, said: Iterable[tuple[Offering, Truth, Fits]]) -> FacetCount:
        counts = [self.rows(*of_one) for of_one in said]
        return FacetCount(value, sum(m for m, _ in counts), sum(m for _, m in counts))

    def _of_dimension(self, dimension: Dimension) -> tuple[FacetCount, ...]:
        alike: Alike = {}
        for offering in self.judging.open:
            answer = offering.answer(dimension.key)
            key = tuple(answer) if isinstance(answer, list) else answer
            alike.setdefault(key, []).append(offering)
        values = answer_values(dimension, list(alike))
        asked = self.judging.criteria.all(dimension.key)
        every = dict.fromkeys((*values, *asked))
        return self._of_answers(
            dimension.key, every, alike, lambda answer, v: judge_answer(dimension, answer, (v,))
        )

    def _of_kind(self) -> tuple[FacetCount, ...]:
        alike: Alike = {}
        for offering in self.judging.open:
            alike.setdefault(offering.provider.kind, []).append(offering)
        return self._of_answers("kind", ProviderKind.values, alike, lambda k, v: truth(k == v))

    def _of_answers(
        self, name: str, values: Iterable[str], alike: Alike, judge: Callable[[Any, str], Truth]
    ) -> tuple[FacetCount, ...]:
        """Values that are the offering's own: its filter lifted, its listings as they stand."""
        standing = {answer: self._stand(name, members) for answer, members in alike.items()}
        counts = []
        for value in values:
            match = may = 0
            for answer, (surely, perhaps) in standing.items():
                said = judge(answer, value)
                match += surely if said is Truth.YES else 0
                may += (0, surely + perhaps, perhaps)[said]
            counts.append(FacetCount(value, match, may))
        return tuple(counts)

    def _stand(self, name: str, members: Iterable[Offering]) -> tuple[int, int]:
        """How many match all but the named filter, and how many may."""
        both = [min(self._lifting(name, o), self._best_as_listed[o.id]) for o in members]
        return both.count(Truth.YES), both.count(Truth.MAYBE)

    def _lifting(self, name: str, offering: Offering) -> Truth:
        if name in self.judging.said:
            return self.judging.of_offering(offering, name)
        return self._of_offerings[offering.id]

    def _of_gpu(self) -> tuple[FacetCount, ...]:
        """Families, and the models of those that are asked for or asked into."""
        asked = set(self.judging.criteria.all("gpu"))
        found = self._by_value("gpu", lambda row: row.family)
        # Only what some open offering names: an unknown name may be any GPU, and proves none.
        offered = found.values()
        counts = []
        for family in self.judging.world.families:
            models = list(family.models.all())
            inside = asked & {family.slug, *(gpu.slug for gpu in models)}
            if family.pk in offered or inside:
                counts.append(self._gpu_count(found, family, None))
            if inside:
                others = [gpu for gpu in models if gpu.slug != family.slug]
                counts += [self._gpu_count(found, family, gpu) for gpu in others]
        return tuple(counts)

    def _gpu_count(self, found: ByValue, family: GpuFamily, gpu: Gpu | None) -> FacetCount:
        return self._count(
            gpu.slug if gpu else family.slug,
            found.fitting(family.pk, lambda row: _is_gpu(row, family, gpu)),
        )

    def _of_listing_value(self, name: str) -> tuple[FacetCount, ...]:
        exactly = name in _EXACT
        found = self._by_value(name, lambda row: row.value if exactly else None)
        rows = self.judging.verdicts.facets[name].values()
        seen = {row.value for of_one in rows for row in of_one if row.value is not None}
        values = dict.fromkeys((*self._values(name, seen), *self.judging.criteria.all(name)))
        return tuple(
            self._count(value, found.fitting(value, partial(self._fit, name, value)))
            for value in values
        )

    def _by_value(self, name: str, value: Callable[[Found], object]) -> ByValue:
        """The rows of a facet, sorted once: each value is then counted without the others' rows."""
        found, sorted_ = self.judging.verdicts.facets[name], ByValue()
        for o in self.judging.open:
            sorted_.add(o, self._of_offerings[o.id], found.get(o.id, ()), value)
        return sorted_

    def _values(self, name: str, seen: set[str]) -> list[str]:
        match name:
            case "spot_only" | "in_stock":
                return ["1"]
            case "max_price":
                return [f"{step.normalize():f}" for step in self._price_steps]
            case _:
                return sorted(seen, key=int if name == "gpu_count" else None)

    def _fit(self, name: str, asked: str, found: Found) -> Truth:
        """How well a listing with the found value fits the asked one."""
        if name in ("spot_only", "in_stock"):
            return Truth(int(found.value or 0))
        if found.value is None:
            return Truth.MAYBE
        if name != "max_price":
            return truth(found.value == asked)
        steps = self._price_steps
        passed, trusted = int(found.value.rstrip("+")), found.value.endswith("+")
        if passed >= len(steps) or steps[passed] > Decimal(asked):
            return Truth.NO
        return Truth.YES if trusted else Truth.MAYBE

    def costs(self) -> tuple[Cost, ...]:
        return costs(self.judging)


def costs(judging: Judging) -> tuple[Cost, ...]:
    """What each filter removes, when nothing matches all of them."""
    if any(judging.all_of(o) is Truth.YES for o in judging.open):
        return ()
    return tuple(
        Cost(
            name,
            removes=sum(judging.alone(name, o) is Truth.NO for o in judging.open),
            regained=sum(judging.all_of(o, name) is Truth.YES for o in judging.open),
        )
        for name in [*judging.said, *judging.about_listings]
    )


def _is_gpu(found: Found, family: GpuFamily, gpu: Gpu | None) -> Truth:
    if found.family is None:
        return Truth.MAYBE
    if found.family != family.pk:
        return Truth.NO
    if gpu is None:
        return Truth.YES
    return Truth.MAYBE if found.gpu is None else truth(found.gpu == gpu.pk)
