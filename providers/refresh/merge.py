"""Writes what a batch of listings changes: rows, price points, withdrawals; nothing else.

The batch is copied into a table of this transaction and compared there, so that a row which
says what it said before costs neither memory here nor a write there.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from io import StringIO
from itertools import islice
from operator import attrgetter
from typing import Any

from django.db import connection

from providers.models import Origin
from providers.refresh.facts import Key, ListingFacts

# The columns whose change is a change, with their types.
_FACTS: Mapping[str, str] = {
    "gpu_name": "text",
    "family_id": "bigint",
    "gpu_id": "bigint",
    "gpu_count": "smallint",
    "vram_gb": "integer",
    "region": "text",
    "usd_per_hour": "numeric(14, 6)",
    "spot_usd_per_hour": "numeric(14, 6)",
    "stated_price": "text",
    "stated_spot_price": "text",
    "stated_unit": "text",
    "spot": "boolean",
    "stock": "text",
    "stock_count": "integer",
    "driver": "text",
    "cuda": "text",
    "tier": "text",
    "source_url": "text",
}
_STAGED = {"offering_id": "bigint", "key": "text", **_FACTS, "seen_at": "timestamptz"}
# Columns that follow from another one, so that they need no comparing.
_DERIVED = {
    f"{name}_key": f"CASE WHEN s.{name} <> '' THEN string_to_array(s.{name}, '.')::integer[] END"
    for name in ("driver", "cuda")
} | {"extras": "s.extras::jsonb"}
_values_of = attrgetter(*_FACTS, "seen_at")
# Rows that go to the database at once: about 16 kB, so that it reads some while the next are made.
_CHUNK = 200
_PRICES = ("usd_per_hour", "spot_usd_per_hour")
_POINT = f"id, at, {', '.join(_PRICES)}"
# When a row of the batch was seen.
_AT = "COALESCE(s.seen_at, %(now)s)"


@dataclass(frozen=True)
class Counts:
    """How many rows a run made, changed, left alone and took away."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    withdrawn: int = 0

    @property
    def wrote(self) -> bool:
        return bool(self.new or self.changed or self.withdrawn)


def merge(  # noqa: PLR0913
    origin: Origin,
    incoming: Iterable[tuple[Key, ListingFacts]],
    *,
    now: datetime,
    source: str = "",
    dated: bool = False,
    kept: Collection[Key] = (),
) -> Counts:
    """Make the listings of `origin` and `source` those of `incoming`, in the caller's transaction.

    `dated` tells whether the day a row was seen is itself a fact (the snapshot). Rows of `kept`
    are not withdrawn though they are not in `incoming`.
    """
    scope: dict[str, Any] = {"origin": origin.value, "source": source, "now": now}
    with connection.cursor() as cursor:
        # Both sides are compared in memory; with the usual 4 MB the join would go through files.
        # The few rows that change were read by then: they are fetched one by one, from memory.
        cursor.execute("SET LOCAL work_mem = '128MB'; SET LOCAL random_page_cost = 1.1")
        fetched = _stage(cursor, incoming)
        cursor.execute(_touched(dated), scope | {"kept": [_kept(key) for key in kept]})
        # Where nothing changed, no statement goes to the listings: all that is kept of them holds.
        written = _write(cursor, dated, scope) if cursor.rowcount else Counts()
        cursor.execute("DROP TABLE staged, touched")
    return replace(written, unchanged=fetched - written.new - written.changed)


def _write(cursor: Any, dated: bool, scope: Mapping[str, Any]) -> Counts:
    """All that was touched."""
    cursor.execute(_WITHDRAWAL, scope)
    withdrawn = cursor.rowcount
    cursor.execute(_update(dated), scope)
    changed = int(cursor.fetchone()[0])
    cursor.execute(_insertion(), scope)
    return Counts(int(cursor.fetchone()[0]), changed, 0, withdrawn)


def _kept(key: Key) -> str:
    return f"{key[0]} {key[1]}"


def _stage(cursor: Any, incoming: Iterable[tuple[Key, ListingFacts]]) -> int:
    columns = ", ".join(f"{name} {kind}" for name, kind in _STAGED.items())
    # Most rows do not change, so that what they hold besides is not even looked at as JSON.
    cursor.execute(f"CREATE TEMPORARY TABLE staged ({columns}, extras text) ON COMMIT DROP")
    options = f"FORMAT csv, FORCE_NOT_NULL ({', '.join(text_columns())})"
    with cursor.copy(f"COPY staged FROM STDIN ({options})") as copy:
        for chunk in csv_rows(incoming):
            copy.write(chunk)
    return int(cursor.rowcount)


def csv_rows(incoming: Iterable[tuple[Key, ListingFacts]]) -> Iterator[str]:
    """A batch as chunks of CSV, in the order of `staged_columns` and `extras`.

    The writer of the standard library takes a third of the time that adapting value by value does.
    """
    rows = iter(incoming)
    while some := list(islice(rows, _CHUNK)):
        text = StringIO()
        csv.writer(text).writerows(map(_fields, some))
        yield text.getvalue()


def staged_columns() -> list[str]:
    return list(_STAGED)


def text_columns() -> list[str]:
    """In CSV an empty field is NULL, but for these it is the empty text."""
    return [name for name, kind in _STAGED.items() if kind == "text"]


def _fields(row: tuple[Key, ListingFacts]) -> tuple[Any, ...]:
    key, facts = row
    return key + _values_of(facts) + (json.dumps(facts.extras) if facts.extras else "{}",)


def _touched(dated: bool) -> str:
    """What there is to write, found in one pass over both sides: rows without a listing are new,
    listings without a row went away, the others differ or came back."""
    compared = [*_FACTS, "seen_at"] if dated else list(_FACTS)
    return f"""
        CREATE TEMPORARY TABLE touched ON COMMIT DROP AS
        SELECT l.id AS listing_id, s.*,
            ({_list(_PRICES, "l")}) IS DISTINCT FROM ({_list(_PRICES, "s")}) AS repriced,
            CASE WHEN l.withdrawn_at < {_AT} AND COALESCE({_list(_PRICES, "l")}) IS NOT NULL
                THEN l.withdrawn_at END AS unpriced_since
        FROM (
            SELECT * FROM providers_listing WHERE origin = %(origin)s AND source = %(source)s
        ) l
        FULL JOIN staged s ON s.offering_id = l.offering_id AND s.key = l.key
        WHERE l.id IS NULL
           OR (s.key IS NULL AND l.withdrawn_at IS NULL
               AND l.offering_id || ' ' || l.key <> ALL(%(kept)s))
           OR (s.key IS NOT NULL AND (
               l.withdrawn_at IS NOT NULL OR (l.origin = 'live' AND l.seen_at IS NOT NULL)
               OR ({_list(compared, "l")}) IS DISTINCT FROM ({_list(compared, "s")})))
    """


_WITHDRAWAL = """
    UPDATE providers_listing l SET withdrawn_at = %(now)s
    FROM touched s WHERE s.listing_id = l.id AND s.key IS NULL
"""


def _list(names: Iterable[str], table: str) -> str:
    return ", ".join(f"{table}.{name}" for name in names)


def _update(dated: bool) -> str:
    """Rows that differ or came back, and a price point where a price is another.

    A row that came back had no price since it was withdrawn, which only now needs telling: until
    then `withdrawn_at` does.
    """
    columns = [*_FACTS, *(["seen_at"] if dated else [])]
    written = ", ".join([*columns, *_DERIVED])
    values = ", ".join([_list(columns, "s"), *_DERIVED.values()])
    # A live row that is seen again is seen at its source's run, not at a time of its own.
    own_time = "" if dated else "seen_at = CASE l.origin WHEN 'live' THEN NULL ELSE l.seen_at END,"
    again = f"SELECT {_POINT} FROM changed WHERE repriced OR unpriced_since IS NOT NULL"
    gap = "SELECT id, unpriced_since, NULL, NULL FROM changed WHERE unpriced_since IS NOT NULL"
    return f"""
        WITH changed AS (
            UPDATE providers_listing l
            SET ({written}) = ROW({values}), {own_time} withdrawn_at = NULL
            FROM touched s WHERE s.listing_id = l.id AND s.key IS NOT NULL
            RETURNING l.id, {_AT} AS at, {_list(_PRICES, "l")}, s.repriced, s.unpriced_since
        ), points AS ({_points(f"{again} UNION ALL {gap}")})
        SELECT COUNT(*) FROM changed
    """


def _insertion() -> str:
    columns = ["offering_id", "key", *_FACTS]
    written = ", ".join([*columns, *_DERIVED])
    values = ", ".join([_list(columns, "s"), *_DERIVED.values()])
    priced = f"COALESCE({', '.join(_PRICES)})"
    return f"""
        WITH made AS (
            INSERT INTO providers_listing
                ({written}, origin, source, first_seen, seen_at)
            SELECT {values}, %(origin)s, %(source)s, {_AT},
                CASE %(origin)s WHEN 'live' THEN s.seen_at ELSE {_AT} END
            FROM touched s WHERE s.listing_id IS NULL
            RETURNING id, COALESCE(seen_at, %(now)s) AS at, {", ".join(_PRICES)}
        ), points AS ({_points(f"SELECT {_POINT} FROM made WHERE {priced} IS NOT NULL")})
        SELECT COUNT(*) FROM made
    """


def _points(rows: str) -> str:
    """One point a listing and time: a price corrected for the same time replaces its point."""
    return f"""
        INSERT INTO providers_pricepoint (listing_id, at, usd_per_hour, spot_usd_per_hour) {rows}
        ON CONFLICT (listing_id, at) DO UPDATE SET usd_per_hour = EXCLUDED.usd_per_hour,
            spot_usd_per_hour = EXCLUDED.spot_usd_per_hour
    """
