"""Jarvislabs: pools of GPUs by region and workload."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from providers.sources.base import ListingRecord, Per, StockLevel
from tests.recorded_http import Call, RecordedHttp, answered, body, page, read, source

CONTAINERS, VMS = "jarvislabs/containers", "jarvislabs/vms"
NOIDA = "india-noida-01"


@pytest.fixture(scope="module")
def listings() -> dict[str, ListingRecord]:
    return answered("jarvislabs", "a-key")[0]


def pool(**changes: Any) -> list[ListingRecord]:
    """The listings of the sample's first pool (containers, up to 4 GPUs) with changes."""
    row = body("jarvislabs", "server-meta")["server_meta"][0] | changes
    records, bad = read(source("jarvislabs"), [page({"server_meta": [row]})])
    assert bad == []
    return list(records.values())


def test_it_asks_once_with_the_key_as_bearer() -> None:
    http = RecordedHttp("jarvislabs")
    assert [page.name for page in source("jarvislabs", "a-key").fetch(http)] == ["server-meta"]
    headers = {"Authorization": "Bearer a-key"}
    assert http.calls == [Call("GET", "/misc/server_meta", headers=headers)]
    assert source("jarvislabs").needs_key


def test_the_sample_becomes_these_listings(listings: dict[str, ListingRecord]) -> None:
    assert list(listings) == [
        f"{CONTAINERS} L4/1x/{NOIDA}",
        f"{CONTAINERS} L4/2x/{NOIDA}",
        f"{CONTAINERS} L4/4x/{NOIDA}",
        f"{VMS} L4/1x/{NOIDA}",
        f"{VMS} L4/2x/{NOIDA}",
        f"{VMS} L4/4x/{NOIDA}",
        f"{VMS} RTX PRO 6000/1x/{NOIDA}",
        f"{VMS} RTX PRO 6000/2x/{NOIDA}",
        f"{VMS} RTX-PRO6000/1x/india-chennai-01",
        f"{VMS} H100/1x/europe-01",
        f"{VMS} A100-80GB/1x/unknown-region",
        f"{VMS} A100-80GB/2x/unknown-region",
    ]


def test_a_pool_that_is_listed_twice_is_counted_once_for_each_offering(
    listings: dict[str, ListingRecord],
) -> None:
    counts = {name: listings[f"{name} L4/1x/{NOIDA}"].stock_count for name in (CONTAINERS, VMS)}
    assert counts == {CONTAINERS: 3, VMS: 3}


def test_a_pool_without_a_workload_type_starts_vms() -> None:
    assert {record.offering for record in pool(workload_type=None)} == {VMS}


def test_a_new_workload_type_is_set_aside() -> None:
    _records, bad = answered("jarvislabs", "a-key")
    assert [(row.where, row.reason) for row in bad] == [
        ("server_meta[6]", "workload_type: 'notebook' is not known")
    ]


def test_the_price_is_per_gpu() -> None:
    for record in pool():
        assert record.price is not None
        assert (record.price.amount, record.price.per) == (Decimal("0.46"), Per.GPU)


def test_a_null_price_is_no_price(listings: dict[str, ListingRecord]) -> None:
    assert listings[f"{VMS} A100-80GB/1x/unknown-region"].price is None


def test_only_containers_can_be_had_as_spot() -> None:
    container, vm = pool()[0], pool(workload_type="vm")[0]
    assert container.spot_price is not None
    assert (container.spot_price.amount, container.spot) == (Decimal("0.31"), True)
    assert (vm.spot_price, vm.spot) == (None, False)
    assert pool(spot_price=None)[0].spot is False


@pytest.mark.parametrize(
    ("most", "counts"), [("8", [1, 2, 4, 8]), ("3", [1, 2]), ("", [1]), (None, [1]), (0, [1])]
)
def test_sizes_go_up_to_what_one_machine_holds(most: Any, counts: list[int]) -> None:
    assert [record.gpu_count for record in pool(num_gpus=most)] == counts


@pytest.mark.parametrize(
    ("effective", "free", "stock"),
    [
        (3, 9, [StockLevel.AVAILABLE, StockLevel.UNKNOWN, StockLevel.NONE]),
        (0, 9, [StockLevel.NONE] * 3),
        (None, 2, [StockLevel.AVAILABLE, StockLevel.UNKNOWN, StockLevel.NONE]),
        ("", 1, [StockLevel.AVAILABLE, StockLevel.NONE, StockLevel.NONE]),
        (None, "", [StockLevel.UNKNOWN] * 3),
    ],
)
def test_free_gpus_may_stand_in_several_machines(
    effective: Any, free: Any, stock: list[StockLevel]
) -> None:
    records = pool(effective_num_free_devices=effective, num_free_devices=free)
    assert [record.stock for record in records] == stock


def test_free_gpus_are_a_count_of_instances_only_where_one_gpu_is_one() -> None:
    assert [record.stock_count for record in pool()] == [3, None, None]


@pytest.mark.parametrize(
    ("text", "gb"), [("24", 24), ("141 GB", 141), (80, 80), ("", None), (None, None), ("0", None)]
)
def test_memory_is_read_with_and_without_its_unit(text: Any, gb: int | None) -> None:
    assert {record.vram_gb for record in pool(vram=text)} == {gb}


def test_regions_that_nobody_knows_are_kept_as_they_are() -> None:
    assert {record.region for record in pool(region="mars-01")} == {"mars-01"}


def test_a_pool_without_a_region_is_set_aside() -> None:
    row = body("jarvislabs", "server-meta")["server_meta"][0] | {"region": None}
    records, bad = read(source("jarvislabs"), [page({"server_meta": [row]})])
    assert records == {}
    assert [row.where for row in bad] == ["server_meta[0]"]
    assert bad[0].reason.startswith("region: ")
