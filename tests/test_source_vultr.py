"""Vultr: shares of a card, plans that hide their GPUs, prices by region, pages by cursor."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from providers.sources.base import (
    ListingRecord,
    MalformedError,
    SourceError,
    StockLevel,
    UnreachableError,
)
from tests.recorded_http import Call, RecordedHttp, answered, body, page, read, source

PLANS = body("vultr", "plans")["plans"]


def row(key: str, offering: str = "cloud-gpu") -> ListingRecord:
    records, _bad = answered("vultr")
    return records[f"vultr/{offering} {key}"]


def plan(**fields: Any) -> dict[str, ListingRecord]:
    records, _bad = read(source("vultr"), [page({"plans": [PLANS[0] | fields]}, "plans:1")])
    return records


def test_a_plan_is_one_row_in_each_of_its_regions() -> None:
    records, _bad = answered("vultr")
    regions = {each.region for each in records.values() if each.key.startswith("vcg-a16-12c")}
    assert regions == {"ewr", "sjc"}  # the empty one that Vultr lists is no region


def test_a_region_may_have_its_own_price() -> None:
    prices = [
        each.price and each.price.amount
        for each in (row("vcg-a100-12c-120g-80vram/ewr"), row("vcg-a100-12c-120g-80vram/fra"))
    ]
    assert prices == [Decimal("2.45"), Decimal("2.61")]


def test_shares_of_a_card_and_plans_without_one_are_left_out() -> None:
    records, _bad = answered("vultr")
    keys = " ".join(records)
    assert "4vram" not in keys
    assert "vc2" not in keys
    assert "vbm-6c" not in keys


def test_a_plan_that_hides_its_gpus_has_them_in_its_id() -> None:
    found = row("vcg-a40-24c-120g-48vram/blr")
    assert (found.gpu_name, found.gpu_count, found.vram_gb) == ("a40", 1, 48)


def test_an_id_that_is_wrong_is_set_right_by_the_table() -> None:
    found = row("vcg-mi325x-252c-2872g-1536vram/")
    assert (found.gpu_name, found.gpu_count, found.vram_gb) == ("AMD_MI325X", 8, 256)
    found = row("vcg-b200-248c-2826g-1536vram/ord")
    assert (found.gpu_count, found.vram_gb) == (8, 180)


def test_a_plan_whose_gpus_cannot_be_counted_is_put_aside() -> None:
    _records, bad = answered("vultr")
    (only,) = bad
    assert only.where == "plans:1[4]"
    assert "vcg-h100-99c-999g-700vram: neither the plan nor its id tells" in only.reason


def test_memory_is_that_of_one_gpu() -> None:
    assert row("vbm-256c-2048gb-8-mi300x-gpu/ord", "bare-metal-gpu").vram_gb == 192


def test_a_type_overrules_a_misleading_id() -> None:
    assert row("vbm-64c-2048gb-8-l40-gpu/lax", "bare-metal-gpu").gpu_name == "NVIDIA_L40S"


def test_preemptible_prices_count_only_where_they_can_be_had() -> None:
    """Elsewhere Vultr repeats the price on demand."""
    fixed, both = row("vcg-a100-12c-120g-80vram/ewr"), row("vcg-b200-248c-2826g-1536vram/ord")
    only = row("vcg-mi325x-252c-2872g-1536vram/")
    assert (fixed.spot_price, fixed.spot) == (None, False)
    assert both.spot_price is not None
    assert (both.spot_price.amount, both.spot) == (Decimal("23.6"), True)
    assert only.price is None
    assert only.spot_price is not None


def test_a_price_of_zero_is_no_price() -> None:
    assert row("vcg-l40s-16c-180g-48vram/ewr").price is None


def test_stock_is_what_the_region_has() -> None:
    assert row("vcg-a100-12c-120g-80vram/ewr").stock == StockLevel.AVAILABLE
    assert row("vcg-a100-12c-120g-80vram/fra").stock == StockLevel.NONE
    assert row("vcg-mi325x-252c-2872g-1536vram/").stock == StockLevel.NONE  # in no region


def test_regions_whose_stock_fails_are_unknown_and_the_rest_is_not_asked() -> None:
    fault: SourceError = UnreachableError("500")
    http = RecordedHttp("vultr", {"/v2/regions/fra/availability": fault})
    records, _bad = read(source("vultr"), source("vultr").fetch(http))
    stock = {each.region: each.stock for each in records.values() if "a100" in each.key}
    assert stock["fra"] == StockLevel.UNKNOWN
    later = [call.path for call in http.calls if "regions" in call.path]
    assert later[-1] == "/v2/regions/fra/availability"
    whole, _bad = answered("vultr")
    assert records.keys() == whole.keys()


def test_only_regions_with_gpus_are_asked_for_their_stock() -> None:
    http = RecordedHttp("vultr")
    list(source("vultr").fetch(http))
    asked = {call.path.split("/")[3] for call in http.calls if "regions" in call.path}
    assert asked == {"blr", "ewr", "fra", "lax", "ord", "sjc"}


def test_pages_follow_the_cursor_to_its_end() -> None:
    http = RecordedHttp("vultr")
    list(source("vultr").fetch(http))
    plans = [call.params.get("cursor", "") for call in http.calls if call.path == "/v2/plans"]
    assert plans == ["", "bmV4dA=="]


class Endless(RecordedHttp):
    """The first page again and again, always with a next one."""

    def _answer(self, call: Call) -> bytes:
        return super()._answer(Call(call.method, call.path))


def test_a_page_that_comes_again_ends_the_list() -> None:
    http = Endless("vultr")
    list(source("vultr").fetch(http))
    assert [call.path for call in http.calls].count("/v2/plans") == 2


@pytest.mark.parametrize("meta", [None, {}, {"links": None}, {"links": {"next": None}}])
def test_a_list_without_a_cursor_is_one_page(meta: Any) -> None:
    class OnePage(RecordedHttp):
        def _answer(self, call: Call) -> bytes:
            answer = page({"plans": [], "plans_metal": [], "meta": meta}).body
            self.calls.append(call)
            return answer

    http = OnePage("vultr")
    list(source("vultr").fetch(http))
    assert len(http.calls) == 2


def test_counts_may_come_as_text() -> None:
    (found,) = plan(gpu_count="2", gpu_vram_gb=160, locations=["ewr"]).values()
    assert (found.gpu_count, found.vram_gb) == (2, 80)


def test_a_list_in_place_of_stock_is_needed() -> None:
    pages = [page({"available_plans": "none"}, "availability:ewr")]
    with pytest.raises(MalformedError, match="str in place of a list of available_plans"):
        read(source("vultr"), pages)
