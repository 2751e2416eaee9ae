"""Shadeform: instance types of many clouds."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from providers.sources.base import ListingRecord, Per, StockLevel
from tests.recorded_http import Call, RecordedHttp, answered, body, page, read, source


@pytest.fixture(scope="module")
def listings() -> dict[str, ListingRecord]:
    return {record.key: record for record in answered("shadeform", "a-key")[0].values()}


def kind(**changes: Any) -> list[ListingRecord]:
    """The listings of the sample's first type with some of its fields changed."""
    row = body("shadeform", "types")["instance_types"][0]
    settings = row["configuration"] | changes.pop("configuration", {})
    row = row | changes | {"configuration": settings}
    records, bad = read(source("shadeform"), [page({"instance_types": [row]})])
    assert bad == []
    return list(records.values())


def test_it_asks_once_with_the_key_in_its_own_header() -> None:
    http = RecordedHttp("shadeform")
    assert [page.name for page in source("shadeform", "a-key").fetch(http)] == ["instance-types"]
    assert http.calls == [Call("GET", "/v1/instances/types", headers={"X-API-KEY": "a-key"})]
    assert source("shadeform").needs_key


def test_each_region_of_a_type_at_a_cloud_is_a_listing(
    listings: dict[str, ListingRecord],
) -> None:
    assert list(listings) == [
        "massedcompute/gpu_1x_a6000/vm/desmoines-usa-1",
        "massedcompute/gpu_1x_a6000/vm/kansascity-usa-1",
        "lambdalabs/gpu_1x_a6000/vm/austin-usa-1",
        "hyperstack/n3-H100-SXM5x8/vm/montreal-canada-2",
        "runpod/NVIDIA A100 80GB PCIe/container/any",
        "hotaisle/vm-mi300x-1/vm/newyork-usa-2",
        "excesssupply/h200-8x-bm/baremetal/",
    ]


def test_the_same_type_at_two_clouds_is_two_listings_told_apart_by_tier(
    listings: dict[str, ListingRecord],
) -> None:
    a6000 = [record for record in listings.values() if record.gpu_name == "A6000"]
    assert {record.tier for record in a6000} == {"massedcompute", "lambdalabs"}


def test_cents_become_dollars_for_the_instance(listings: dict[str, ListingRecord]) -> None:
    asked = listings["hyperstack/n3-H100-SXM5x8/vm/montreal-canada-2"].price
    assert asked is not None
    assert (asked.raw, asked.amount, asked.per) == ("1960", Decimal("19.60"), Per.INSTANCE)


def test_stock_is_told_by_region(listings: dict[str, ListingRecord]) -> None:
    places = [(r.region, r.stock) for r in listings.values() if r.tier == "massedcompute"]
    assert places == [
        ("desmoines-usa-1", StockLevel.AVAILABLE),
        ("kansascity-usa-1", StockLevel.NONE),
    ]


def test_a_type_that_names_no_region_has_unknown_stock(
    listings: dict[str, ListingRecord],
) -> None:
    record = listings["excesssupply/h200-8x-bm/baremetal/"]
    assert (record.region, record.stock, record.price) == ("", StockLevel.UNKNOWN, None)


def test_any_region_is_no_region(listings: dict[str, ListingRecord]) -> None:
    record = listings["runpod/NVIDIA A100 80GB PCIe/container/any"]
    assert (record.region, record.stock) == ("", StockLevel.AVAILABLE)


def test_the_configuration_tells_the_gpu() -> None:
    settings = {"num_gpus": 4, "gpu_type": "A100_80G", "vram_per_gpu_in_gb": 80}
    record = kind(configuration=settings)[0]
    assert (record.gpu_name, record.gpu_count, record.vram_gb) == ("A100_80G", 4, 80)
    assert record.extras == {"disk_gb": Decimal(512)}


def test_unknown_memory_stays_open() -> None:
    for memory in (None, 0):
        assert kind(configuration={"vram_per_gpu_in_gb": memory})[0].vram_gb is None


def test_types_without_a_gpu_are_left_out(listings: dict[str, ListingRecord]) -> None:
    assert not [key for key in listings if key.startswith("latitude/")]
    assert kind(configuration={"num_gpus": 0}) == []


def test_spot_is_unknown(listings: dict[str, ListingRecord]) -> None:
    assert {(r.spot, r.spot_price) for r in listings.values()} == {(None, None)}


def test_a_type_without_a_configuration_is_set_aside() -> None:
    row = {**body("shadeform", "types")["instance_types"][0], "configuration": None}
    records, bad = read(source("shadeform"), [page({"instance_types": [row]})])
    assert records == {}
    assert [row.where for row in bad] == ["instance_types[0]"]
    assert bad[0].reason.startswith("configuration: ")
