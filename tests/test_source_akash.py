"""Akash: bids for one GPU of each model."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from providers.sources.base import ListingRecord, Per, StockLevel
from tests.recorded_http import Call, RecordedHttp, answered, body, page, read, source


@pytest.fixture(scope="module")
def listings() -> dict[str, ListingRecord]:
    return {record.key: record for record in answered("akash")[0].values()}


def one(**changes: Any) -> ListingRecord:
    row = {**body("akash", "gpu-prices")["models"][0], **changes}
    records, bad = read(source("akash"), [page({"models": [row]})])
    assert bad == []
    (record,) = records.values()
    return record


def test_it_asks_once() -> None:
    http = RecordedHttp("akash")
    assert [page.name for page in source("akash").fetch(http)] == ["gpu-prices"]
    assert http.calls == [Call("GET", "/v1/gpu-prices")]


def test_each_model_is_one_listing_of_one_gpu(listings: dict[str, ListingRecord]) -> None:
    assert list(listings) == [
        "nvidia/h100/80/SXM5",
        "nvidia/a100/80/PCIe",
        "nvidia/rtx4090/24/PCIe",
        "nvidia/p40/24/PCIe",
        "nvidia/t4/16/?",
    ]
    assert {record.gpu_count for record in listings.values()} == {1}


def test_the_lowest_bid_is_the_price_and_the_others_stand_beside_it() -> None:
    record = one()
    assert record.price is not None
    assert (record.price.amount, record.price.per) == (Decimal("1.95"), Per.GPU)
    assert record.extras == {
        "median_usd_gpu_hour": Decimal("2.44"),
        "highest_usd_gpu_hour": Decimal("3.2"),
    }


def test_bids_in_another_currency_keep_it() -> None:
    record = one(price={"currency": "EUR", "min": 2, "med": 3, "max": 4})
    assert record.price is not None
    assert (record.price.currency, record.extras) == ("EUR", {})


def test_a_model_without_bids_has_no_price(listings: dict[str, ListingRecord]) -> None:
    record = listings["nvidia/rtx4090/24/PCIe"]
    assert (record.price, record.extras) == (None, {})
    assert (record.stock, record.stock_count) == (StockLevel.NONE, 0)


def test_a_lowest_bid_of_0_is_no_price(listings: dict[str, ListingRecord]) -> None:
    assert listings["nvidia/t4/16/?"].price is None


def test_stock_is_the_number_of_free_gpus() -> None:
    assert (one().stock, one().stock_count) == (StockLevel.AVAILABLE, 21)
    missing = one(availability=None)
    assert (missing.stock, missing.stock_count) == (StockLevel.UNKNOWN, None)


@pytest.mark.parametrize(
    ("model", "ram", "interface", "name"),
    [
        ("h100", "80Gi", "SXM5", "h100 SXM5"),
        ("a100", "80Gi", "PCIe", "a100 PCIe"),
        ("rtx4090", "24Gi", "PCIe", "rtx4090"),
        ("h100", "80Gi", None, "h100"),
    ],
)
def test_the_interface_joins_the_name_where_it_tells_the_form(
    model: str, ram: str, interface: str | None, name: str
) -> None:
    assert one(model=model, ram=ram, interface=interface).gpu_name == name


def test_memory_is_read_from_its_text() -> None:
    assert one().vram_gb == 80
    assert one(ram=None).vram_gb is None
    assert one(ram="").key == "nvidia/h100/?/SXM5"


def test_spot_is_unknown() -> None:
    assert (one().spot, one().spot_price) == (None, None)


def test_a_model_without_a_price_field_is_set_aside() -> None:
    row = {k: v for k, v in body("akash", "gpu-prices")["models"][0].items() if k != "price"}
    records, bad = read(source("akash"), [page({"models": [row]})])
    assert records == {}
    assert [(r.where, r.reason) for r in bad] == [("models[0]", "price: Field required")]
