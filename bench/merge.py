"""How long a refresh of many rows takes of which few changed, against rewriting all of them.

    python -m bench.merge [ROWS]

Prints the ratio of both times, and how many rows the merge wrote. Both are done in turn, some
times over, and the fastest of each is taken: what else the machine does only ever adds to a time.
Exits with 1 when the goal is missed.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from typing import Any

import django
from django.db import transaction

ROWS = 200_000
CHANGED = 0.02
GOAL = 0.35
OFFERINGS = 100
ROUNDS = 5


@contextmanager
def database() -> Iterator[None]:
    """A database of its own, gone afterwards."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gpucompare.settings")
    django.setup()
    from django.db import connection  # noqa: PLC0415 -- needs the settings

    old = connection.settings_dict["NAME"]
    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        yield
    finally:
        connection.creation.destroy_test_db(old, verbosity=0)


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def run(rows: int) -> float:
    """The ratio of merging to rewriting; prints both."""
    from django.db import connection  # noqa: PLC0415
    from django.utils import timezone  # noqa: PLC0415

    from providers.models import Origin  # noqa: PLC0415
    from providers.refresh.merge import merge  # noqa: PLC0415

    batch = batch_of(rows)

    def merged() -> None:
        with transaction.atomic():
            merge(Origin.LIVE, batch.items(), now=timezone.now(), source="bench")

    print(f"rows {rows}  first merge {timed(merged):.2f} s", flush=True)
    merging, rewriting = [], []
    for number in range(ROUNDS):
        for key in list(batch)[number :: round(1 / CHANGED)]:
            batch[key] = replace(batch[key], usd_per_hour=Decimal(10 + number))
        before = written(connection)
        merging.append(timed(merged))
        wrote = written(connection) - before
        rewriting.append(timed(lambda: rewrite(connection, batch)))
        print(
            f"{CHANGED:.0%} changed {merging[-1]:.2f} s, {wrote} rows written"
            f"  rewriting all by COPY {rewriting[-1]:.2f} s",
            flush=True,
        )
    ratio = min(merging) / min(rewriting)
    print(f"merge/rewrite {ratio:.2f}  goal <= {GOAL}")
    return ratio


def batch_of(rows: int) -> dict[Any, Any]:
    """A source's batch over a hundred offerings."""
    from providers.models import Offering, Provider  # noqa: PLC0415
    from providers.refresh.facts import ListingFacts  # noqa: PLC0415

    provider = Provider.objects.create(
        slug="p", name="P", kind="vm_cloud", website="https://p.example"
    )
    made = Offering.objects.bulk_create(
        Offering(
            provider=provider, slug=f"o{n}", name=f"O{n}", summary="-", docs="https://p.example"
        )
        for n in range(OFFERINGS)
    )
    return {
        (made[n % OFFERINGS].pk, f"bench:{n}"): ListingFacts(
            gpu_name="H100",
            family_id=None,
            gpu_id=None,
            gpu_count=n % 8 + 1,
            vram_gb=80,
            region=f"region-{n % 40}",
            usd_per_hour=Decimal(n % 900 + 1) / 100,
            stock="available",
            driver="580.126.20",
            cuda="13.0",
        )
        for n in range(rows)
    }


def written(connection: Any) -> int:
    """Rows of listings ever inserted or updated, by PostgreSQL's own count."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute(
            "SELECT n_tup_ins + n_tup_upd FROM pg_stat_user_tables WHERE relname = %s",
            ["providers_listing"],
        )
        return int(cursor.fetchone()[0])


def rewrite(connection: Any, batch: Mapping[Any, Any]) -> None:
    """The plain way: empty the table and COPY the whole batch into it, checks, indexes and all."""
    from providers.refresh.merge import csv_rows, staged_columns, text_columns  # noqa: PLC0415

    columns = ", ".join(staged_columns())
    options = f"FORMAT csv, FORCE_NOT_NULL ({', '.join(text_columns())})"
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("TRUNCATE providers_listing CASCADE")
        for name, value in (("origin", "live"), ("source", "bench"), ("first_seen", "now()")):
            default = value if value.endswith("()") else f"'{value}'"
            cursor.execute(f"ALTER TABLE providers_listing ALTER {name} SET DEFAULT {default}")
        statement = f"COPY providers_listing ({columns}, extras) FROM STDIN ({options})"
        with cursor.copy(statement) as copy:
            for chunk in csv_rows(batch.items()):
                copy.write(chunk)


def main() -> int:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    with database():
        ratio = run(rows)
    print(f"{int(ratio <= GOAL)} passed, {int(ratio > GOAL)} failed")
    return int(ratio > GOAL)


if __name__ == "__main__":
    sys.exit(main())
