"""How long it takes to judge an image on 20,000 listed hosts and to rank all offerings by that.

    python -m bench.check_page [LISTINGS]

Every image is another one, so that no answer and no verdict is there already. Measured are

    ranked               from the address to the ranked offerings, with all that a page counts and
                         tells of them but its facets: the criteria, the image on every host, how
                         each offering stands, the cheapest listing there, first starts excluded;
                         the listings are known from the image before. This has the goal
    page                 the same as the whole answer: facets, first starts, texts and HTML
    page after a refresh the same, where a price moved since, so that the listings are read anew

Prints milliseconds: processor time of this process and the time that the database took, each the
least of several answers. Exits with 1 when the goal is missed by their sum.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from decimal import Decimal
from itertools import count
from typing import Any

from bench.merge import database

LISTINGS = 20_000
GOAL_MS = 100
ROUNDS = 15
# An image as the paste of one is told in an address: of the number's own build.
PAGE = (
    "/check/?software=cuda&toolkit=12.4.1&build=torch:2.6.0:12.4&build=vllm:0.8.{}:12.4"
    "&require=nvidia:12.4&cpu=amd64&size=5400000000&user=root"
)
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


_images = count()


def page() -> None:
    """The page about an image that nobody asked for before."""
    from django.test import Client  # noqa: PLC0415

    answer = Client(headers={"host": "localhost"}).get(PAGE.format(next(_images)))
    assert answer.status_code == 200, answer.status_code  # noqa: S101


def ranked() -> None:
    """All offerings in their order for such an image, as the page has them."""
    from django.http import QueryDict  # noqa: PLC0415
    from django.utils import timezone  # noqa: PLC0415

    from checks.conditions import Asked  # noqa: PLC0415
    from checks.question import read_question  # noqa: PLC0415
    from checks.verdicts import check  # noqa: PLC0415
    from gpucompare.snapshot import one_snapshot  # noqa: PLC0415
    from providers.browse.world import World  # noqa: PLC0415

    with one_snapshot():
        world = World.read()
        query = QueryDict(PAGE.format(next(_images)).partition("?")[2])
        question, criteria, _ignored = read_question(query, world.vocabulary)
        assert question.facts  # noqa: S101
        result = check(Asked(question.facts), criteria, world, timezone.now())
        assert result.rows  # noqa: S101


def refreshed() -> None:
    """A price moves, as in every refresh: what was kept of listings is not good any more."""
    from providers.models import Listing  # noqa: PLC0415

    row = Listing.objects.filter(origin="live").order_by("pk")[:1].get()
    row.usd_per_hour = (row.usd_per_hour or 0) + Decimal("0.01")
    row.save(update_fields=["usd_per_hour"])


def nothing() -> None:
    pass


def timed(before: Callable[[], object], work: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds of this process's own work and of the statements, the least of several."""
    own, statements = [], []
    for _ in range(ROUNDS):
        before()
        start, waited = time.process_time(), in_database(work)
        own.append(time.process_time() - start)
        statements.append(waited)
    return min(own) * 1000, min(statements) * 1000


def in_database(work: Callable[[], object]) -> float:
    """Seconds that the statements of `work` take."""
    from django.db import connection  # noqa: PLC0415

    spent = 0.0

    def watch(execute: Any, *args: Any) -> Any:
        nonlocal spent
        start = time.perf_counter()
        try:
            return execute(*args)
        finally:
            spent += time.perf_counter() - start

    with connection.execute_wrapper(watch):
        work()
    return spent


CASES: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
    "ranked": (nothing, ranked),
    "page": (nothing, page),
    "page after a refresh": (refreshed, page),
}


def run(listings: int) -> float:
    """Milliseconds until all is ranked; prints all figures."""
    fill(listings)
    import gpucompare.wsgi  # noqa: F401, PLC0415 -- as the site is started

    for _ in range(3):
        page()  # reads tables and templates
    took = {}
    for name, (before, work) in CASES.items():
        own, database_ms = timed(before, work)
        took[name] = own + database_ms
        print(
            f"listings {listings}  {name:<20} {took[name]:5.0f} ms: {own:.0f} own,"
            f" {database_ms:.0f} database",
            flush=True,
        )
    print(f"goal <= {GOAL_MS} ms until ranked")
    return took["ranked"]


def main() -> int:
    listings = int(sys.argv[1]) if len(sys.argv) > 1 else LISTINGS
    with database():
        met = run(listings) <= GOAL_MS
    print(f"{int(met)} passed, {int(not met)} failed")
    return int(not met)


if __name__ == "__main__":
    sys.exit(main())
