"""AWS: a price list of hundreds of MB, read while it streams."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.sources.base import (
    BadRow,
    ListingRecord,
    MalformedError,
    UnreachableError,
)
from providers.sources.price_list import thinned
from tests.recorded_http import RecordedHttp, answered, body, page, read, source

MB = 1024**2
INDEX = "/offers/v1.0/aws/AmazonEC2/current/region_index.json"
LIST = "/offers/v1.0/aws/AmazonEC2/20260930000000/eu-west-1/index.json"
SAMPLE = body("aws", "eu-west-1")
FIRST = "SAMPLE0000000001"


@pytest.fixture(scope="module")
def rows() -> dict[str, ListingRecord]:
    records, _bad = answered("aws")
    return {row.key: row for row in records.values()}


def changed(**attributes: Any) -> list[ListingRecord | BadRow]:
    """What comes of the first product with other attributes; None takes one away."""
    told = SAMPLE["products"][FIRST]["attributes"] | attributes
    kept = {name: value for name, value in told.items() if value is not None}
    products = {FIRST: SAMPLE["products"][FIRST] | {"attributes": kept}}
    return list(source("aws").parse([page({"products": products, "terms": SAMPLE["terms"]})]))


def priced(terms: Any) -> ListingRecord | BadRow:
    content = {
        "products": {FIRST: SAMPLE["products"][FIRST]},
        "terms": {"OnDemand": {FIRST: terms}},
    }
    (row,) = source("aws").parse([page(content)])
    return row


def chunks(text: bytes, size: int) -> Iterator[bytes]:
    return (text[start : start + size] for start in range(0, len(text), size))


def gpu(product: Any) -> bool:
    return bool(product["attributes"].get("gpu", "0") != "0")


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


# --- Streaming ----------------------------------------------------------------------


@given(size=st.integers(1, 4000))
def test_wherever_the_stream_is_cut_the_same_is_kept(size: int) -> None:
    text = json.dumps(SAMPLE).encode()
    kept = thinned(chunks(text, size), "eu-west-1", gpu)
    assert kept["products"].keys() == {
        sku for sku, entry in SAMPLE["products"].items() if gpu(entry)
    }
    assert kept["terms"]["OnDemand"] == {
        sku: terms for sku, terms in SAMPLE["terms"]["OnDemand"].items() if sku in kept["products"]
    }


def test_what_was_thinned_out_reads_as_the_whole_list_does() -> None:
    whole = read(source("aws"), [page(SAMPLE, "eu-west-1")])
    origin = source("aws")
    streamed = [each for each in origin.fetch(RecordedHttp("aws")) if each.name == "eu-west-1"]
    assert len(streamed[0].body) < len(json.dumps(SAMPLE))
    assert read(origin, streamed) == whole


@pytest.mark.parametrize("left", [0.2, 0.5, 0.8])
def test_a_list_that_ends_in_the_middle_is_malformed(left: float) -> None:
    text = json.dumps(SAMPLE).encode()
    with pytest.raises(MalformedError):
        thinned([text[: int(len(text) * left)]], "eu-west-1", gpu)


@pytest.mark.parametrize(
    "text",
    [b"<html>no</html>", b"", b"null", b"[]", b"{}", b'{"products": {}}', b'\xff{"products": 1}'],
)
def test_what_is_no_price_list_is_malformed(text: bytes) -> None:
    with pytest.raises(MalformedError, match="eu-west-1"):
        thinned([text], "eu-west-1", gpu)


@given(size=st.integers(1, 4000))
def test_products_behind_terms_are_malformed_for_their_prices_are_gone(size: int) -> None:
    turned = {"terms": SAMPLE["terms"], "products": SAMPLE["products"]}
    with pytest.raises(MalformedError, match="behind terms"):
        thinned(chunks(json.dumps(turned).encode(), size), "eu-west-1", gpu)


class Stream(RecordedHttp):
    """Streams a made body, and knows how much of it was read and whether it was closed."""

    def __init__(self, parts: Iterable[bytes]) -> None:
        super().__init__("aws")
        self.parts = parts
        self.sent = 0
        self.closed = False

    def stream(self, path: str, *, host: str = "") -> Generator[bytes, None, None]:
        try:
            for part in self.parts:
                self.sent += len(part)
                yield part
        finally:
            self.closed = True


def huge(entries: int, reserved: int) -> Iterator[bytes]:
    """A price list with long entries; one product in a hundred has a GPU."""
    yield b'{"formatVersion": "v1.0", "products": {'
    filler = "x" * 30_000
    attributes = SAMPLE["products"][FIRST]["attributes"]
    for number in range(entries):
        sku = f"S{number}"
        told = (
            attributes | {"instanceType": f"p5.size{number}"}
            if number % 100 == 0
            else {"instanceType": "m5.large", "gpu": "0", "filler": filler}
        )
        product = {"sku": sku, "productFamily": "Compute Instance", "attributes": told}
        yield f'{"," if number else ""}"{sku}": {json.dumps(product)}'.encode()
    yield b'}, "terms": {"OnDemand": {'
    terms = json.dumps(SAMPLE["terms"]["OnDemand"][FIRST])
    for number in range(entries):
        yield f'{"," if number else ""}"S{number}": {terms}'.encode()
    yield b'}, "Reserved": {'
    for number in range(reserved):
        yield f'{"," if number else ""}"R{number}": {terms}'.encode()
    yield b"}}}"


def batches(parts: Iterable[bytes], size: int = 64 * 1024) -> Iterator[bytes]:
    """The parts joined to chunks as a network delivers them."""
    held, length = [], 0
    for part in parts:
        held.append(part)
        length += len(part)
        if length >= size:
            yield b"".join(held)
            held, length = [], 0
    yield b"".join(held)


def test_a_body_of_more_than_50_mb_is_read_within_2_mb() -> None:
    http = Stream(batches(huge(entries=2000, reserved=0)))
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        first = next(source("aws").fetch(http))
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    assert http.sent > 50 * MB
    assert peak < 2 * MB
    assert len(first.json()["products"]) == 20
    records, bad = read(source("aws"), [first])
    assert not bad
    assert len(records) == 20


def test_the_reserved_terms_behind_are_not_even_fetched() -> None:
    size = sum(map(len, huge(entries=100, reserved=20_000)))
    http = Stream(batches(huge(entries=100, reserved=20_000)))
    next(source("aws").fetch(http))
    assert http.sent < size / 2
    assert http.closed


# --- Asking -------------------------------------------------------------------------


def test_each_region_of_the_index_is_streamed_once() -> None:
    http = RecordedHttp("aws")
    assert [each.name for each in source("aws").fetch(http)] == ["eu-west-1", "us-west-2-lax-1"]
    assert [call.path for call in http.calls] == [
        INDEX,
        LIST,
        LIST.replace("eu-west-1", "us-west-2-lax-1"),
    ]


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
