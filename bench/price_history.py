"""What rolling up old prices takes and saves, and what it leaves a page to read.

    python -m bench.price_history [POINTS]

Fills a scratch database with so many price points of 400 days: some listings change their price
every hour, most now and then, and some are gone for a while. Prints sizes and times before and
after, as ratios. Exits with 1 when a goal is missed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from bench.merge import database, timed

POINTS = 500_000
DAYS = 400
OFFERINGS, FAMILIES = 60, 20
# Of a listing a day, on average; marketplaces move hourly, lists of prices hardly ever.
A_DAY = 6.25
# Points that stay, of those that were written: at most this share.
GOAL_KEPT = 0.35
# A day is rolled up in at most this share of the time that it took to write it.
GOAL_TIME = 0.5
# Nothing to do costs at most this, in seconds.
GOAL_IDLE_S = 0.5
ROUNDS = 3


@dataclass(frozen=True)
class Stock:
    points: int
    mb: float  # table and indexes on disk
    page_ms: float  # of the history of the family with most listings, the best of a few
    listing_ms: float  # of the prices of one listing


def fill(points: int, now: datetime) -> float:
    """Listings and their points, written day by day as refreshes do; seconds for a day of them."""
    from django.db import connection  # noqa: PLC0415 -- needs the settings

    listings = max(1, round(points / DAYS / A_DAY))
    _listings(listings, now)
    with connection.cursor() as cursor:
        took = [
            timed(partial(_day, cursor, now - timedelta(days=ago), points // DAYS, listings))
            for ago in range(DAYS, 0, -1)
        ]
        cursor.execute("VACUUM ANALYZE")
    return sum(took) / DAYS


def _listings(count: int, now: datetime) -> None:
    from providers.models import (  # noqa: PLC0415
        GpuFamily,
        Listing,
        Offering,
        Provider,
        SourceState,
    )

    provider = Provider.objects.create(
        slug="p", name="P", kind="vm_cloud", website="https://p.example"
    )
    offerings = Offering.objects.bulk_create(
        Offering(
            provider=provider, slug=f"o{n}", name=f"O{n}", summary="-", docs="https://p.example"
        )
        for n in range(OFFERINGS)
    )
    families = GpuFamily.objects.bulk_create(
        GpuFamily(slug=f"f{n}", name=f"F{n}", vendor="NVIDIA") for n in range(FAMILIES)
    )
    SourceState.objects.create(slug="bench", good_at=now)
    Listing.objects.bulk_create(
        [
            Listing(
                offering=offerings[n % OFFERINGS],
                key=f"bench-{n}",
                origin="live",
                source="bench",
                gpu_name="F",
                # A half of all are of the first family.
                family=families[0 if n % 2 else n // 2 % FAMILIES],
                gpu_count=1,
                first_seen=now - timedelta(days=DAYS),
            )
            for n in range(count)
        ],
        batch_size=5_000,
    )


def _day(cursor: Any, start: datetime, points: int, listings: int) -> None:
    """One day: of every twenty points nineteen are of a fifth of all listings."""
    cursor.execute(
        """
        INSERT INTO providers_pricepoint (listing_id, at, usd_per_hour, spot_usd_per_hour)
        SELECT l.id, %(start)s::timestamptz + (n * 86400.0 / %(points)s) * INTERVAL '1 second',
            CASE WHEN random() > 0.04 THEN ROUND((2 + random() * 2)::numeric, 2) END, NULL
        FROM GENERATE_SERIES(0, %(points)s - 1) n
        JOIN (SELECT id, ROW_NUMBER() OVER (ORDER BY id) - 1 AS place FROM providers_listing) l
          ON l.place = CASE WHEN n %% 20 = 0 THEN (n / 20 * 7919) %% %(listings)s
            ELSE (n * 7919) %% GREATEST(%(listings)s / 5, 1) END
        ON CONFLICT DO NOTHING
        """,
        {"start": start, "points": points, "listings": listings},
    )


def stock(now: datetime) -> Stock:
    from django.db import connection  # noqa: PLC0415

    from providers.listing_facts import opened_listing  # noqa: PLC0415
    from providers.models import GpuFamily, Listing, PricePoint  # noqa: PLC0415
    from providers.price_history import family_history  # noqa: PLC0415

    family = GpuFamily.objects.get(slug="f0").pk
    listing = Listing.objects.order_by("pk")[0].pk
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_total_relation_size('providers_pricepoint') / 1e6")
        mb = float(cursor.fetchone()[0])
    return Stock(
        PricePoint.objects.count(),
        mb,
        _best_ms(lambda: family_history(family, now)),
        _best_ms(lambda: opened_listing(listing)),
    )


def _best_ms(work: Callable[[], object]) -> float:
    return min(timed(work) for _ in range(ROUNDS)) * 1000


def told(name: str, found: Stock) -> None:
    print(
        f"{name:<22} {found.points:>9} points  {found.mb:7.0f} MB"
        f"  history of a family {found.page_ms:6.0f} ms  of a listing {found.listing_ms:4.1f} ms",
        flush=True,
    )


def run(points: int) -> int:
    """How many goals are missed; prints all figures."""
    from django.db import connection  # noqa: PLC0415
    from django.utils import timezone  # noqa: PLC0415

    from providers.price_roll_up import roll_up  # noqa: PLC0415

    now = timezone.now()
    writing = fill(points, now)
    before = stock(now)
    told("every change", before)
    whole = timed(lambda: roll_up(now))
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE providers_pricepoint")
        after = stock(now)
        told("rolled up", after)
        cursor.execute("VACUUM FULL providers_pricepoint")
        told("rolled up, rewritten", stock(now))
    _kept_by_age(points / DAYS, now)
    idle = timed(lambda: roll_up(now))
    kept, took = after.points / before.points, whole / DAYS / writing
    print(f"rolled up in {whole:.1f} s; once more, with nothing to do, {idle:.2f} s")
    print(f"kept/written {kept:.2f}  goal <= {GOAL_KEPT}")
    print(f"rolling a day up/writing it {took:.2f}  goal <= {GOAL_TIME}")
    print(f"history of a family after/before {after.page_ms / before.page_ms:.2f}")
    return (kept > GOAL_KEPT) + (took > GOAL_TIME) + (idle > GOAL_IDLE_S)


def _kept_by_age(a_day: float, now: datetime) -> None:
    """How many points are left of a day that was rolled up, and of a day of a rolled-up week."""
    from django.conf import settings  # noqa: PLC0415

    from providers.models import PricePoint  # noqa: PLC0415
    from providers.price_roll_up import RolledStep, ends  # noqa: PLC0415

    done = ends(now, settings.PRICES_KEPT)
    begun = now - timedelta(days=DAYS)
    days, weeks = done[RolledStep.DAY], done[RolledStep.WEEK]
    for name, start, end in (("day", weeks, days), ("week", begun, weeks)):
        left = PricePoint.objects.filter(at__gte=start, at__lt=end).count()
        share = left / (a_day * ((end - start) / timedelta(days=1)))
        print(f"of a rolled-up {name} {share:.3f} of its points are left")


def main() -> int:
    points = int(sys.argv[1]) if len(sys.argv) > 1 else POINTS
    with database():
        missed = run(points)
    print(f"{3 - missed} passed, {missed} failed")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
