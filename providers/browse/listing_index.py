"""The current listings in this process, laid out so that counting them needs no statement.

Listings that every criterion but price, region, driver and CUDA judges alike stand together as a
*cell*, cheapest first: one search in a cell counts what costs at most so much, exactly. What a
page costs so depends on the cells (offering × GPU × count × stock …), hardly on the listings.

An index is of one state of the listings. The database notes each transaction that writes to them
(migration 0007), and those that a snapshot sees name the state: whoever asks gets the index of
exactly the listings that its own snapshot sees, and waits while that one is built.

Amounts are whole millionths of a dollar an hour, which is what the columns hold: no rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any, Final, NamedTuple

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from gpucompare.snapshot import database, one_snapshot, state
from gpucompare.statements import longer
from providers.answers import version_key
from providers.browse.kept import kept
from providers.browse.listing_sql import CURRENT
from providers.browse.ranks import Hosts

Array = NDArray[Any]

MILLION: Final = 1_000_000
# Dearer than any price: what has none stands behind all that have one.
NO_PRICE: Final = np.iinfo(np.int64).max
# Origins as an index numbers them.
LIVE, SNAPSHOT, CATALOG = range(3)
# Rows that are turned into columns at once: some megabytes.
_CHUNK: Final = 50_000

# What a row says in words comes as the number of its place, so that all rows are of one length.
_PLACES = """
    SELECT source, LOWER(region), driver, cuda,
        ROW_NUMBER() OVER (ORDER BY source, LOWER(region), driver, cuda) - 1
    FROM providers_listing WHERE withdrawn_at IS NULL GROUP BY source, LOWER(region), driver, cuda
"""
# The columns of a row, and their types here and there.
_COLUMNS: Final = {
    "id": ("l.id", "bigint"),
    "offering": ("l.offering_id", "integer"),
    "family": ("COALESCE(l.family_id, 0)", "integer"),
    "gpu": ("COALESCE(l.gpu_id, 0)", "integer"),
    "count": ("COALESCE(l.gpu_count, 0)", "integer"),
    "vram": ("COALESCE(l.vram_gb, 0)", "integer"),
    "place": ("places.place", "integer"),
    # The next three as truths: no, not known, yes.
    "spot": (
        "CASE WHEN l.spot OR l.spot_usd_per_hour IS NOT NULL THEN 2"
        " WHEN NOT l.spot THEN 0 ELSE 1 END",
        "smallint",
    ),
    "stock": ("CASE l.stock WHEN 'none' THEN 0 WHEN 'unknown' THEN 1 ELSE 2 END", "smallint"),
    "origin": ("CASE l.origin WHEN 'live' THEN 0 WHEN 'snapshot' THEN 1 ELSE 2 END", "smallint"),
    # Its own time of being seen, in microseconds; -1 where its source's last good run tells it.
    "seen": (f"COALESCE(EXTRACT(EPOCH FROM l.own_seen_at) * {MILLION}, -1)", "bigint"),
    "price": (
        f"COALESCE(COALESCE(l.usd_per_hour, l.spot_usd_per_hour) * {MILLION}, {NO_PRICE})",
        "bigint",
    ),
    "spot_price": (f"COALESCE(l.spot_usd_per_hour * {MILLION}, {NO_PRICE})", "bigint"),
}
_ROWS = f"""
    COPY (
        SELECT {", ".join(f"({value})::{kind}" for value, kind in _COLUMNS.values())}
        FROM ({CURRENT}) l
        JOIN ({_PLACES}) places (source, region, driver, cuda, place)
            ON places.source = l.source AND places.region = LOWER(l.region)
            AND places.driver = l.driver AND places.cuda = l.cuda
    ) TO STDOUT (FORMAT binary)
"""
_DTYPES: Final = {"bigint": ">i8", "integer": ">i4", "smallint": ">i2"}
# A row in COPY's binary form: how many fields, then the length of each before it.
_RECORD: Final = np.dtype(
    [("fields", ">i2")]
    + [
        part
        for name, (_value, kind) in _COLUMNS.items()
        for part in ((f"{name}_length", ">i4"), (name, _DTYPES[kind]))
    ]
)
_HEADER_BYTES: Final = 19
# For so long the database may send all listings: longer than a statement of a page may take.
BUILD_S: Final = 60.0
# Limits for which what they cut off is kept: those that facets offer, in a few units.
_MOST_CUTS: Final = 64

# The criteria that a cell answers as one.
_OF_CELL: Final = (
    "offering", "family", "gpu", "count", "vram", "spot", "stock", "origin", "source", "seen"
)  # fmt: skip


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
    spot_priced: Array  # behind its last place in `spot_sorted` with a price
    # --- rows, cell after cell, cheapest first
    id: Array
    price: Array  # on demand, or as spot where that price stands alone; or NO_PRICE
    spot_price: Array
    place: Array
    cell: Array
    spot_sorted: Array  # the spot prices of each cell, cheapest first

    @cached_property
    def cuts(self) -> dict[Hashable, Array]:
        """What `cheap` found, for limits that every page asks for."""
        return {}

    def cheap(self, key: Hashable, limits: Callable[[], Array], spot: bool) -> Array:
        """How many rows of each cell cost at most its limit; `key` tells the limits."""
        found = self.cuts.get((key, spot))
        if found is None:
            prices, end = (
                (self.spot_sorted, self.spot_priced) if spot else (self.price, self.priced)
            )
            found = at_most(prices, self.start, end, limits())
            if len(self.cuts) >= _MOST_CUTS:
                self.cuts.clear()
            self.cuts[key, spot] = found
        return found

    @cached_property
    def hosts(self) -> Hosts:
        return Hosts.of(self)

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


def spread(start: Array, end: Array) -> tuple[Array, Array]:
    """All numbers from each start to its end, and for each which of the spans it is of."""
    length = end - start
    of = np.repeat(np.arange(len(length)), length)
    before = np.cumsum(length) - length
    return np.arange(len(of)) + (start - before)[of], of


# --- Building ----------------------------------------------------------------------------


def build() -> ListingIndex:
    """From the listings that this thread's transaction sees."""
    with connection.cursor() as cursor, longer(BUILD_S):
        words, columns = _words(cursor), _columns(cursor)
        # Outside of a snapshot each statement sees what was committed before it.
        while not state() and words != (now := _words(cursor)):
            words, columns = now, _columns(cursor)
        cursor.execute("SET LOCAL enable_nestloop = on")
    sources = sorted({source for source, *_ in words})
    of_place = np.array([sources.index(source) for source, *_ in words], dtype=np.int32)
    columns["source"] = of_place[columns["place"]] if words else columns["place"]
    return _laid_out(columns, [_place(*row[:-1]) for row in words], sources)


def _words(cursor: Any) -> list[tuple[Any, ...]]:
    # Of a table that was just filled the planner knows nothing: it takes places for few, and would
    # go through all of them for each row.
    cursor.execute(f"SET LOCAL enable_nestloop = off;{_PLACES}")
    cursor.nextset()
    return sorted(cursor.fetchall(), key=lambda row: row[-1])


def _place(source: str, region: str, driver: str, cuda: str) -> Place:
    keys = (version_key(version) if version else () for version in (driver, cuda))
    return Place(source, region, driver, cuda, *keys)


def _columns(cursor: Any) -> dict[str, Array]:
    parts = [_native(part) for part in _records(cursor)]
    return {name: np.concatenate([part.pop(name) for part in parts]) for name in _COLUMNS}


def _records(cursor: Any) -> Iterator[Array]:
    """The rows as the database sends them, some at a time; at least once."""
    with cursor.copy(_ROWS) as copy:
        rest, messages = b"", []
        for number, message in enumerate(copy, 1):
            messages.append(bytes(message))
            if number % _CHUNK == 0:
                whole = rest + b"".join(messages)
                skip = _HEADER_BYTES if number == _CHUNK else 0
                count = (len(whole) - skip) // _RECORD.itemsize
                yield np.frombuffer(whole, _RECORD, count, skip)
                rest, messages = whole[skip + count * _RECORD.itemsize :], []
        whole = rest + b"".join(messages)
        skip = 0 if number >= _CHUNK else _HEADER_BYTES
        yield np.frombuffer(whole, _RECORD, (len(whole) - skip) // _RECORD.itemsize, skip)


def _native(records: Array) -> dict[str, Array]:
    return {name: records[name].astype(records[name].dtype.newbyteorder("=")) for name in _COLUMNS}


def _laid_out(
    columns: dict[str, Array], places: Sequence[Place], sources: Sequence[str]
) -> ListingIndex:
    # Columns are let go one after the other: at a million listings each takes megabytes.
    cell = _cells(columns)
    order = np.lexsort((columns["id"], columns["price"], cell))
    cell = cell[order]
    start = np.flatnonzero(np.diff(cell, prepend=-1))
    end = np.append(start[1:], len(cell))
    number = np.repeat(np.arange(len(start), dtype=np.int32), end - start)
    of_cell = {name: columns.pop(name)[order[start]] for name in _OF_CELL}
    ids, place = columns.pop("id")[order], columns.pop("place")[order]
    price, spot_price = columns.pop("price")[order], columns.pop("spot_price")[order]
    spot_sorted = spot_price[np.lexsort((spot_price, number))]
    limit = np.full(len(start), NO_PRICE - 1)
    sightings, sighting = np.unique(
        np.column_stack([of_cell[name] for name in Sighting._fields]), axis=0, return_inverse=True
    )
    del of_cell["source"], of_cell["seen"]
    regions = sorted({places[n].region for n in np.unique(place)} - {""})
    numbers = {region: number for number, region in enumerate(regions)}
    return ListingIndex(
        places,
        sources,
        regions,
        np.array([numbers.get(place.region, -1) for place in places], dtype=np.int32),
        [Sighting(*each) for each in sightings.tolist()],
        **of_cell,
        sighting=sighting.reshape(-1),
        start=start,
        end=end,
        priced=start + at_most(price, start, end, limit),
        spot_priced=start + at_most(spot_sorted, start, end, limit),
        id=ids,
        price=price,
        spot_price=spot_price,
        place=place,
        cell=number,
        spot_sorted=spot_sorted,
    )


def _cells(columns: dict[str, Array]) -> Array:
    """The number of each row's cell, in the order of the columns that make it."""
    found = np.zeros(len(columns["id"]), dtype=np.int64)
    for name in _OF_CELL:
        values, each = np.unique(columns[name], return_inverse=True)
        # Numbered anew after each column, so that no product of so many can be too large.
        found = np.unique(found * len(values) + each, return_inverse=True)[1]
    return found


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
