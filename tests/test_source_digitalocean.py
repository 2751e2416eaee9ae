"""DigitalOcean: droplet sizes with a GPU, page by page."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from providers.sources.base import ListingRecord, MalformedError, StockLevel, ThrottledError
from providers.sources.digitalocean import MOST_PAGES
from tests.recorded_http import RecordedHttp, answered, body, page, read, source


@pytest.fixture(scope="module")
def listings() -> dict[str, ListingRecord]:
    return {record.key: record for record in answered("digitalocean", "a-key")[0].values()}


def size(**changes: Any) -> list[ListingRecord]:
    row = body("digitalocean", "sizes-2")["sizes"][1] | changes
    records, bad = read(source("digitalocean"), [page({"sizes": [row]})])
    assert bad == []
    return list(records.values())


class Pages(RecordedHttp):
    """Answers every page with the same function of its number."""

    def __init__(self, slug: Any) -> None:
        super().__init__("digitalocean")
        self.slug = slug

    def _answer(self, call: Any) -> bytes:
        self.calls.append(call)
        number = call.params["page"]
        links = {"pages": {"next": "https://api.digitalocean.com/v2/sizes?page=9"}}
        return page({"sizes": [{"slug": self.slug(number)}], "links": links}).body


def test_it_asks_page_by_page_with_the_token() -> None:
    http = RecordedHttp("digitalocean")
    pages = list(source("digitalocean", "a-key").fetch(http))
    assert [page.name for page in pages] == ["sizes-1", "sizes-2"]
    assert [(call.path, call.params) for call in http.calls] == [
        ("/v2/sizes", {"per_page": 200, "page": 1}),
        ("/v2/sizes", {"per_page": 200, "page": 2}),
    ]
    assert {call.headers["Authorization"] for call in http.calls} == {"Bearer a-key"}


def test_it_stops_at_a_page_that_brings_nothing_new() -> None:
    http = Pages(lambda number: "gpu-h100x1-80gb")
    assert len(list(source("digitalocean", "a-key").fetch(http))) == 1
    assert len(http.calls) == 2


def test_endless_pages_are_no_good_answer() -> None:
    http = Pages(lambda number: f"size-{number}")
    with pytest.raises(MalformedError, match=f"more than {MOST_PAGES} pages"):
        list(source("digitalocean", "a-key").fetch(http))
    assert len(http.calls) == MOST_PAGES


def test_a_page_that_fails_fails_the_source() -> None:
    http = RecordedHttp("digitalocean", {"/v2/sizes": ThrottledError("429")})
    with pytest.raises(ThrottledError):
        list(source("digitalocean", "a-key").fetch(http))


@pytest.mark.parametrize("second", [{"sizes": None}, {}, []])
def test_a_page_that_cannot_be_read_does_not_pass_for_the_last(second: Any) -> None:
    class SecondIsOdd(RecordedHttp):
        def _answer(self, call: Any) -> bytes:
            return page(second).body if self.calls else super()._answer(call)

    with pytest.raises(MalformedError):
        list(source("digitalocean", "a-key").fetch(SecondIsOdd("digitalocean")))


@pytest.mark.parametrize("links", [{}, None, {"pages": None}, {"pages": {"prev": "x"}}, "x"])
def test_links_without_a_next_page_are_the_end(links: Any) -> None:
    class One(RecordedHttp):
        def _answer(self, call: Any) -> bytes:
            self.calls.append(call)
            return page({"sizes": [], "links": links}).body

    http = One("digitalocean")
    list(source("digitalocean", "a-key").fetch(http))
    assert len(http.calls) == 1


def test_sizes_with_a_gpu_become_a_listing_a_region(listings: dict[str, ListingRecord]) -> None:
    assert list(listings) == [
        "gpu-h100x1-80gb/nyc2",
        "gpu-h100x1-80gb/tor1",
        "gpu-h100x8-640gb/nyc2",
        "gpu-mi300x8-1536gb/",
        "gpu-6000adax1-48gb/tor1",
        "gpu-l40sx1-48gb/tor1",
    ]


def test_memory_is_divided_by_the_number_of_gpus(listings: dict[str, ListingRecord]) -> None:
    memories = {record.key.partition("/")[0]: record.vram_gb for record in listings.values()}
    assert memories == {
        "gpu-h100x1-80gb": 80,
        "gpu-h100x8-640gb": 80,
        "gpu-mi300x8-1536gb": 192,
        "gpu-6000adax1-48gb": 48,
        "gpu-l40sx1-48gb": 48,
    }


def test_the_price_is_for_the_droplet(listings: dict[str, ListingRecord]) -> None:
    asked = listings["gpu-h100x8-640gb/nyc2"].price
    assert asked is not None
    assert (asked.amount, asked.per, asked.currency) == (Decimal("24.2"), "instance", "USD")
    assert listings["gpu-l40sx1-48gb/tor1"].price is None


def test_a_size_needs_both_a_region_and_the_word_that_it_is_available() -> None:
    assert [r.stock for r in size()] == [StockLevel.AVAILABLE]
    assert [(r.region, r.stock) for r in size(regions=[])] == [("", StockLevel.NONE)]
    assert [(r.region, r.stock) for r in size(available=False)] == [("nyc2", StockLevel.NONE)]


def test_disk_traffic_and_bandwidth_stand_beside_the_price() -> None:
    assert size()[0].extras == {
        "disk_gb": Decimal(720),
        "transfer_tb_month": Decimal("15.0"),
        "inet_mbps": Decimal(10000),
    }


def test_a_size_without_memory_leaves_it_open() -> None:
    assert size(gpu_info={"count": 8, "model": "nvidia_h100"})[0].vram_gb is None


def test_a_size_on_two_pages_is_one_listing() -> None:
    pages = [page(body("digitalocean", "sizes-2")) for _ in range(2)]
    once = read(source("digitalocean"), pages[:1])[0]
    assert read(source("digitalocean"), pages)[0] == once


def test_a_size_with_no_gpus_in_its_gpu_info_is_set_aside() -> None:
    row = body("digitalocean", "sizes-2")["sizes"][1] | {"gpu_info": {"count": 0, "model": "x"}}
    records, bad = read(source("digitalocean"), [page({"sizes": [row]}, "sizes-1")])
    assert records == {}
    assert [row.where for row in bad] == ["sizes-1.sizes[0]"]
    assert bad[0].reason.startswith("gpu_info.count: ")
