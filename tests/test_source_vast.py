"""Vast.ai: what its offers become, and how they are asked for."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from providers.sources.base import (
    ListingRecord,
    MalformedError,
    Page,
    Per,
    RefusedError,
    StockLevel,
)
from providers.sources.vast import LIMIT, MOST_PAGES, PATH
from tests.recorded_http import Call, RecordedHttp, answered, body, page, read, source

DOCKER = "vast-ai/docker-instances"
VM = "vast-ai/vm-instances"


@pytest.fixture(scope="module")
def listings() -> dict[str, ListingRecord]:
    return answered("vast")[0]


def one(**changes: Any) -> ListingRecord:
    """The listing of the sample's first offer with some of its fields changed."""
    row = {**body("vast", "offers-1")["offers"][0], **changes}
    records, bad = read(source("vast"), [page({"offers": [row]})])
    assert bad == []
    (record,) = records.values()
    return record


def nothing(**changes: Any) -> bool:
    row = {**body("vast", "offers-1")["offers"][0], **changes}
    return read(source("vast"), [page({"offers": [row]})]) == ({}, [])


class Endless:
    """A server that always has more offers, or that does not know the filter of ids."""

    def __init__(self, *, heeds_filter: bool) -> None:
        self.heeds_filter = heeds_filter
        self.calls: list[Any] = []

    def post(self, path: str, *, json: Any, headers: Any = None, host: str = "") -> bytes:
        self.calls.append(json)
        first = json["id"]["gt"] + 1 if self.heeds_filter else 1
        return page({"offers": [{"id": first}, {"id": first + 1}]}).body


# --- Asking ------------------------------------------------------------------------


def test_it_asks_for_all_offers_in_the_order_of_their_ids() -> None:
    http = RecordedHttp("vast")
    pages = list(source("vast").fetch(http))
    assert [call.path for call in http.calls] == [PATH, PATH, PATH]
    assert [call.sent["id"] for call in http.calls] == [{"gt": 0}, {"gt": 209}, {"gt": 315}]
    assert [page.name for page in pages] == ["offers-1", "offers-2"]


def test_it_says_what_the_server_would_otherwise_choose() -> None:
    http = RecordedHttp("vast")
    next(source("vast").fetch(http))
    assert http.calls == [
        Call(
            "POST",
            "/api/v0/bundles/",
            sent={
                "limit": LIMIT,
                "type": "ondemand",
                "verified": {"eq": True},
                "rentable": {"eq": True},
                "order": [["id", "asc"]],
                "id": {"gt": 0},
            },
        )
    ]


def test_it_asks_lazily() -> None:
    http = RecordedHttp("vast")
    pages = source("vast").fetch(http)
    assert http.calls == []
    next(pages)
    assert len(http.calls) == 1


def test_a_key_goes_into_the_header_alone() -> None:
    http = RecordedHttp("vast")
    next(source("vast", "a-key").fetch(http))
    assert http.calls[0].headers == {"Authorization": "Bearer a-key"}
    assert "a-key" not in str(http.calls[0].sent)


def test_a_server_that_ignores_the_filter_is_asked_twice() -> None:
    http = Endless(heeds_filter=False)
    assert len(list(source("vast").fetch(http))) == 1  # type: ignore[arg-type]
    assert len(http.calls) == 2


def test_endless_offers_are_no_good_answer() -> None:
    http = Endless(heeds_filter=True)
    with pytest.raises(MalformedError, match=f"more than {MOST_PAGES} pages"):
        list(source("vast").fetch(http))  # type: ignore[arg-type]
    assert len(http.calls) == MOST_PAGES


def test_a_refusal_is_the_sources_refusal() -> None:
    http = RecordedHttp("vast", {PATH: RefusedError("404")})
    with pytest.raises(RefusedError):
        list(source("vast").fetch(http))


@pytest.mark.parametrize("second", [{"offers": None}, {"offers": [{"price": 1}]}, {}, []])
def test_a_page_that_cannot_be_read_does_not_pass_for_the_last(second: Any) -> None:
    class SecondIsOdd(RecordedHttp):
        def _answer(self, call: Call) -> bytes:
            return page(second).body if self.calls else super()._answer(call)

    with pytest.raises(MalformedError):
        list(source("vast").fetch(SecondIsOdd("vast")))


# --- Reading -----------------------------------------------------------------------


def test_the_sample_becomes_these_listings(listings: dict[str, ListingRecord]) -> None:
    assert list(listings) == [
        f"{DOCKER} 7001/1x RTX 4090",
        f"{DOCKER} 7001/4x RTX 4090",
        f"{DOCKER} 7002/8x H100 SXM",
        f"{VM} 7002/8x H100 SXM",
        f"{DOCKER} 7003/1x B300 PC",
        f"{DOCKER} 7005/2x RX 7900 XTX",
        f"{DOCKER} 7010/1x RTX 4070S Ti",
        f"{DOCKER} 7012/1x L4",
    ]


def test_an_offer_tells_price_bid_host_and_driver() -> None:
    record = one()
    assert record.price is not None
    assert record.spot_price is not None
    assert (record.price.raw, record.price.amount) == ("0.41", Decimal("0.41"))
    assert record.price.per is Per.INSTANCE
    assert record.spot_price.amount == Decimal("0.22")
    assert (record.gpu_count, record.vram_gb, record.region) == (1, 24, "PT")
    assert (record.driver, record.cuda) == ("570.124.04", "12.8")
    assert (record.tier, record.stock, record.stock_count) == (
        "community",
        StockLevel.AVAILABLE,
        None,
    )


def test_disk_and_traffic_come_with_their_prices() -> None:
    assert one().extras == {
        "disk_gb": Decimal("640.5"),
        "disk_usd_gb_month": Decimal("0.12"),
        "inet_down_mbps": Decimal("905.4"),
        "inet_up_mbps": Decimal("480.2"),
        "inet_down_usd_gb": Decimal("0.003"),
        "inet_up_usd_gb": Decimal("0.005"),
    }


def test_an_offer_listed_anew_under_another_id_is_the_same_listing() -> None:
    assert one(id=900001, ask_contract_id=900001).key == one().key


def test_of_two_offers_of_the_same_share_the_cheaper_stands(
    listings: dict[str, ListingRecord],
) -> None:
    asked = listings[f"{DOCKER} 7001/1x RTX 4090"].price
    assert asked is not None
    assert asked.amount == Decimal("0.37")


def test_an_offer_without_a_price_gives_way_to_one_that_has_it() -> None:
    rows = body("vast", "offers-1")["offers"][:2]
    pages = [page({"offers": [{**rows[0], "dph_base": 0}, rows[1]]})]
    (record,) = read(source("vast"), pages)[0].values()
    assert record.price is not None
    assert record.price.amount == Decimal("0.37")


def test_a_repeated_page_changes_nothing() -> None:
    pages = [Page("offers", page(body("vast", name)).body) for name in ("offers-1", "offers-2")]
    once = read(source("vast"), pages)[0]
    assert read(source("vast"), [*pages, pages[0]])[0] == once


def test_a_host_with_virtual_machines_offers_both_kinds(
    listings: dict[str, ListingRecord],
) -> None:
    docker, vm = listings[f"{DOCKER} 7002/8x H100 SXM"], listings[f"{VM} 7002/8x H100 SXM"]
    assert docker.price == vm.price
    assert (docker.driver, docker.cuda, docker.spot) == ("580.95.05", "13.0", True)
    assert (vm.driver, vm.cuda, vm.spot, vm.spot_price) == ("", "", None, None)


@pytest.mark.parametrize(
    "changes",
    [
        {"rented": True},
        {"rentable": False},
        {"verification": "unverified"},
        {"verification": "deverified"},
        {"num_gpus": 0},
    ],
)
def test_rows_that_break_the_filters_are_left_out(changes: dict[str, Any]) -> None:
    assert nothing(**changes)


def test_a_bid_that_is_missing_leaves_spot_unknown() -> None:
    for bid in (None, 0, -1):
        record = one(min_bid=bid)
        assert (record.spot, record.spot_price) == (None, None)


@pytest.mark.parametrize(
    ("place", "region"),
    [("Bulgaria, BG", "BG"), (", US", "US"), (None, ""), ("", ""), ("Somewhere", "")],
)
def test_the_region_is_the_country_where_one_is_told(place: str | None, region: str) -> None:
    assert one(geolocation=place).region == region


@pytest.mark.parametrize(
    ("mib", "gb"), [(24564, 24), (81559, 80), (275040, 269), (11264, 11), (24560, 24)]
)
def test_measured_memory_becomes_whole_gigabytes(mib: int, gb: int) -> None:
    assert one(gpu_ram=mib).vram_gb == gb


def test_an_amd_host_has_no_cuda(listings: dict[str, ListingRecord]) -> None:
    record = listings[f"{DOCKER} 7005/2x RX 7900 XTX"]
    assert (record.cuda, record.driver, record.gpu_count) == ("", "6.3.6", 2)


@pytest.mark.parametrize(
    ("claimed", "driver", "cuda"),
    [
        (12.8, "570.124.04", "12.8"),
        (12.9, "570.124.04", "12.8"),  # seen in the wild
        (13, "570.124.04", "12.8"),
        (12.2, "570.124.04", "12.2"),
        (12.9, "9999.1", "12.9"),
        (12.9, None, "12.9"),
        (None, "570.124.04", ""),
        (0, "570.124.04", ""),
    ],
)
def test_a_host_cannot_claim_more_cuda_than_its_driver_reports(
    claimed: float | None, driver: str | None, cuda: str
) -> None:
    assert one(cuda_max_good=claimed, driver_version=driver).cuda == cuda


def test_the_kind_of_host_is_the_tier() -> None:
    tiers = [one(hosting_type=kind).tier for kind in (0, 1, None, 7)]
    assert tiers == ["community", "datacenter", "", ""]


def test_a_row_without_a_gpu_name_is_set_aside() -> None:
    _records, bad = answered("vast")
    assert [(row.where, row.reason) for row in bad] == [
        ("offers-1.offers[8]", "gpu_name: Field required")
    ]
