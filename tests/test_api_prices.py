"""Listings, GPUs, prices over time and the status over the API."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from providers.browse.listings import PAGE_SIZE
from providers.models import ExchangeRate, Gpu, Listing, PricePoint, RefreshRun, SourceState
from tests.factories import make_claim, make_gpu, make_listing, make_offering, make_provider

pytestmark = pytest.mark.django_db


@pytest.fixture
def gpu() -> Gpu:
    return make_gpu("h100-sxm", "h100", vram_gb=80, compute_capability="9.0")


def row(gpu: Gpu | None, usd: str, **fields: Any) -> Listing:
    now = timezone.now()
    provider = make_provider()
    return make_listing(
        make_offering("pods", provider), gpu, usd_per_hour=Decimal(usd), seen_at=now, **fields
    )


def ask(client: Client, address: str, status: int = 200) -> dict[str, Any]:
    response = client.get(f"/api/v1/{address}")
    assert response.status_code == status, response.content
    found: dict[str, Any] = response.json()
    return found


# --- Listings -------------------------------------------------------------------------------


def test_a_listing_carries_its_price_source_and_time(client: Client, gpu: Gpu) -> None:
    listing = row(
        gpu,
        "8",
        gpu_count=4,
        vram_gb=80,
        driver="570.124.06",
        region="eu-west",
        source_url="https://api.example/prices",
    )
    found = ask(client, "listings?gpu=h100-sxm&sort=price&period=day")
    (shown,) = found["items"]
    assert (shown["id"], shown["gpu"], shown["gpu_count"]) == (listing.pk, "h100-sxm", 4)
    assert (shown["usd_per_hour"], shown["shown"]) == (8, 48)
    assert (shown["source"], shown["origin"]) == ("https://api.example/prices", "live")
    assert shown["seen_at"]
    assert (shown["match"], shown["unknown"]) == ("yes", [])
    assert found["criteria"] == "gpu=h100-sxm&period=day&sort=price"
    assert client.get(shown["url"]).status_code == 200


def test_a_listing_that_only_may_match_says_what_is_not_known(client: Client, gpu: Gpu) -> None:
    row(gpu, "2")
    (shown,) = ask(client, "listings?min_driver=550")["items"]
    assert (shown["match"], shown["unknown"], shown["driver"]) == ("may", ["min_driver"], "")
    assert ask(client, "listings?min_driver=550&unknown=hide")["items"] == []


def test_an_open_form_is_named_by_its_family(client: Client, gpu: Gpu) -> None:
    make_listing(make_offering(), gpu.family, usd_per_hour=Decimal(1), seen_at=timezone.now())
    (shown,) = ask(client, "listings")["items"]
    assert shown["gpu"] == "h100"


def test_listings_come_in_parts_that_miss_and_repeat_nothing(client: Client, gpu: Gpu) -> None:
    offering = make_offering()
    for n in range(2 * PAGE_SIZE + 7):
        make_listing(offering, gpu, usd_per_hour=Decimal(1 + n % 9), seen_at=timezone.now())
    seen, address, parts = [], "/api/v1/listings?sort=price", 0
    while address:
        part = client.get(address).json()
        seen += part["items"]
        address, parts = part["next"], parts + 1
        assert part["match"] == 2 * PAGE_SIZE + 7
        assert part["criteria"] == "sort=price"
    assert parts == 3
    assert len({shown["id"] for shown in seen}) == len(seen) == 2 * PAGE_SIZE + 7
    assert [shown["shown"] for shown in seen] == sorted(shown["shown"] for shown in seen)


def test_a_price_in_another_currency_keeps_its_dollars(client: Client, gpu: Gpu) -> None:
    ExchangeRate.objects.create(currency="EUR", day=timezone.now().date(), usd=Decimal("1.25"))
    row(gpu, "5")
    found = ask(client, "listings?currency=EUR")
    assert found["units"]["currency"] == "EUR"
    assert (found["items"][0]["usd_per_hour"], found["items"][0]["shown"]) == (5, 4)
    (error,) = ask(client, "listings?currency=XYZ", 422)["errors"]
    assert error["allowed"] == ["EUR", "USD"]


def test_one_listing_tells_how_its_price_moved(client: Client, gpu: Gpu) -> None:
    listing = row(gpu, "2.5", stated_price="2.50", stated_unit="USD / instance / hour")
    now = timezone.now()
    for days, usd in ((3, "3"), (2, None), (1, "2.5")):
        PricePoint.objects.create(listing=listing, at=now - timedelta(days=days), usd_per_hour=usd)
    found = ask(client, f"listings/{listing.pk}")
    assert [point["usd_per_hour"] for point in found["prices"]] == [2.5, None, 3]
    assert (found["stated_price"], found["stated_unit"]) == ("2.50", "USD / instance / hour")


def test_a_withdrawn_listing_stays_readable(client: Client, gpu: Gpu) -> None:
    listing = row(gpu, "2.5", withdrawn_at=timezone.now())
    assert ask(client, f"listings/{listing.pk}")["withdrawn_at"]
    assert ask(client, "listings")["items"] == []


def test_what_only_the_catalog_names_is_no_listing(client: Client, gpu: Gpu) -> None:
    named = make_listing(make_offering(), gpu, origin="catalog")
    assert ask(client, f"listings/{named.pk}", 404)["status"] == 404


@pytest.mark.parametrize("after", ["", "x", "0_1_2", "9_1_2_3"])
def test_a_place_that_is_none_is_refused(client: Client, after: str) -> None:
    (error,) = ask(client, f"listings?after={after}", 422)["errors"]
    assert error["parameter"] == "after"


# --- GPUs ---------------------------------------------------------------------------------------


def test_gpus_stand_by_family_with_their_source(client: Client, gpu: Gpu) -> None:
    make_gpu("h100-pcie", "h100", vram_gb=80)
    (family,) = ask(client, "gpus")["items"]
    assert (family["slug"], family["vendor"]) == ("h100", "NVIDIA")
    assert {model["slug"] for model in family["models"]} == {"h100-sxm", "h100-pcie"}
    sxm = next(model for model in family["models"] if model["slug"] == "h100-sxm")
    assert (sxm["compute_capability"], sxm["source"]) == ("9.0", "developer.nvidia.com/cuda-gpus")


def test_a_slug_means_a_family_or_a_model(client: Client, gpu: Gpu) -> None:
    model, family = ask(client, "gpus/h100-sxm"), ask(client, "gpus/h100")
    assert (model["kind"], model["model"]["vram_gb"]) == ("model", 80)
    assert (family["kind"], family["model"]) == ("family", None)
    assert model["family"] == family["family"]


def test_prices_over_time_are_the_lowest_of_each_day(client: Client, gpu: Gpu) -> None:
    now = timezone.now()
    SourceState.objects.create(slug="vast", good_at=now)
    for usd, count in (("9", 3), ("4", 1)):
        listing = row(gpu, usd, gpu_count=count, source="vast")
        PricePoint.objects.create(
            listing=listing, at=now - timedelta(days=2), usd_per_hour=Decimal(usd)
        )
    for slug in ("h100", "h100-sxm"):
        days = ask(client, f"gpus/{slug}/prices")["days"]
        assert [day["usd_per_gpu_hour"] for day in days] == [3, 3, 3]
        assert days[-1]["day"] == now.date().isoformat()


def test_a_gpu_that_nobody_priced_has_no_days(client: Client, gpu: Gpu) -> None:
    assert ask(client, "gpus/h100/prices")["days"] == []


# --- Status ------------------------------------------------------------------------------


def test_a_source_tells_when_it_was_read_and_how_that_went(client: Client) -> None:
    now = timezone.now()
    SourceState.objects.create(slug="vast", good_at=now - timedelta(minutes=5))
    times = {"started_at": now - timedelta(minutes=6), "ended_at": now - timedelta(minutes=5)}
    RefreshRun.objects.create(source="vast", outcome="merged", new=3, unchanged=4, **times)
    sources = {source["slug"]: source for source in ask(client, "status")["sources"]}
    vast = sources["vast"]
    assert (vast["band"], vast["rows"], vast["outcome"]) == ("fresh", 7, "merged")
    assert (vast["failed"], vast["failure"]) == (False, "")
    never = next(s for s in sources.values() if s["slug"] != "vast")
    assert (never["band"], never["good_at"], never["outcome"]) == ("never", None, None)


def test_a_failed_run_is_told_in_words(client: Client) -> None:
    now = timezone.now()
    SourceState.objects.create(slug="vast")
    RefreshRun.objects.create(source="vast", outcome="unreachable", started_at=now, ended_at=now)
    sources = {source["slug"]: source for source in ask(client, "status")["sources"]}
    assert (sources["vast"]["failed"], sources["vast"]["outcome"]) == (True, "unreachable")
    assert sources["vast"]["failure"]


def test_the_status_counts_what_is_known_and_what_is_due(client: Client) -> None:
    offering = make_offering(docker_daemon="root", contradicted=["ssh"])
    make_claim(offering, "docker_daemon", "root", read_on=None)
    coverage = ask(client, "status")["coverage"]
    assert (coverage["offerings"], coverage["main_known"], coverage["contradicted"]) == (1, 1, 1)
    assert (coverage["answers"], coverage["due"]) == (1, 1)
