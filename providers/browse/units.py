"""What Criteria say of the listings of an index: three-valued, and counted exactly.

A *unit* is what all criteria but the highest price judge alike: a cell of the index, or a single
row where region, driver or CUDA are asked for, or spot prices, by which cells are not sorted, or
where a page ranks hosts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, partial
from math import floor
from typing import Final, NamedTuple

import numpy as np

from providers.browse.criteria import Criteria
from providers.browse.judge import Truth
from providers.browse.listing_index import (
    CATALOG,
    LIVE,
    MILLION,
    NO_PRICE,
    SNAPSHOT,
    Array,
    ListingIndex,
    Sighting,
    at_most,
    spread,
)
from providers.browse.ranks import Ranks, level
from providers.freshness import AGEING_FOR, FRESH_FOR, STALE_FOR, Band

NO, MAYBE, YES = (int(truth) for truth in (Truth.NO, Truth.MAYBE, Truth.YES))
# The bands of freshness by number; what only the catalog names has none of them.
BANDS: Final = (Band.FRESH, Band.AGEING, Band.STALE, Band.LAST_SEEN, Band.SNAPSHOT)
NO_BAND: Final = len(BANDS)
_SNAPSHOT_BAND: Final = BANDS.index(Band.SNAPSHOT)
# Shown prices have ten decimals.
PER_USD: Final = 10**10
# What the rows of a cell may answer differently.
_OF_ROWS: Final = ("region", "min_driver", "min_cuda")


@dataclass(frozen=True)
class ListingTerms:
    """What criteria need besides themselves: ids for names, and what claims imply."""

    families: Sequence[int]
    gpus: Sequence[int]
    open_families: Sequence[int]  # families of the asked models
    driver: Mapping[int, Truth]  # by offering, for listings that state no driver
    cuda: Mapping[int, Truth]
    spot_no: Sequence[int]  # offerings whose claims deny spot


@dataclass(frozen=True)
class Asked:
    """Criteria about listings, with the ids and claims that they stand for."""

    criteria: Criteria
    terms: ListingTerms
    names: tuple[str, ...]  # those in use, or some of them
    ranks: Ranks | None = None  # of hosts, where a page judges those

    @property
    def spot(self) -> bool:
        """Which price counts."""
        return "spot_only" in self.names


class Seen(NamedTuple):
    """What of a sighting depends on the moment."""

    at: int  # microseconds since 1970; 0: nobody knows
    trusted: bool  # whether a price or a stock may be acted on
    band: int


def seen_at(index: ListingIndex, good_runs: Mapping[str, datetime], now: datetime) -> list[Seen]:
    """Every sighting of an index."""
    runs = [_micros(good_runs[s]) if s in good_runs else 0 for s in index.sources]
    ends = [_micros(now - length) for length in (FRESH_FOR, AGEING_FOR, STALE_FOR)]
    return [_seen(each, runs, ends) for each in index.sightings]


class Standing:
    """What of an index depends on the moment, cell by cell: cells are many, sightings few."""

    def __init__(self, index: ListingIndex, of_sightings: Sequence[Seen]) -> None:
        at, trusted, band = zip(*of_sightings, strict=True) if of_sightings else ((), (), ())
        self.seen: Array = np.array(at, np.int64)[index.sighting]
        self.trusted: Array = np.array(trusted, np.bool_)[index.sighting]
        self.band: Array = np.array(band, np.int8)[index.sighting]
        self.in_stock = three(~self.trusted | (index.stock == MAYBE), index.stock == YES)


def _seen(one: Sighting, runs: Sequence[int], ends: Sequence[int]) -> Seen:
    seen = one.seen if one.seen >= 0 else runs[one.source]
    if one.origin != LIVE:
        return Seen(seen, False, _SNAPSHOT_BAND if one.origin == SNAPSHOT else NO_BAND)
    return Seen(seen, seen > ends[1], sum(seen <= end for end in ends))


def _micros(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)


_EPOCH: Final = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


# --- One criterion -----------------------------------------------------------------------


def three(unknown: Array, yes: Array) -> Array:
    """Truths of what is known to be, known not to be, or unknown."""
    return np.where(unknown, MAYBE, np.where(yes, YES, NO)).astype(np.int8)


def _gpu(index: ListingIndex, now: Standing, asked: Asked) -> Array:
    terms = asked.terms
    yes = np.isin(index.family, terms.families) | np.isin(index.gpu, terms.gpus)
    open_form = (index.gpu == 0) & np.isin(index.family, terms.open_families)
    return three(~yes & ((index.family == 0) | open_form), yes)


def _gpu_count(index: ListingIndex, now: Standing, asked: Asked) -> Array:
    counts = [int(count) for count in asked.criteria.all("gpu_count")]
    return three(index.count == 0, np.isin(index.count, counts))


def _min_vram(index: ListingIndex, now: Standing, asked: Asked) -> Array:
    return three(index.vram == 0, index.vram >= int(asked.criteria.one("min_vram")))


def spot_only(index: ListingIndex, now: Standing, asked: Asked) -> Array:
    denied = np.isin(index.offering, asked.terms.spot_no)
    return three((index.spot == MAYBE) & ~denied, index.spot == YES)


def in_stock(index: ListingIndex, now: Standing, asked: Asked) -> Array:
    return now.in_stock


def _freshness(index: ListingIndex, now: Standing, asked: Asked) -> Array:
    bands = [BANDS.index(Band(band)) for band in asked.criteria.all("freshness")]
    return three(now.band == NO_BAND, np.isin(now.band, bands))


_OF_CELLS: Final[Mapping[str, Callable[[ListingIndex, Standing, Asked], Array]]] = {
    "gpu": _gpu,
    "gpu_count": _gpu_count,
    "min_vram": _min_vram,
    "spot_only": spot_only,
    "in_stock": in_stock,
    "freshness": _freshness,
}


def _of_places(name: str, index: ListingIndex, asked: Asked) -> Array:
    """What each place says; -1 where it says nothing and the offering's claims are asked."""
    if name == "region":
        wanted = asked.criteria.all("region")
        said = [_known(place.region in wanted) if place.region else MAYBE for place in index.places]
        return np.array(said, dtype=np.int8)
    least = tuple(asked.criteria.version(name) or ())
    versions = (getattr(place, name) for place in index.places)
    return np.array([_new_enough(v, least) if v else -1 for v in versions], dtype=np.int8)


def _known(yes: bool) -> int:
    return YES if yes else NO


def _new_enough(version: tuple[int, ...], least: tuple[int, ...]) -> int:
    """580 may be 580.65, when that is asked for."""
    if version >= least:
        return YES
    return MAYBE if version == least[: len(version)] else NO


# --- All of them -------------------------------------------------------------------------


class Counted(NamedTuple):
    """For each unit its priced rows that match, and those that may; the catalog's are neither."""

    yes: Array
    may: Array


class Span(NamedTuple):
    """Rows of units, from the first to the one behind the last, and the truth of all of them."""

    unit: Array
    first: Array
    end: Array
    truth: Array


class Units:
    """The units that matter for counting, and what each criterion but the price says of them."""

    def __init__(
        self,
        index: ListingIndex,
        now: Standing,
        asked: Asked,
        failing: Array | None = None,
        rows: Array | None = None,
    ) -> None:
        """Of all listings, but for those of cells that do not matter; or of these rows.

        `failing` tells for each cell how many filters of its offering say no.
        """
        self.index, self.now, self.asked = index, now, asked
        self.per_gpu = asked.criteria.per_gpu
        limited = "max_price" in asked.names
        self.limit = asked.criteria.max_usd_per_hour if limited else None
        of_cells = {n: say(index, now, asked) for n, say in _OF_CELLS.items() if n in asked.names}
        of_rows = [name for name in _OF_ROWS if name in asked.names]
        self.by_row = bool(of_rows or asked.ranks) or asked.spot or rows is not None
        if rows is None:
            self.cell = _that_matter(index, of_cells, failing)
            self._first, self._end = index.start[self.cell], index.end[self.cell]
        if self.by_row:
            self._first = spread(self._first, self._end)[0] if rows is None else rows
            self.cell, self._end = index.cell[self._first], self._first + 1
        self._rank = (
            asked.ranks.of_hosts[index.hosts.of_row[self._first]]
            if asked.ranks
            else np.zeros(len(self.cell), np.int8)
        )
        self._cuts: dict[tuple[Decimal, bool], tuple[Array, Array]] = {}
        self._trusted = now.trusted[self.cell]
        self.listed = index.origin[self.cell] != CATALOG
        self.truths = {name: said[self.cell] for name, said in of_cells.items()}
        self.truths |= {name: self._of_rows(name) for name in of_rows}

    def _of_rows(self, name: str) -> Array:
        said = _of_places(name, self.index, self.asked)[self.index.place[self._first]]
        if name == "region":
            return said
        claims = self.asked.terms.driver if name == "min_driver" else self.asked.terms.cuda
        return np.where(said < 0, _by_offering(claims, self.index.offering)[self.cell], said)

    def all_but(self, lifted: str = "") -> Array:
        """What all criteria but the price and the lifted one say together."""
        found = np.full(len(self.cell), YES, dtype=np.int8)
        for name, said in self.truths.items():
            if name != lifted:
                np.minimum(found, said, out=found)
        return found

    @cached_property
    def all(self) -> Array:
        return self.all_but()

    def unknown(self, rows: Sequence[int]) -> list[list[str]]:
        """For each row of the index the criteria that cannot be answered for it."""
        one = Units(self.index, self.now, self.asked, rows=np.array(rows, dtype=np.int64))
        said = dict(one.truths)
        if self.limit is not None:
            said["max_price"] = one.best(np.full(len(rows), YES), self.limit, self.asked.spot)
        return [
            [name for name in self.asked.names if said[name][number] == MAYBE]
            for number in range(len(rows))
        ]

    # --- With the price --------------------------------------------------------------

    def counted(self, truth: Array, limit: Decimal | None, spot: bool) -> Counted:
        """Rows of units that are judged by `truth` and may cost at most `limit`.

        A dated price above the limit says no; below it, it only may match.
        """
        if limit is None:
            rows = (self._end - self._first) * self.listed
            return Counted(rows * (truth == YES), rows * (truth == MAYBE))
        cheap, priced = self._cut(limit, spot)
        able = self.listed & (truth > NO)
        yes = cheap * (able & self._trusted & (truth == YES))
        return Counted(yes, (cheap + self._end - priced) * able - yes)

    def best(self, truth: Array, limit: Decimal | None, spot: bool) -> Array:
        """The truth of each unit's best row, those of the catalog included."""
        if limit is None:
            return truth
        cheap, priced = self._cut(limit, spot)
        able = ((cheap > 0) | (priced < self._end)) & (truth > NO)
        sure = (cheap > 0) & self._trusted & (truth == YES)
        best: Array = able.astype(np.int8) + sure
        return best

    def level(self, truth: Array, unit: Array | slice = slice(None)) -> Array:
        """Truths of these units with the ranks of their hosts; see `ranks`."""
        found: Array = level(truth, self._rank[unit])
        return found

    def spans(self, truth: Array, limit: Decimal | None, spot: bool) -> Iterator[Span]:
        """The rows that are not judged to be NO, those with a price that counts before others."""
        unit = np.flatnonzero(truth)
        first, end, said = self._first[unit], self._end[unit], truth[unit]
        if limit is None:
            yield Span(unit, first, end, said)
            return
        cheap, priced = (part[unit] for part in self._cut(limit, spot))
        sure = np.where(self._trusted[unit], said, MAYBE)
        yield Span(unit, first, first + cheap, sure)
        if (priced < end).any():
            yield Span(unit, priced, end, np.full(len(unit), MAYBE, np.int8))

    def _cut(self, limit: Decimal, spot: bool) -> tuple[Array, Array]:
        """How many rows of each unit cost at most so much, and where its rows with a price end."""
        key = (limit, spot)
        if key not in self._cuts:
            prices, priced = self._prices(spot)
            cheap = at_most(prices, self._first, priced, self._limits(limit, self._counts))
            self._cuts[key] = cheap, priced
        return self._cuts[key]

    def offer(self, limits: Iterable[Decimal], spot: bool) -> None:
        """Limits that every page asks for: what they cut off of cells is found once."""
        for limit in limits:
            if not self.by_row and (limit, spot) not in self._cuts:
                counts = self.index.count
                cheap = self.index.cheap(
                    (limit, self.per_gpu), partial(self._limits, limit, counts), spot
                )
                self._cuts[limit, spot] = cheap[self.cell] * self._divides, self._prices(spot)[1]

    def priced(self, unit: Array) -> Array:
        """The row behind the last one with a price that counts, of each of these units."""
        end: Array = self._prices(self.asked.spot)[1][unit]
        return end

    def shown(self, row: Array) -> Array:
        """What rows cost in the asked divisor, in ten-billionths of a dollar; or NO_PRICE."""
        index = self.index
        price = (index.spot_price if self.asked.spot else index.price)[row]
        count = index.count[index.cell[row]] if self.per_gpu else np.ones(len(row), np.int64)
        known = (price != NO_PRICE) & (count > 0)
        twice = 2 * np.where(known, price, 0) * (PER_USD // MILLION)
        count = np.where(known, count, 1)
        return np.where(known, (twice + count) // (2 * count), NO_PRICE)

    def _prices(self, spot: bool) -> tuple[Array, Array]:
        """Prices that ascend in each unit, and where those of each unit end."""
        index = self.index
        if self.by_row:
            prices = index.spot_price if spot else index.price
            end = self._first + (prices[self._first] != NO_PRICE)
        else:
            prices = index.spot_sorted if spot else index.price
            end = (index.spot_priced if spot else index.priced)[self.cell]
        return prices, np.where(self._divides, end, self._first)

    @cached_property
    def _counts(self) -> Array:
        return self.index.count[self.cell]

    @cached_property
    def _divides(self) -> Array:
        """Per GPU a price is only known where their number is."""
        return (not self.per_gpu) | (self._counts > 0)

    def _limits(self, limit: Decimal, counts: Array) -> Array:
        """The highest price of instances with so many GPUs, in millionths."""
        exact = Fraction(limit) * MILLION
        if not self.per_gpu:
            return np.full(len(counts), min(floor(exact), NO_PRICE - 1))
        different, each = np.unique(counts, return_inverse=True)
        highest = [min(floor(exact * int(count)), NO_PRICE - 1) for count in different]
        return np.array(highest, dtype=np.int64)[each]


def _that_matter(
    index: ListingIndex, of_cells: Mapping[str, Array], failing: Array | None
) -> Array:
    """Cells that at most one filter says no to: a count lifts no more than one."""
    fails = np.zeros(len(index.start), np.int16) if failing is None else failing.copy()
    for said in of_cells.values():
        fails += said == NO
    return np.flatnonzero(fails <= 1)


def _by_offering(claims: Mapping[int, Truth], offering: Array) -> Array:
    """What claims say of the offering of each cell."""
    known = np.array([*claims, 0])
    said = np.array([*map(int, claims.values()), MAYBE], dtype=np.int8)
    order = np.argsort(known)
    place = np.searchsorted(known[order], offering).clip(0, len(known) - 1)
    found = known[order][place] == offering
    return np.where(found, said[order][place], MAYBE)
