"""How soon an export of many listings begins, and how much memory it takes.

    python -m bench.export [ROWS]

Prints the milliseconds until the first byte and the first row, the best of several answers, how
long the whole file takes, and by how much the memory of this process grew meanwhile. Exits with 1
when a goal is missed.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

import psutil

from bench.check_page import fill
from bench.merge import database

ROWS = 200_000
GOAL_MS = 200
GOAL_MB = 50
ROUNDS = 5
MB = 1024 * 1024
FILE = "/listings/?sort=price&format=csv"


# So many rows are made one by one, and copied within the database.
_MADE = 2_000


@dataclass(frozen=True)
class Figures:
    first_byte_ms: float
    first_row_ms: float
    whole_s: float
    own_s: float  # of it, what this process worked
    grown_mb: float
    rows: int


def measured(rows: int, address: str = FILE) -> Figures:
    """One answer after another; the last one is read to its end."""
    begun(address)  # what is loaded once is no part of an answer
    first = [begun(address) for _ in range(ROUNDS)]
    with peak() as grown:
        start, worked = time.perf_counter(), time.process_time()
        lines = sum(part.count(b"\n") for part in parts_of(address))
        whole_s, own_s = time.perf_counter() - start, time.process_time() - worked
    return Figures(
        min(byte for byte, _row in first),
        min(row for _byte, row in first),
        whole_s,
        own_s,
        grown(),
        lines - 1,
    )


def parts_of(address: str) -> Iterator[bytes]:
    from django.test import Client  # noqa: PLC0415 -- needs the settings

    response: Any = Client(headers={"host": "localhost"}).get(address)
    assert response.status_code == 200, response.status_code  # noqa: S101
    with closing(response):
        yield from response


def begun(address: str) -> tuple[float, float]:
    """Milliseconds until the first byte, and until the first row."""
    start = time.perf_counter()
    parts = parts_of(address)
    next(parts)
    byte = time.perf_counter() - start
    next(parts)
    row = time.perf_counter() - start
    parts.close()  # type: ignore[attr-defined]
    return byte * 1000, row * 1000


@contextmanager
def peak() -> Iterator[Callable[[], float]]:
    """The most MB by which this process grows, looked at every few milliseconds."""
    process, done = psutil.Process(), threading.Event()
    before = most = process.memory_info().rss

    def watch() -> None:
        nonlocal most
        while not done.wait(0.005):
            most = max(most, process.memory_info().rss)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield lambda: (most - before) / MB
    finally:
        done.set()
        watching.join()


def fill_many(rows: int) -> None:
    """The project's own catalog, and so many listings: a few, over and over."""
    from django.db import connection  # noqa: PLC0415 -- needs the settings
    from django.db.models import Q  # noqa: PLC0415

    from providers.models import Listing  # noqa: PLC0415

    fill(_MADE)
    # Of closed ones none is for rent, and none in the file.
    closed = Q(offering__status="closed") | Q(offering__provider__status="closed")
    Listing.objects.filter(closed).delete()
    made = Listing.objects.filter(origin="live").count()
    own = [str(f.column) for f in Listing._meta.fields if f.column not in {"id", "key"}]
    columns = ", ".join(own)
    copies, rest = divmod(rows, made)
    with connection.cursor() as cursor:
        for n in range(1, copies + (rest > 0)):
            cursor.execute(
                f"INSERT INTO providers_listing (key, {columns})"
                f" SELECT key || '-{n}', {columns} FROM providers_listing"
                " WHERE origin = 'live' AND key !~ '-.*-' ORDER BY id LIMIT %s",
                [made if n < copies else rest],
            )
        cursor.execute("ANALYZE")


def run(rows: int) -> bool:
    """Whether both goals are met; prints all figures."""
    fill_many(rows)
    found = measured(rows)
    print(
        f"rows {found.rows}  first byte {found.first_byte_ms:.0f} ms"
        f"  first row {found.first_row_ms:.0f} ms"
        f"  whole file {found.whole_s:.1f} s, {found.own_s:.1f} s own"
        f"  memory +{found.grown_mb:.1f} MB"
    )
    print(f"goal <= {GOAL_MS} ms to the first byte, < {GOAL_MB} MB")
    return found.rows == rows and found.first_byte_ms <= GOAL_MS and found.grown_mb < GOAL_MB


def main() -> int:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    with database():
        met = run(rows)
    print(f"{int(met)} passed, {int(not met)} failed")
    return int(not met)


if __name__ == "__main__":
    sys.exit(main())
