"""AWS: what a price list says of GPU instances, and how its lists are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from providers.sources.base import (
    BadRow,
    Found,
    ListingRecord,
    MalformedError,
    UnreachableError,
    Untold,
)
from tests.aws_lists import FIRST, SAMPLE
from tests.recorded_http import Call, RecordedHttp, answered, left_open, page, read, source

INDEX = "/offers/v1.0/aws/AmazonEC2/current/region_index.json"
LIST = "/offers/v1.0/aws/AmazonEC2/20260930000000/eu-west-1/index.json"


@pytest.fixture(scope="module")
def rows() -> dict[str, ListingRecord]:
    records, _bad = answered("aws")
    return {row.key: row for row in records.values()}


def changed(**attributes: Any) -> list[Found]:
    """What comes of the first product with other attributes; None takes one away."""
    told = SAMPLE["products"][FIRST]["attributes"] | attributes
    kept = {name: value for name, value in told.items() if value is not None}
    products = {FIRST: SAMPLE["products"][FIRST] | {"attributes": kept}}
    found = source("aws").parse([page({"products": products, "terms": SAMPLE["terms"]})])
    return [row for row in found if not isinstance(row, Untold)]


def priced(terms: Any) -> Found:
    content = {
        "products": {FIRST: SAMPLE["products"][FIRST]},
        "terms": {"OnDemand": {FIRST: terms}},
    }
    (row,) = source("aws").parse([page(content)])
    return row


# --- Reading ------------------------------------------------------------------------


def test_an_instance_type_of_a_region_is_a_row(rows: dict[str, ListingRecord]) -> None:
    row = rows["eu-west-1/p5.48xlarge"]
    assert row.offering == "aws/ec2-dlami"
    assert (row.gpu_name, row.gpu_count, row.vram_gb) == ("H100 SXM", 8, 80)
    assert row.price
    assert (row.price.raw, row.price.currency) == ("61.5000000000", "USD")


def test_a_local_zone_is_a_region_of_its_own(rows: dict[str, ListingRecord]) -> None:
    assert rows["us-west-2-lax-1/g4dn.2xlarge"].region == "us-west-2-lax-1"


def test_the_list_knows_no_spot(rows: dict[str, ListingRecord]) -> None:
    assert {row.spot for row in rows.values()} == {None}


def test_a_price_of_zero_is_none(rows: dict[str, ListingRecord]) -> None:
    assert rows["eu-west-1/p4de.24xlarge"].price is None


def test_only_ordinary_gpu_instances_are_rows(rows: dict[str, ListingRecord]) -> None:
    assert rows.keys() == {
        "eu-west-1/p5.48xlarge",
        "eu-west-1/g6.4xlarge",
        "eu-west-1/p4de.24xlarge",
        "eu-west-1/p6-b300.48xlarge",
        "us-west-2-lax-1/g4dn.2xlarge",
    }


def test_what_cannot_be_read_is_told_with_its_place() -> None:
    _records, bad = answered("aws")
    assert [row.where for row in bad] == [
        f"eu-west-1.products[SAMPLE000000000{number}]" for number in (7, 8, 9)
    ]
    assert "the family of x99.large is in no table" in bad[0].reason
    assert bad[1].reason.startswith("attributes.gpu")
    assert "eu-west-1/g6.4xlarge stands twice" in bad[2].reason


@pytest.mark.parametrize(
    "attributes",
    [
        {"operatingSystem": "Windows"},
        {"tenancy": "Dedicated"},
        {"capacitystatus": "UnusedCapacityReservation"},
        {"capacitystatus": "AllocatedCapacityReservation"},
        {"preInstalledSw": "SQL Ent"},
        {"licenseModel": "Bring your own license"},
        {"marketoption": "CapacityBlock"},
        {"locationType": "AWS Outposts"},
        {"instanceType": "m5.large", "gpu": "0"},
        {"instanceType": "m5.large", "gpu": None},
        {"instanceType": "g6f.xlarge", "gpu": "0.125"},
        {"instanceType": "unheard.large", "gpu": "0.5"},
    ],
)
def test_what_is_no_ordinary_whole_gpu_gives_nothing(attributes: Mapping[str, Any]) -> None:
    assert changed(**attributes) == []


def test_an_unknown_family_is_told_once_in_whatever_region_it_is() -> None:
    good = SAMPLE["products"][FIRST]
    sizes = [("x99.large", "eu-west-1"), ("x99.huge", "eu-west-1"), ("x99.large", "us-east-1")]
    products = {
        str(place): good
        | {"attributes": good["attributes"] | {"instanceType": size, "regionCode": at}}
        for place, (size, at) in enumerate(sizes)
    }
    content = {"products": products, "terms": {"OnDemand": {}}}
    records, bad = read(source("aws"), [page(content)])
    assert not records
    assert [row.where for row in bad] == ["page.products[0]"]


@pytest.mark.parametrize("count", ["none", "-8", None])
def test_a_family_with_gpus_must_say_how_many(count: str | None) -> None:
    (row,) = changed(gpu=count)
    assert isinstance(row, BadRow)
    assert row.reason.startswith("attributes.gpu")


def test_attributes_that_are_missing_are_not_held_against_a_row() -> None:
    (row,) = changed(marketoption=None, locationType=None)
    assert isinstance(row, ListingRecord)


@pytest.mark.parametrize(
    "per_unit", [{"USD": "0.0000000000"}, {"USD": "NaN"}, {"USD": ""}, {"CNY": "9.5"}, {}]
)
def test_what_is_no_price_in_dollars_is_none(per_unit: Mapping[str, str]) -> None:
    row = priced({"t": {"priceDimensions": {"d": {"unit": "Hrs", "pricePerUnit": per_unit}}}})
    assert isinstance(row, ListingRecord)
    assert row.price is None


def test_only_hours_are_a_price() -> None:
    upfront = {"unit": "Quantity", "pricePerUnit": {"USD": "9000"}}
    hourly = {"unit": "Hrs", "pricePerUnit": {"USD": "2.5"}}
    row = priced({"t": {"priceDimensions": {"a": upfront, "b": hourly}}})
    assert isinstance(row, ListingRecord)
    assert row.price
    assert row.price.raw == "2.5"


@pytest.mark.parametrize("terms", [[], "none", {"t": None}, {"t": {"priceDimensions": []}}])
def test_terms_of_another_shape_are_a_bad_row(terms: Any) -> None:
    row = priced(terms)
    assert isinstance(row, BadRow)
    assert row.reason.startswith("terms:")


@pytest.mark.parametrize(
    "content",
    [
        {},
        [],
        {"products": {}},
        {"products": [], "terms": {"OnDemand": {}}},
        {"products": {}, "terms": {}},
    ],
)
def test_another_shape_is_malformed(content: Any) -> None:
    with pytest.raises(MalformedError):
        list(source("aws").parse([page(content)]))


# --- Asking -------------------------------------------------------------------------


def test_each_region_of_the_index_is_streamed_once() -> None:
    http = RecordedHttp("aws")
    assert [each.name for each in source("aws").fetch(http)] == ["eu-west-1", "us-west-2-lax-1"]
    assert [call.path for call in http.calls] == [
        INDEX,
        LIST,
        LIST.replace("eu-west-1", "us-west-2-lax-1"),
    ]


class Unopened(RecordedHttp):
    """Every region but `open` has a price list without products."""

    open = "eu-west-1"

    def _answer(self, call: Call) -> bytes:
        if call.path == INDEX or (self.open and self.open in call.path):
            return super()._answer(call)
        return b'{"products": {}, "terms": {"OnDemand": {}}}'


def test_a_region_without_products_stops_no_other_and_denies_nothing() -> None:
    origin = source("aws")
    records, _bad = read(origin, origin.fetch(Unopened("aws")))
    assert {row.region for row in records.values()} == {"eu-west-1"}
    assert left_open(origin, origin.fetch(Unopened("aws"))) == {"us-west-2-lax-1/"}


def test_no_region_with_products_is_no_listing_at_all() -> None:
    origin, http = source("aws"), Unopened("aws")
    http.open = ""
    assert read(origin, origin.fetch(http)) == ({}, [])


@pytest.mark.parametrize("path", [INDEX, LIST])
def test_a_failed_call_is_told(path: str) -> None:
    with pytest.raises(UnreachableError):
        answered("aws", broken={path: UnreachableError("no answer")})


@pytest.mark.parametrize(
    "regions",
    [None, [], {"eu-west-1": None}, {"eu-west-1": {}}]
    + [{"eu-west-1": {"currentVersionUrl": path}} for path in ("", 7, "https://x.example/offers/")],
)
def test_an_index_that_leads_nowhere_is_malformed(regions: Any) -> None:
    http = RecordedHttp("aws")
    content = page({"regions": regions}).body
    http._answer = lambda call: content  # type: ignore[method-assign]
    with pytest.raises(MalformedError, match="regions"):
        list(source("aws").fetch(http))
