"""An index is of the listings that its reader's snapshot sees, whoever writes meanwhile."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from threading import Event

import pytest
from django.db import connection, transaction
from django.http import QueryDict

from gpucompare.snapshot import one_snapshot
from providers.browse import listing_index
from providers.browse.criteria import Criteria
from providers.browse.listing_truths import Indexed
from providers.browse.listings import listings
from providers.browse.query import ready
from providers.browse.world import World
from providers.freshness import FRESH_FOR
from providers.models import Listing, Offering, Origin, SourceState
from providers.refresh.facts import ListingFacts
from providers.refresh.merge import merge
from tests.factories import NOW, make_gpu, make_listing, make_offering
from tests.test_export_many import fill

pytestmark = pytest.mark.django_db(transaction=True)

ROWS = 60


def refresh(offering: Offering, price: int) -> None:
    """All rows of a source, each at the same price."""
    facts = ListingFacts(gpu_name="X", family_id=None, gpu_id=None, gpu_count=1, stock="available")
    facts = ListingFacts(**{**vars(facts), "usd_per_hour": Decimal(price)})
    with transaction.atomic():
        merge(
            Origin.LIVE,
            [((offering.pk, f"row-{n}"), facts) for n in range(ROWS)],
            now=NOW,
            source="s",
        )
        SourceState.objects.update_or_create(slug="s", defaults={"good_at": NOW})


@contextmanager
def closed_at_the_end() -> Iterator[None]:
    """A thread's connection would keep the test database from going."""
    try:
        yield
    finally:
        connection.close()


def now_current() -> listing_index.ListingIndex:
    with one_snapshot():
        return listing_index.current()


def test_it_stays_for_as_long_as_no_listing_is_written() -> None:
    offering = make_offering()
    refresh(offering, 1)
    before = now_current()
    Offering.objects.update(summary="Told otherwise.")
    refresh(offering, 1)
    assert now_current() is before


@pytest.mark.parametrize(
    "write",
    [
        lambda: make_listing(Offering.objects.get(), make_gpu("l4"), key="another"),
        lambda: Listing.objects.filter(key="row-1").update(stock="none"),
        lambda: Listing.objects.filter(key="row-1").update(withdrawn_at=NOW),
        lambda: refresh(Offering.objects.get(), 2),
    ],
)
def test_it_is_another_after_any_write(write) -> None:  # type: ignore[no-untyped-def]
    refresh(make_offering(), 1)
    before = now_current()
    write()
    assert now_current() is not before


def test_a_write_that_is_taken_back_changes_nothing() -> None:
    refresh(make_offering(), 1)
    before = now_current()
    with transaction.atomic():
        Listing.objects.update(stock="none")
        transaction.set_rollback(True)
    assert now_current() is before


def test_more_writers_than_are_noted_are_each_another_state() -> None:
    refresh(make_offering(), 1)
    found = set()
    for n in range(70):
        Listing.objects.filter(key="row-1").update(stock_count=n)
        found.add(id(now_current()))
        with connection.cursor() as cursor:
            cursor.execute("SELECT COUNT(*) FROM providers_listing_writer")
            assert cursor.fetchone()[0] <= 65
    kept = listing_index.current()
    assert kept.id.size == ROWS


def test_an_older_snapshot_goes_on_seeing_what_it_saw() -> None:
    offering = make_offering()
    refresh(offering, 1)
    with one_snapshot():
        World.read()

        def elsewhere() -> None:
            with closed_at_the_end():
                refresh(offering, 2)
                now_current()

        with ThreadPoolExecutor(1) as pool:
            pool.submit(elsewhere).result()
        assert set(listing_index.current().price.tolist()) == {1_000_000}
    assert set(now_current().price.tolist()) == {2_000_000}


def test_readers_during_refreshes_see_one_of_them_each_time() -> None:
    offering = make_offering()
    refresh(offering, 1)
    done = Event()

    def read() -> int:
        seen = set()
        with closed_at_the_end():
            while not done.is_set():
                with one_snapshot():
                    world = World.read()
                    criteria, _ = Criteria.parse(QueryDict("sort=price"), world.vocabulary)
                    result = listings(criteria, world, NOW)
                    assert result.match == ROWS
                    prices = {row.instance for row in result.rows} | {
                        row.order for row in result.rows
                    }
                    assert len(prices) == 1, prices
                    seen |= prices
        return len(seen)

    with ThreadPoolExecutor(4) as pool:
        reading = [pool.submit(read) for _ in range(4)]
        for price in range(2, 22):
            refresh(offering, price)
        done.set()
        assert all(one.result() > 1 for one in reading)


def test_a_table_that_was_just_filled_is_read_without_trying_every_place_for_every_row() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        fill(6000)  # each row in a region of its own
        start = time.perf_counter()
        assert listing_index.build().id.size == 6000
        assert time.perf_counter() - start < 8  # trying all of them takes three times as long
        cursor.execute("SHOW enable_nestloop")
        assert cursor.fetchone() == ("on",)


def test_pages_of_one_moment_share_what_they_count_and_a_later_one_ages() -> None:
    refresh(make_offering(), 1)
    world = World.read()

    def indexed(after: timedelta) -> Indexed:
        with one_snapshot():
            return ready(Criteria(), world, NOW + after).listings.indexed

    fresh = indexed(timedelta(0))
    assert fresh.bands.values == ["fresh"]
    assert indexed(timedelta(seconds=1)) is fresh
    later = indexed(FRESH_FOR + timedelta(seconds=1))
    assert later.bands.values == ["ageing"]
    assert later.index is fresh.index
    assert indexed(timedelta(0)).bands.values == ["fresh"]
    with one_snapshot():
        other = ready(Criteria(), replace(world), NOW).listings.indexed
    assert other.world is not world
