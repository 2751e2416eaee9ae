"""RunPod: GPU types of the GraphQL API and of the REST catalog."""

from __future__ import annotations

from collections.abc import Mapping
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
    ThrottledError,
    UnreachableError,
)
from providers.sources.runpod_pods import highest
from tests.recorded_http import (
    Call,
    RecordedHttp,
    answered,
    body,
    left_open,
    page,
    read,
    source,
)

RTX, H100, MI300X = "NVIDIA GeForce RTX 4090", "NVIDIA H100 80GB HBM3", "AMD Instinct MI300X OAM"
MIG = "NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb"
Listings = Mapping[str, ListingRecord]


@pytest.fixture(scope="module")
def keyless() -> Listings:
    return answered("runpod")[0]


@pytest.fixture(scope="module")
def keyed() -> Listings:
    return answered("runpod", "a-key")[0]


def keys(listings: Listings, start: str) -> list[str]:
    found = [record.key for record in listings.values() if record.key.startswith(start)]
    return [key.removeprefix(start) for key in found]


def stock(listings: Listings, key: str) -> StockLevel:
    return listings[f"runpod/pods {key}"].stock


def graphql_pages(*missing: str, **changed: Any) -> list[Page]:
    """The GraphQL answers, some of them missing or replaced."""
    names = [n for n in ("gpus-secure", "gpus-community", "data-centers") if n not in missing]
    return [page(changed.get(n.replace("-", "_"), body("runpod", n)), n) for n in names]


def graphql(*missing: str, **changed: Any) -> Listings:
    return read(source("runpod"), graphql_pages(*missing, **changed))[0]


def one_type(**changes: Any) -> Listings:
    row = {**body("runpod", "gpus-secure")["data"]["gpuTypes"][0], **changes}
    answer = {"data": {"gpuTypes": [row]}}
    return read(source("runpod"), [page(answer, "gpus-secure")])[0]


# --- Asking ------------------------------------------------------------------------


def test_without_a_key_it_asks_graphql_for_both_clouds_and_the_data_centres() -> None:
    http = RecordedHttp("runpod")
    pages = list(source("runpod").fetch(http))
    assert [page.name for page in pages] == ["gpus-secure", "gpus-community", "data-centers"]
    assert {(call.method, call.path) for call in http.calls} == {("POST", "/graphql")}
    assert [call.sent.get("variables") for call in http.calls] == [
        {"in": {"gpuCount": 1, "secureCloud": True}},
        {"in": {"gpuCount": 1, "secureCloud": False}},
        None,
    ]
    assert all(call.headers == {} for call in http.calls)


def test_the_query_names_every_field_that_is_read() -> None:
    http = RecordedHttp("runpod")
    list(source("runpod").fetch(http))
    query = http.calls[0].sent["query"]
    fields = body("runpod", "gpus-secure")["data"]["gpuTypes"][0]
    read_by_us = {"securePrice", "communityPrice", "memoryInGb", "displayName", "secureCloud"}
    assert read_by_us <= {name for name in fields if name in query}
    assert query.count("{") == query.count("}")


def test_with_a_key_the_rest_catalog_takes_over() -> None:
    http = RecordedHttp("runpod")
    pages = list(source("runpod", "a-key").fetch(http))
    assert len(pages) == 8
    assert http.calls[0] == Call(
        "GET",
        "/v2/catalog/gpus",
        {"include": "AVAILABILITY", "product": "POD", "count": 1, "cloud": "SECURE"},
        headers={"Authorization": "Bearer a-key"},
    )
    asked = [(call.params["cloud"], call.params["count"]) for call in http.calls]
    assert asked == [(c, n) for c in ("SECURE", "COMMUNITY") for n in (1, 2, 4, 8)]


@pytest.mark.parametrize("key", ["", "a-key"])
def test_a_first_answer_that_fails_fails_the_source(key: str) -> None:
    broken = {"/graphql": UnreachableError("time-out"), "/v2/catalog/gpus": RefusedError("401")}
    with pytest.raises((UnreachableError, RefusedError)):
        list(source("runpod", key).fetch(RecordedHttp("runpod", broken)))


class OnlyFirst(RecordedHttp):
    """Answers one call and is then too busy."""

    def _answer(self, call: Call) -> bytes:
        if self.calls:
            raise ThrottledError("429")
        return super()._answer(call)


@pytest.mark.parametrize("key", ["", "a-key"])
def test_stock_that_cannot_be_had_is_unknown_and_takes_no_listing_away(key: str) -> None:
    origin = source("runpod", key)
    records, bad = read(origin, origin.fetch(OnlyFirst("runpod")))
    assert bad == []
    assert stock(records, f"{RTX}/community/1x/") is StockLevel.UNKNOWN
    whole = answered("runpod", key)[0]
    assert {k for k, r in whole.items() if not r.region} == {
        k for k, r in records.items() if not r.region
    }
    assert all(records[name].price == whole[name].price for name in records)
    open_rows = tuple(left_open(origin, origin.fetch(OnlyFirst("runpod"))))
    gone = [whole[name].key for name in whole.keys() - records.keys()]
    assert gone
    assert all(gone_key.startswith(open_rows) for gone_key in gone)


@pytest.mark.parametrize("key", ["", "a-key"])
def test_where_all_is_told_no_row_is_left_open(key: str) -> None:
    origin = source("runpod", key)
    assert left_open(origin, origin.fetch(RecordedHttp("runpod"))) == set()


# --- Reading GraphQL ----------------------------------------------------------------


def test_prices_are_per_gpu_and_by_cloud(keyless: Listings) -> None:
    secure = keyless[f"runpod/pods {RTX}/secure/2x/"]
    community = keyless[f"runpod/pods {RTX}/community/2x/"]
    assert secure.price is not None
    assert community.price is not None
    assert (secure.price.amount, secure.price.per) == (Decimal("0.71"), Per.GPU)
    assert (community.price.amount, community.tier) == (Decimal("0.36"), "community")
    assert secure.spot_price is not None
    assert (secure.spot_price.amount, secure.spot) == (Decimal("0.52"), True)


def test_a_card_stands_wherever_it_is_and_one_of_it_at_each_data_centre_that_has_it(
    keyless: Listings,
) -> None:
    assert keys(keyless, f"{RTX}/secure/") == [
        "1x/",
        "1x/EU-RO-1",
        "1x/US-KS-2",
        "2x/",
        "4x/",
        "8x/",
    ]
    assert stock(keyless, f"{RTX}/secure/1x/") is StockLevel.AVAILABLE
    assert keyless[f"runpod/pods {RTX}/secure/1x/EU-RO-1"].region == "EU-RO-1"
    assert stock(keyless, f"{RTX}/secure/1x/EU-RO-1") is StockLevel.AVAILABLE
    assert stock(keyless, f"{RTX}/secure/1x/US-KS-2") is StockLevel.SCARCE


def test_a_data_centre_that_is_not_listed_or_does_not_offer_the_card_is_left_out(
    keyless: Listings,
) -> None:
    assert keys(keyless, f"{H100}/secure/1x/") == ["", "US-KS-2"]


def test_numbers_that_cannot_be_had_now_are_out_of_stock(keyless: Listings) -> None:
    assert stock(keyless, f"{RTX}/secure/4x/") is StockLevel.AVAILABLE
    assert stock(keyless, f"{RTX}/secure/8x/") is StockLevel.NONE
    assert stock(keyless, f"{RTX}/community/1x/") is StockLevel.SCARCE


def test_a_null_status_with_no_numbers_is_out_of_stock(keyless: Listings) -> None:
    assert stock(keyless, f"{MI300X}/secure/1x/") is StockLevel.NONE


def test_a_card_without_a_lowest_price_has_unknown_stock() -> None:
    records = one_type(lowestPrice=None)
    assert {record.stock for record in records.values()} == {StockLevel.UNKNOWN}


def test_a_status_without_numbers_tells_of_one_gpu_alone() -> None:
    records = one_type(lowestPrice={"stockStatus": "Medium", "availableGpuCounts": None})
    assert stock(records, f"{RTX}/secure/1x/") is StockLevel.AVAILABLE
    assert stock(records, f"{RTX}/secure/2x/") is StockLevel.UNKNOWN


def test_a_price_of_0_or_null_means_that_the_card_is_not_sold_there(keyless: Listings) -> None:
    assert keys(keyless, f"{H100}/community/") == []
    assert keys(keyless, f"{MI300X}/community/") == []
    assert (
        one_type(secureCloud=False, communityCloud=True, communityPrice=0, communitySpotPrice=0)
        == {}
    )


def test_spot_is_unknown_where_it_has_no_price(keyless: Listings) -> None:
    record = keyless[f"runpod/pods {MI300X}/secure/1x/"]
    assert (record.spot, record.spot_price) == (None, None)


def test_the_entry_unknown_is_no_card(keyless: Listings) -> None:
    assert not [record for record in keyless.values() if record.gpu_name == "unknown"]
    assert one_type(id="unknown", displayName="unknown") == {}


def test_a_slice_of_a_card_keeps_its_own_name(keyless: Listings) -> None:
    record = keyless[f"runpod/pods {MIG}/secure/1x/"]
    assert (record.gpu_name, record.vram_gb) == ("PRO 6000 MIG 24GB", 24)


def test_listings_stay_within_the_numbers_that_a_cloud_rents_out(keyless: Listings) -> None:
    assert keys(keyless, "NVIDIA H200 NVL/secure/") == ["2x/", "4x/"]
    assert keys(keyless, "NVIDIA A40/community/") == ["1x/"]


def test_cuda_is_the_highest_version_that_hosts_have_now(keyless: Listings) -> None:
    assert keyless[f"runpod/pods {RTX}/secure/2x/"].cuda == "13.0"
    assert keyless[f"runpod/pods {H100}/secure/2x/"].cuda == "12.11"
    assert keyless[f"runpod/pods {MI300X}/secure/1x/"].cuda == ""


@pytest.mark.parametrize(
    ("versions", "top"),
    [(["12.2", "12.11"], "12.11"), (["12.9", "13.0"], "13.0"), ([], ""), (["soon", ""], "")],
)
def test_cuda_versions_compare_as_numbers(versions: list[str], top: str) -> None:
    assert highest(versions) == top


def test_errors_in_a_good_answer_are_told_in_their_own_words() -> None:
    with pytest.raises(MalformedError, match="Cannot query field"):
        read(source("runpod"), [page(body("runpod", "error"), "gpus-secure")])


def test_errors_beside_data_do_not_spoil_the_data() -> None:
    partial = {**body("runpod", "gpus-secure"), **body("runpod", "error")}
    assert graphql(gpus_secure=partial) == graphql()


NOWHERE = [{}, {"data": None}, {"data": {"dataCenters": None}}, {"data": {"dataCenters": []}}, []]


@pytest.mark.parametrize("broken", NOWHERE)
def test_data_centres_that_cannot_be_read_leave_their_rows_open_and_the_cloud_whole(
    broken: Any,
) -> None:
    listings = graphql(data_centers=broken)
    assert listings == graphql("data-centers")
    assert keys(listings, f"{RTX}/secure/") == ["1x/", "2x/", "4x/", "8x/"]
    # Of one GPU on the Secure Cloud alone, of which data centres tell.
    starts = left_open(source("runpod"), graphql_pages(data_centers=broken))
    assert f"{RTX}/secure/1x/" in starts
    assert all(start.endswith("/secure/1x/") for start in starts)


def test_one_data_centre_that_cannot_be_read_hides_no_other_and_leaves_the_rest_open() -> None:
    answer = body("runpod", "data-centers")
    del answer["data"]["dataCenters"][0]["gpuAvailability"]
    pages = graphql_pages(data_centers=answer)
    assert keys(read(source("runpod"), pages)[0], f"{RTX}/secure/1x/") == ["", "US-KS-2"]
    assert f"{RTX}/secure/1x/" in left_open(source("runpod"), pages)


def test_a_data_centre_that_has_no_more_of_a_card_is_no_open_row() -> None:
    answer = body("runpod", "data-centers")
    answer["data"]["dataCenters"][0]["gpuAvailability"] = []
    pages = graphql_pages(data_centers=answer)
    assert keys(read(source("runpod"), pages)[0], f"{RTX}/secure/1x/") == ["", "US-KS-2"]
    assert left_open(source("runpod"), pages) == set()


def test_html_in_place_of_stock_leaves_stock_unknown() -> None:
    secure = page(body("runpod", "gpus-secure"), "gpus-secure")
    pages = [secure, Page("gpus-community", b"<html>"), Page("data-centers", b"<html>")]
    records, bad = read(source("runpod"), pages)
    assert bad == []
    assert stock(records, f"{RTX}/community/1x/") is StockLevel.UNKNOWN
    assert stock(records, f"{RTX}/secure/2x/") is StockLevel.AVAILABLE


# --- Reading REST --------------------------------------------------------------------


def test_the_catalog_tells_stock_by_number_and_data_centre(keyed: Listings) -> None:
    assert keys(keyed, f"{RTX}/secure/") == [
        "1x/",
        "1x/US-KS-2",
        "1x/EUR-IS-1",
        "2x/",
        "2x/US-KS-2",
        "4x/",
        "4x/US-KS-2",
        "8x/",
        "8x/US-KS-2",
    ]
    assert stock(keyed, f"{RTX}/secure/1x/") is StockLevel.AVAILABLE
    assert stock(keyed, f"{RTX}/secure/1x/US-KS-2") is StockLevel.AVAILABLE
    assert stock(keyed, f"{RTX}/secure/2x/US-KS-2") is StockLevel.SCARCE


def test_a_card_without_data_centres_has_run_out(keyed: Listings) -> None:
    assert keys(keyed, f"{MI300X}/secure/") == ["1x/", "2x/", "4x/", "8x/"]
    assert stock(keyed, f"{MI300X}/secure/8x/") is StockLevel.NONE


def test_the_catalog_knows_no_spot_prices(keyed: Listings) -> None:
    assert {(r.spot, r.spot_price) for r in keyed.values()} == {(None, None)}


def test_both_ways_of_asking_name_and_price_a_card_alike(
    keyless: Listings, keyed: Listings
) -> None:
    for tier in ("secure", "community"):
        of_both = [
            {
                (r.gpu_name, r.vram_gb, r.price and r.price.amount, r.cuda)
                for r in listings.values()
                if r.key.startswith(f"{RTX}/{tier}")
            }
            for listings in (keyless, keyed)
        ]
        assert of_both[0] == of_both[1]


def test_the_catalog_respects_what_each_cloud_sells(keyed: Listings) -> None:
    assert keys(keyed, f"{MI300X}/community/") == []
    found = keys(keyed, "NVIDIA H200/secure/")
    assert found == [f"{n}x/{place}" for n in (1, 2, 4) for place in ("", "US-GA-2")]


class Fails(RecordedHttp):
    """Does not answer the call for so many GPUs of the Secure Cloud."""

    count = 2

    def _answer(self, call: Call) -> bytes:
        if (call.params.get("cloud"), call.params.get("count")) == ("SECURE", self.count):
            raise ThrottledError("429")
        return super()._answer(call)


def test_a_number_of_gpus_whose_stock_is_not_told_leaves_its_own_rows_open_alone() -> None:
    origin = source("runpod", "a-key")
    records = read(origin, origin.fetch(Fails("runpod")))[0]
    assert keys(records, f"{RTX}/secure/2x/") == [""]
    assert stock(records, f"{RTX}/secure/2x/") is StockLevel.UNKNOWN
    assert keys(records, f"{RTX}/secure/4x/") == ["", "US-KS-2"]
    starts = left_open(origin, origin.fetch(Fails("runpod")))
    assert f"{RTX}/secure/2x/" in starts
    assert all("/secure/2x/" in start for start in starts)


def test_a_row_that_cannot_be_read_leaves_open_where_its_card_is() -> None:
    answer = body("runpod", "catalog-secure-more")
    answer["gpus"][0]["memory"] = -1
    more = page(answer, "catalog-secure-2")
    told = source("runpod", "a-key").fetch(RecordedHttp("runpod"))
    pages = [more if each.name == more.name else each for each in told]
    card = answer["gpus"][0]["id"]
    assert keys(read(source("runpod", "a-key"), pages)[0], f"{card}/secure/2x/") == [""]
    assert left_open(source("runpod", "a-key"), pages) == {f"{card}/secure/2x/"}
