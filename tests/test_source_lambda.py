"""Lambda: instance types and the regions that have room for them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from providers.sources.base import (
    BadRow,
    ListingRecord,
    MalformedError,
    Per,
    RefusedError,
    StockLevel,
)
from tests.recorded_http import Call, RecordedHttp, answered, body, page, read, source

PATH = "/api/v1/instance-types"


@pytest.fixture(scope="module")
def listings() -> dict[str, ListingRecord]:
    return {record.key: record for record in answered("lambda", "a-key")[0].values()}


def types(
    regions: tuple[str, ...] = ("us-east-1",), **changes: Any
) -> tuple[list[ListingRecord], list[BadRow]]:
    """What comes of the sample's first type with some of its fields changed or (...) left out."""
    kind = body("lambda", "instance-types")["data"]["gpu_1x_a10"]["instance_type"] | changes
    entry = {
        "instance_type": {name: value for name, value in kind.items() if value is not ...},
        "regions_with_capacity_available": [{"name": region} for region in regions],
    }
    records, bad = read(source("lambda"), [page({"data": {"gpu_1x_a10": entry}})])
    return list(records.values()), bad


def test_it_asks_with_the_key_as_bearer() -> None:
    http = RecordedHttp("lambda")
    assert [page.name for page in source("lambda", "a-key").fetch(http)] == ["instance-types"]
    assert http.calls == [Call("GET", PATH, headers={"Authorization": "Bearer a-key"})]


def test_it_is_off_without_a_key() -> None:
    assert source("lambda").needs_key


def test_a_refusal_is_passed_on() -> None:
    http = RecordedHttp("lambda", {PATH: RefusedError("401")})
    with pytest.raises(RefusedError):
        list(source("lambda", "a-key").fetch(http))


def test_an_error_body_in_place_of_data_is_malformed() -> None:
    answer = {"error": {"code": "global/invalid-api-key", "message": "API key was invalid."}}
    with pytest.raises(MalformedError, match="no 'data'"):
        read(source("lambda"), [page(answer, "instance-types")])


def test_each_region_with_room_is_a_listing(listings: dict[str, ListingRecord]) -> None:
    assert list(listings) == [
        "gpu_1x_a10/us-east-1",
        "gpu_1x_a10/us-west-1",
        "gpu_8x_h100_sxm5/",
        "gpu_1x_gh200/us-east-3",
        "gpu_8x_v100_n/",
    ]
    assert listings["gpu_1x_a10/us-west-1"].region == "us-west-1"
    assert listings["gpu_1x_a10/us-west-1"].stock is StockLevel.AVAILABLE


def test_a_type_without_regions_is_sold_out(listings: dict[str, ListingRecord]) -> None:
    record = listings["gpu_8x_h100_sxm5/"]
    assert (record.region, record.stock) == ("", StockLevel.NONE)


def test_cents_become_dollars_for_the_instance(listings: dict[str, ListingRecord]) -> None:
    asked = listings["gpu_8x_h100_sxm5/"].price
    assert asked is not None
    assert (asked.raw, asked.amount, asked.per) == ("3240", Decimal("32.40"), Per.INSTANCE)


def test_the_gpu_is_read_from_its_description(listings: dict[str, ListingRecord]) -> None:
    record = listings["gpu_8x_h100_sxm5/"]
    assert (record.gpu_name, record.gpu_count, record.vram_gb) == ("H100 (80 GB SXM5)", 8, 80)


def test_an_older_answer_tells_gpu_and_count_in_the_types_description_alone(
    listings: dict[str, ListingRecord],
) -> None:
    record = listings["gpu_8x_v100_n/"]
    assert (record.gpu_name, record.gpu_count, record.vram_gb) == ("Tesla V100 (16 GB)", 8, 16)


def test_an_answer_without_any_specs_is_read_too() -> None:
    records, bad = types(specs=..., gpu_description=...)
    assert bad == []
    assert [(r.gpu_count, r.extras) for r in records] == [(1, {})]


def test_the_disk_stands_beside_the_price(listings: dict[str, ListingRecord]) -> None:
    assert listings["gpu_1x_gh200/us-east-3"].extras == {"disk_gb": Decimal(1400)}


def test_types_without_a_gpu_are_left_out() -> None:
    assert types(specs={"gpus": 0}, gpu_description="N/A", description="4x CPU") == ([], [])


@pytest.mark.parametrize("description", ["2x secret", "", "8x H100", "H100 (80 TB)"])
def test_a_gpu_that_cannot_be_read_is_set_aside(description: str) -> None:
    records, bad = types(description=description, gpu_description="N/A")
    assert records == []
    assert [row.where for row in bad] == ["data[gpu_1x_a10]"]
    assert description in bad[0].reason
