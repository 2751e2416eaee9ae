"""Oracle Cloud: list prices of a GPU and shapes that have several."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from providers.sources.base import (
    BadRow,
    ListingRecord,
    MalformedError,
    Page,
    Per,
    RefusedError,
    UnreachableError,
)
from tests.recorded_http import RecordedHttp, answered, body, page, read, source

SHAPES = "/www.oracle.com/a/ocom/docs/cloudestimator2/data/shapes.json"
PRICES = "/pls/apex/cetools/api/v1/products/"


@pytest.fixture(scope="module")
def rows() -> dict[str, ListingRecord]:
    records, _bad = answered("oracle")
    return {row.key: row for row in records.values()}


def pages(change: Mapping[str, Any]) -> list[Page]:
    """The samples' prices, and its first shape changed."""
    shape = body("oracle", "shapes")["items"][0] | dict(change)
    return [page(body("oracle", "products"), "products"), page({"items": [shape]}, "shapes")]


def only(change: Mapping[str, Any]) -> ListingRecord | BadRow:
    found = [
        row
        for row in source("oracle").parse(pages(change))
        if isinstance(row, ListingRecord)
        or (isinstance(row, BadRow) and row.where.startswith("shapes"))
    ]
    assert len(found) == 1
    return found[0]


def test_a_shape_costs_its_part_for_each_gpu(rows: dict[str, ListingRecord]) -> None:
    row = rows["BM.GPU.H100.8"]
    assert row.offering == "oracle-cloud/compute-gpu"
    assert (row.gpu_name, row.gpu_count, row.vram_gb) == ("H100 SXM", 8, 80)
    assert row.price
    assert (row.price.raw, row.price.per, row.price.currency) == ("11.5", Per.GPU, "USD")


def test_where_preemption_is_allowed_it_costs_half(rows: dict[str, ListingRecord]) -> None:
    row = rows["VM.GPU.A10.2"]
    assert row.spot
    assert row.spot_price
    assert (row.spot_price.raw, row.spot_price.amount) == ("2.5", Decimal("1.25"))


def test_where_it_is_not_allowed_there_is_no_spot(rows: dict[str, ListingRecord]) -> None:
    row = rows["BM.GPU.H100.8"]
    assert row.spot is False
    assert row.spot_price is None


def test_an_answer_that_does_not_say_leaves_spot_unknown() -> None:
    row = only({"allowPreemptible": None})
    assert isinstance(row, ListingRecord)
    assert row.spot is None
    assert row.spot_price is None


def test_the_rack_is_no_part_of_the_name_and_the_last_tier_counts(
    rows: dict[str, ListingRecord],
) -> None:
    row = rows["BM.GPU.GB200.4"]
    assert row.price
    assert row.price.raw == "17"


def test_a_price_of_zero_is_none(rows: dict[str, ListingRecord]) -> None:
    assert rows["BM.GPU.GB300.4"].price is None


def test_a_part_without_a_price_leaves_the_shape_without_one(
    rows: dict[str, ListingRecord],
) -> None:
    assert rows["BM.GPU.MI355X.8"].price is None


def test_memory_is_the_tables_for_the_estimators_is_wrong(rows: dict[str, ListingRecord]) -> None:
    assert rows["BM.GPU.MI355X.8"].vram_gb == 288
    assert rows["BM.GPU.GB200.4"].vram_gb == 186


def test_hidden_and_ended_shapes_and_those_without_gpus_are_left_out(
    rows: dict[str, ListingRecord],
) -> None:
    assert rows.keys() == {
        "BM.GPU.H100.8",
        "VM.GPU.A10.2",
        "BM.GPU.GB200.4",
        "BM.GPU.GB300.4",
        "BM.GPU.MI355X.8",
    }


def test_rows_name_no_region_for_prices_are_the_same_in_all(rows: dict[str, ListingRecord]) -> None:
    assert {row.region for row in rows.values()} == {""}


def test_what_cannot_be_read_is_told_with_its_place() -> None:
    _records, bad = answered("oracle")
    told = {row.where: row.reason for row in bad}
    assert told.keys() == {"products[5]", "shapes[8]", "shapes[9]"}
    assert "BM.GPU.NEVERSEEN.8 is in no table" in told["shapes[8]"]
    assert told["shapes[9]"].startswith("gpuQty")


@pytest.mark.parametrize(
    ("name", "gpu"),
    [
        ("VM.GPU3.4", "V100 SXM2 16GB"),
        ("BM.GPU4.8", "A100 SXM 40GB"),
        ("BM.GPU.A100-v2.8", "A100 SXM 80GB"),
        ("BM.GPU.GB300.4 (NVL72)", "GB300"),
        ("BM.GPU.RTXPRO.8", "RTX PRO 6000 Server"),
    ],
)
def test_the_series_is_what_stands_between_kind_and_count(name: str, gpu: str) -> None:
    row = only({"name": name})
    assert isinstance(row, ListingRecord)
    assert row.gpu_name == gpu


@pytest.mark.parametrize("name", ["BM.GPU.H100", "H100.8", "BM.GPU.H100.8 (new)", ""])
def test_a_name_of_another_form_is_a_bad_row(name: str) -> None:
    row = only({"name": name})
    assert isinstance(row, BadRow)
    assert row.reason.startswith("name:")


@pytest.mark.parametrize("count", [0, -8, None, "many", 2.5])
def test_a_gpu_shape_without_a_count_is_a_bad_row(count: object) -> None:
    row = only({"gpuQty": count})
    assert isinstance(row, BadRow)
    assert row.reason.startswith("gpuQty")


def test_a_shape_without_a_gpu_part_has_no_price() -> None:
    row = only({"products": [{"partNumber": "B98415", "type": {"value": "memory"}}]})
    assert isinstance(row, ListingRecord)
    assert row.price is None


def test_a_shape_that_is_no_object_is_a_bad_row() -> None:
    answers = [page({"items": []}, "products"), page({"items": ["BM.GPU.H100.8"]}, "shapes")]
    records, bad = read(source("oracle"), answers)
    assert not records
    assert [row.where for row in bad] == ["shapes[0]"]


@pytest.mark.parametrize("content", [{}, [], {"items": None}, {"items": {"a": 1}}])
def test_shapes_of_another_form_are_malformed(content: Any) -> None:
    answers = [page({"items": []}, "products"), page(content, "shapes")]
    with pytest.raises(MalformedError):
        list(source("oracle").parse(answers))


@pytest.mark.parametrize("missing", ["products", "shapes"])
def test_neither_answer_says_anything_without_the_other(missing: str) -> None:
    answers = [page({"items": []}, name) for name in ("products", "shapes") if name != missing]
    with pytest.raises(MalformedError, match=missing):
        list(source("oracle").parse(answers))


def test_prices_are_asked_in_dollars_and_shapes_of_the_other_host() -> None:
    http = RecordedHttp("oracle")
    assert [answer.name for answer in source("oracle").fetch(http)] == ["products", "shapes"]
    assert [call.path for call in http.calls] == [PRICES, SHAPES]
    assert http.calls[0].params == {"currencyCode": "USD"}


@pytest.mark.parametrize("path", [PRICES, SHAPES])
@pytest.mark.parametrize("fault", [UnreachableError("no answer"), RefusedError("404")])
def test_a_failed_call_is_told(path: str, fault: Exception) -> None:
    with pytest.raises(type(fault)):
        answered("oracle", broken={path: fault})  # type: ignore[dict-item]
