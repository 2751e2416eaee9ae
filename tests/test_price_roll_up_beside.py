"""While prices are rolled up, refreshes write and pages read: nobody waits for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal
from typing import Any, TypeVar

import pytest
from django.db import connection, transaction

from providers.models import Origin, PricePoint
from providers.price_retention import Retention
from providers.price_roll_up import LOCKS, AlreadyRollingError, roll_up
from providers.refresh.facts import Key, ListingFacts
from providers.refresh.lock import held_alone
from providers.refresh.merge import merge
from tests.factories import NOW, make_offering

pytestmark = pytest.mark.django_db(transaction=True)

T = TypeVar("T")
KEPT = Retention(8, 91, 400)


def elsewhere(work: Callable[[], T]) -> T:
    """What `work` gives on a connection of its own, which waits for nobody longer than this."""

    def run() -> T:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '3s'; SET statement_timeout = '3s'")
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as threads:
        return threads.submit(run).result()


def merged(key: Key, ago: timedelta, usd: int | None) -> None:
    facts: Any = ListingFacts(
        gpu_name="H100", family_id=None, gpu_id=None, usd_per_hour=Decimal(usd or 1)
    )
    with transaction.atomic():
        incoming = [(key, facts)] if usd else []
        merge(Origin.LIVE, incoming, now=NOW - ago, source="vast")


@pytest.fixture
def key() -> Iterator[Key]:
    """A listing that changed its price five times an hour, ten days ago, and is gone since."""
    key = (make_offering().pk, "vast:1")
    for n, usd in enumerate((3, 4, 3, 5, 4)):
        merged(key, timedelta(days=10, minutes=-10 * n), usd)
    merged(key, timedelta(days=9, hours=12), None)
    yield key
    # Of no model: nobody else empties it.
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM providers_price_roll_up")


def prices() -> list[int | None]:
    found = PricePoint.objects.order_by("at").values_list("usd_per_hour", flat=True)
    return [None if usd is None else int(usd) for usd in found]


def test_a_refresh_goes_in_and_readers_see_whole_days_while_one_is_rolled_up(key: Key) -> None:
    with transaction.atomic():
        assert roll_up(NOW, KEPT).total() == 2
        assert elsewhere(prices) == [3, 4, 3, 5, 4]
        # It comes back: a gap since its withdrawal, which is in the day that is rolled up.
        elsewhere(lambda: merged(key, timedelta(0), 6))
    assert prices() == [3, 5, 4, None, 6]


def test_two_do_not_roll_up_at_once(key: Key) -> None:
    with held_alone(LOCKS, 0) as held:
        assert held
        with pytest.raises(AlreadyRollingError):
            elsewhere(lambda: roll_up(NOW, KEPT))
    assert elsewhere(lambda: roll_up(NOW, KEPT)).total() == 2
