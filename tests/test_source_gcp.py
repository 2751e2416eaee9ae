"""Google Cloud: from the parts of the billing catalog to what a machine costs."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.sources.base import BadRow, ListingRecord, MalformedError, Per, RefusedError
from providers.sources.gcp import MAX_PAGES, Sku, UnitPrice
from providers.sources.gcp_machines import machines
from tests.recorded_http import Call, RecordedHttp, answered, body, page, read, source

KEY = "sample-key"
# The columns of a machine in a sample region, each priced by its part.
H100, CORE, RAM, SSD = (Decimal(text) for text in ("10.5", "0.03", "0.0025", "0.00011"))


@pytest.fixture(scope="module")
def rows() -> dict[str, ListingRecord]:
    records, _bad = answered("gcp", KEY)
    return {row.key: row for row in records.values()}


def sku(description: str, **changes: Any) -> dict[str, Any]:
    """A good part under another name, changed."""
    good: dict[str, Any] = body("gcp", "skus-1")["skus"][0]
    return good | {"description": description} | changes


def catalog(*changed: Mapping[str, Any]) -> tuple[dict[str, ListingRecord], list[BadRow]]:
    return read(source("gcp", KEY), [page({"skus": list(changed)}, "skus")])


def rate(units: object, nanos: object = 0) -> list[dict[str, Any]]:
    tier = {"unitPrice": {"currencyCode": "USD", "units": units, "nanos": nanos}}
    return [{"pricingExpression": {"usageUnit": "h", "tieredRates": [tier]}}]


class Told(RecordedHttp):
    """Each call gets what `answer` makes of its number."""

    def __init__(self, answer: Any) -> None:
        super().__init__("gcp")
        self.answer = answer

    def _answer(self, call: Call) -> bytes:
        self.calls.append(call)
        made: bytes = page(self.answer(len(self.calls))).body
        return made


# --- Summing ------------------------------------------------------------------------


def test_a_machine_costs_all_its_parts(rows: dict[str, ListingRecord]) -> None:
    row = rows["us-central1/a3-highgpu-8g"]
    assert row.price
    assert row.price.amount == 8 * H100 + 208 * CORE + 1872 * RAM + 6000 * SSD
    assert row.price.raw == "8*10.5 + 208*0.03 + 1872*0.0025 + 6000*0.00011"
    assert row.price.per == Per.INSTANCE


def test_spot_is_summed_of_spot_parts(rows: dict[str, ListingRecord]) -> None:
    row = rows["us-central1/a3-highgpu-8g"]
    assert row.spot
    assert row.spot_price
    assert row.spot_price.raw == "8*3.25 + 208*0.01 + 1872*0.001 + 6000*0.00005"


def test_a_machine_that_is_only_sold_as_spot_has_no_other_price(
    rows: dict[str, ListingRecord],
) -> None:
    row = rows["us-central1/a3-highgpu-1g"]
    assert row.price is None
    assert row.spot_price


def test_it_is_not_listed_where_its_gpu_is_not_sold_as_spot() -> None:
    records, _bad = catalog(sku("Nvidia H100 80GB GPU running in Iowa"))
    assert [row.key for row in records.values()] == ["us-central1/a3-highgpu-8g"]


def test_a_slice_with_all_its_cores_is_priced_alone(rows: dict[str, ListingRecord]) -> None:
    row = rows["europe-west1/a4-highgpu-8g"]
    assert row.spot_price
    assert (row.spot_price.raw, row.spot_price.amount) == ("8*7.25", Decimal(58))


def test_a_part_filed_as_on_demand_is_spot_when_its_text_says_so(
    rows: dict[str, ListingRecord],
) -> None:
    """Were it taken at its category, the spot price would be the price of the other."""
    assert rows["europe-west1/a4-highgpu-8g"].spot is True


def test_a_sum_without_one_of_its_parts_is_no_price(rows: dict[str, ListingRecord]) -> None:
    assert rows["us-central1/a2-highgpu-8g"].price is None
    assert rows["us-central1/a3-megagpu-8g"].spot_price is None


def test_a_part_that_has_had_two_names_is_found_by_either(rows: dict[str, ListingRecord]) -> None:
    row = rows["us-central1/a3-megagpu-8g"]
    assert row.price
    assert row.price.raw.startswith("8*10.75 + ")


def test_a_price_of_zero_is_none_and_the_machine_stands(rows: dict[str, ListingRecord]) -> None:
    row = rows["us-central1/g4-standard-48"]
    assert row.price is None
    assert row.vram_gb == 96


def test_the_last_tier_counts_for_the_first_is_free(rows: dict[str, ListingRecord]) -> None:
    row = rows["europe-west4/g2-standard-96"]
    assert row.price
    assert row.price.raw.startswith("8*0.6 + ")
    assert (row.gpu_name, row.gpu_count) == ("L4", 8)


def test_a_machine_stands_only_where_its_gpu_has_a_part(rows: dict[str, ListingRecord]) -> None:
    assert {row.region for row in rows.values() if row.gpu_name == "L4"} == {"europe-west4"}


def test_spot_is_unknown_where_no_spot_price_can_be_summed(rows: dict[str, ListingRecord]) -> None:
    assert rows["europe-west4/g2-standard-4"].spot is None


def test_what_a_price_is_summed_of_stays_short(rows: dict[str, ListingRecord]) -> None:
    told = [row.price.raw for row in rows.values() if row.price]
    assert told
    assert max(map(len, told)) <= 64


@given(units=st.integers(0, 10**6), nanos=st.integers(0, 10**9 - 1))
def test_units_and_nanos_are_one_exact_number(units: int, nanos: int) -> None:
    told = {"currencyCode": "USD", "units": str(units), "nanos": nanos}
    expression = {"usageUnit": "h", "tieredRates": [{"unitPrice": told}]}
    part = Sku.model_validate(sku("Nvidia L4 GPU", pricingInfo=[{"pricingExpression": expression}]))
    assert part.per_hour() == Decimal(f"{units}.{nanos:09d}")


def test_units_may_be_left_out() -> None:
    assert UnitPrice.model_validate({"currencyCode": "USD", "nanos": 5}).units == 0


# --- Reading ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "description",
    [
        "Commitment v1: Nvidia L4 GPU running in Iowa for 1 Year",
        "Nvidia L4 GPU Sole Tenancy running in Iowa",
        "Reserved Nvidia L4 GPU running in Iowa",
        "DWS Calendar Mode Nvidia L4 GPU running in Iowa",
        "Flex Start Nvidia L4 GPU running in Iowa",
        "Nvidia L4 GPU suspended running in Iowa",
    ],
)
def test_other_terms_of_sale_are_left_out(description: str) -> None:
    assert catalog(sku(description)) == ({}, [])


def test_a_commitment_is_known_by_its_category_too() -> None:
    category = {"resourceGroup": "GPU", "usageType": "Commit3Yr"}
    assert catalog(sku("Nvidia L4 GPU running in Iowa", category=category)) == ({}, [])


@pytest.mark.parametrize(
    "description",
    [
        "RTX 6000 96GB (1/8 gpu slice) running in Iowa",
        "Spot Preemptible RTX 6000 96GB (1/2 gpu slice) running in Iowa",
        "Nvidia Tesla T4 GPU attached to Spot Preemptible VMs running in Iowa",
        "H200 141GB GPU running in Iowa",
    ],
)
def test_parts_that_make_no_listing_are_left_out_on_purpose(description: str) -> None:
    assert catalog(sku(description)) == ({}, [])


def test_a_gpu_that_no_table_knows_is_reported() -> None:
    records, bad = catalog(sku("Nvidia Z900 GPU running in Iowa"))
    assert not records
    assert [row.where for row in bad] == ["skus[0]"]
    assert "'Nvidia Z900 GPU'" in bad[0].reason


def test_it_is_reported_once_however_many_regions_have_it() -> None:
    places = ("Iowa", "Belgium", "Netherlands")
    _records, bad = catalog(*(sku(f"Nvidia Z900 GPU running in {place}") for place in places))
    assert [row.where for row in bad] == ["skus[0]"]


def test_parts_of_other_machines_are_passed_over_without_a_word() -> None:
    category = {"resourceGroup": "CPU", "usageType": "OnDemand"}
    broken = sku("N2 Instance Core running in Iowa", category=category, pricingInfo="none")
    assert catalog(broken) == ({}, [])


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"pricingInfo": []}, "pricingInfo"),
        ({"pricingInfo": None}, "pricingInfo"),
        ({"pricingInfo": rate("many")}, "units"),
        ({"pricingInfo": rate("1", "few")}, "nanos"),
        ({"serviceRegions": "us-central1"}, "serviceRegions"),
        ({"category": {"resourceGroup": "GPU"}}, "usageType"),
    ],
)
def test_a_part_that_cannot_be_read_names_its_field(change: Mapping[str, Any], field: str) -> None:
    records, bad = catalog(sku("Nvidia L4 GPU running in Iowa", **change))
    assert not records
    assert [field in row.reason for row in bad] == [True]


@pytest.mark.parametrize("item", ["text", None, 7, {"description": None}])
def test_an_item_that_is_no_part_is_a_bad_row(item: Any) -> None:
    records, bad = read(source("gcp", KEY), [page({"skus": [item]}, "skus")])
    assert not records
    assert [row.where for row in bad] == ["skus[0]"]


@pytest.mark.parametrize("units", ["-5", "0"])
def test_a_part_for_nothing_gives_no_price(units: str) -> None:
    records, _bad = catalog(
        sku("A4 Nvidia B200 (1 gpu slice) running in Iowa", pricingInfo=rate(units)),
        sku("Spot Preemptible A4 Nvidia B200 (1 gpu slice)", pricingInfo=rate(units)),
    )
    (row,) = records.values()
    assert (row.price, row.spot_price) == (None, None)


@pytest.mark.parametrize("content", [{}, [], {"skus": None}, {"skus": {"a": 1}}])
def test_another_shape_is_malformed(content: Any) -> None:
    with pytest.raises(MalformedError):
        list(source("gcp", KEY).parse([page(content)]))


def test_every_machine_of_the_table_can_be_listed() -> None:
    names = {name for row in machines().values() for name in row.gpu_part.split("|")}
    told = [f"{term}{name} running in Iowa" for name in names for term in ("", "Spot Preemptible ")]
    records, bad = catalog(*map(sku, told))
    assert not bad
    assert {row.key.partition("/")[2] for row in records.values()} == machines().keys()


# --- Asking -------------------------------------------------------------------------


def test_the_key_goes_in_a_header_never_in_the_address() -> None:
    http = RecordedHttp("gcp")
    pages = list(source("gcp", KEY).fetch(http))
    assert [answer.name for answer in pages] == ["skus:1", "skus:2"]
    for call in http.calls:
        assert call.headers == {"X-Goog-Api-Key": KEY}
        assert KEY not in f"{call.path} {call.params}"


def test_a_token_leads_to_the_next_page() -> None:
    http = RecordedHttp("gcp")
    list(source("gcp", KEY).fetch(http))
    assert http.calls[-1].params["pageToken"] == "sample-two"


@pytest.mark.parametrize(
    "answer",
    [
        {"skus": [1], "nextPageToken": "same"},
        {"skus": [], "nextPageToken": "another"},
    ],
)
def test_pages_that_bring_nothing_new_are_the_last(answer: Any) -> None:
    http = Told(lambda _number: answer)
    assert len(list(source("gcp", KEY).fetch(http))) <= 2


@pytest.mark.parametrize("answer", [None, [], "text", 7, {}])
def test_a_page_of_another_shape_is_malformed_where_it_is_fetched(answer: Any) -> None:
    with pytest.raises(MalformedError):
        list(source("gcp", KEY).fetch(Told(lambda _number: answer)))


def test_pages_without_an_end_are_malformed() -> None:
    http = Told(lambda number: {"skus": [number], "nextPageToken": f"token-{number}"})
    with pytest.raises(MalformedError, match="more than"):
        list(source("gcp", KEY).fetch(http))
    assert len(http.calls) == MAX_PAGES


def test_a_refused_key_is_told_without_it() -> None:
    http = RecordedHttp("gcp", {"/v1/services/6F81-5844-456A/skus": RefusedError("403")})
    with pytest.raises(RefusedError) as raised:
        list(source("gcp", KEY).fetch(http))
    assert KEY not in str(raised.value)
