"""Each guard lets a usual batch through, keeps a broken one out, and says with which figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from providers.refresh.facts import ListingFacts
from providers.refresh.guards import DEFAULT, OVERRIDES, Past, fill_rates, judge
from providers.refresh.normalise import Batch, Kept
from providers.sources import SOURCES


def batch(
    count: int = 100, price: Callable[[int], Decimal | None] = lambda n: Decimal(2), **fields: Any
) -> Batch:
    rows = {
        (1, f"row-{n}"): ListingFacts(
            gpu_name="L4",
            family_id=1,
            gpu_id=1,
            gpu_count=1,
            usd_per_hour=price(n),
            stated_price=str(price(n) or ""),
        )
        for n in range(count)
    }
    return Batch(rows=rows, **fields)


def past(rows: int = 100, price: str = "2") -> Past:
    return Past([rows] * 7, {(1, f"row-{n}"): Decimal(price) for n in range(rows)})


def broken(found: Batch, before: Past | None = None, **limits: Any) -> str | None:
    verdict = judge(found, before or Past(), replace(DEFAULT, **limits))
    return verdict.guard if verdict else None


def test_a_usual_batch_goes_in() -> None:
    assert broken(batch(), past()) is None


def test_a_first_batch_has_nothing_to_be_compared_with() -> None:
    assert broken(batch(1)) is None


@pytest.mark.parametrize(("rows", "verdict"), [(60, None), (59, "rows"), (0, "rows")])
def test_a_batch_far_below_the_usual_number_of_rows_is_kept_out(
    rows: int, verdict: str | None
) -> None:
    assert broken(batch(rows), past(100)) == verdict


def test_listings_that_stay_untold_are_not_missed() -> None:
    assert broken(batch(50), replace(past(100), left_open=10)) is None
    assert broken(batch(50), replace(past(100), left_open=9)) == "rows"


def test_the_usual_number_is_the_median_so_that_one_odd_run_does_not_set_it() -> None:
    assert broken(batch(60), Past([100, 100, 5, 100, 900])) is None


@pytest.mark.parametrize(("bad", "verdict"), [(5, None), (6, "filled")])
def test_too_many_rows_that_cannot_be_read_break_the_batch(bad: int, verdict: str | None) -> None:
    quarantined = [Kept("row", "price: field required")] * bad
    assert broken(batch(100 - bad, quarantined=quarantined)) == verdict


def test_too_many_rows_without_a_price_break_the_batch() -> None:
    assert broken(batch(price=lambda n: Decimal(2) if n >= 6 else None)) == "filled"
    assert broken(batch(price=lambda n: Decimal(2) if n >= 5 else None)) is None


@pytest.mark.parametrize("factor", [Decimal(3), Decimal(100), Decimal(1) / 3, Decimal("0.01")])
def test_prices_far_from_their_own_past_break_the_batch(factor: Decimal) -> None:
    assert broken(batch(price=lambda n: 2 * factor), past()) == "jumped"


def test_a_fifth_of_the_prices_may_jump() -> None:
    def jumping(count: int) -> Batch:
        return batch(price=lambda n: Decimal(20) if n < count else Decimal(2))

    assert broken(jumping(20), past()) is None
    assert broken(jumping(21), past()) == "jumped"


def spot_batch(spot: str, priced: int = 100, **on_demand: Any) -> Batch:
    """A usual batch of which the first rows have a spot price too."""
    found = batch(**on_demand)
    rows = {
        key: replace(facts, spot_usd_per_hour=Decimal(spot) if n < priced else None)
        for n, (key, facts) in enumerate(found.rows.items())
    }
    return replace(found, rows=rows)


def spot_past(spot: str = "1") -> Past:
    before = past()
    return replace(before, spot_prices=dict.fromkeys(before.prices, Decimal(spot)))


@pytest.mark.parametrize(
    ("spot", "verdict"), [("1", None), ("2.99", None), ("3", "jumped"), ("0.33", "jumped")]
)
def test_spot_prices_are_judged_by_their_own_past(spot: str, verdict: str | None) -> None:
    assert broken(spot_batch(spot), spot_past()) == verdict


def test_a_few_spot_prices_that_jump_do_not_hide_among_many_on_demand() -> None:
    verdict = judge(spot_batch("90", priced=5), spot_past())
    assert verdict is not None
    assert verdict.figures == {"spot_jumped": 5, "of": 5, "most": 0.2}


def test_a_price_on_demand_is_not_compared_with_a_spot_price() -> None:
    assert broken(spot_batch("1"), replace(spot_past(), prices={})) is None
    dear = spot_batch("2", price=lambda n: Decimal(20))
    assert broken(dear, replace(past(price="20"), spot_prices=spot_past("2").spot_prices)) is None


def test_rows_without_a_past_do_not_jump() -> None:
    assert broken(batch(200, price=lambda n: Decimal(90 if n >= 100 else 2)), past()) is None


def sizes(*prices: str) -> Batch:
    """One configuration at 1, 2, 4 … GPUs."""
    rows = {
        (1, f"x{2**n}"): ListingFacts(
            gpu_name="L4",
            family_id=1,
            gpu_id=1,
            gpu_count=2**n,
            usd_per_hour=Decimal(usd),
            stated_price=usd,
        )
        for n, usd in enumerate(prices)
    }
    return Batch(rows=rows)


def test_a_price_that_does_not_rise_with_the_gpus_breaks_the_batch() -> None:
    assert broken(sizes("1", "2", "4", "8")) is None
    assert broken(sizes("1", "1", "1", "1")) == "not_rising"
    assert broken(sizes("8", "4", "2", "1")) == "not_rising"


def test_prices_of_other_regions_are_not_compared() -> None:
    found = sizes("1", "1")
    rows = {key: replace(facts, region=str(n)) for n, (key, facts) in enumerate(found.rows.items())}
    assert broken(Batch(rows=rows)) is None


@pytest.mark.parametrize(("names", "verdict"), [(5, None), (6, "unknown_names")])
def test_too_many_unknown_gpu_names_break_the_batch(names: int, verdict: str | None) -> None:
    assert broken(batch(unknown_names=names)) == verdict


@pytest.mark.parametrize(("twice", "verdict"), [(2, None), (3, "duplicates")])
def test_duplicates_beyond_the_norm_break_the_batch(twice: int, verdict: str | None) -> None:
    assert broken(batch(duplicates=twice)) == verdict
    assert broken(batch(duplicates=twice), duplicates=0.5) is None


def test_the_figures_show_what_was_measured_and_where_the_limit_was() -> None:
    verdict = judge(batch(10), past(100))
    assert verdict is not None
    assert verdict.figures == {"rows": 10, "usual": 100, "least": 60}


def test_fill_rates_count_unreadable_rows_as_unfilled() -> None:
    rates = fill_rates(batch(3, quarantined=[Kept("row", "bad")]))
    assert rates == {"row": 0.75, "price": 0.75, "gpu_name": 0.75}


def test_an_empty_batch_has_no_fill_rates_to_divide_by() -> None:
    assert fill_rates(Batch()) == {"row": 0, "price": 0, "gpu_name": 0}


def test_exceptions_are_made_for_sources_that_exist() -> None:
    assert set(OVERRIDES) <= set(SOURCES)
