"""The current listings in this process, laid out so that counting them needs no statement.

Listings that every criterion but price, region, driver and CUDA judges alike stand together as a
*cell*, cheapest first: one search in a cell counts what costs at most so much, exactly. What a
page costs so depends on the cells (offering × GPU × count × stock …), hardly on the listings.

An index is of one state of the listings. The database notes each transaction that writes to them
(migration 0007), and those that a snapshot sees name the state: whoever asks gets the index of
exactly the listings that its own snapshot sees, and waits while that one is built.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Final, NamedTuple

import numpy as np
from django.db import connection

from gpucompare.snapshot import database, one_snapshot, state
from gpucompare.statements import longer
from providers.answers import version_key
from providers.browse import listing_rows
from providers.browse.kept import kept
from providers.browse.listing_rows import NO_PRICE, NUMBER, Array, Columns, joined, words
from providers.browse.ranks import Hosts

# For so long the database may send all listings: longer than a statement of a page may take.
BUILD_S: Final = 60.0
# Rows that are looked at together.
BLOCK: Final = 1 << 17
# Limits for which what they cut off is kept: those that facets offer, in a few units.
_MOST_CUTS: Final = 64


class Place(NamedTuple):
    """What a row says in words; empty where it says nothing."""

    source: str
    region: str  # in lower case
    driver: str
    cuda: str
    min_driver: tuple[int, ...]  # the same versions in numbers, by the criteria that ask for them
    min_cuda: tuple[int, ...]


class Sighting(NamedTuple):
    """When a row was seen, as far as the listings tell."""

    origin: int
    source: int  # number in `sources`: its last good run tells it …
    seen: int  # … unless this does: microseconds since 1970, or -1


@dataclass(frozen=True)
class ListingIndex:
    """Arrays of one length a group. All are read by many threads: nobody may write to them."""

    places: Sequence[Place]
    sources: Sequence[str]
    regions: Sequence[str]  # in order; without the empty one
    region: Array  # of each place: a number in `regions`, or -1
    sightings: Sequence[Sighting]
    # --- cells, offering after offering
    offering: Array  # ids
    family: Array  # ids; 0: the name is unknown
    gpu: Array  # ids; 0: the name leaves the form open
    count: Array  # GPUs; 0: not known
    vram: Array  # GB of one GPU; 0: not known
    spot: Array  # whether it can be had as spot: 0 no, 1 not known, 2 yes
    stock: Array  # 0 none, 1 not known, 2 some
    origin: Array
    sighting: Array  # number in `sightings`
    start: Array  # its first row …
    end: Array  # … and the one behind its last
    priced: Array  # behind its last row with a price
    spot_start: Array  # its first place in `spot_sorted` …
    spot_end: Array  # … and the one behind its last
    # --- rows, cell after cell, cheapest first
    id: Array
    price: Array  # on demand, or as spot where that price stands alone; or `no_price`
    spot_price: Array
    place: Array
    cell: Array
    # --- cell after cell
    spot_sorted: Array  # the spot prices that there are, cheapest first

    @cached_property
    def cuts(self) -> dict[Hashable, Array]:
        """What `cheap` found, for limits that every page asks for."""
        return {}

    def cheap(self, key: Hashable, limits: Callable[[], Array], spot: bool) -> Array:
        """How many rows of each cell cost at most its limit; `key` tells the limits."""
        found = self.cuts.get((key, spot))
        if found is None:
            found = at_most(*self.prices(spot), limits())
            if len(self.cuts) >= _MOST_CUTS:
                self.cuts.clear()
            self.cuts[key, spot] = found
        return found

    def prices(self, spot: bool) -> tuple[Array, Array, Array]:
        """Prices that ascend in each cell, where those of each begin, and where they end."""
        if spot:
            return self.spot_sorted, self.spot_start, self.spot_end
        return self.price, self.start, self.priced

    @cached_property
    def hosts(self) -> Hosts:
        return Hosts.of(self)

    @cached_property
    def forms(self) -> tuple[Array, Array, Array]:
        """Family and GPU of each different pair of them, and which of these each cell is."""
        pairs, each = np.unique(
            np.column_stack([self.family, self.gpu]), axis=0, return_inverse=True
        )
        return pairs[:, 0], pairs[:, 1], each.reshape(-1)

    @cached_property
    def families(self) -> dict[int, set[int | None]]:
        """The GPU families of each offering; None for names that are not known."""
        found: dict[int, set[int | None]] = {}
        pairs = np.unique(np.column_stack([self.offering, self.family]), axis=0)
        for offering, family in pairs.tolist():
            found.setdefault(offering, set()).add(family or None)
        return found


def at_most(prices: Array, start: Array, end: Array, limit: Array) -> Array:
    """How many of the ascending `prices` from each start to its end are no more than its limit."""
    low, high = start.copy(), end.copy()
    while (open_ := low < high).any():
        middle = (low + high) >> 1
        passes = prices[np.where(open_, middle, 0)] <= limit
        low = np.where(open_ & passes, middle + 1, low)
        high = np.where(open_ & ~passes, middle, high)
    return low - start


def no_price(prices: Array) -> int:
    """What stands for none in them, dearer than any."""
    return int(np.iinfo(prices.dtype).max)


def blocks(length: int) -> Iterator[slice]:
    """All of so many rows, some at a time: what is made of them in between stays small."""
    return (slice(at, at + BLOCK) for at in range(0, length, BLOCK))


def together(units: Array, length: Array) -> Iterator[Array]:
    """The units, so many at a time that their rows are few enough to look at together."""
    rows = np.cumsum(length[units], dtype=NUMBER)
    ends = np.searchsorted(rows, np.arange(BLOCK, rows[-1] if len(rows) else 0, BLOCK)) + 1
    yield from np.split(units, ends)


def taken(values: Array, numbers: Array) -> Array:
    """`values[numbers]`, for which numpy would turn all numbers into eight bytes each."""
    found = np.empty(len(numbers), values.dtype)
    for some in blocks(len(numbers)):
        found[some] = values[numbers[some]]
    return found


def spread(start: Array, end: Array) -> tuple[Array, Array]:
    """All numbers from each start to its end, and for each which of the spans it is of."""
    length = end - start
    of = np.repeat(np.arange(len(length), dtype=NUMBER), length)
    skipped = start - (np.cumsum(length, dtype=NUMBER) - length)
    found = np.arange(len(of), dtype=NUMBER)
    found += taken(skipped, of)
    return found, of


# --- Building ----------------------------------------------------------------------------


def build() -> ListingIndex:
    """From the listings that this thread's transaction sees."""
    with connection.cursor() as cursor, longer(BUILD_S):
        places, parts = words(cursor), listing_rows.parts(cursor)
        # Outside of a snapshot each statement sees what was committed before it.
        while not state() and places != (now := words(cursor)):
            places, parts = now, listing_rows.parts(cursor)
        cursor.execute("SET LOCAL enable_nestloop = on")
    sources = list(dict.fromkeys(source for source, *_ in places))
    return _laid_out(*joined(parts), [_place(*row[:4]) for row in places], sources)


def _place(source: str, region: str, driver: str, cuda: str) -> Place:
    keys = (version_key(version) if version else () for version in (driver, cuda))
    return Place(source, region, driver, cuda, *keys)


def _laid_out(
    of_cell: Columns, rows: Columns, places: Sequence[Place], sources: Sequence[str]
) -> ListingIndex:
    # Columns are let go one after the other: at a million listings each takes megabytes.
    length = np.bincount(rows["cell"], minlength=len(of_cell["offering"])).astype(NUMBER)
    end = np.cumsum(length, dtype=NUMBER)
    order = np.lexsort((rows["id"], rows["price"], rows.pop("cell")))
    ids, place = _narrow(rows.pop("id"))[order], _narrow(rows.pop("place"))[order]
    price, spot_price = (_narrow_prices(rows.pop(n))[order] for n in ("price", "spot_price"))
    del order
    cell = np.repeat(np.arange(len(length), dtype=NUMBER), length)
    spot = np.flatnonzero(spot_price != no_price(spot_price))
    spot_length = np.bincount(cell[spot], minlength=len(length)).astype(NUMBER)
    spot_sorted = spot_price[spot[np.lexsort((spot_price[spot], cell[spot]))]]
    spot_end = np.cumsum(spot_length, dtype=NUMBER)
    sightings, sighting = np.unique(
        np.column_stack([of_cell[name] for name in Sighting._fields]), axis=0, return_inverse=True
    )
    del of_cell["source"], of_cell["seen"]
    regions = sorted({places[n].region for n in np.unique(place)} - {""})
    numbers = {region: number for number, region in enumerate(regions)}
    start = end - length
    return ListingIndex(
        places,
        sources,
        regions,
        np.array([numbers.get(place.region, -1) for place in places], dtype=np.int32),
        [Sighting(*each) for each in sightings.tolist()],
        **of_cell,
        sighting=sighting.reshape(-1).astype(NUMBER),
        start=start,
        end=end,
        priced=start + at_most(price, start, end, np.full(len(start), no_price(price) - 1)),
        spot_start=spot_end - spot_length,
        spot_end=spot_end,
        id=ids,
        price=price,
        spot_price=spot_price,
        place=place,
        cell=cell,
        spot_sorted=spot_sorted,
    )


def _narrow_prices(prices: Array) -> Array:
    """In half of the bytes where nothing costs some four thousand dollars an hour."""
    none = np.iinfo(np.uint32).max
    dearest = prices.max(initial=0, where=prices != NO_PRICE)
    return np.minimum(prices, none).astype(np.uint32) if dearest < none else prices


def _narrow(numbers: Array) -> Array:
    """In as few bytes as hold them: not to be reckoned with."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


# --- Keeping -----------------------------------------------------------------------------


_STATE = """
    SELECT STRING_AGG(
        CONCAT_WS('@', writer, EXTRACT(EPOCH FROM wrote_at)), ' ' ORDER BY wrote_at, writer
    ) FROM providers_listing_writer
"""

# The last index that was built, with the state of the listings that it is of.
_kept: tuple[str, ListingIndex] | None = None
_building = Lock()


def current() -> ListingIndex:
    """The index of the listings that this thread sees, built if no other is of that state."""
    with one_snapshot() as named:
        if not named:
            return build()  # in a transaction, which no name tells the own writes of
        wanted = kept("state of listings", _state)
        return _of_state(wanted) or _built(wanted)


def _state() -> str:
    with connection.cursor() as cursor:
        cursor.execute(_STATE)
        return f"{database()} {cursor.fetchone()[0]}"


def _of_state(wanted: str) -> ListingIndex | None:
    last = _kept
    return last[1] if last and last[0] == wanted else None


def _built(wanted: str) -> ListingIndex:
    global _kept  # noqa: PLW0603
    with _building:
        if (found := _of_state(wanted)) is None:
            found = build()
            _kept = (wanted, found)
    return found
