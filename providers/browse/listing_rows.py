"""The current listings as columns, read some at a time: of most only what tells cells apart stays.

Amounts are whole millionths of a dollar an hour, which is what the columns hold: no rounding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from providers.browse.listing_sql import CURRENT

Array = NDArray[Any]
Columns = dict[str, Array]
Cursor = Any  # of Django, which names no type that has `copy`

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
        ROW_NUMBER() OVER (ORDER BY source, LOWER(region), driver, cuda) - 1,
        DENSE_RANK() OVER (ORDER BY source) - 1
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
    "source": ("places.source_number", "integer"),
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
        JOIN ({_PLACES}) places (source, region, driver, cuda, place, source_number)
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
# Numbers of rows and of cells: half of what numpy takes by itself.
NUMBER: Final = np.int32
# The criteria that a cell answers as one, and what is each row's own.
_OF_CELL: Final = (
    "offering", "family", "gpu", "count", "vram", "spot", "stock", "origin", "source", "seen"
)  # fmt: skip
_OF_ROW: Final = ("id", "place", "price", "spot_price")


def words(cursor: Cursor) -> list[tuple[Any, ...]]:
    """What every place says: source, region, driver, CUDA, its number, and that of its source."""
    # Of a table that was just filled the planner knows nothing: it takes places for few, and would
    # go through all of them for each row.
    cursor.execute(f"SET LOCAL enable_nestloop = off;{_PLACES}")
    cursor.nextset()
    return sorted(cursor.fetchall(), key=lambda row: row[4])


class Part(NamedTuple):
    """Some rows: what their cells are told apart by once a cell, and what is each row's own."""

    cells: Columns
    rows: Columns


def parts(cursor: Cursor) -> list[Part]:
    """The current listings."""
    return [_part(records) for records in _records(cursor)]


def _part(records: Array) -> Part:
    columns = {name: records[name].astype(_native(records[name])) for name in _OF_CELL}
    first, cell = _told_apart(columns)
    cells = {name: column[first] for name, column in columns.items()}
    rows = {name: records[name].astype(_native(records[name])) for name in _OF_ROW}
    return Part(cells, rows | {"cell": cell})


def _native(column: Array) -> np.dtype[Any]:
    return column.dtype.newbyteorder("=")


def _told_apart(columns: Columns) -> tuple[Array, Array]:
    """One place of each different row of these columns, in their order, and the number that each
    row has among those."""
    order = np.lexsort([*reversed(columns.values())])
    new = np.zeros(len(order), np.bool_)
    new[:1] = True
    for column in columns.values():
        ordered = column[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    number = np.empty(len(order), NUMBER)
    number[order] = np.cumsum(new, dtype=NUMBER) - 1
    return order[new], number


def joined(read: Sequence[Part]) -> tuple[Columns, Columns]:
    """The columns of all cells in order, and of all rows with the number of their cell. What was
    read is let go as it is joined."""
    cells = {name: np.concatenate([part.cells[name] for part in read]) for name in _OF_CELL}
    first, number = _told_apart(cells)
    begin = 0
    for part in read:
        of_part = number[begin : begin + len(part.cells["offering"])]
        part.rows["cell"] = of_part[part.rows["cell"]]
        begin += len(of_part)
    names = ("cell", *_OF_ROW)
    rows = {name: np.concatenate([part.rows.pop(name) for part in read]) for name in names}
    return {name: column[first] for name, column in cells.items()}, rows


def _records(cursor: Cursor) -> Iterator[Array]:
    """The rows as the database sends them, some at a time; at least once."""
    skip, rest = _HEADER_BYTES, bytearray()
    with cursor.copy(_ROWS) as copy:
        for number, message in enumerate(copy, 1):
            rest += message
            if number % _CHUNK == 0:
                whole = (len(rest) - skip) // _RECORD.itemsize
                yield np.frombuffer(rest, _RECORD, whole, skip)
                rest, skip = rest[skip + whole * _RECORD.itemsize :], 0
    yield np.frombuffer(rest, _RECORD, (len(rest) - skip) // _RECORD.itemsize, skip)
