"""Two counts for each value of each facet, with the facet's own filter lifted.

Offerings are counted by their best listing, listings each by itself. Everything here is an array
over the offerings of the world, over units of the index, or over the values of a facet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from providers.browse.facets import Cost, FacetCount, costs
from providers.browse.judge import judge_answer
from providers.browse.judging import Judging
from providers.browse.listing_index import blocks, spread, taken
from providers.browse.listing_rows import NUMBER, Array
from providers.browse.listing_truths import Values
from providers.browse.moment import MAYBE, NO, YES
from providers.browse.ranks import perhaps
from providers.browse.units import Counted, Units, in_stock, spot_only
from providers.dimensions import DIMENSIONS
from providers.models import Gpu, GpuFamily


def failing(judging: Judging) -> Array:
    """For each offering of the world, how many of its own filters say no. A closed one is out."""
    said = [np.fromiter(truths.values(), np.int8) == NO for truths in judging.said.values()]
    closed = 2 * (judging.world.open_ones == NO)
    fails: Array = np.sum([closed, *said], axis=0)
    return fails


class _Levels(NamedTuple):
    """Of units or rows: the value of a facet, -1 where it is open; the place of their offering; and
    how well they stand."""

    value: Array
    place: Array
    level: Array


class IndexTally:
    """What is counted: open offerings, or their priced listings."""

    def __init__(self, judging: Judging, units: Units | None = None) -> None:
        """`units` are those of the listings that count, where listings are counted."""
        self.judging, self.listings = judging, units is not None
        self._indexed = indexed = judging.listings.indexed
        self._units = units = judging.listings.units if units is None else units
        self._spot = units.asked.spot
        self._place = taken(indexed.place, units.cell)
        world = judging.world
        self._offerings = len(world.offerings)
        self._truths = {
            name: np.fromiter(said.values(), np.int8, self._offerings)
            for name, said in judging.said.items()
        }
        self.truth = self._all_but()

    def _all_but(self, lifted: str = "") -> Array:
        """What all filters about offerings but the lifted one say of each; closed ones are out."""
        said = [truths for name, truths in self._truths.items() if name != lifted]
        together: Array = np.min([*said, self.judging.world.open_ones], axis=0)
        return together

    # --- Offerings -------------------------------------------------------------------

    @cached_property
    def _as_listed(self) -> tuple[Array, Array]:
        """By offering, what its listings add when it matches: certainly, and perhaps."""
        if self.listings:
            return self._by_offering(self._counted.yes), self._by_offering(self._counted.may)
        best = np.fromiter(
            (self.judging.of_listings(o) for o in self.judging.world.offerings),
            np.int8,
            self._offerings,
        )
        return best == YES, best == MAYBE

    @cached_property
    def _counted(self) -> Counted:
        """The rows of each unit, no filter lifted."""
        units = self._units
        return units.counted(units.all, units.limit, self._spot)

    def _by_offering(self, each: Array) -> Array:
        return np.bincount(self._place, each, self._offerings)

    def _stand(self, truth: Array) -> tuple[Array, Array]:
        """By offering, what matches and what may, when its own filters say `truth`."""
        yes, may = self._as_listed
        return (truth == YES) * yes, (truth == YES) * may + (truth == MAYBE) * (may + yes)

    @cached_property
    def totals(self) -> tuple[int, int]:
        """How many match, and how many may."""
        surely, perhaps = self._stand(self.truth)
        return int(surely.sum()), int(perhaps.sum())

    # --- Facets ----------------------------------------------------------------------

    def facets(self) -> dict[str, tuple[FacetCount, ...]]:
        """The counts of every facet by its parameter."""
        found = dict(self._of_answers())
        found["gpu"] = self._of_gpu()
        found["max_price"] = self._of_prices()
        found["gpu_count"] = self._of_counts()
        found["region"] = self._of_regions()
        found["spot_only"] = self._of_flag("spot_only", spot_only, spot=True)
        found["in_stock"] = self._of_flag("in_stock", in_stock, spot=self._spot)
        found["freshness"] = self._of_bands()
        return found

    def costs(self) -> tuple[Cost, ...]:
        return () if self.listings and self.totals[0] else costs(self.judging)

    def _of_answers(self) -> Iterator[tuple[str, tuple[FacetCount, ...]]]:
        """Values that are the offering's own: its filter lifted, its listings as they stand."""
        table = self.judging.world.answer_table
        as_is = _fitting(table.says, *self._stand(self.truth))
        for name, (first, end) in table.rows.items():
            values, asked = table.values[first:end], self.judging.criteria.all(name)
            match, may = as_is[0][first:end], as_is[1][first:end]
            if name in self._truths:
                stand = self._stand(self._all_but(name))
                beyond = [value for value in asked if value not in values]
                says = [table.says[first:end], *(self._says(name, value) for value in beyond)]
                match, may = _fitting(np.vstack(says), *stand)
                values = [*values, *beyond]
            yield name, _counts(values, match, may)

    def _says(self, name: str, value: str) -> Array:
        """A value that is asked for and that no offering's answer names."""
        dimension = DIMENSIONS[name]
        offerings = self.judging.world.offerings
        return np.array([judge_answer(dimension, o.answer(name), (value,)) for o in offerings])

    # --- Facets over listings ----------------------------------------------------------

    def _count(
        self, value: Array, values: int, truth: Array, limit: Decimal | None, spot: bool
    ) -> tuple[Array, Array]:
        """(match, may) of each of so many values. `value` is each unit's, -1 where it is open."""
        units = self._units
        if self.listings:
            as_is = truth is units.all and (limit, spot) == (units.limit, self._spot)
            counted = self._counted if as_is else units.counted(truth, limit, spot)
            return _sums(value, values, *self._adding(self._own, *counted))
        best = units.best(truth, limit, spot)
        return self._bests(
            values,
            (
                _Levels(value[some], self._place[some], units.level(best[some], some))
                for some in blocks(len(best))
            ),
        )

    @cached_property
    def _own(self) -> Array:
        """What the filters about offerings say of each unit's."""
        return taken(self.truth, self._place)

    @staticmethod
    def _adding(own: Array, yes: Array, may: Array) -> tuple[Array, Array]:
        """What rows add that match or may, where their offering's own filters say `own`."""
        match = yes * (own == YES)
        return match, (yes + may) * (own > NO) - match

    def _bests(self, values: int, levels: Iterable[_Levels]) -> tuple[Array, Array]:
        """Each offering counts by its best listing; one without listings may have anything."""
        # One place before the first value, for what leaves its value open.
        best = np.zeros((self._offerings, values + 1), np.int8)
        for value, place, level in levels:
            open_ = value < 0
            level[open_] = perhaps(level[open_])
            np.maximum.at(best.reshape(-1), place * (values + 1) + value + 1, level)
        any_ = np.maximum(best[:, 0], self._unlisted)
        found = self.judging.of_level[np.maximum(best[:, 1:], any_[:, None])]
        found = np.minimum(found, self.truth[:, None])
        return (found == YES).sum(axis=0), (found == MAYBE).sum(axis=0)

    @cached_property
    def _unlisted(self) -> Array:
        """The level of each offering without listings; 0 for the others."""
        listings = self.judging.listings
        of_world = (o.pk for o in self.judging.world.offerings)
        return np.array(
            [0 if listings.families(pk) else listings.unlisted(pk) for pk in of_world], np.int8
        )

    def _of(self, of_cells: Array) -> Array:
        return taken(of_cells, self._units.cell)

    def _lifted(self, name: str) -> Array:
        return self._units.all_but(name) if name in self._units.truths else self._units.all

    def _of_values(self, name: str, seen: Values) -> tuple[FacetCount, ...]:
        """A facet whose values are the cells' own."""
        beyond = [value for value in self.judging.criteria.all(name) if value not in seen.values]
        everything = [*seen.values, *beyond]
        units, each = self._units, self._of(seen.of_cells)
        found = self._count(each, len(everything), self._lifted(name), units.limit, self._spot)
        return _counts(everything, *found)

    def _of_counts(self) -> tuple[FacetCount, ...]:
        return self._of_values("gpu_count", self._indexed.counts)

    def _of_bands(self) -> tuple[FacetCount, ...]:
        return self._of_values("freshness", self._indexed.bands)

    def _of_regions(self) -> tuple[FacetCount, ...]:
        """Rows of one unit may be in many regions: each row is counted by itself."""
        units, index = self._units, self._indexed.index
        beyond = [r for r in self.judging.criteria.all("region") if r not in index.regions]
        values, rows = [*index.regions, *beyond], self._rows(self._lifted("region"))
        if self.listings:
            found = np.sum([_sums(r, len(values), *self._added(u, t)) for r, u, t in rows], axis=0)
            return _counts(values, *found)
        levels = (_Levels(r, self._place[u], units.level(t, u)) for r, u, t in rows)
        return _counts(values, *self._bests(len(values), levels))

    def _rows(self, truth: Array) -> Iterator[tuple[Array, Array, Array]]:
        """The region, the unit and the truth of rows whose units are judged by `truth`."""
        index, units = self._indexed.index, self._units
        for span in units.spans(truth, units.limit, self._spot):
            row, of = spread(span.first, span.end)
            yield index.region[index.place[row]], span.unit[of], span.truth[of]

    def _added(self, unit: Array, truth: Array) -> tuple[Array, Array]:
        """What rows of these units add, one each."""
        one = self._units.listed[unit].astype(np.int8)
        return self._adding(self._own[unit], one * (truth == YES), one * (truth == MAYBE))

    def _of_flag(self, name: str, say: Any, spot: bool) -> tuple[FacetCount, ...]:
        units, indexed = self._units, self._indexed
        said = self._of(say(indexed.index, indexed.now, units.asked))
        truth = np.minimum(said, self._lifted(name))
        each = np.zeros(len(truth), np.int8)
        return _counts(["1"], *self._count(each, 1, truth, units.limit, spot))

    def _of_prices(self) -> tuple[FacetCount, ...]:
        """Under each limit that is offered: the same as if it were asked for."""
        criteria, units = self.judging.criteria, self._units
        each = np.zeros(len(units.cell), np.int8)
        limits = [step / criteria.scale for step in criteria.price_steps]
        units.offer(limits, self._spot)
        counts: list[FacetCount] = []
        for step, limit in zip(criteria.price_steps, limits, strict=True):
            found = self._count(each, 1, units.all, limit, self._spot)
            counts += _counts([f"{step.normalize():f}"], *found)
        return tuple(counts)

    # --- GPUs ------------------------------------------------------------------------

    def _of_gpu(self) -> tuple[FacetCount, ...]:
        """Families, and the models of those that are asked for or asked into."""
        asked = set(self.judging.criteria.all("gpu"))
        offered, world = self._indexed.offered, self.judging.world
        shown: list[tuple[GpuFamily, list[Gpu]]] = []
        for family in world.families:
            models: Sequence[Gpu] = world.models[family.pk]
            inside = asked & {family.slug, *(gpu.slug for gpu in models)}
            if family.pk in offered or inside:
                others = [gpu for gpu in models if gpu.slug != family.slug] if inside else []
                shown.append((family, others))
        of_families = self._of_families([family for family, _ in shown])
        counts: list[FacetCount] = []
        for (family, models), count in zip(shown, of_families, strict=True):
            counts += [count, *self._of_models(family, models)]
        return tuple(counts)

    def _of_families(self, families: Sequence[GpuFamily]) -> tuple[FacetCount, ...]:
        numbers = {family.pk: number for number, family in enumerate(families)}
        known, _gpu, each = self._indexed.index.forms
        # What only closed offerings have is of no family here, and of none that is open either.
        outside = len(families)
        place = np.array(
            [-1 if pk == 0 else numbers.get(pk, outside) for pk in known.tolist()] or [0], NUMBER
        )
        found = self._gpus(place[each], outside + 1)
        return _counts([f.slug for f in families], found[0][:outside], found[1][:outside])

    def _of_models(self, family: GpuFamily, models: Sequence[Gpu]) -> tuple[FacetCount, ...]:
        if not models:
            return ()
        index = self._indexed.index
        each = np.full(len(index.gpu), len(models), NUMBER)
        each[(index.family == 0) | ((index.family == family.pk) & (index.gpu == 0))] = -1
        for number, model in enumerate(models):
            each[index.gpu == model.pk] = number
        found = self._gpus(each, len(models) + 1)
        return _counts([m.slug for m in models], found[0][:-1], found[1][:-1])

    def _gpus(self, of_cells: Array, values: int) -> tuple[Array, Array]:
        units = self._units
        return self._count(self._of(of_cells), values, self._lifted("gpu"), units.limit, self._spot)


def _sums(value: Array, values: int, match: Array, may: Array) -> tuple[Array, Array]:
    """(match, may) of each of so many values; what leaves its value open may be any."""
    if values == 1 and not value.any():
        return np.array([match.sum()]), np.array([may.sum()])
    # One place before the first, for what leaves its value open.
    whole, perhaps = np.zeros(values + 1), np.zeros(values + 1)
    for some in blocks(len(value)):
        whole += np.bincount(value[some] + 1, match[some], values + 1)
        perhaps += np.bincount(value[some] + 1, may[some], values + 1)
    return whole[1:], perhaps[1:] + (whole[0] + perhaps[0])


def _fitting(says: Array, surely: Array, perhaps: Array) -> tuple[Array, Array]:
    """(match, may) of each value, by what each offering's answer says to it."""
    yes, maybe = (says == YES).astype(float), (says == MAYBE).astype(float)
    return yes @ surely, yes @ perhaps + maybe @ (np.add(surely, perhaps, dtype=float))


def _counts(values: Iterable[str], match: Array, may: Array) -> tuple[FacetCount, ...]:
    numbers = (of_each.astype(np.int64).tolist() for of_each in (match, may))
    return tuple(map(FacetCount._make, zip(values, *numbers, strict=True)))
