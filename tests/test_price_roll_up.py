"""Old prices are rolled up: what bounded a day or a week stays, and no reader is told else."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from providers.models import Listing, PricePoint, Share
from providers.price_history import family_history
from providers.price_retention import Retention
from providers.price_roll_up import RolledStep, RolledUp, ends, roll_up, rolled_until
from providers.tasks import roll_up_prices
from tests.factories import NOW, make_gpu, make_listing, make_offering

pytestmark = pytest.mark.django_db

MIDNIGHT = datetime(2026, 11, 30, tzinfo=UTC)  # a Monday
KEPT = Retention(8, 91, 400)
# A day of which only the bounds are kept.
OLD = MIDNIGHT - timedelta(days=10)
Price = float | Decimal | None


def listing() -> Listing:
    return make_listing(make_offering(), make_gpu("h100-sxm", "h100"))


def told(of: Listing, since: datetime, prices: dict[float, Price], *spot: Price) -> None:
    """Points so many hours after `since`; spot prices for the first of them."""
    PricePoint.objects.bulk_create(
        PricePoint(
            listing=of,
            at=since + timedelta(hours=hours),
            usd_per_hour=price,
            spot_usd_per_hour=spot[n] if n < len(spot) else None,
        )
        for n, (hours, price) in enumerate(prices.items())
    )


def left(of: Listing, since: datetime) -> dict[float, Price]:
    points = of.price_points.filter(at__gte=since).order_by("at")
    return {(p.at - since) / timedelta(hours=1): p.usd_per_hour for p in points}


def say_how_far(step: RolledStep, until: datetime) -> None:
    forget_how_far()
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO providers_price_roll_up VALUES (%s, %s)", [step, until])


def forget_how_far() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM providers_price_roll_up")


def rolled(now: datetime = NOW, kept: Retention = KEPT) -> RolledUp:
    return roll_up(now, kept)


# --- Of a day -----------------------------------------------------------------------------------


def test_of_an_old_day_the_lowest_the_highest_and_the_last_price_stay_at_their_times() -> None:
    of = listing()
    told(of, OLD - timedelta(days=1), {0: 3})
    told(of, OLD, {1: 4, 2: 6, 3: 9, 4: 5, 5: 2, 6: 7, 7: 8})
    assert rolled() == RolledUp({RolledStep.DAY: 4})
    assert left(of, OLD) == {3: 9, 5: 2, 7: 8}


def test_a_price_that_was_the_lowest_twice_stays_once() -> None:
    of = listing()
    told(of, OLD, {1: 2, 2: 3, 3: 2, 4: 3, 5: 2, 6: 3})
    rolled()
    assert left(of, OLD) == {1: 2, 2: 3, 6: 3}


def test_spot_prices_have_bounds_of_their_own() -> None:
    of = listing()
    told(of, OLD - timedelta(days=1), {0: 3})
    told(of, OLD, dict.fromkeys([1.0, 2, 3, 4, 5], 3), 2, 5, 4, 1, 3)
    rolled()
    assert list(left(of, OLD)) == [1, 2, 4, 5]  # the first is the lowest and highest on demand


def test_every_change_of_the_days_that_are_kept_stays() -> None:
    of = listing()
    young = MIDNIGHT - timedelta(days=KEPT.all_days)
    told(of, young, {h / 60: h % 7 + 1 for h in range(60)})
    told(of, young - timedelta(hours=1), {0: 5, 0.1: 6, 0.2: 7, 0.3: 6})
    assert rolled().total() == 1
    assert len(left(of, young)) == 60


def test_listings_are_rolled_up_each_for_itself() -> None:
    dear, cheap = listing(), make_listing(make_offering())
    told(dear, OLD, {1: 7, 2: 8, 3: 9, 4: 8})
    told(cheap, OLD, {1: 1, 2: 2, 3: 3, 4: 2})
    rolled()
    assert left(dear, OLD) == {1: 7, 3: 9, 4: 8}
    assert left(cheap, OLD) == {1: 1, 3: 3, 4: 2}


# --- Where a listing was gone -------------------------------------------------------------------


def test_a_gap_stays_as_long_as_it_was() -> None:
    of = listing()
    told(of, OLD - timedelta(days=1), {0: 3})
    told(of, OLD, {1: 2, 2: 9, 3: 5, 4: None, 5: 6, 6: 4, 7: 5})
    rolled()
    assert left(of, OLD) == {1: 2, 2: 9, 4: None, 5: 6, 7: 5}


def test_a_gap_over_midnight_stays_as_long_as_it_was() -> None:
    of = listing()
    told(of, OLD - timedelta(days=1), {1: 3, 20: None})
    told(of, OLD, {5: 5, 6: 3, 7: 9, 8: 4})
    rolled()
    assert left(of, OLD) == {5: 5, 6: 3, 7: 9, 8: 4}


def test_of_many_gaps_of_a_day_the_first_stays() -> None:
    of = listing()
    told(of, OLD, {h: None if h % 2 else 2 for h in range(24)})
    rolled()
    assert left(of, OLD) == {0: 2, 1: None, 2: 2, 23: None}


def test_a_gap_that_was_told_twice_is_told_once() -> None:
    of = listing()
    told(of, OLD, {1: 2, 2: None, 3: None, 4: 3, 5: 2, 6: 3})
    rolled()
    assert left(of, OLD) == {1: 2, 2: None, 4: 3, 6: 3}


def test_a_listing_that_is_only_had_as_spot_was_not_gone() -> None:
    of = listing()
    told(of, OLD, dict.fromkeys([1.0, 2, 3, 4], None), 5, 4, 6, 5)
    rolled()
    assert list(left(of, OLD)) == [1, 2, 3, 4]  # the first of all, lowest, highest, last


def test_the_first_price_of_all_stays() -> None:
    of = listing()
    told(of, OLD, {1: 5, 2: 2, 3: 9, 4: 8})
    rolled()
    assert left(of, OLD) == {1: 5, 2: 2, 3: 9, 4: 8}


# --- Of a week, and the end ---------------------------------------------------------------------


def test_of_an_old_week_the_lowest_the_highest_and_the_last_price_stay() -> None:
    of = listing()
    week = MIDNIGHT - timedelta(weeks=20)
    told(of, week - timedelta(days=1), {0: 3})
    told(of, week, {24.0 * day + 1: price for day, price in enumerate((4, 2, 6, 9, 7, 8, 5))})
    assert rolled() == RolledUp({RolledStep.WEEK: 4})
    assert left(of, week) == {25: 2, 73: 9, 145: 5}


def test_of_what_is_older_than_that_only_the_price_that_stands_stays() -> None:
    of, gone = listing(), make_listing(make_offering())
    long_ago = MIDNIGHT - timedelta(days=600)
    told(of, long_ago, {0: 4, 24 * 50: 5, 24 * 100: 6, 24 * 590: 7})
    told(gone, long_ago, {0: 2})
    assert rolled()[RolledStep.FORGOTTEN] == 2
    assert list(left(of, long_ago).values()) == [6, 7]
    assert left(gone, long_ago) == {0: 2}


def test_days_and_weeks_are_whole_ones_of_utc() -> None:
    at = datetime(2026, 12, 3, 1, tzinfo=UTC)
    assert ends(at, Retention(10, 100, 1000)) == {
        RolledStep.DAY: datetime(2026, 11, 23, tzinfo=UTC),
        RolledStep.WEEK: datetime(2026, 8, 24, tzinfo=UTC),
        RolledStep.FORGOTTEN: datetime(2024, 3, 4, tzinfo=UTC),
    }


def test_without_a_history_it_only_says_how_far_it_came() -> None:
    assert not rolled()
    assert rolled_until() == ends(NOW, KEPT)


def test_longer_times_bring_nothing_back_and_say_so() -> None:
    rolled()
    rolled(kept=Retention(30, 200, 800))
    assert rolled_until() == ends(NOW, KEPT)


# --- Step by step -------------------------------------------------------------------------------


def test_it_goes_on_from_where_it_came_to() -> None:
    of = listing()
    told(of, OLD, {1: 2, 2: 3, 3: 2.5, 4: 3})
    rolled()
    assert rolled_until()[RolledStep.DAY] == ends(NOW, KEPT)[RolledStep.DAY]
    told(of, OLD, {5: 1, 6: 1.5, 7: 1.2})  # told late: what was passed is not looked at again
    assert rolled() == RolledUp()
    later = NOW + timedelta(days=1)
    told(of, OLD + timedelta(days=2), {1: 5, 2: 6, 3: 5.5, 4: 6})
    assert rolled(later) == RolledUp({RolledStep.DAY: 1})


def test_a_span_that_fails_leaves_those_before_it_and_the_next_one_goes_on() -> None:
    of = listing()
    told(of, OLD - timedelta(days=1), {1: 3, 2: 4, 3: 3, 4: 4})
    told(of, OLD, {1: 2, 2: 3, 3: 2, 4: 3})
    with connection.cursor() as cursor:
        cursor.execute(f"""
            CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN IF OLD.at > ''{OLD}'' THEN RAISE ''away''; END IF; RETURN OLD; END';
            CREATE TRIGGER fail BEFORE DELETE ON providers_pricepoint
            FOR EACH ROW EXECUTE FUNCTION fail();
        """)
    with pytest.raises(DatabaseError, match="away"):
        rolled()
    assert rolled_until() == {RolledStep.DAY: OLD}
    assert len(left(of, OLD - timedelta(days=1))) == 3 + 4
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER fail ON providers_pricepoint")
    rolled()
    assert left(of, OLD) == {1: 2, 2: 3, 4: 3}


def test_it_stops_when_its_time_is_over_and_says_that_more_is_left() -> None:
    told(listing(), OLD, {1: 2, 2: 3, 3: 2, 4: 3})
    found = roll_up(NOW, KEPT, within_s=0)
    assert (found.total(), found.left) == (0, True)
    assert PricePoint.objects.count() == 4


def test_nothing_but_price_points_is_touched() -> None:
    of = listing()
    told(of, OLD, {1: 2, 2: 3, 3: 2, 4: 3})
    Share.objects.create(id="0123456789ab", kind="browse", day=OLD.date(), content=b"2.50", size=4)
    before = [list(model.objects.values()) for model in (Share, Listing)]
    assert rolled().total() == 1
    assert [list(model.objects.values()) for model in (Share, Listing)] == before


# --- Against the plain rule ---------------------------------------------------------------------

Points = dict[int, tuple[int | None, int | None]]
# Twenty-minute steps before OLD + 1 day: prices on demand and as spot.
_price = st.none() | st.integers(1, 4)
points = st.dictionaries(st.integers(0, 3 * 24 * 9), st.tuples(_price, _price), max_size=40)


def made(of: Listing, found: Points) -> None:
    end = OLD + timedelta(days=1)
    PricePoint.objects.bulk_create(
        PricePoint(
            listing=of,
            at=end - timedelta(minutes=20 * steps),
            usd_per_hour=usd,
            spot_usd_per_hour=spot,
        )
        for steps, (usd, spot) in found.items()
    )


def rows(of: Listing) -> list[tuple[datetime, Price, Price]]:
    found = of.price_points.order_by("at").values_list("at", "usd_per_hour", "spot_usd_per_hour")
    return list(found)


def bounds(found: Iterable[tuple[datetime, Price, Price]]) -> dict[date, list[Any]]:
    """Of each day: lowest and highest of both prices, what stood last, whether it was gone."""
    days: dict[date, list[tuple[Price, Price]]] = {}
    for at, usd, spot in found:
        days.setdefault(at.date(), []).append((usd, spot))
    return {
        day: [*map(_range, zip(*of, strict=True)), of[-1], (None, None) in of]
        for day, of in days.items()
    }


def _range(prices: Iterable[Any]) -> tuple[Price, Price]:
    known = [price for price in prices if price is not None]
    return min(known, default=None), max(known, default=None)


def gaps(found: list[tuple[datetime, Price, Price]]) -> set[tuple[datetime, datetime | None]]:
    """From when until when it was gone."""
    spans: set[tuple[datetime, datetime | None]] = set()
    since = None
    for at, *prices in found:
        gone = prices == [None, None]
        if since and not gone:
            spans.add((since, at))
        since = (since or at) if gone else None
    return spans | ({(since, None)} if since else set())


class PlainRule(TestCase):
    @settings(max_examples=25, deadline=None)
    @given(points)
    def test_every_day_keeps_its_bounds_and_no_gap_is_made_or_moved(self, found: Points) -> None:
        of = listing()
        made(of, found)
        before = rows(of)
        rolled()
        after = rows(of)
        assert bounds(after) == bounds(before)
        assert set(after) <= set(before)
        assert gaps(after) <= gaps(before)
        assert all(len([r for r in after if r[0].date() == day]) <= 8 for day in bounds(after))

    @settings(max_examples=15, deadline=None)
    @given(points)
    def test_twice_is_once_and_days_then_weeks_is_weeks_at_once(self, found: Points) -> None:
        by_days, at_once = listing(), make_listing(make_offering())
        made(by_days, found)
        rolled()
        once = rows(by_days)
        forget_how_far()
        rolled()
        assert rows(by_days) == once
        made(at_once, found)
        # All are older than the days of which each keeps its bounds.
        say_how_far(RolledStep.DAY, NOW)
        rolled(NOW + timedelta(days=100))
        assert rows(at_once) == rows(by_days)

    @settings(max_examples=15, deadline=None)
    @given(st.lists(points, min_size=1, max_size=3))
    def test_the_lowest_price_of_each_day_is_drawn_as_before(self, found: list[Points]) -> None:
        first = listing()
        others = [make_listing(first.offering, first.gpu) for _ in found[1:]]
        for of, its in zip((first, *others), found, strict=True):
            made(of, its)
        family = first.family_id or 0
        before = family_history(family, NOW)
        rolled()
        assert family_history(family, NOW) == before


# --- What is told -------------------------------------------------------------------------------


@pytest.fixture
def shown(client: Client) -> Any:
    """The texts of the page of a listing with points of all ages, and its API."""
    now = datetime.now(UTC)
    of = listing()
    told(of, now, {-24.0 * days: days for days in (1, 20, 21, 150, 200)})
    roll_up(now)
    html = client.get(f"/listings/{of.pk}/").content.decode()
    return html, client.get(f"/api/v1/listings/{of.pk}").json()


def test_the_page_of_a_listing_says_what_is_not_kept(shown: Any) -> None:
    assert "only the lowest, the highest and the last price of a day are kept" in shown[0]
    assert "they are those of a week" in shown[0]


def test_the_api_says_so_too(shown: Any) -> None:
    found = ends(datetime.now(UTC), Retention(14, 120, 1096))
    assert shown[1]["every_change_since"] == f"{found[RolledStep.DAY]:%Y-%m-%dT%H:%M:%SZ}"
    assert shown[1]["each_day_since"] == f"{found[RolledStep.WEEK]:%Y-%m-%dT%H:%M:%SZ}"


def test_a_page_without_old_prices_says_nothing_of_it(client: Client) -> None:
    of = listing()
    now = datetime.now(UTC)
    told(of, now, {-24: 2, -12: 3})
    say_how_far(RolledStep.DAY, now - timedelta(days=14))
    assert "price of a day are kept" not in client.get(f"/listings/{of.pk}/").content.decode()


def test_the_command_says_how_far_it_came(capsys: pytest.CaptureFixture[str]) -> None:
    old = datetime.now(UTC).replace(hour=0, minute=0) - timedelta(days=30)
    told(listing(), old, {1: 2, 2: 3, 3: 2, 4: 3})
    call_command("roll_up_prices")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("day       until ")
    assert lines[-1] == "1 price point taken away."


def test_the_task_does_the_same() -> None:
    old = datetime.now(UTC).replace(hour=0, minute=0) - timedelta(days=30)
    told(listing(), old, {1: 2, 2: 3, 3: 2, 4: 3})
    assert roll_up_prices() == "1 taken away"
