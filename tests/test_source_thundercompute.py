"""Thunder Compute: everything is in the keys of one object; two versions of the API."""

from __future__ import annotations

from decimal import Decimal

import pytest

from providers.sources.base import MalformedError, RefusedError, StockLevel, UnreachableError
from tests.recorded_http import RecordedHttp, answered, page, read, source

OFFERING = "thunder-compute/instances"
V1_GONE = {f"/v1/{name}": RefusedError("404") for name in ("pricing", "specs", "status")}


def test_a_key_tells_the_gpu_the_count_and_the_mode() -> None:
    records, bad = answered("thundercompute")
    row = records[f"{OFFERING} a100xl_x2_prototyping"]
    assert (row.gpu_name, row.gpu_count, row.tier, row.vram_gb) == ("a100xl", 2, "prototyping", 80)
    assert row.price is not None
    assert row.price.amount == Decimal("1.62")
    assert not bad


def test_prices_of_disks_and_processors_are_passed_over() -> None:
    records, _bad = answered("thundercompute")
    assert {row.gpu_name for row in records.values()} == {
        "a6000",
        "a100xl",
        "h100",
        "l40s",
        "newgpu",
    }


def test_a_price_of_zero_is_no_price() -> None:
    records, _bad = answered("thundercompute")
    assert records[f"{OFFERING} l40s_x1_production"].price is None


def test_memory_is_told_or_that_of_the_gpu_table() -> None:
    records, _bad = answered("thundercompute")
    memory = {row.key: row.vram_gb for row in records.values()}
    assert memory["h100_x8_production"] == 80  # told
    assert memory["l40s_x1_production"] == 48  # known
    assert memory["newgpu_x1_production"] is None


def test_stock_is_told_or_unknown() -> None:
    records, _bad = answered("thundercompute")
    stock = {row.key: row.stock for row in records.values()}
    assert stock["a6000_x1_prototyping"] == StockLevel.AVAILABLE
    assert stock["a100xl_x2_prototyping"] == StockLevel.NONE
    assert stock["h100_x8_production"] == StockLevel.UNKNOWN
    assert "b200_x8_production" not in stock  # a status without a price


def test_the_later_version_takes_over_when_the_first_is_gone() -> None:
    records, _bad = answered("thundercompute", broken=V1_GONE)
    assert {row.key: row.stock for row in records.values()} == {
        "h100_x1": StockLevel.AVAILABLE,
        "h100_x8": StockLevel.NONE,
        "a6000_x1": StockLevel.AVAILABLE,  # "a6000" and "a6000_x1" are one
    }


def test_the_later_version_is_not_tried_when_the_first_is_only_away() -> None:
    http = RecordedHttp("thundercompute", {"/v1/pricing": UnreachableError("500")})
    with pytest.raises(UnreachableError):
        list(source("thundercompute").fetch(http))
    assert len(http.calls) == 1


def test_specs_and_stock_that_fail_change_no_row() -> None:
    broken = {"/v1/specs": UnreachableError("500"), "/v1/status": RefusedError("403")}
    rows, _bad = answered("thundercompute", broken=broken)
    whole, _bad = answered("thundercompute")
    assert rows.keys() == whole.keys()
    assert {row.stock for row in rows.values()} == {StockLevel.UNKNOWN}
    assert rows[f"{OFFERING} a6000_x1_prototyping"].vram_gb == 48


def test_another_thing_in_place_of_a_price_is_put_aside() -> None:
    prices = {"h100_x1_production": {"hourly": 1}, "h100_x2_production": 3}
    records, bad = read(source("thundercompute"), [page({"pricing": prices}, "pricing")])
    assert len(records) == 1
    assert [row.where for row in bad] == ["pricing[h100_x1_production]"]


@pytest.mark.parametrize("prices", [None, [], "x"])
def test_prices_of_another_shape_are_malformed(prices: object) -> None:
    with pytest.raises(MalformedError, match="in place of an object"):
        read(source("thundercompute"), [page({"pricing": prices}, "pricing")])
    with pytest.raises(MalformedError, match="no answer for pricing"):
        read(source("thundercompute"), [page({"specs": {}}, "specs")])
