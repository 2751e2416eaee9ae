"""Hyperstack: flavors joined with the price book and the stock."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from providers.sources.base import (
    ListingRecord,
    MalformedError,
    Page,
    Per,
    RefusedError,
    StockLevel,
    ThrottledError,
)
from tests.recorded_http import RecordedHttp, answered, body, page, read, source

NAMES = ("flavors", "pricebook", "stocks")


@pytest.fixture(scope="module")
def listings() -> dict[str, ListingRecord]:
    return {record.key: record for record in answered("hyperstack", "a-key")[0].values()}


def changed(*missing: str, **contents: Any) -> dict[str, ListingRecord]:
    """What comes of the sample when some answers are missing or others."""
    names = [name for name in NAMES if name not in missing]
    pages = [page(contents.get(name, body("hyperstack", name)), name) for name in names]
    return {record.key: record for record in read(source("hyperstack"), pages)[0].values()}


# --- Asking ------------------------------------------------------------------------


def test_it_asks_for_flavors_prices_and_stock_with_the_key_in_its_own_header() -> None:
    http = RecordedHttp("hyperstack")
    pages = list(source("hyperstack", "a-key").fetch(http))
    assert [page.name for page in pages] == list(NAMES)
    assert [call.path for call in http.calls] == ["/core/flavors", "/pricebook", "/core/stocks"]
    assert {tuple(call.headers.items()) for call in http.calls} == {(("api_key", "a-key"),)}


@pytest.mark.parametrize("path", ["/core/flavors", "/pricebook"])
def test_flavors_and_prices_are_needed(path: str) -> None:
    with pytest.raises(RefusedError):
        answered("hyperstack", "a-key", {path: RefusedError("403")})


@pytest.mark.parametrize("missing", ["flavors", "pricebook"])
def test_a_needed_answer_that_never_came_is_named(missing: str) -> None:
    with pytest.raises(MalformedError, match=f"{missing}: no answer"):
        changed(missing)


# --- Reading -----------------------------------------------------------------------


def test_the_sample_becomes_these_listings(listings: dict[str, ListingRecord]) -> None:
    assert list(listings) == [
        "n3-H100x1/CANADA-1",
        "n3-H100x8/CANADA-1",
        "n3-H100x8-NVLink/CANADA-1",
        "n3-L40x1-spot/NORWAY-1",
        "n3-B200x8/US-1",
    ]
    assert [record.gpu_count for record in listings.values()] == [1, 8, 8, 1, 8]


def test_the_price_book_is_per_gpu_and_knows_names_in_any_case(
    listings: dict[str, ListingRecord],
) -> None:
    asked = listings["n3-H100x8/CANADA-1"].price
    assert asked is not None
    assert (asked.amount, asked.per) == (Decimal("1.95"), Per.GPU)


def test_a_price_may_be_text(listings: dict[str, ListingRecord]) -> None:
    asked = listings["n3-B200x8/US-1"].price
    assert asked is not None
    assert (asked.raw, asked.amount) == ("4.35", Decimal("4.35"))


def test_a_gpu_that_the_price_book_does_not_know_has_no_price(
    listings: dict[str, ListingRecord],
) -> None:
    record = listings["n3-H100x8-NVLink/CANADA-1"]
    assert (record.price, record.spot_price) == (None, None)


def test_spot_is_the_same_card_at_a_spot_price(listings: dict[str, ListingRecord]) -> None:
    record = listings["n3-L40x1-spot/NORWAY-1"]
    assert record.spot_price is not None
    assert (record.gpu_name, record.spot, record.price) == ("L40", True, None)
    assert record.spot_price.amount == Decimal("0.82")
    assert not listings["n3-H100x1/CANADA-1"].spot


def test_stock_is_the_number_of_instances_of_that_size(
    listings: dict[str, ListingRecord],
) -> None:
    stock = {key: (record.stock, record.stock_count) for key, record in listings.items()}
    assert stock == {
        "n3-H100x1/CANADA-1": (StockLevel.AVAILABLE, 14),
        "n3-H100x8/CANADA-1": (StockLevel.NONE, 0),
        "n3-H100x8-NVLink/CANADA-1": (StockLevel.NONE, None),
        "n3-L40x1-spot/NORWAY-1": (StockLevel.NONE, 0),
        "n3-B200x8/US-1": (StockLevel.AVAILABLE, 10),
    }


def without_stock() -> dict[str, tuple[StockLevel, int | None]]:
    """What the flavors alone say."""
    return {
        "n3-H100x1/CANADA-1": (StockLevel.AVAILABLE, None),
        "n3-H100x8/CANADA-1": (StockLevel.AVAILABLE, None),
        "n3-H100x8-NVLink/CANADA-1": (StockLevel.NONE, None),
        "n3-L40x1-spot/NORWAY-1": (StockLevel.AVAILABLE, None),
        "n3-B200x8/US-1": (StockLevel.AVAILABLE, None),
    }


def test_stock_that_cannot_be_had_leaves_the_word_of_the_flavors() -> None:
    broken = {"/core/stocks": ThrottledError("429")}
    records, bad = answered("hyperstack", "a-key", broken)
    assert bad == []
    stock = {record.key: (record.stock, record.stock_count) for record in records.values()}
    assert stock == without_stock()


@pytest.mark.parametrize(
    "answer", [{}, [], {"stocks": None}, {"stocks": [7]}, {"stocks": [{"region": "US-1"}]}]
)
def test_stock_of_another_shape_leaves_the_word_of_the_flavors(answer: Any) -> None:
    listings = changed(stocks=answer)
    assert {k: (r.stock, r.stock_count) for k, r in listings.items()} == without_stock()


def test_html_in_place_of_stock_leaves_the_word_of_the_flavors() -> None:
    pages = [page(body("hyperstack", name), name) for name in NAMES[:2]]
    records, _bad = read(source("hyperstack"), [*pages, Page("stocks", b"<html>")])
    stock = {record.key: (record.stock, record.stock_count) for record in records.values()}
    assert stock == without_stock()


def test_a_flavor_that_says_nothing_of_stock_leaves_it_unknown() -> None:
    flavors = body("hyperstack", "flavors")
    del flavors["data"][0]["flavors"][0]["stock_available"]
    record = changed("stocks", flavors=flavors)["n3-H100x1/CANADA-1"]
    assert (record.stock, record.stock_count) == (StockLevel.UNKNOWN, None)


def test_a_configuration_with_a_name_of_another_kind_is_passed_over() -> None:
    stocks = body("hyperstack", "stocks")
    stocks["stocks"][0]["models"][0]["configurations"]["many"] = 3
    assert changed(stocks=stocks) == changed()


def test_flavors_without_a_gpu_are_left_out(listings: dict[str, ListingRecord]) -> None:
    assert not [key for key in listings if key.startswith("n1-cpu")]


def test_both_disks_stand_beside_the_price(listings: dict[str, ListingRecord]) -> None:
    assert listings["n3-H100x8-NVLink/CANADA-1"].extras == {
        "disk_gb": Decimal(100),
        "local_disk_gb": Decimal(6500),
    }


def test_wrong_rows_of_each_list_are_set_aside() -> None:
    flavors, prices = body("hyperstack", "flavors"), body("hyperstack", "pricebook")
    flavors["data"][0]["flavors"][0]["gpu_count"] = None
    flavors["data"].append({"gpu": "L40"})
    prices.append({"name": "L40"})
    pages = [page(flavors, "flavors"), page(prices, "pricebook")]
    records, bad = read(source("hyperstack"), pages)
    assert [row.where for row in bad] == ["pricebook[5]", "flavors[0].flavors[0]", "flavors[4]"]
    assert len(records) == 4
