"""What a start costs: the meter, the rounding, and what nobody knows."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import coldstart
from checks.coldstart import Estimate, Image, Place, Terms, Weights, rounded_up
from tests.coldstarting import (
    BY_SECOND,
    PLAIN,
    exactly,
    images,
    places,
    prices,
    seconds,
    spanning,
    terms,
)

TWELVE = Image(compressed_gb=12)  # 10 provision, 40 pull, 120 unpack, 3 start, 7 ready
increments = st.decimals(min_value=Decimal("0.001"), max_value=10**5, places=3)


def cost(image: Image = TWELVE, place: Place | None = None, **of_terms: Any) -> Estimate:
    fields = {"usd_per_hour": 2, "increment_s": 1, "minimum_s": 0} | of_terms
    return coldstart.estimate(image, place, Terms(**fields), PLAIN)


# --- What is on the meter ---------------------------------------------------------------


def test_the_pull_is_on_the_bill_where_it_is_billed() -> None:
    assert cost(billed_during_pull=True).billed_s == exactly(170)
    assert cost(billed_during_pull=True).usd == exactly("0.094444")  # 170 / 3600 × 2


def test_neither_pull_nor_unpacking_is_where_it_is_not() -> None:
    free = cost(billed_during_pull=False)
    assert free.billed_s == exactly(10)
    assert free.total_s == exactly(180)


def test_not_known_shows_both_and_takes_the_dearer_for_likely() -> None:
    unknown = cost()
    free, paid = cost(billed_during_pull=False), cost(billed_during_pull=True)
    assert unknown.pull_billing_unknown
    assert (unknown.if_unbilled, unknown.if_billed) == (free.bill, paid.bill)
    assert unknown.billed_s == spanning(10, 170, 170)


def test_what_is_known_shows_one_bill_only() -> None:
    for known in (True, False):
        found = cost(billed_during_pull=known)
        assert not found.pull_billing_unknown
        assert found.if_unbilled is found.if_billed is None


def test_weights_are_on_the_bill_even_where_the_pull_is_not() -> None:
    image = Image(compressed_gb=12, weights_gb=10, weights=Weights.VOLUME)
    assert cost(image, billed_during_pull=False).billed_s == exactly(50)


def test_some_start_the_meter_before_the_machine_is_there() -> None:
    always = PLAIN | {"provision_billed_share": 1}
    found = coldstart.estimate(TWELVE, terms=BY_SECOND, given=always)
    assert found.billed_s == exactly(180)
    default = coldstart.estimate(TWELVE, terms=BY_SECOND)
    whole = default.total_s
    assert default.billed_s.likely == whole.likely - default.phases[0].seconds.likely
    assert default.billed_s.high == whole.high


def test_without_a_price_the_seconds_stand_alone() -> None:
    found = cost(usd_per_hour=None, billed_during_pull=True)
    assert found.usd is None
    assert found.billed_s == exactly(170)


def test_a_machine_for_nothing_costs_nothing() -> None:
    assert cost(usd_per_hour=0).usd == exactly(0)


# --- Rounding ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("increment", "minimum", "billed"),
    [
        (0, 0, 170),
        (1, 0, 170),
        (60, 0, 180),
        (600, 0, 600),
        (3600, 0, 3600),
        (1, 200, 200),
        (60, 200, 240),  # the minimum is rounded up as well
        (60, 10, 180),
        (170, 0, 170),
        ("169.999", 0, Decimal("339.998")),
    ],
)
def test_a_bill_is_rounded_up(increment: Any, minimum: int, billed: Any) -> None:
    found = cost(billed_during_pull=True, increment_s=increment, minimum_s=minimum)
    assert found.billed_s == exactly(billed)


def test_an_increment_that_is_not_known_spans_from_seconds_to_an_hour() -> None:
    found = cost(billed_during_pull=True, increment_s=None)
    assert found.billed_s == spanning(170, 180, 3600)


def test_the_readers_increment_goes_before_the_providers() -> None:
    given = PLAIN | {"billing_increment_s": 100, "minimum_s": 0}
    assert coldstart.estimate(TWELVE, terms=BY_SECOND, given=given).billed_s == exactly(200)


def test_a_minimum_that_is_not_known_may_be_a_minute() -> None:
    found = cost(Image(compressed_gb=0), minimum_s=None)
    assert found.billed_s == spanning(10, 10, 60)


@given(seconds, increments)
def test_rounding_gives_whole_increments_and_less_than_one_too_much(
    time: Decimal, increment: Decimal
) -> None:
    billed = rounded_up(time, increment)
    assert billed % increment == 0
    assert 0 <= billed - time < increment


@given(st.integers(0, 10**6), increments)
def test_a_whole_number_of_increments_is_billed_as_it_is(count: int, increment: Decimal) -> None:
    assert rounded_up(count * increment, increment) == count * increment


@given(st.integers(0, 10**6), increments)
def test_one_moment_more_is_one_increment_more(count: int, increment: Decimal) -> None:
    moment = increment / 1000
    assert rounded_up(count * increment + moment, increment) == (count + 1) * increment


@given(seconds, seconds, increments, seconds)
def test_longer_is_never_billed_shorter(
    time: Decimal, more: Decimal, increment: Decimal, minimum: Decimal
) -> None:
    assert rounded_up(time, increment, minimum) <= rounded_up(time + more, increment, minimum)
    assert rounded_up(time, increment, minimum) >= minimum


@given(seconds, seconds)
def test_without_increments_the_time_is_billed_as_it_is(time: Decimal, minimum: Decimal) -> None:
    assert rounded_up(time, Decimal(0), minimum) == max(time, minimum)


# --- Always ---------------------------------------------------------------


@given(images, places, terms)
def test_a_cached_start_never_costs_more_than_a_cold_one(
    image: Image, place: Place, asked: Terms
) -> None:
    cold = coldstart.side_by_side(image, place, asked)[0].estimate
    cached = coldstart.side_by_side(image, place, asked)[1].estimate
    assert cold
    assert cached
    assert cold.usd
    assert cached.usd
    for case in ("low", "likely", "high"):
        assert cached.total_s[case] <= cold.total_s[case]
        assert cached.billed_s[case] <= cold.billed_s[case]
        assert cached.usd[case] <= cold.usd[case]


@given(images, places, terms, prices)
def test_a_higher_price_never_costs_less(
    image: Image, place: Place, asked: Terms, more: Decimal
) -> None:
    assert asked.price is not None
    dearer = Terms(
        asked.price + more, None, asked.billed_during_pull, asked.increment_s, asked.minimum_s
    )
    one = coldstart.estimate(image, place, asked).usd
    other = coldstart.estimate(image, place, dearer).usd
    assert one
    assert other
    for case in ("low", "likely", "high"):
        assert 0 <= one[case] <= other[case]


@given(images, places, terms, seconds)
def test_a_longer_start_never_costs_less(
    image: Image, place: Place, asked: Terms, more: Decimal
) -> None:
    ready = Decimal(10)
    short = coldstart.estimate(image, place, asked, {"ready_s": ready}).usd
    long = coldstart.estimate(image, place, asked, {"ready_s": ready + more}).usd
    assert short
    assert long
    for case in ("low", "likely", "high"):
        assert short[case] <= long[case]


@given(images, places, terms)
def test_what_is_not_known_lies_between_what_could_be(
    image: Image, place: Place, asked: Terms
) -> None:
    fields = (asked.usd_per_hour, None)
    rest = (asked.increment_s, asked.minimum_s)
    unknown = coldstart.estimate(image, place, Terms(*fields, None, *rest)).billed_s
    paid = coldstart.estimate(image, place, Terms(*fields, True, *rest)).billed_s
    free = coldstart.estimate(image, place, Terms(*fields, False, *rest)).billed_s
    assert (unknown.low, unknown.likely, unknown.high) == (free.low, paid.likely, paid.high)


@pytest.mark.parametrize("wrong", [-1, "NaN", "Infinity", "1e30", "free", True])
@pytest.mark.parametrize(
    "field", ["usd_per_hour", "spot_usd_per_hour", "increment_s", "minimum_s", "down_usd_gb"]
)
def test_impossible_terms_are_refused_by_name(field: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match=field):
        Terms(**{field: wrong})


def test_the_dearest_terms_of_all_still_have_an_answer() -> None:
    found = coldstart.estimate(
        Image(compressed_gb=10**6),
        terms=Terms(usd_per_hour=10**6, increment_s="0.000000001", minimum_s=10**8),
        given={"inflate_mb_s": "0.001", "registry_mb_s": "0.001"},
    )
    assert found.usd
    assert found.usd.high > 10**14


def test_the_prices_that_a_listing_tells_become_terms() -> None:
    extras = {"disk_usd_gb_month": "0.15", "inet_down_usd_gb": "0.003", "inet_up_usd_gb": None}
    told = coldstart.with_prices(BY_SECOND, extras)
    assert (told.disk_usd_gb_month, told.down_usd_gb) == (Decimal("0.15"), Decimal("0.003"))
    assert told.up_usd_gb is None
    assert told.usd_per_hour == BY_SECOND.usd_per_hour


def test_traffic_that_is_known_to_be_free_is_not_unknown() -> None:
    assert coldstart.with_prices(Terms(), {"inet_up_usd_gb": 0}).up_usd_gb == 0
    assert coldstart.with_prices(Terms(), {}) == Terms()
