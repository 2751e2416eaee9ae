"""Akamai: the GPU in an id, prices of zero, dear regions, and stock under other names."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from providers.sources.base import (
    ListingRecord,
    SourceError,
    StockLevel,
    ThrottledError,
    UnreachableError,
)
from tests.recorded_http import Call, RecordedHttp, answered, body, page, read, source

TYPES = body("linode", "types")["data"]


def row(key: str) -> ListingRecord:
    records, _bad = answered("linode")
    return records[f"linode/gpu-linodes {key}"]


def test_the_gpu_is_the_one_of_the_series() -> None:
    """Three cards are called RTX 6000; the first series has the oldest."""
    found = row("g1-gpu-rtx6000-1/"), row("g2-gpu-rtx4000a4-m/")
    assert [(each.gpu_name, each.gpu_count, each.vram_gb) for each in found] == [
        ("Quadro RTX 6000", 1, 24),
        ("RTX 4000 Ada", 4, 20),
    ]


def test_a_series_that_is_not_known_is_named_by_its_label() -> None:
    found = row("g3-gpu-rtxpro6000-blackwell-1/")
    assert (found.gpu_name, found.vram_gb) == ("RTX PRO 6000 Blackwell", 96)


@pytest.mark.parametrize(
    ("label", "name"),
    [("Dedicated 32GB + RTX9000 GPU x1", "RTX9000"), ("H300 x8 Large", "H300"), ("B400", "B400")],
)
def test_labels_lose_their_counts_and_sizes(label: str, name: str) -> None:
    other = TYPES[0] | {"id": "g9-gpu-x", "label": label}
    records, _bad = read(source("linode"), [page({"data": [other]}, "types:1")])
    assert {each.gpu_name for each in records.values()} == {name}


def test_video_encoders_and_plain_machines_are_left_out() -> None:
    records, bad = answered("linode")
    assert not [key for key in records if "netint" in key or "nanode" in key]
    assert not bad


def test_a_base_price_of_zero_is_no_price() -> None:
    assert row("g3-gpu-rtxpro6000-blackwell-1/").price is None


def test_a_dear_region_is_a_row_of_its_own() -> None:
    found = row("g2-gpu-rtx4000a4-m/"), row("g2-gpu-rtx4000a4-m/br-gru")
    assert [(each.region, each.price and each.price.amount) for each in found] == [
        ("", Decimal("3.61")),
        ("br-gru", Decimal("5.1")),
    ]


def test_stock_is_that_of_the_regions_at_this_price() -> None:
    found = {
        key: row(key).stock
        for key in (
            "g2-gpu-rtx4000a1-s/",  # in one of two
            "g2-gpu-rtx4000a4-m/",  # in Brazil alone, which has its own row
            "g2-gpu-rtx4000a4-m/br-gru",
            "g2-gpu-rtx4000a4-m/id-cgk",  # not told
            "g1-gpu-rtx6000-1/",  # told under another name
        )
    }
    assert list(found.values()) == [
        StockLevel.AVAILABLE,
        StockLevel.NONE,
        StockLevel.AVAILABLE,
        StockLevel.UNKNOWN,
        StockLevel.NONE,
    ]


@pytest.mark.parametrize("fault", [UnreachableError("500"), ThrottledError("429")])
def test_stock_that_fails_leaves_the_same_rows_with_unknown_stock(fault: SourceError) -> None:
    broken, _bad = answered("linode", broken={"/v4/regions/availability": fault})
    whole, _bad = answered("linode")
    assert broken.keys() == whole.keys()
    assert {each.stock for each in broken.values()} == {StockLevel.UNKNOWN}


def test_stock_of_another_shape_counts_as_none() -> None:
    class NoStock(RecordedHttp):
        def _answer(self, call: Call) -> bytes:
            if "availability" in call.path:
                return b'{"data": null}'
            return super()._answer(call)

    records, _bad = read(source("linode"), source("linode").fetch(NoStock("linode")))
    assert {each.stock for each in records.values()} == {StockLevel.UNKNOWN}


def test_every_page_is_read_and_none_twice() -> None:
    http = RecordedHttp("linode")
    list(source("linode").fetch(http))
    assert [call.params["page"] for call in http.calls] == [1, 2, 1]


class SamePage(RecordedHttp):
    def _answer(self, call: Call) -> bytes:
        content: dict[str, Any] = {"data": TYPES, "pages": 999}
        self.calls.append(call)
        return page(content).body


def test_a_page_that_comes_again_ends_the_list() -> None:
    http = SamePage("linode")
    list(source("linode").fetch(http))
    assert len([call for call in http.calls if "types" in call.path]) == 2
