"""What Criteria say of the listings of an index: three-valued, and counted exactly.

A *unit* is what all criteria but the highest price judge alike: a cell of the index, or a single
row where region, driver or CUDA are asked for, or spot prices, by which cells are not sorted, or
where a page ranks hosts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, partial
from math import floor
from typing import Final, NamedTuple

import numpy as np

from providers.browse.criteria import Criteria
from providers.browse.judge import Truth
from providers.browse.listing_index import (
    ListingIndex,
    at_most,
    blocks,
    no_price,
    spread,
    taken,
    together,
)
from providers.browse.listing_rows import CATALOG, MILLION, NO_PRICE, NUMBER, Array
from providers.browse.moment import BANDS, MAYBE, NO, NO_BAND, YES, Standing, three
from providers.browse.ranks import Ranks, level
from providers.freshness import Band

# Shown prices have ten decimals.
PER_USD: Final = 10**10
# What the rows of a cell may answer differently.
_OF_ROWS: Final[Sequence[str]] = ("region", "min_driver", "min_cuda")
# No facet counts what would match without these.
_NEVER_LIFTED: Final = ("min_vram", "min_driver", "min_cuda")


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


# --- One criterion -----------------------------------------------------------------------


def _gpu(index: ListingIndex, now: Standing, asked: Asked) -> Array:
    terms, (family, gpu, each) = asked.terms, index.forms
    yes = np.isin(family, terms.families) | np.isin(gpu, terms.gpus)
    open_form = (gpu == 0) & np.isin(family, terms.open_families)
    return three(~yes & ((family == 0) | open_form), yes)[each]


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


class Cut(NamedTuple):
    """Of the rows of each unit, how many are known to cost little enough, and how many have no
    price that is known."""

    cheap: Array
    unpriced: Array


class Units:
    """The units that matter for counting, and what each criterion but the price says of them.

    Of single rows there may be millions: whoever keeps what was counted must not keep these.
    """

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
        asks_rows = asked.spot or any(name in asked.names for name in _OF_ROWS)
        self.by_row = asks_rows or asked.ranks is not None or rows is not None
        fails = _fails(of_cells, failing, len(index.start))
        self.cell = np.flatnonzero(fails <= 1).astype(NUMBER)
        self._first = index.start[self.cell]
        if self.by_row:
            self._first = spread(self._first, index.end[self.cell])[0] if rows is None else rows
            self.cell = taken(index.cell, self._first)
        of_rows = {name: self._of_rows(name) for name in _OF_ROWS if name in asked.names}
        if of_rows and rows is None:
            matter = _fails(of_rows, taken(fails, self.cell)) <= 1
            self._first, self.cell = self._first[matter], self.cell[matter]
            of_rows = {name: said[matter] for name, said in of_rows.items()}
        self._rank = (
            None
            if asked.ranks is None
            else taken(asked.ranks.of_hosts, taken(index.hosts.of_row, self._first))
        )
        self._cuts: dict[tuple[Decimal, bool], Cut] = {}
        self._trusted = taken(now.trusted, self.cell)
        self.listed = taken(index.origin != CATALOG, self.cell)
        self.truths = {n: taken(said, self.cell) for n, said in of_cells.items()} | of_rows

    def _of_rows(self, name: str) -> Array:
        said = taken(_of_places(name, self.index, self.asked), taken(self.index.place, self._first))
        if name != "region":
            claims = self.asked.terms.driver if name == "min_driver" else self.asked.terms.cuda
            silent = said < 0
            said[silent] = _by_offering(claims, self.index.offering)[self.cell[silent]]
        return said

    @property
    def _length(self) -> Array:
        """How many rows each unit has."""
        if self.by_row:
            return np.ones(len(self.cell), np.int8)
        return self.index.end[self.cell] - self._first

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
            rows = self.listed.astype(np.int8) if self.by_row else self._length * self.listed
            return Counted(rows * (truth == YES), rows * (truth == MAYBE))
        cheap, unpriced = self._cut(limit, spot)
        able = self.listed & (truth > NO)
        yes = cheap * (able & self._trusted & (truth == YES))
        return Counted(yes, (cheap + unpriced) * able - yes)

    def best(self, truth: Array, limit: Decimal | None, spot: bool) -> Array:
        """The truth of each unit's best row, those of the catalog included."""
        if limit is None:
            return truth
        cheap, unpriced = self._cut(limit, spot)
        able = ((cheap > 0) | (unpriced > 0)) & (truth > NO)
        sure = (cheap > 0) & self._trusted & (truth == YES)
        best: Array = able.astype(np.int8) + sure
        return best

    def level(self, truth: Array, unit: Array | slice = slice(None)) -> Array:
        """Truths of these units with the ranks of their hosts; see `ranks`."""
        found: Array = level(truth, 0 if self._rank is None else self._rank[unit])
        return found

    def spans(self, truth: Array, limit: Decimal | None, spot: bool) -> Iterator[Span]:
        """The rows that are not judged to be NO, some at a time; of each unit those with a price
        that counts come before others."""
        cut = None if limit is None else self._cut(limit, spot)
        length = self._length
        for unit in together(np.flatnonzero(truth).astype(NUMBER), length):
            first, said = self._first[unit], truth[unit]
            end = first + length[unit]
            if cut is None:
                yield Span(unit, first, end, said)
                continue
            cheap, unpriced = (part[unit] for part in cut)
            yield Span(unit, first, first + cheap, np.where(self._trusted[unit], said, MAYBE))
            if unpriced.any():
                yield Span(unit, end - unpriced, end, np.full(len(unit), MAYBE, np.int8))

    def _cut(self, limit: Decimal, spot: bool) -> Cut:
        if (limit, spot) in self._cuts:
            return self._cuts[limit, spot]
        found = Cut(self._cheap(limit, spot), self._unpriced(spot))
        # Of single rows each takes megabytes, and only the limit of the page is asked for again.
        if not self.by_row or limit == self.limit:
            self._cuts[limit, spot] = found
        return found

    def _cheap(self, limit: Decimal, spot: bool) -> Array:
        limits = self._limits(limit, spot)
        if not self.by_row:
            prices, first, end = self.index.prices(spot)
            return at_most(prices, first[self.cell], end[self.cell], limits[self.cell])
        cheap, price = np.empty(len(self.cell), np.int8), self._price(spot)
        for some in blocks(len(cheap)):
            cheap[some] = price[self._first[some]] <= limits[self.cell[some]]
        return cheap

    def offer(self, limits: Iterable[Decimal], spot: bool) -> None:
        """Limits that every page asks for: what they cut off of cells is found once."""
        if self.by_row:
            return
        unpriced = self._unpriced(spot)
        for limit in limits:
            if (limit, spot) not in self._cuts:  # the page's own limit hardly another page asks for
                key = (limit, self.per_gpu)
                cheap = self.index.cheap(key, partial(self._limits, limit, spot), spot)
                self._cuts[limit, spot] = Cut(cheap[self.cell], unpriced)

    def _unpriced(self, spot: bool) -> Array:
        if not self.by_row:
            _prices, first, end = self.index.prices(spot)
            priced = np.where(self._divides, end - first, NUMBER(0))[self.cell]
            return self._length - priced
        unpriced, price = np.empty(len(self.cell), np.int8), self._price(spot)
        for some in blocks(len(unpriced)):
            unpriced[some] = price[self._first[some]] == no_price(price)
            unpriced[some] |= ~self._divides[self.cell[some]]
        return unpriced

    @cached_property
    def priced(self) -> Array:
        """The row behind the last one with a price that counts, of each unit."""
        return self._first + self._length - self._unpriced(self.asked.spot)

    def shown(self, row: Array) -> Array:
        """What rows cost in the asked divisor, in ten-billionths of a dollar; or NO_PRICE."""
        price, cell = self._price(self.asked.spot)[row], self.index.cell[row]
        unknown = price == no_price(price)
        if self.per_gpu:
            unknown |= ~self._divides[cell]
        price = price.astype(np.int64)
        price[unknown] = 0
        price *= PER_USD // MILLION
        if self.per_gpu:
            count = self.index.count[cell].clip(1)
            price *= 2
            price += count
            price //= 2 * count
        price[unknown] = NO_PRICE
        return price

    def _price(self, spot: bool) -> Array:
        return self.index.spot_price if spot else self.index.price

    @cached_property
    def _divides(self) -> Array:
        """For each cell: per GPU a price is only known where their number is."""
        divides: Array = (not self.per_gpu) | (self.index.count > 0)
        return divides

    def _limits(self, limit: Decimal, spot: bool) -> Array:
        """The highest price of an instance of each cell, in millionths; -1 where none is known to
        be low enough."""
        exact, counts = Fraction(limit) * MILLION, self.index.count
        most = no_price(self._price(spot)) - 1
        if not self.per_gpu:
            return np.full(len(counts), min(floor(exact), most))
        different, each = np.unique(counts, return_inverse=True)
        highest = [min(floor(exact * int(n)), most) if n else -1 for n in different]
        return np.array(highest, dtype=np.int64)[each]


def _fails(said: Mapping[str, Array], before: Array | None, length: int = 0) -> Array:
    """How many filters say no, with those before: what more than one does can count nowhere, for
    a count lifts no more than one."""
    fails = np.zeros(length, np.int16) if before is None else before.astype(np.int16)
    for name, truths in said.items():
        fails += (truths == NO) * np.int16(2 if name in _NEVER_LIFTED else 1)
    return fails


def _by_offering(claims: Mapping[int, Truth], offering: Array) -> Array:
    """What claims say of the offering of each cell."""
    known = np.array([*claims, 0])
    said = np.array([*map(int, claims.values()), MAYBE], dtype=np.int8)
    order = np.argsort(known)
    place = np.searchsorted(known[order], offering).clip(0, len(known) - 1)
    found = known[order][place] == offering
    return np.where(found, said[order][place], MAYBE)
