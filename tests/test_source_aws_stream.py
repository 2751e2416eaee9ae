"""AWS: a price list of hundreds of MB, read while it streams."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Generator, Iterable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.sources.base import MalformedError
from providers.sources.price_list import thinned
from tests.aws_lists import FIRST, SAMPLE
from tests.recorded_http import RecordedHttp, page, read, source

MB = 1024**2


def chunks(text: bytes, size: int) -> Iterator[bytes]:
    return (text[start : start + size] for start in range(0, len(text), size))


def gpu(product: Any) -> bool:
    return bool(product["attributes"].get("gpu", "0") != "0")


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
    [
        b"<html>no</html>",
        b"",
        b"null",
        b"[]",
        b"{}",
        b'{"products": {}}',
        b'{"products": [], "terms": {}}',
        b'{"products": {}, "terms": []}',
        b'{"products": {}, "terms": {"OnDemand": {"A": {}}}}',  # prices of what?
        b'\xff{"products": 1}',
    ],
)
def test_what_is_no_price_list_is_malformed(text: bytes) -> None:
    with pytest.raises(MalformedError, match="eu-west-1"):
        thinned([text], "eu-west-1", gpu)


@pytest.mark.parametrize("terms", [{}, {"OnDemand": {}}])
@given(size=st.integers(1, 40))
def test_a_list_may_say_that_there_are_no_products(terms: Any, size: int) -> None:
    text = json.dumps({"formatVersion": "v1.0", "products": {}, "terms": terms}).encode()
    kept = thinned(chunks(text, size), "eu-south-2", gpu)
    assert kept == {"products": {}, "terms": {"OnDemand": {}}}


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
