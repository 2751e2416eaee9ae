"""How old is old: the bands of listings and of claims."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.freshness import Band, ReviewBand, claim_band, listing_band
from providers.models import Origin

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
TODAY = NOW.date()
LISTING_ORDER = [Band.FRESH, Band.AGEING, Band.STALE, Band.LAST_SEEN]
CLAIM_ORDER = [ReviewBand.CURRENT, ReviewBand.AGEING, ReviewBand.DUE]
HOUR, INSTANT = timedelta(hours=1), timedelta(microseconds=1)

AGES = st.timedeltas(timedelta(0), timedelta(days=400))
INTERVALS = st.timedeltas(timedelta(minutes=1), timedelta(days=7))


def live(age: timedelta, interval: timedelta = HOUR) -> Band:
    return listing_band(Origin.LIVE, NOW - age, NOW, interval)


@pytest.mark.parametrize(
    ("age", "band"),
    [
        (-HOUR, Band.FRESH),  # a clock that runs ahead
        (timedelta(0), Band.FRESH),
        (2 * HOUR - INSTANT, Band.FRESH),
        (2 * HOUR, Band.AGEING),
        (12 * HOUR - INSTANT, Band.AGEING),
        (12 * HOUR, Band.STALE),
        (24 * HOUR - INSTANT, Band.STALE),
        (24 * HOUR, Band.LAST_SEEN),
        (9000 * HOUR, Band.LAST_SEEN),
    ],
)
def test_the_bands_of_a_live_listing(age: timedelta, band: Band) -> None:
    assert live(age) is band
    assert listing_band(Origin.LIVE, NOW - age, NOW) is band


def test_the_bands_stretch_with_the_sources_interval() -> None:
    assert live(11 * HOUR, interval=6 * HOUR) is Band.FRESH
    assert live(12 * HOUR, interval=6 * HOUR) is Band.AGEING
    assert live(72 * HOUR, interval=6 * HOUR) is Band.STALE
    assert live(144 * HOUR, interval=6 * HOUR) is Band.LAST_SEEN


def test_a_source_that_is_read_more_often_is_not_judged_more_harshly() -> None:
    assert live(2 * HOUR - INSTANT, interval=timedelta(minutes=5)) is Band.FRESH


@given(AGES, AGES, INTERVALS)
def test_a_listing_never_gets_fresher_with_time(
    age: timedelta, more: timedelta, interval: timedelta
) -> None:
    earlier, later = live(age, interval), live(age + more, interval)
    assert LISTING_ORDER.index(earlier) <= LISTING_ORDER.index(later)


@given(AGES, INTERVALS, INTERVALS)
def test_a_longer_interval_never_makes_a_listing_older(
    age: timedelta, one: timedelta, other: timedelta
) -> None:
    short, long = sorted([one, other])
    assert LISTING_ORDER.index(live(age, long)) <= LISTING_ORDER.index(live(age, short))


@given(AGES)
def test_a_snapshot_is_a_snapshot_at_any_age(age: timedelta) -> None:
    assert listing_band(Origin.SNAPSHOT, NOW - age, NOW) is Band.SNAPSHOT
    assert listing_band(Origin.CATALOG, NOW - age, NOW) is Band.CATALOG


@pytest.mark.parametrize(
    ("days", "band"),
    [
        (-1, ReviewBand.CURRENT),
        (0, ReviewBand.CURRENT),
        (90, ReviewBand.CURRENT),
        (91, ReviewBand.AGEING),
        (180, ReviewBand.AGEING),
        (181, ReviewBand.DUE),
    ],
)
def test_the_bands_of_a_claim(days: int, band: ReviewBand) -> None:
    assert claim_band(TODAY - timedelta(days=days), TODAY) is band


def test_a_claim_without_a_day_is_due() -> None:
    assert claim_band(None, TODAY) is ReviewBand.DUE


@given(st.dates(date(2020, 1, 1), date(2026, 1, 1)), st.integers(0, 900), st.integers(0, 900))
def test_a_claim_never_gets_fresher_with_time(read_on: date, days: int, more: int) -> None:
    earlier = claim_band(read_on, read_on + timedelta(days=days))
    later = claim_band(read_on, read_on + timedelta(days=days + more))
    assert CLAIM_ORDER.index(earlier) <= CLAIM_ORDER.index(later)
