"""Until when a page stays true although nothing is written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.ageing import LONGEST, boundary_after, next_boundary
from providers.freshness import BAND_ENDS, listing_band
from providers.models import Origin, SourceState
from providers.refresh.schedule import interval

NOW = datetime(2026, 11, 30, 12, 2, 30, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
moments = st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
runs = st.lists(st.tuples(st.sampled_from(["vast", "aws", "gone"]), moments), max_size=4)


def test_without_a_source_it_is_the_next_full_five_minutes() -> None:
    assert boundary_after(NOW, ()) == NOW.replace(minute=5, second=0)
    assert boundary_after(NOW.replace(minute=5, second=0), ()) == NOW.replace(minute=10, second=0)


@pytest.mark.parametrize("length", BAND_ENDS)
def test_a_band_that_ends_before_that_comes_first(length: timedelta) -> None:
    seen = NOW + timedelta(seconds=40) - length
    assert boundary_after(NOW, [("vast", seen)]) == NOW.replace(minute=4, second=0)


def test_a_source_that_is_seldom_read_has_longer_bands_too() -> None:
    every = interval("aws", {})
    assert every > timedelta(hours=1)
    seen = NOW + timedelta(seconds=70) - BAND_ENDS[0] * (every / timedelta(hours=1))
    assert boundary_after(NOW, [("aws", seen)]) == NOW.replace(minute=4, second=0)


@given(moments, runs)
def test_it_is_a_full_minute_ahead_and_never_far(
    now: datetime, good: list[tuple[str, datetime]]
) -> None:
    found = boundary_after(now, good)
    assert now < found <= now + LONGEST
    assert (found.second, found.microsecond) == (0, 0)


@given(moments, moments)
def test_up_to_it_every_price_stands_in_its_band_but_for_less_than_a_minute(
    now: datetime, seen: datetime
) -> None:
    before = boundary_after(now, [("vast", seen)]) - MINUTE
    if before > now:
        assert listing_band(Origin.LIVE, seen, now) == listing_band(Origin.LIVE, seen, before)


@pytest.mark.django_db
def test_the_last_good_runs_are_what_it_counts_from() -> None:
    assert next_boundary(NOW) == NOW.replace(minute=5, second=0)
    SourceState.objects.create(slug="vast", good_at=NOW - BAND_ENDS[0] + MINUTE)
    SourceState.objects.create(slug="gcp")
    assert next_boundary(NOW) == NOW.replace(minute=4, second=0)
