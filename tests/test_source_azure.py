"""Azure: from retail price items to one row for each size and region."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from providers.sources.azure_pages import MAX_PAGES
from providers.sources.base import (
    BadRow,
    Found,
    ListingRecord,
    MalformedError,
    RefusedError,
    StockLevel,
    UnreachableError,
)
from providers.sources.tables import TableRow, read_table
from tests.recorded_http import RecordedHttp, answered, body, page, source

OPEN = {name for name, row in read_table("azure_regions", TableRow).items() if not row.left_out}


@pytest.fixture(scope="module")
def rows() -> dict[str, ListingRecord]:
    records, _bad = answered("azure")
    return {row.key: row for row in records.values()}


def items(*changes: Mapping[str, Any]) -> list[Found]:
    """What comes of copies of a good item, each changed."""
    good = body("azure", "westeurope-1")["Items"][0]
    return list(source("azure").parse([page({"Items": [good | dict(each) for each in changes]})]))


class Told(RecordedHttp):
    """Answers by what `answer` makes of each call."""

    def __init__(self, answer: Any) -> None:
        super().__init__("azure")
        self.answer = answer

    def _answer(self, call: Any) -> bytes:
        self.calls.append(call)
        made: bytes = page(self.answer(call, len(self.calls))).body
        return made


def region_of(call: Any) -> str:
    return str(call.params["$filter"]).partition("armRegionName eq '")[2].partition("'")[0]


# --- Reading ------------------------------------------------------------------------


def test_a_size_of_a_region_is_a_row(rows: dict[str, ListingRecord]) -> None:
    row = rows["westeurope/Standard_ND96isr_H100_v5"]
    assert row.offering == "azure/vm-n-series"
    assert (row.gpu_name, row.gpu_count, row.vram_gb) == ("H100 SXM", 8, 80)
    assert row.region == "westeurope"
    assert row.price
    assert row.price.raw == "101.25"


def test_the_same_size_elsewhere_is_another_row(rows: dict[str, ListingRecord]) -> None:
    row = rows["eastus/Standard_ND96isr_H100_v5"]
    assert row.price
    assert row.price.amount == Decimal("97.0")


def test_spot_and_on_demand_items_meet_in_one_row(rows: dict[str, ListingRecord]) -> None:
    row = rows["westeurope/Standard_ND96asr_v4"]
    assert row.spot
    assert row.price
    assert row.spot_price
    assert (row.price.raw, row.spot_price.raw) == ("28.75", "5.125")


def test_a_size_without_a_spot_item_is_not_sold_as_spot(rows: dict[str, ListingRecord]) -> None:
    row = rows["westeurope/Standard_ND96isr_H100_v5"]
    assert row.spot is False
    assert row.spot_price is None


def test_a_price_of_zero_is_none_and_its_spot_price_stands(rows: dict[str, ListingRecord]) -> None:
    row = rows["westeurope/Standard_NC24ads_A100_v4"]
    assert row.price is None
    assert row.spot_price
    assert row.spot_price.amount == Decimal("0.75")


def test_a_region_in_capitals_is_the_same_region(rows: dict[str, ListingRecord]) -> None:
    assert rows["westeurope/Standard_NC64as_T4_v3"].gpu_count == 4


def test_linux_in_the_product_name_is_no_extra(rows: dict[str, ListingRecord]) -> None:
    assert "westeurope/Standard_NV36ads_A10_v5" in rows


def test_slices_of_a_card_are_left_out(rows: dict[str, ListingRecord]) -> None:
    assert "westeurope/Standard_NV6ads_A10_v5" not in rows


def test_what_is_no_gpu_size_is_left_out(rows: dict[str, ListingRecord]) -> None:
    assert len(rows) == 6
    assert not [key for key in rows if "D4s" in key or key.endswith("/")]


def test_being_listed_says_nothing_of_stock(rows: dict[str, ListingRecord]) -> None:
    assert {row.stock for row in rows.values()} == {StockLevel.UNKNOWN}


def test_what_cannot_be_read_is_told_with_its_place() -> None:
    _records, bad = answered("azure")
    assert [row.where for row in bad] == [f"westeurope:2.Items[{place}]" for place in (5, 6, 7)]
    assert "Standard_NZ8_Unheard_v9 is in no table" in bad[0].reason
    assert "'1/Month'" in bad[1].reason
    assert bad[2].reason.startswith("retailPrice")


@pytest.mark.parametrize(
    "change",
    [
        {"type": "Reservation", "reservationTerm": "3 Years", "retailPrice": 551221.0},
        {"type": "DevTestConsumption"},
        {"productName": "Virtual Machines NDsr H100 v5 Series Windows"},
        {"productName": "Virtual Machines NDsr H100 v5 Win"},
        {"productName": "NDsr H100 v5 Cloud Services"},
        {"meterName": "ND96isrH100v5 Low Priority"},
        {"tierMinimumUnits": 100.0},
        {"armSkuName": None},
        {"armSkuName": "Standard_D4s_v5"},
        {"armRegionName": None},
        {"armRegionName": ""},
    ],
)
def test_an_item_of_another_kind_gives_nothing(change: Mapping[str, Any]) -> None:
    assert items(change) == []


@pytest.mark.parametrize("amount", [0, 0.0, -1, None, "", "free", 551221000])
def test_what_is_no_price_leaves_the_row_without_one(amount: object) -> None:
    (row,) = items({"retailPrice": amount})
    assert isinstance(row, ListingRecord)
    assert row.price is None


@pytest.mark.parametrize("amount", [True, [1], {"value": 1}])
def test_another_type_in_place_of_a_price_is_a_bad_row(amount: object) -> None:
    (row,) = items({"retailPrice": amount})
    assert isinstance(row, BadRow)
    assert row.reason.startswith("retailPrice")


def test_the_newest_of_two_items_counts_whatever_their_order() -> None:
    old = {"effectiveStartDate": "2024-01-01T00:00:00Z", "retailPrice": 1.5}
    new = {"effectiveStartDate": "2026-08-01T00:00:00Z", "retailPrice": 2.5}
    for order in ((old, new), (new, old)):
        (row,) = items(*order)
        assert isinstance(row, ListingRecord)
        assert row.price
        assert row.price.raw == "2.5"


def test_the_currency_is_the_one_of_the_answer() -> None:
    (row,) = items({"currencyCode": "EUR"})
    assert isinstance(row, ListingRecord)
    assert row.price
    assert row.price.currency == "EUR"


def test_an_unknown_size_is_told_once_however_often_it_is_sold() -> None:
    """Else one new series in forty regions would look like a broken answer."""
    new = {"armSkuName": "Standard_NZ8_Unheard_v9"}
    spot = new | {"meterName": "NZ8 Unheard v9 Spot"}
    found = items(new, spot, new | {"armRegionName": "eastus"}, {"armSkuName": "Standard_NZ9"})
    assert [row.where for row in found if isinstance(row, BadRow)] == [
        "page.Items[0]",
        "page.Items[3]",
    ]


@pytest.mark.parametrize("content", [[], {}, {"Items": None}, {"Items": "none"}])
def test_another_shape_is_malformed(content: Any) -> None:
    with pytest.raises(MalformedError):
        list(source("azure").parse([page(content)]))


# --- Asking -------------------------------------------------------------------------


def test_each_open_region_is_walked_once() -> None:
    http = RecordedHttp("azure")
    list(source("azure").fetch(http))
    first = [region_of(call) for call in http.calls if "$skip" not in call.params]
    assert len(first) == len(set(first))
    assert set(first) == OPEN


def test_the_call_asks_for_dollars_and_gpu_sizes_only() -> None:
    http = RecordedHttp("azure")
    next(source("azure").fetch(http))
    params = http.calls[0].params
    assert (params["currencyCode"], params["meterRegion"]) == ("'USD'", "'primary'")
    assert "contains(armSkuName,'Standard_N')" in str(params["$filter"])


def test_the_next_page_is_asked_of_our_own_host() -> None:
    def lead_away(call: Any, _number: int) -> Any:
        link = "https://elsewhere.example/steal?$skip=1000&$filter=x"
        first = "$skip" not in call.params
        return {"Items": [{"meterId": str(first)}], "NextPageLink": link if first else None}

    http = Told(lead_away)
    walk = source("azure").fetch(http)
    assert [next(walk).name.partition(":")[2] for _page in range(2)] == ["1", "2"]
    assert {call.path for call in http.calls} == {"/api/retail/prices"}
    assert http.calls[1].params == {"$skip": "1000", "$filter": "x"}


def test_a_walk_ends_at_a_page_that_repeats_itself() -> None:
    def same(call: Any, _number: int) -> Any:
        return {"Items": [{"meterId": "one"}], "NextPageLink": "https://x.example/?$skip=1"}

    pages = list(source("azure").fetch(Told(same)))
    assert len(pages) == 2 * len(OPEN)


@pytest.mark.parametrize("items", [None, 7, {"a": 1}, "text"])
def test_a_walk_ends_at_items_of_another_shape_and_reading_tells(items: Any) -> None:
    http = Told(lambda _call, _number: {"Items": items, "NextPageLink": "https://x.example/?a=1"})
    pages = source("azure").fetch(http)
    assert next(pages).name.endswith(":1")
    assert next(pages).name.endswith(":1")  # of the next region


@pytest.mark.parametrize("link", [7, True, ["a"], "http://[", "½"])
def test_a_link_that_is_none_leads_nowhere_else(link: Any) -> None:
    http = Told(lambda _call, _number: {"Items": [{"meterId": "1"}], "NextPageLink": link})
    list(source("azure").fetch(http))
    assert {call.path for call in http.calls} == {"/api/retail/prices"}


def test_a_walk_without_an_end_is_malformed() -> None:
    def endless(call: Any, number: int) -> Any:
        return {"Items": [{"meterId": str(number)}], "NextPageLink": "https://x.example/?$skip=1"}

    http = Told(endless)
    with pytest.raises(MalformedError, match=f"more than {MAX_PAGES} pages"):
        list(source("azure").fetch(http))
    assert len(http.calls) == MAX_PAGES


def test_a_refused_filter_is_left_out_and_the_sizes_picked_here() -> None:
    def refuse(call: Any, _number: int) -> Any:
        if "contains" in str(call.params["$filter"]):
            raise RefusedError("400")
        return {"Items": [], "NextPageLink": None}

    http = Told(refuse)
    assert len(list(source("azure").fetch(http))) == len(OPEN)
    assert len(http.calls) == len(OPEN) + 1


def test_a_refusal_of_every_call_is_told() -> None:
    http = RecordedHttp("azure", {"/api/retail/prices": RefusedError("403")})
    with pytest.raises(RefusedError, match="403"):
        list(source("azure").fetch(http))
    assert len(http.calls) == 2


def test_a_region_that_does_not_answer_ends_the_walk() -> None:
    """Half a world of prices would look like the other half having been withdrawn."""
    http = RecordedHttp("azure", {"/api/retail/prices": UnreachableError("no answer")})
    with pytest.raises(UnreachableError):
        list(source("azure").fetch(http))
