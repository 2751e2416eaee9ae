"""How long the page of a check takes for an image that is known, with many listings.

    python -m bench.check_page [LISTINGS]

Prints milliseconds: processor time of this process (the median of several answers), and the time
that the database took (the least). Exits with 1 when the goal is missed by their sum.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

from bench.merge import database

LISTINGS = 20_000
GOAL_MS = 150
ROUNDS = 15
PAGE = "/check/?cuda=12.4&framework=torch&release=2.6.0"
# Half of the rows are of a few marketplaces, whose hosts each state a driver of their own.
MARKETPLACES = 4
DRIVERS = [f"{b}.{m}.0{n}" for b in (535, 550, 560, 570, 580) for m in (54, 95) for n in (1, 2, 3)]


def fill(count: int) -> None:
    """The project's own catalog, and generated listings of a few GPUs an offering."""
    from django.conf import settings  # noqa: PLC0415 -- needs the settings
    from django.core.management import call_command  # noqa: PLC0415
    from django.db import connection  # noqa: PLC0415
    from django.utils import timezone  # noqa: PLC0415

    from providers.answers import version_key  # noqa: PLC0415
    from providers.catalog.store import load  # noqa: PLC0415
    from providers.models import Gpu, Listing, Offering  # noqa: PLC0415

    call_command("load_gpus", verbosity=0)
    load(settings.CATALOG_DIR)
    chance = random.Random(1)  # noqa: S311 -- the same rows every time
    offerings, now = list(Offering.objects.all()), timezone.now()
    gpus = list(Gpu.objects.select_related("family"))

    def listing(n: int) -> Any:
        of_market = n % 2 == 0
        offering = offerings[n // 2 % (MARKETPLACES if of_market else len(offerings))]
        gpu = gpus[(offering.pk * 7 + chance.randrange(30 if of_market else 12) * 11) % len(gpus)]
        driver = chance.choice(DRIVERS) if of_market else ""
        return Listing(
            offering=offering,
            key=f"bench-{n}",
            origin="live",
            gpu_name=gpu.name,
            family=gpu.family,
            gpu=gpu,
            gpu_count=chance.choice([1, 2, 4, 8]),
            vram_gb=gpu.vram_gb,
            region=f"region-{n % 40}",
            usd_per_hour=Decimal(chance.randint(50, 3000)) / 100,
            stock="available",
            driver=driver,
            driver_key=list(version_key(driver)) if driver else None,
            first_seen=now,
            seen_at=now,
        )

    Listing.objects.bulk_create(map(listing, range(count)), batch_size=5000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def worked(work: Callable[[], object]) -> float:
    """Milliseconds of this process's own work, the median of several rounds after a first one."""
    work()
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return statistics.median(times) * 1000


def asked(url: str) -> None:
    from django.test import Client  # noqa: PLC0415

    answer = Client(headers={"host": "localhost"}).get(url)
    assert answer.status_code == 200, answer.status_code  # noqa: S101


def in_database(url: str) -> float:
    """Milliseconds that the statements of one page take, the fastest of several pages."""
    from django.db import connection  # noqa: PLC0415

    def once() -> float:
        spent = 0.0

        def watch(execute: Any, *args: Any) -> Any:
            nonlocal spent
            start = time.perf_counter()
            try:
                return execute(*args)
            finally:
                spent += time.perf_counter() - start

        with connection.execute_wrapper(watch):
            asked(url)
        return spent

    return min(once() for _ in range(ROUNDS)) * 1000


def run(count: int) -> float:
    """Milliseconds of the page; prints all figures."""
    fill(count)
    import gpucompare.wsgi  # noqa: F401, PLC0415 -- as the site is started

    for name, url in (("filtered by verdict", f"{PAGE}&verdict=runs"), ("page", PAGE)):
        own, database_ms = worked(partial(asked, url)), in_database(url)
        page = own + database_ms
        print(f"listings {count}  {name} {page:.0f} ms: {own:.0f} own, {database_ms:.0f} database")
    print(f"goal <= {GOAL_MS} ms for the page")
    return page


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else LISTINGS
    with database():
        page = run(count)
    print(f"{int(page <= GOAL_MS)} passed, {int(page > GOAL_MS)} failed")
    return int(page > GOAL_MS)


if __name__ == "__main__":
    sys.exit(main())
