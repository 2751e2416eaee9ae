"""Two counts for each value of each facet, with the facet's own filter lifted.

What is counted is offerings, or the priced listings of them: a :class:`Tally` decides.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from providers.answers import Dimension
from providers.browse.judge import Truth, answer_values, judge_answer, truth
from providers.browse.judging import Judging
from providers.browse.listing_sql import FACETS, Found
from providers.dimensions import DIMENSIONS
from providers.models import Gpu, GpuFamily, Offering, ProviderKind

# Families and values of listings, each with how well a listing of it fits the value counted.
Fits = list[tuple[Truth, Found]]


@dataclass(frozen=True)
class FacetCount:
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
    """What is counted: open offerings, or their priced listings."""

    judging: Judging
    listings: bool = False

    def facets(self) -> dict[str, tuple[FacetCount, ...]]:
        """The counts of every facet by its parameter."""
        found = {d.key: self._of_dimension(d) for d in DIMENSIONS.values() if d.filterable}
        found["kind"] = self._of_kind()
        found["gpu"] = self._of_gpu()
        found |= {name: self._of_listing_value(name) for name in FACETS if name != "gpu"}
        return found

    def rows(self, offering: Offering, verdict: Truth, fits: Fits) -> tuple[int, int]:
        """(match, may) that one offering adds, when what is said of it itself is `verdict`."""
        if not self.listings:
            best = max((min(fit, Truth(found.truth)) for fit, found in fits), default=Truth.MAYBE)
            both = min(verdict, best)
            return int(both is Truth.YES), int(both is Truth.MAYBE)
        match = may = 0
        for fit, found in fits:
            both = min(verdict, fit)
            match += found.yes if both is Truth.YES else 0
            may += (0, found.yes + found.may, found.may)[both]
        return match, may

    def _count(self, value: str, said: Iterable[tuple[Offering, Truth, Fits]]) -> FacetCount:
        counts = [self.rows(*of_one) for of_one in said]
        return FacetCount(value, sum(m for m, _ in counts), sum(m for _, m in counts))

    def _of_answers(
        self, name: str, value: str, verdicts: Iterable[tuple[Offering, Truth]]
    ) -> FacetCount:
        """A value that is the offering's own: its filter lifted, its listings as they stand."""
        judging = self.judging
        return self._count(
            value,
            (
                (o, min(judging.of_offering(o, name), said), [(Truth.YES, judging.listed(o))])
                for o, said in verdicts
                if said is not Truth.NO
            ),
        )

    def _of_dimension(self, dimension: Dimension) -> tuple[FacetCount, ...]:
        answers = [(o, o.answer(dimension.key)) for o in self.judging.open]
        values = answer_values(dimension, [answer for _, answer in answers])
        asked = self.judging.criteria.all(dimension.key)
        return tuple(
            self._of_answers(
                dimension.key, v, ((o, judge_answer(dimension, a, (v,))) for o, a in answers)
            )
            for v in dict.fromkeys((*values, *asked))
        )

    def _of_kind(self) -> tuple[FacetCount, ...]:
        return tuple(
            self._of_answers(
                "kind", kind, ((o, truth(o.provider.kind == kind)) for o in self.judging.open)
            )
            for kind in ProviderKind.values
        )

    def _of_gpu(self) -> tuple[FacetCount, ...]:
        """Families, and the models of those that are asked for or asked into."""
        asked = set(self.judging.criteria.all("gpu"))
        found = self.judging.verdicts.facets["gpu"]
        # Only what some open offering names: an unknown name may be any GPU, and proves none.
        offered = {f.family for o in self.judging.open for f in found.get(o.pk, ())}
        counts = []
        for family in self.judging.world.families:
            models = list(family.models.all())
            inside = asked & {family.slug, *(gpu.slug for gpu in models)}
            if family.pk in offered or inside:
                counts.append(self._gpu_count(family, None))
            if inside:
                counts += [self._gpu_count(family, g) for g in models if g.slug != family.slug]
        return tuple(counts)

    def _gpu_count(self, family: GpuFamily, gpu: Gpu | None) -> FacetCount:
        found = self.judging.verdicts.facets["gpu"]
        return self._count(
            gpu.slug if gpu else family.slug,
            (
                (o, self.judging.of_offering(o), [(_is_gpu(f, family, gpu), f) for f in rows])
                for o in self.judging.open
                for rows in [found.get(o.pk, ())]
            ),
        )

    def _of_listing_value(self, name: str) -> tuple[FacetCount, ...]:
        found = self.judging.verdicts.facets[name]
        seen = {f.value for rows in found.values() for f in rows if f.value is not None}
        return tuple(
            self._count(
                value,
                (
                    (o, self.judging.of_offering(o), [(self._fit(name, f, value), f) for f in rows])
                    for o in self.judging.open
                    for rows in [found.get(o.pk, ())]
                ),
            )
            for value in dict.fromkeys(
                (*self._values(name, seen), *self.judging.criteria.all(name))
            )
        )

    def _values(self, name: str, seen: set[str]) -> list[str]:
        match name:
            case "spot_only" | "in_stock":
                return ["1"]
            case "max_price":
                return [f"{step.normalize():f}" for step in self.judging.criteria.price_steps]
            case _:
                return sorted(seen, key=int if name == "gpu_count" else None)

    def _fit(self, name: str, found: Found, asked: str) -> Truth:
        """How well a listing with the found value fits the asked one."""
        if name in ("spot_only", "in_stock"):
            return Truth(int(found.value or 0))
        if found.value is None:
            return Truth.MAYBE
        if name != "max_price":
            return truth(found.value == asked)
        steps = self.judging.criteria.price_steps
        passed, trusted = int(found.value.rstrip("+")), found.value.endswith("+")
        if passed >= len(steps) or steps[passed] > Decimal(asked):
            return Truth.NO
        return Truth.YES if trusted else Truth.MAYBE

    # --- Why nothing -------------------------------------------------------------

    def costs(self) -> tuple[Cost, ...]:
        """What each filter removes, when nothing matches all of them."""
        judging = self.judging
        if any(judging.all_of(o) is Truth.YES for o in judging.open):
            return ()
        names = [*judging.said, *judging.listing_names]
        return tuple(
            Cost(
                name,
                removes=sum(judging.alone(name, o) is Truth.NO for o in judging.open),
                regained=sum(judging.all_of(o, name) is Truth.YES for o in judging.open),
            )
            for name in names
        )


def _is_gpu(found: Found, family: GpuFamily, gpu: Gpu | None) -> Truth:
    if found.family is None:
        return Truth.MAYBE
    if found.family != family.pk:
        return Truth.NO
    if gpu is None:
        return Truth.YES
    return Truth.MAYBE if found.gpu is None else truth(found.gpu == gpu.pk)
