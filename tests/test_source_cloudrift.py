"""CloudRift: virtual machine types by data centre."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from providers.sources.base import ListingRecord, Per, StockLevel
from tests.recorded_http import RecordedHttp, answered, body, page, read, source


@pytest.fixture(scope="module")
def listings() -> dict[str, ListingRecord]:
    return {record.key: record for record in answered("cloudrift")[0].values()}


def variant(**changes: Any) -> list[ListingRecord]:
    """The listings of the sample's first variant with some of its fields changed."""
    kind = body("cloudrift", "instance-types")["data"]["instance_types"][0]
    content = {"data": {"instance_types": [{**kind, "variants": [kind["variants"][0] | changes]}]}}
    records, bad = read(source("cloudrift"), [page(content)])
    assert bad == []
    return list(records.values())


def test_it_asks_for_virtual_machines_of_all_places() -> None:
    http = RecordedHttp("cloudrift")
    assert [page.name for page in source("cloudrift").fetch(http)] == ["instance-types"]
    (call,) = http.calls
    assert (call.method, call.path) == ("POST", "/api/v1/instance-types/list")
    assert call.sent == {
        "version": "2025-03-21",
        "data": {"selector": {"ByServiceAndLocation": {"services": ["vm"]}}},
    }


def test_each_data_centre_of_a_variant_is_a_listing(listings: dict[str, ListingRecord]) -> None:
    assert list(listings) == [
        "rtx49-12c-kn.1/us-east-nc-nr-1",
        "rtx49-12c-kn.1/eu-north-2",
        "rtx49-12c-kn.2/us-east-nc-nr-1",
        "rtxpro6000.1/us-central-1",
        "mi350x-16c.8/",
    ]


def test_cents_become_dollars_for_the_instance(listings: dict[str, ListingRecord]) -> None:
    asked = listings["mi350x-16c.8/"].price
    assert asked is not None
    assert (asked.raw, asked.amount, asked.per) == ("2320", Decimal("23.20"), Per.INSTANCE)
    assert listings["rtxpro6000.1/us-central-1"].price is None  # 0 cents


def test_the_nodes_of_a_data_centre_are_its_stock(listings: dict[str, ListingRecord]) -> None:
    stock = [(r.region, r.stock, r.stock_count) for r in listings.values()]
    assert stock == [
        ("us-east-nc-nr-1", StockLevel.AVAILABLE, 9),
        ("eu-north-2", StockLevel.AVAILABLE, 2),
        ("us-east-nc-nr-1", StockLevel.NONE, 0),
        ("us-central-1", StockLevel.AVAILABLE, 1),
        ("", StockLevel.NONE, 0),
    ]


def test_a_missing_map_of_data_centres_is_unknown_stock() -> None:
    (record,) = variant(nodes_per_dc=None)
    assert (record.region, record.stock, record.stock_count) == ("", StockLevel.UNKNOWN, None)


@pytest.mark.parametrize(
    ("size", "gb"), [(24 * 2**30, 24), (96 * 10**9, 96), (80 * 10**9, 80), (None, None), (0, None)]
)
def test_memory_is_that_of_one_gpu_in_either_kind_of_byte(size: int | None, gb: int | None) -> None:
    assert {record.vram_gb for record in variant(vram=size, gpu_count=4)} == {gb}


def test_the_brand_is_the_gpu_and_the_disk_stands_beside_it() -> None:
    record = variant()[0]
    assert (record.gpu_name, record.gpu_count) == ("RTX 4090", 1)
    assert record.extras == {"disk_gb": Decimal(420)}


def test_machines_without_a_gpu_are_left_out() -> None:
    assert variant(gpu_count=0) == []
    records, bad = answered("cloudrift")
    assert bad == []
    assert not [key for key in records if "epyc" in key]


def test_a_wrong_variant_is_set_aside_and_its_siblings_go_in() -> None:
    content = body("cloudrift", "instance-types")
    del content["data"]["instance_types"][0]["variants"][0]["gpu_count"]
    records, bad = read(source("cloudrift"), [page(content)])
    assert [(row.where, row.reason) for row in bad] == [
        ("instance_types[0].variants[0]", "gpu_count: Field required")
    ]
    assert "cloudrift/virtual-machines rtx49-12c-kn.2/us-east-nc-nr-1" in records
