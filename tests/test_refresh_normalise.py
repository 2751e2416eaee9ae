"""Records become rows in one currency, one divisor and one name for each GPU."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.refresh.gpu_table import GpuIds
from providers.refresh.normalise import Batch, World, normalise, usd_per_hour
from providers.sources.base import BadRow, Per, Period, Price, StockLevel, Untold, price
from tests.refreshing import record

WORLD = World(
    {"acme/pods": 1, "acme/vms": 2},
    GpuIds({"l4": 10, "h100": 11}, {"l4": 20, "h100-sxm": 21, "h100-pcie": 22}),
    {"USD": Decimal(1), "EUR": Decimal("1.1")},
)


def batch_of(*rows: object) -> Batch:
    return normalise("told", rows, WORLD)  # type: ignore[arg-type]


def test_a_row_is_keyed_by_its_source_within_its_offering() -> None:
    assert list(batch_of(record("m1")).rows) == [(1, "told:m1")]


def test_names_become_a_model_or_only_its_family() -> None:
    rows = batch_of(record("a"), record("b", gpu_name="H100")).rows.values()
    assert [(f.family_id, f.gpu_id, f.vram_gb) for f in rows] == [(10, 20, 24), (11, None, None)]


def test_measured_memory_becomes_the_marketed_one_of_a_known_model() -> None:
    (facts,) = batch_of(record(vram_gb=22)).rows.values()
    assert facts.vram_gb == 24
    (facts,) = batch_of(record(gpu_name="Quantum 9000", vram_gb=22)).rows.values()
    assert facts.vram_gb == 22


@pytest.mark.parametrize(
    ("stated", "count", "usd"),
    [
        (Price("2", Decimal(2)), 8, "2"),
        (Price("2", Decimal(2), Per.GPU), 8, "16"),
        (Price("48", Decimal(48), period=Period.DAY), 1, "2"),
        (Price("730", Decimal(730), period=Period.MONTH), 2, "1"),
        (Price("1", Decimal(1), Per.GPU, currency="EUR"), 2, "2.2"),
    ],
)
def test_every_price_becomes_dollars_an_hour_for_the_instance(
    stated: Price, count: int, usd: str
) -> None:
    (facts,) = batch_of(record(price=stated, gpu_count=count)).rows.values()
    assert facts.usd_per_hour == Decimal(usd)
    assert facts.stated_price == stated.raw


def test_a_currency_without_a_rate_leaves_the_price_as_stated() -> None:
    yen = Price("300", Decimal(300), currency="JPY")
    (facts,) = batch_of(record(price=yen)).rows.values()
    assert (facts.usd_per_hour, facts.stated_price) == (None, "300")
    assert facts.stated_unit == "JPY / instance / hour"


def test_a_spot_price_means_that_it_can_be_had_as_spot() -> None:
    said = batch_of(
        record("a", spot_price=price("1")), record("b", spot=False), record("c")
    ).rows.values()
    assert [facts.spot for facts in said] == [True, False, None]


def test_a_bad_row_is_kept_out_with_its_place_and_reason() -> None:
    batch = batch_of(record(), BadRow("plans[3]", "price: field required"))
    assert [(bad.place, bad.reason, bad.key) for bad in batch.quarantined] == [
        ("plans[3]", "price: field required", None)
    ]
    assert len(batch.rows) == 1
    assert batch.fetched == 2


def test_an_absurd_price_keeps_its_row_out_but_its_listing_alive() -> None:
    batch = batch_of(record("a", "20000"), record("b", "0.0001"), record("c", "9"))
    assert [bad.key for bad in batch.quarantined] == [(1, "told:a"), (1, "told:b")]
    assert "20000" in batch.quarantined[0].reason


def test_an_offering_that_the_catalog_lacks_is_named() -> None:
    (bad,) = batch_of(record(offering="acme/gone")).quarantined
    assert "acme/gone" in bad.reason


def test_rows_left_open_are_named_as_their_keys_begin_and_are_no_rows() -> None:
    batch = batch_of(record(), Untold("acme/pods", "m1/"), Untold("acme/nothing", "m1/"))
    assert batch.untold == {(1, "told:m1/")}
    assert (batch.fetched, batch.quarantined) == (1, [])


def test_of_two_rows_with_one_key_the_first_counts_and_the_second_is_counted() -> None:
    batch = batch_of(record("a", "1"), record("a", "2"))
    assert [facts.usd_per_hour for facts in batch.rows.values()] == [Decimal(1)]
    assert batch.duplicates == 1


def test_an_unknown_gpu_name_is_kept_and_counted() -> None:
    batch = batch_of(record(gpu_name="Quantum 9000"))
    (facts,) = batch.rows.values()
    assert (facts.gpu_name, facts.family_id, batch.unknown_names) == ("Quantum 9000", None, 1)


def test_stock_and_volatile_figures_go_along() -> None:
    row = record(stock=StockLevel.SCARCE, stock_count=3, extras={"disk_gb": Decimal("1.50")})
    (facts,) = batch_of(row).rows.values()
    assert (facts.stock, facts.stock_count, facts.extras) == ("scarce", 3, {"disk_gb": "1.50"})


@given(
    st.decimals("0.01", "99", places=4),
    st.integers(1, 16),
    st.sampled_from(list(Per)),
    st.sampled_from(list(Period)),
)
def test_the_normalised_price_leads_back_to_the_stated_one(
    amount: Decimal, count: int, per: Per, period: Period
) -> None:
    usd = usd_per_hour(Price(str(amount), amount, per, period), count, WORLD.usd)
    assert usd is not None
    hours = {Period.HOUR: 1, Period.DAY: 24, Period.MONTH: 730}[period]
    back = usd * hours / (count if per is Per.GPU else 1)
    assert abs(back - amount) <= Decimal("0.0004")


@pytest.mark.parametrize("raw", [None, "", 0, "0", -1, "NaN", "Infinity", True, "two", "1e12"])
def test_what_is_no_price_never_becomes_free(raw: object) -> None:
    assert price(raw) is None


def test_cents_are_worth_a_hundredth_and_keep_their_raw_text() -> None:
    assert price("250", unit=Decimal("0.01")) == Price("250", Decimal("2.50"))
