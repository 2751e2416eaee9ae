"""Scaleway: a list for each zone, in euros and bytes, and an ordinal stock beside it."""

from __future__ import annotations

from decimal import Decimal

import pytest

from providers.sources.base import (
    ListingRecord,
    MalformedError,
    StockLevel,
    UnreachableError,
)
from providers.sources.scaleway import ZONES
from tests.recorded_http import Call, RecordedHttp, answered, page, read, source

TYPES = "/instance/v1/zones/fr-par-2/products/servers"


def row(name: str, zone: str = "fr-par-2") -> ListingRecord:
    records, _bad = answered("scaleway")
    return records[f"scaleway/gpu-instances {name}/{zone}"]


def test_prices_are_euros_as_they_stand_there() -> None:
    price = row("H100-1-80G").price
    assert price is not None
    assert (price.raw, price.amount, price.currency) == ("2.61", Decimal("2.61"), "EUR")


def test_bytes_become_the_gigabytes_that_people_say() -> None:
    assert row("H100-1-80G").vram_gb == 80
    assert row("B300-SXM-8-288G").vram_gb == 288
    assert row("H100-1-80G").extras == {"disk_gb": Decimal(3000), "inet_mbps": Decimal(10000)}


@pytest.mark.parametrize(
    ("name", "gpu"), [("GPU-3070-S", "RTX 3070"), ("L4-2-24G", "L4"), ("H100-1-80G", "H100-PCIe")]
)
def test_a_type_without_a_gpu_block_is_named_by_itself(name: str, gpu: str) -> None:
    assert row(name).gpu_name == gpu


def test_types_without_gpus_and_at_their_end_are_left_out() -> None:
    records, bad = answered("scaleway")
    assert not [key for key in records if "DEV1" in key or "RENDER" in key or "PLAY2" in key]
    assert len(records) == 7
    assert not bad


def test_stock_has_three_levels_and_a_missing_one_is_unknown() -> None:
    found = {name: row(name).stock for name in ("H100-1-80G", "H100-SXM-4-80G", "L4-2-24G")}
    assert found == {
        "H100-1-80G": StockLevel.SCARCE,
        "H100-SXM-4-80G": StockLevel.NONE,
        "L4-2-24G": StockLevel.UNKNOWN,
    }
    assert row("B300-SXM-8-288G").stock == StockLevel.AVAILABLE


def test_a_price_of_zero_is_no_price() -> None:
    assert row("L40S-1-48G").price is None


def test_a_full_page_is_followed_by_the_next() -> None:
    assert row("L4-1-24G", "nl-ams-1").stock == StockLevel.AVAILABLE


def test_every_zone_is_asked_once_where_a_page_is_short() -> None:
    http = RecordedHttp("scaleway")
    list(source("scaleway").fetch(http))
    asked = [call.path for call in http.calls if call.path.endswith("/servers")]
    assert len(asked) == len(ZONES) + 1  # one zone has two pages


class SamePage(RecordedHttp):
    """Whatever page is asked for, the first one comes."""

    def _answer(self, call: Call) -> bytes:
        return super()._answer(Call(call.method, call.path))


def test_a_page_that_comes_again_ends_the_list() -> None:
    http = SamePage("scaleway")
    list(source("scaleway").fetch(http))
    path = "/instance/v1/zones/nl-ams-1/products/servers"
    assert [call.path for call in http.calls].count(path) == 2


def test_a_zone_that_fails_ends_the_run_instead_of_looking_empty() -> None:
    with pytest.raises(UnreachableError):
        answered("scaleway", broken={TYPES: UnreachableError("500")})


def test_stock_that_fails_is_unknown_and_not_asked_for_again() -> None:
    http = RecordedHttp("scaleway", {f"{TYPES}/availability": UnreachableError("500")})
    records, _bad = read(source("scaleway"), source("scaleway").fetch(http))
    whole, _bad = answered("scaleway")
    assert records.keys() == whole.keys()
    assert {each.stock for each in records.values()} == {StockLevel.UNKNOWN}
    assert sum("availability" in call.path for call in http.calls) == 2  # fr-par-1, fr-par-2


@pytest.mark.parametrize("servers", [None, "x", 3, [1]])
def test_types_of_another_shape_are_malformed(servers: object) -> None:
    class Other(RecordedHttp):
        def _answer(self, call: Call) -> bytes:
            return page({"servers": servers}).body

    with pytest.raises(MalformedError, match="in place of an object"):
        list(source("scaleway").fetch(Other("scaleway")))
