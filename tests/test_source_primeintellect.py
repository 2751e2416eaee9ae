"""Prime Intellect: configurations of many clouds, page by page."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from providers.sources.base import ListingRecord, MalformedError, Per, StockLevel, UnreachableError
from providers.sources.primeintellect import MOST_PAGES, PAGE_SIZE, PATH
from tests.recorded_http import Call, RecordedHttp, answered, body, page, read, source

H200 = "nebius/h200-sxm-8/8x H200_141GB SXM5/eu-north1"


@pytest.fixture(scope="module")
def listings() -> dict[str, ListingRecord]:
    return {record.key: record for record in answered("primeintellect", "a-key")[0].values()}


def item(**changes: Any) -> dict[str, Any]:
    first: dict[str, Any] = body("primeintellect", "gpus-1")["items"][0]
    return {**first, **changes}


def one(**changes: Any) -> ListingRecord:
    records, bad = read(source("primeintellect"), [page({"items": [item(**changes)]})])
    assert bad == []
    (record,) = records.values()
    return record


class Pages(RecordedHttp):
    """Answers each page with a function of its number."""

    def __init__(self, items: Any, total: int) -> None:
        super().__init__("primeintellect")
        self.items, self.total = items, total

    def _answer(self, call: Call) -> bytes:
        self.calls.append(call)
        return page({"items": self.items(call.params["page"]), "totalCount": self.total}).body


def pages_of(http: RecordedHttp) -> int:
    return len(list(source("primeintellect", "a-key").fetch(http)))


# --- Asking ------------------------------------------------------------------------


def test_it_asks_page_by_page_with_the_key() -> None:
    http = RecordedHttp("primeintellect")
    assert pages_of(http) == 2
    assert http.calls[0] == Call(
        "GET", PATH, {"page": 1, "page_size": 100}, headers={"Authorization": "Bearer a-key"}
    )
    # The total counts the repeated item twice, so that one more page is asked for.
    assert [call.params["page"] for call in http.calls] == [1, 2, 3]


def test_it_is_content_when_all_that_was_promised_came() -> None:
    http = Pages(lambda number: [item()], total=1)
    assert (pages_of(http), len(http.calls)) == (1, 1)


def test_it_goes_on_when_the_total_shrinks_beneath_a_full_page() -> None:
    def items(number: int) -> list[Any]:
        return [item(cloudId=f"{number}-{n}") for n in range(PAGE_SIZE if number == 1 else 3)]

    http = Pages(items, total=50)
    assert pages_of(http) == 2


def test_it_stops_at_a_page_that_repeats() -> None:
    http = Pages(lambda number: [item()], total=500)
    assert (pages_of(http), len(http.calls)) == (1, 2)


def test_it_stops_at_an_empty_page() -> None:
    http = Pages(lambda number: [item()] if number == 1 else [], total=500)
    assert (pages_of(http), len(http.calls)) == (1, 2)


def test_endless_pages_are_no_good_answer() -> None:
    http = Pages(lambda number: [item(cloudId=f"cloud-{number}")], total=10**6)
    with pytest.raises(MalformedError, match=f"more than {MOST_PAGES} pages"):
        pages_of(http)
    assert len(http.calls) == MOST_PAGES


def test_a_page_that_fails_fails_the_source_and_is_no_shorter_list() -> None:
    class SecondFails(RecordedHttp):
        def _answer(self, call: Call) -> bytes:
            if call.params["page"] == 2:
                raise UnreachableError("time-out")
            return super()._answer(call)

    with pytest.raises(UnreachableError):
        pages_of(SecondFails("primeintellect"))


# --- Reading -----------------------------------------------------------------------


def test_the_sample_becomes_these_listings(listings: dict[str, ListingRecord]) -> None:
    assert list(listings) == [
        "runpod/NVIDIA A100 80GB PCIe/1x A100_80GB PCIe/US-KS-2/secure_cloud",
        f"{H200}/secure_cloud",
        f"{H200}/spot",
        "vast/rtx4090-comm-1/1x RTX4090_24GB PCIe/asia_northeast/community_cloud",
        "datacrunch/b300-1/1x B300_262GB SXM6/FIN-03/secure_cloud",
        "hyperstack/l40s-1/1x L40S_48GB PCIe/CANADA-1/",
    ]


def test_the_price_is_for_the_whole_configuration_as_exactly_as_it_came() -> None:
    asked = one(gpuCount=8).price
    assert asked is not None
    assert (asked.raw, asked.per) == ("1.7135999999999998", Per.INSTANCE)
    assert asked.amount == Decimal("1.7135999999999998")


def test_a_spot_item_is_a_listing_of_its_own_with_a_spot_price(
    listings: dict[str, ListingRecord],
) -> None:
    plain, spot = listings[f"{H200}/secure_cloud"], listings[f"{H200}/spot"]
    assert plain.price is not None
    assert spot.spot_price is not None
    assert (plain.price.amount, plain.spot_price, plain.spot) == (Decimal("28.8"), None, False)
    assert (spot.price, spot.spot_price.amount, spot.spot) == (None, Decimal("12.1"), True)


@pytest.mark.parametrize(
    ("security", "on_demand", "community", "amount"),
    [
        ("secure_cloud", "2", "1", "2"),
        ("community_cloud", "2", "1", "1"),
        ("community_cloud", "2", None, "2"),
        ("secure_cloud", None, "1", "1"),
        ("secure_cloud", 0, None, None),
    ],
)
def test_either_price_may_be_missing(
    security: str, on_demand: Any, community: Any, amount: str | None
) -> None:
    prices = {"onDemand": on_demand, "communityPrice": community, "currency": None}
    asked = one(security=security, prices=prices).price
    assert (asked and str(asked.amount)) == amount


def test_the_currency_is_that_of_the_item() -> None:
    asked = one(prices={"onDemand": 2, "currency": "EUR"}).price
    assert asked is not None
    assert asked.currency == "EUR"


@pytest.mark.parametrize(
    ("word", "stock"),
    [
        ("Available", StockLevel.AVAILABLE),
        ("High", StockLevel.AVAILABLE),
        ("Medium", StockLevel.AVAILABLE),
        ("Low", StockLevel.SCARCE),
        ("Unavailable", StockLevel.NONE),
        ("Soon", StockLevel.UNKNOWN),
        (None, StockLevel.UNKNOWN),
    ],
)
def test_stock_is_a_word(word: str | None, stock: StockLevel) -> None:
    assert one(stockStatus=word).stock is stock


def test_the_socket_joins_the_name_where_it_tells_the_form(
    listings: dict[str, ListingRecord],
) -> None:
    names = {record.gpu_name for record in listings.values()}
    assert {"A100_80GB PCIe", "RTX4090_24GB", "H200_141GB SXM5"} <= names


def test_the_nearest_place_that_is_told_is_the_region() -> None:
    regions = [
        one().region,
        one(dataCenter=None).region,
        one(dataCenter=None, country=None).region,
        one(dataCenter=None, country=None, region=None).region,
    ]
    assert regions == ["US-KS-2", "US", "united_states", ""]


def test_an_item_on_two_pages_is_one_listing() -> None:
    pages = [page(body("primeintellect", "gpus-1")) for _ in range(2)]
    once = read(source("primeintellect"), pages[:1])
    assert read(source("primeintellect"), pages) == once


def test_machines_without_a_gpu_are_left_out(listings: dict[str, ListingRecord]) -> None:
    assert not [key for key in listings if "CPU_NODE" in key]


def test_an_item_with_a_wrong_count_is_named_by_the_apis_own_word() -> None:
    rows = [item(), item(gpuCount="eight")]
    records, bad = read(source("primeintellect"), [page({"items": rows}, "gpus-1")])
    assert len(records) == 1
    assert [row.where for row in bad] == ["gpus-1.items[1]"]
    assert bad[0].reason.startswith("gpuCount: ")
