"""Lium: nodes of a marketplace."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from providers.sources.base import ListingRecord, Per, StockLevel
from tests.recorded_http import Call, RecordedHttp, answered, body, page, read, source

NODE = "6f1d0c2e-0000-4000-8000-00000000000"


@pytest.fixture(scope="module")
def listings() -> dict[str, ListingRecord]:
    return {record.key: record for record in answered("lium")[0].values()}


def shares(**changes: Any) -> list[ListingRecord]:
    """The listings of the sample's second node (8 GPUs, any number of them) with changes."""
    row = {**body("lium", "nodes")["nodes"][1], **changes}
    records, bad = read(source("lium"), [page({"nodes": [row]})])
    assert bad == []
    return list(records.values())


def test_it_asks_once_for_the_public_list() -> None:
    http = RecordedHttp("lium")
    assert [page.name for page in source("lium").fetch(http)] == ["nodes"]
    assert http.calls == [Call("GET", "/api/public/v1/nodes")]


def test_the_sample_becomes_these_listings(listings: dict[str, ListingRecord]) -> None:
    assert list(listings) == [
        f"{NODE}1/8x",
        f"{NODE}2/1x",
        f"{NODE}2/8x",
        f"{NODE}4/4x",
        f"{NODE}5/1x",
        f"{NODE}5/2x",
    ]


def test_a_node_that_is_rented_whole_is_one_listing(listings: dict[str, ListingRecord]) -> None:
    record = listings[f"{NODE}1/8x"]
    assert record.price is not None
    assert (record.price.amount, record.price.per) == (Decimal("0.54"), Per.GPU)
    assert (record.gpu_name, record.gpu_count, record.vram_gb) == ("RTX 5090", 8, 32)
    assert (record.region, record.tier, record.spot) == ("FI", "secure", False)
    assert (record.stock, record.stock_count) == (StockLevel.AVAILABLE, 1)
    assert record.extras == {"disk_gb": Decimal(1520)}


def test_a_node_that_can_be_shared_is_its_smallest_share_and_itself() -> None:
    assert [record.gpu_count for record in shares(min_rentable_gpu_count=2)] == [2, 8]
    assert [record.gpu_count for record in shares(min_rentable_gpu_count=8)] == [8]
    assert [record.gpu_count for record in shares(min_rentable_gpu_count=None)] == [8]
    assert [record.gpu_count for record in shares(min_rentable_gpu_count=64)] == [8]


def test_keys_do_not_move_with_the_number_of_free_gpus() -> None:
    seen = {tuple(r.key for r in shares(available_gpu_count=free)) for free in range(9)}
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("free", "stock"),
    [
        (8, [(StockLevel.AVAILABLE, 8), (StockLevel.AVAILABLE, 1)]),
        (3, [(StockLevel.AVAILABLE, 3), (StockLevel.NONE, 0)]),
        (0, [(StockLevel.NONE, 0), (StockLevel.NONE, 0)]),
        (None, [(StockLevel.UNKNOWN, None), (StockLevel.UNKNOWN, None)]),
    ],
)
def test_stock_is_how_often_a_share_fits_into_the_free_gpus(
    free: int | None, stock: list[tuple[StockLevel, int | None]]
) -> None:
    assert [(r.stock, r.stock_count) for r in shares(available_gpu_count=free)] == stock


def test_the_price_of_a_node_of_the_spot_tier_is_a_spot_price() -> None:
    for record in shares():
        assert record.price is None
        assert record.spot_price is not None
        assert (record.spot_price.amount, record.spot) == (Decimal("1.17"), True)


def test_a_node_without_a_tier_leaves_spot_unknown(listings: dict[str, ListingRecord]) -> None:
    record = listings[f"{NODE}4/4x"]
    assert record.price is not None
    assert (record.spot, record.spot_price, record.tier) == (None, None, "")


def test_a_price_of_0_is_no_price(listings: dict[str, ListingRecord]) -> None:
    assert listings[f"{NODE}5/2x"].price is None


def test_nodes_that_tell_nothing_are_left_out_and_wrong_ones_set_aside() -> None:
    records, bad = answered("lium")
    assert not [key for key in records if f"{NODE}3" in key]
    assert [row.where for row in bad] == ["nodes[5]"]
    assert bad[0].reason.startswith("gpu_count: ")
