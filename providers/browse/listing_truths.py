"""What the listings of each offering say under some criteria: whether they are all met by one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple
from weakref import ReferenceType, ref

import numpy as np

from providers.browse.judge import Truth
from providers.browse.listing_index import ListingIndex
from providers.browse.listing_rows import NUMBER, Array
from providers.browse.moment import BANDS, NO_BAND, Seen, Standing
from providers.browse.ranks import Ranks, level
from providers.browse.units import Asked, Units
from providers.browse.world import World, is_closed


class Values(NamedTuple):
    """The values of a facet that cells have, and which is each cell's; -1 for none."""

    values: list[str]
    of_cells: Array


class Indexed:
    """An index as it stands at a moment, and what every page counts of it in a world."""

    def __init__(self, index: ListingIndex, world: World, seen: Sequence[Seen]) -> None:
        self.index, self.world, self.seen = index, world, seen
        self.now = Standing(index, seen)

    @classmethod
    def of(cls, index: ListingIndex, world: World, seen: Sequence[Seen]) -> Indexed:
        """The last one, while all of it is still the same."""
        global _last  # noqa: PLW0603
        last = _last
        if not (last and last.index is index and last.world is world and last.seen == seen):
            last = _last = cls(index, world, seen)
        return last

    @cached_property
    def place(self) -> Array:
        """The place of each cell's offering in the world."""
        places = np.zeros(max(self.world.places, default=0) + 1, np.int32)
        places[list(self.world.places)] = list(self.world.places.values())
        of_cells: Array = places[self.index.offering]
        return of_cells

    @cached_property
    def offered(self) -> set[int | None]:
        """The families of GPUs that open offerings have."""
        open_ones = (o.pk for o in self.world.offerings if not is_closed(o))
        return {family for pk in open_ones for family in self.index.families.get(pk, ())}

    @cached_property
    def counts(self) -> Values:
        """Numbers of GPUs."""
        counts = [int(n) for n in np.unique(self.index.count) if n]
        return Values([str(n) for n in counts], _numbered(counts, self.index.count))

    @cached_property
    def bands(self) -> Values:
        """Bands of freshness."""
        bands = sorted(n for n in np.unique(self.now.band).tolist() if n != NO_BAND)
        bands.sort(key=lambda n: BANDS[n].value)
        return Values([BANDS[n].value for n in bands], _numbered(bands, self.now.band))


def _numbered(values: Sequence[int], of_cells: Array) -> Array:
    """The place of each among the values, or -1. Values are small."""
    places = np.full(int(of_cells.max(initial=0)) + 1, -1, NUMBER)
    places[list(values)] = range(len(values))
    found: Array = places[of_cells]
    return found


_last: Indexed | None = None


class ListingTruths:
    """By offering, found when it is asked for: criteria about offerings need no listing."""

    def __init__(self, asked: Asked, read: Callable[[], Indexed]) -> None:
        self.asked, self.ranks = asked, asked.ranks
        self._read = read
        self._indexed: Indexed | None = None
        self._levels: dict[tuple[str, ...], Mapping[int, int]] = {}
        self._of_all: ReferenceType[Units] | None = None

    @property
    def indexed(self) -> Indexed:
        # In Python 3.11 a cached property computes one at a time in the whole process, and to read
        # an index may take long.
        if self._indexed is None:
            self._indexed = self._read()
        return self._indexed

    def ranked(self, ranks: Ranks) -> ListingTruths:
        """The same listings, their hosts ranked."""
        return ListingTruths(replace(self.asked, ranks=ranks), lambda: self.indexed)

    @property
    def units(self) -> Units:
        """The listings of all offerings, whatever their own filters say; the same for as long as
        anybody holds them, but not kept with a result."""
        found = self._of_all() if self._of_all else None
        if found is None:
            found = self._units(self.asked)
            self._of_all = ref(found)
        return found

    def units_but(self, failing: Array) -> Units:
        """Without those that cannot count; see `Units`."""
        return self._units(self.asked, failing)

    def _units(self, asked: Asked, failing: Array | None = None) -> Units:
        return Units(self.indexed.index, self.indexed.now, asked, failing)

    def level(self, names: tuple[str, ...], offering: int) -> int:
        """The highest of its listings when these criteria are asked for; see `ranks`."""
        if not (names or self.ranks):
            return int(level(Truth.YES, 0))
        if names not in self._levels:
            self._levels[names] = self._highest(names)
        found = self._levels[names].get(offering)
        return self.unlisted(offering, bool(names)) if found is None else found

    def unlisted(self, offering: int, asked: bool = True) -> int:
        """Of one without listings: anything may match what is asked."""
        rank = self.ranks.without_listings[offering] if self.ranks else 0
        return int(level(Truth.MAYBE if asked else Truth.YES, rank))

    def families(self, offering: int) -> Collection[int | None]:
        """Those of its GPUs; None for names that are not known."""
        return self.indexed.index.families.get(offering, ())

    def of_gpus(self) -> dict[tuple[int, int, int], int]:
        """The best truth by offering, family and model; 0 where the name leaves one open."""
        units, index = self.units, self.indexed.index
        best = units.best(units.all, units.limit, units.asked.spot)
        ids = (array.tolist() for array in (index.offering, index.family, index.gpu))
        gpus = list(zip(*ids, strict=True))
        found = dict.fromkeys(gpus, int(Truth.NO))
        for cell, truth in zip(units.cell.tolist(), best.tolist(), strict=True):
            found[gpus[cell]] = max(truth, found[gpus[cell]])
        return found

    def _highest(self, names: tuple[str, ...]) -> Mapping[int, int]:
        units = (
            self.units
            if names == self.asked.names
            else self._units(replace(self.asked, names=names))
        )
        levels = units.level(units.best(units.all, units.limit, units.asked.spot))
        index = self.indexed.index
        found = dict.fromkeys(index.families, 0)
        offerings = index.offering[units.cell]
        starts = np.flatnonzero(np.diff(offerings, prepend=-1))
        if len(starts):
            most = np.maximum.reduceat(levels, starts)
            found |= zip(offerings[starts].tolist(), most.tolist(), strict=True)
        return found
