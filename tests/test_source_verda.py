"""Verda: prices as text, memory that is now the total and now one GPU's, stock behind a key."""

from __future__ import annotations

from decimal import Decimal

import pytest

from providers.sources.base import MalformedError, RefusedError, StockLevel, UnreachableError
from tests.recorded_http import RecordedHttp, answered, body, page, read, source

KEY = "an-id:a-secret"
TYPES = body("verda", "types")


def names(records: dict[str, object]) -> list[str]:
    return [name.removeprefix("verda/instances ") for name in records]


def test_a_type_is_one_row_with_its_price_from_the_text() -> None:
    records, bad = answered("verda")
    row = records["verda/instances 1H200.141S.44V"]
    assert row.price is not None
    assert row.spot_price is not None
    assert (row.price.raw, row.price.amount, row.price.currency) == ("3.45", Decimal("3.45"), "USD")
    assert (row.spot_price.amount, row.spot, row.gpu_name) == (
        Decimal("1.21"),
        True,
        "H200 SXM5 141GB",
    )
    assert not bad


def test_nodes_without_a_gpu_are_left_out_and_repeats_are_one() -> None:
    records, _bad = answered("verda")
    assert "CPU.180V.720G" not in names(dict(records))
    assert len(records) == len({row["instance_type"] for row in TYPES}) - 1


@pytest.mark.parametrize(
    ("key", "vram"), [("2B300.60V", 268), ("8H100.80S.176V", 80), ("4RTX6000ADA.40V", 48)]
)
def test_memory_is_that_of_one_gpu(key: str, vram: int) -> None:
    """Eight H100 are told with 640 GB, two B300 with 268: the name has one GPU's."""
    records, _bad = answered("verda")
    assert records[f"verda/instances {key}"].vram_gb == vram


def test_a_name_without_memory_has_its_share_of_the_total() -> None:
    row = TYPES[1] | {"name": None, "gpu": {"description": "8x H100 SXM5", "number_of_gpus": 8}}
    records, _bad = read(source("verda"), [page([row], "types")])
    (record,) = records.values()
    assert (record.gpu_name, record.vram_gb) == ("H100 SXM5", 80)


def test_no_spot_price_does_not_say_that_there_is_no_spot() -> None:
    records, _bad = answered("verda")
    for key in ("8H100.80S.176V", "1V100.6V"):  # null, "0"
        row = records[f"verda/instances {key}"]
        assert (row.spot_price, row.spot) == (None, None)


def test_a_price_of_zero_is_no_price() -> None:
    records, _bad = answered("verda")
    row = records["verda/instances 1L40S.20V"]
    assert row.price is None
    assert row.spot_price is not None


def test_without_a_key_stock_is_unknown_and_not_asked_for() -> None:
    http = RecordedHttp("verda")
    pages = list(source("verda").fetch(http))
    assert [call.path for call in http.calls] == ["/v1/instance-types"]
    records, _bad = read(source("verda"), pages)
    assert {row.stock for row in records.values()} == {StockLevel.UNKNOWN}


def test_with_a_key_stock_is_what_any_location_has() -> None:
    records, _bad = answered("verda", KEY)
    stock = {row.key: row.stock for row in records.values()}
    assert stock["2B300.60V"] == stock["1V100.6V"] == StockLevel.AVAILABLE
    assert stock["1H200.141S.44V"] == StockLevel.NONE


def test_the_key_is_exchanged_for_a_token() -> None:
    http = RecordedHttp("verda")
    list(source("verda", KEY).fetch(http))
    assert http.calls[1].sent == {
        "grant_type": "client_credentials",
        "client_id": "an-id",
        "client_secret": "a-secret",
    }
    assert http.calls[2].headers == {"Authorization": "Bearer a-token"}


@pytest.mark.parametrize("path", ["/v1/oauth2/token", "/v1/instance-availability"])
@pytest.mark.parametrize("fault", [RefusedError("401"), UnreachableError("500")])
def test_stock_that_fails_leaves_the_same_rows_with_unknown_stock(
    path: str, fault: Exception
) -> None:
    broken, _bad = answered("verda", KEY, {path: fault})  # type: ignore[dict-item]
    whole, _bad = answered("verda", KEY)
    assert broken.keys() == whole.keys()
    assert {row.stock for row in broken.values()} == {StockLevel.UNKNOWN}


def test_another_currency_is_kept_as_such() -> None:
    records, _bad = read(source("verda"), [page([TYPES[0] | {"currency": "eur"}], "types")])
    (record,) = records.values()
    assert record.price is not None
    assert record.price.currency == "EUR"


def test_a_row_without_its_price_is_put_aside_with_the_reason() -> None:
    row = {name: value for name, value in TYPES[0].items() if name != "price_per_hour"}
    records, bad = read(source("verda"), [page([row, TYPES[1]], "types")])
    assert len(records) == 1
    assert [(b.where, b.reason) for b in bad] == [("types[0]", "price_per_hour: Field required")]


def test_stock_alone_is_no_answer() -> None:
    with pytest.raises(MalformedError, match="no answer for types"):
        read(source("verda"), [page([], "availability")])
