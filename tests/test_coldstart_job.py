"""What a job costs in all, what of that is not known, and when spot is worth it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks import coldstart
from checks.coldstart import Image, Interruptible, Job, Place, Terms, Weights, Work
from tests.coldstarting import BY_SECOND, PLAIN, exactly, images, places, prices, terms

TWELVE = Image(compressed_gb=12)  # its start is 180 s, of which 170 s are billed
FREE_TRAFFIC = replace(BY_SECOND, down_usd_gb=0, up_usd_gb=0)
hours = st.decimals(min_value=0, max_value=2000, places=2)
a_day = st.decimals(min_value=0, max_value=48, places=2)


def asked(work: Work, of_terms: Terms = FREE_TRAFFIC, image: Image = TWELVE) -> Job:
    return coldstart.job(work, image, Place(), of_terms, PLAIN)


def parts(found: Job) -> dict[str, Decimal | None]:
    return {part.key: part.usd.likely if part.usd else None for part in found.parts}


# --- The parts ---------------------------------------------------------------


def test_a_job_is_its_work_and_its_start() -> None:
    found = asked(Work(10))
    assert parts(found) == {
        "compute": 20,
        "start": Decimal("0.094444"),
        "restarts": 0,
        "rounding": 0,
        "disk": 0,
        "traffic": 0,
    }
    assert found.usd == exactly("20.094444")
    assert found.wall_s == exactly(36_180)
    assert found.missing == ()


def test_every_interruption_is_another_start_and_lost_work() -> None:
    found = asked(Work(48, on_spot=True, interruptions_a_day=3), at_spot(1))
    assert found.restarts == 6
    # 6 × (170 + 300) s at $1; parts are cut so that they sum up to the bill's last digit.
    assert parts(found)["restarts"] == Decimal("0.783334")
    assert found.wall_s == exactly(48 * 3600 + 180 + 6 * (180 + 300))


def test_the_whole_rental_is_rounded_not_each_part() -> None:
    by_hour = replace(FREE_TRAFFIC, increment_s=3600)
    found = asked(Work(10), by_hour)
    assert found.usd == exactly(22)  # eleven hours
    assert parts(found)["rounding"] == Decimal("1.905556")
    exact = asked(Work("9.95"), by_hour)  # 35 820 + 170 s fit in ten hours
    assert exact.usd == exactly(20)


def test_each_restart_is_a_rental_that_is_rounded() -> None:
    by_hour = replace(at_spot(1), increment_s=3600)
    found = asked(Work(24, on_spot=True, interruptions_a_day=1), by_hour)
    # Two rentals of (86 400 + 170 + 170 + 300) / 2 s: 12.09 hours, so thirteen each.
    assert found.usd == exactly(26)


def test_a_disk_is_paid_while_the_machine_is_there() -> None:
    found = asked(Work(730, disk_gb=100), replace(FREE_TRAFFIC, disk_usd_gb_month="0.1"))
    assert parts(found)["disk"] == Decimal("10.000685")  # a month, and the start's 180 s


def test_traffic_is_the_image_the_weights_from_a_hub_and_the_jobs_own() -> None:
    paid = replace(BY_SECOND, down_usd_gb="0.01", up_usd_gb="0.05")
    image = Image(compressed_gb=12, weights_gb=8, weights=Weights.HUB)
    work = Work(1, down_gb=30, up_gb=4)
    assert parts(asked(work, paid, image))["traffic"] == Decimal("0.7")  # 50 in, 4 out
    on_volume = replace(image, weights=Weights.VOLUME)
    assert parts(asked(work, paid, on_volume))["traffic"] == Decimal("0.62")
    twice = replace(work, hours=24, on_spot=True, interruptions_a_day=1)
    spot = replace(paid, spot_usd_per_hour=1)
    assert parts(asked(twice, spot, image))["traffic"] == Decimal("0.9")  # pulled twice


def test_a_cached_image_is_no_traffic() -> None:
    paid = replace(BY_SECOND, down_usd_gb="0.01")
    found = coldstart.job(Work(1), TWELVE, Place(cached=True), paid, PLAIN)
    assert parts(found)["traffic"] == 0


# --- What is not known ---------------------------------------------------------------


def test_a_price_that_is_not_known_is_a_part_without_a_price_not_a_free_one() -> None:
    found = asked(Work(10, disk_gb=50, up_gb=1), BY_SECOND)
    assert parts(found)["disk"] is None
    assert parts(found)["traffic"] is None
    assert found.missing == ("disk", "traffic")
    assert found.usd == exactly("20.094444")  # of what is known


def test_one_way_without_a_price_leaves_the_traffic_unknown() -> None:
    only_down = replace(BY_SECOND, down_usd_gb="0.01")
    assert asked(Work(1, up_gb=1), only_down).missing == ("traffic",)
    assert asked(Work(1), only_down).missing == ()  # nothing goes out: its price is not needed


def test_without_a_price_of_the_machine_there_is_no_total() -> None:
    found = asked(Work(10), replace(FREE_TRAFFIC, usd_per_hour=None))
    assert found.usd is None
    assert found.missing == ("compute", "start", "restarts", "rounding")
    assert found.wall_s == exactly(36_180)


def test_spot_without_a_spot_price_has_no_total() -> None:
    assert asked(Work(10, on_spot=True)).usd is None


def test_the_cheapest_comes_first_and_what_has_no_price_last() -> None:
    cheap, dear = asked(Work(1)), asked(Work(2))
    partly = asked(Work(1), BY_SECOND)
    none = asked(Work(1), Terms())
    ranked = sorted([none, dear, partly, cheap], key=coldstart.cheapest_first)
    assert ranked == [cheap, partly, dear, none]  # at one price, what is fully known


def test_so_many_interruptions_that_no_work_gets_done_stall_the_job() -> None:
    # A start and lost work are 480 s: 180 of them fill a day.
    assert not asked(Work(1, on_spot=True, interruptions_a_day=179), at_spot(1)).stalls
    assert asked(Work(1, on_spot=True, interruptions_a_day=180), at_spot(1)).stalls


# --- Always ---------------------------------------------------------------


@given(hours, a_day, images, places, terms)
def test_parts_are_never_negative_and_sum_up_exactly(
    time: Decimal, times: Decimal, image: Image, place: Place, of_terms: Terms
) -> None:
    work = Work(time, on_spot=True, interruptions_a_day=times, disk_gb=10)
    paid = replace(of_terms, spot_usd_per_hour=of_terms.usd_per_hour, disk_usd_gb_month="0.1")
    found = coldstart.job(work, image, place, paid)
    assert found.usd
    for case in ("low", "likely", "high"):
        known = [part.usd[case] for part in found.parts if part.usd]
        assert min(known) >= 0
        assert sum(known) == found.usd[case]


@given(hours, hours, images, places, terms)
def test_more_hours_never_cost_less(
    time: Decimal, more: Decimal, image: Image, place: Place, of_terms: Terms
) -> None:
    short = coldstart.job(Work(time), image, place, of_terms)
    long = coldstart.job(Work(time + more), image, place, of_terms)
    assert short.usd
    assert long.usd
    for case in ("low", "likely", "high"):
        assert short.usd[case] <= long.usd[case]
        assert short.wall_s[case] <= long.wall_s[case]


@given(hours, a_day, prices, prices, images)
def test_a_higher_price_never_makes_a_cheaper_job(
    time: Decimal, times: Decimal, price: Decimal, more: Decimal, image: Image
) -> None:
    work = Work(time, on_spot=True, interruptions_a_day=times)
    cheap = coldstart.job(work, image, terms=at_spot(price)).usd
    dear = coldstart.job(work, image, terms=at_spot(price + more)).usd
    assert cheap
    assert dear
    for case in ("low", "likely", "high"):
        assert cheap[case] <= dear[case]


@given(hours, a_day, a_day, images, places)
def test_more_interruptions_never_cost_less_by_the_second(
    time: Decimal, times: Decimal, more: Decimal, image: Image, place: Place
) -> None:
    exact = replace(at_spot(1), increment_s=0)
    few = coldstart.job(Work(time, True, times), image, place, exact).usd
    many = coldstart.job(Work(time, True, times + more), image, place, exact).usd
    assert few
    assert many
    # The average length of a rental is taken to the millisecond.
    assert few.likely <= many.likely + Decimal("0.001")


@pytest.mark.parametrize("wrong", [-1, "NaN", "Infinity", "1e9", "long", True])
@pytest.mark.parametrize("field", ["hours", "interruptions_a_day", "disk_gb", "down_gb"])
def test_impossible_work_is_refused_by_name(field: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match=field):
        Work(**{"hours": 1, "on_spot": True} | {field: wrong})


def test_on_demand_is_not_interrupted() -> None:
    with pytest.raises(ValueError, match="only on spot"):
        Work(1, interruptions_a_day=1)


def test_no_work_at_all_is_its_start() -> None:
    assert asked(Work(0)).usd == exactly("0.094444")


def test_the_longest_dearest_job_still_has_an_answer() -> None:
    work = Work(10**5, on_spot=True, interruptions_a_day=10**4, disk_gb=10**6)
    most = Terms(spot_usd_per_hour=10**6, disk_usd_gb_month=10**6, down_usd_gb=10**6)
    slow = {"registry_mb_s": "0.001", "inflate_mb_s": "0.001"}
    found = coldstart.job(work, Image(compressed_gb=10**6), terms=most, given=slow)
    assert found.stalls
    assert found.usd
    assert found.usd.low <= found.usd.likely <= found.usd.high


# --- Spot against on demand ---------------------------------------------------------------


def at_spot(price: Any) -> Terms:
    return replace(FREE_TRAFFIC, spot_usd_per_hour=price)


def compared(times: Any = 3, spot: Any = 1, **given: Any) -> Interruptible:
    work = Work(24, on_spot=True, interruptions_a_day=times)
    exact = replace(at_spot(spot), increment_s=0)
    return coldstart.interruptible(work, TWELVE, Place(), exact, PLAIN | given)


def test_both_jobs_stand_side_by_side() -> None:
    found = compared()
    assert found.on_demand == coldstart.job(
        Work(24), TWELVE, Place(), replace(at_spot(1), increment_s=0), PLAIN
    )
    assert found.on_demand.restarts == 0
    assert found.spot.restarts == 3
    assert found.on_demand.usd
    assert found.spot.usd
    assert found.spot.usd.likely < found.on_demand.usd.likely


def test_the_break_even_is_where_restarts_eat_what_spot_saves() -> None:
    # (2 / 1 − 1) × (86 400 + 170) s to lose, 470 s each time, over a day of work.
    assert compared().break_even.likely == Decimal("184.19")


@settings(max_examples=50)
@given(
    st.decimals("0.01", "1.9", places=2),
    st.decimals(1, 500, places=1),
    st.sampled_from((0, 60, 1800)),
)
def test_spot_is_cheaper_below_the_break_even_and_dearer_above(
    spot: Decimal, ready: Decimal, lost: int
) -> None:
    even = compared(0, spot, ready_s=ready, lost_work_s=lost).break_even.likely
    assert even
    for factor, cheaper in ((Decimal("0.98"), True), (Decimal("1.02"), False)):
        if even * factor > 10**4:
            continue
        found = compared(even * factor, spot, ready_s=ready, lost_work_s=lost)
        assert found.spot.usd
        assert found.on_demand.usd
        assert (found.spot.usd.likely < found.on_demand.usd.likely) is cheaper


def test_dearer_restarts_lower_the_break_even() -> None:
    quick, slow = compared(ready_s=1).break_even, compared(ready_s=900).break_even
    assert quick.likely
    assert slow.likely
    assert slow.likely < quick.likely


def test_the_break_even_is_a_range_in_order() -> None:
    work = Work(24, on_spot=True, interruptions_a_day=1)
    even = coldstart.interruptible(work, TWELVE, Place(), at_spot(1)).break_even
    assert even.low
    assert even.likely
    assert even.high
    assert even.low < even.likely < even.high


@pytest.mark.parametrize(("spot", "reason"), [(2, "spot_not_cheaper"), (3, "spot_not_cheaper")])
def test_a_spot_price_that_saves_nothing_has_no_break_even(spot: int, reason: str) -> None:
    even = compared(spot=spot).break_even
    assert (even.low, even.likely, even.high, even.reason) == (None, None, None, reason)


def test_without_both_prices_there_is_no_break_even() -> None:
    assert compared(spot=None).break_even.reason == "prices_not_known"
    work = Work(24, on_spot=True)
    only_spot = Terms(spot_usd_per_hour=1)
    even = coldstart.interruptible(work, TWELVE, Place(), only_spot).break_even
    assert even.reason == "prices_not_known"


def test_restarts_that_cost_nothing_never_even_it_out() -> None:
    free = {"container_start_s": 0, "ready_s": 0, "lost_work_s": 0}
    work = Work(24, on_spot=True, interruptions_a_day=9)
    unbilled = replace(at_spot(1), billed_during_pull=False)
    even = coldstart.interruptible(work, TWELVE, Place(), unbilled, PLAIN | free).break_even
    assert (even.likely, even.reason) == (None, "restarts_cost_nothing")


def test_where_only_the_best_case_costs_nothing_the_range_stays_open() -> None:
    free = {"container_start_s": 0, "ready_s": 0}
    defaults = {key: value for key, value in PLAIN.items() if key != "lost_work_s"} | free
    unbilled = replace(at_spot(1), billed_during_pull=False)
    work = Work(24, on_spot=True, interruptions_a_day=9)
    even = coldstart.interruptible(work, TWELVE, Place(), unbilled, defaults).break_even
    assert even.low == Decimal(48)  # 86 400 s saved, 1800 s each time
    assert even.likely == Decimal(288)
    assert (even.high, even.reason) == (None, "")


def test_a_job_without_hours_has_no_break_even() -> None:
    even = coldstart.interruptible(Work(0, on_spot=True), TWELVE, Place(), at_spot(1)).break_even
    assert even.reason == "no_work"
