"""The GPUs that the catalog names stand as listings without price and stock."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from providers.models import Gpu, Listing, Offering, Origin, Stock, UnknownGpuName
from providers.refresh.merge import Counts
from providers.refresh.stand_ins import sync_stand_ins
from tests.factories import make_listing, make_offering, make_provider

pytestmark = pytest.mark.django_db


def offering(*names: str, provider: str = "modal") -> Offering:
    return make_offering(provider=make_provider(provider), gpu_names=list(names))


def name(offering: Offering, *names: str) -> None:
    Offering.objects.filter(pk=offering.pk).update(gpu_names=list(names))


def stand_in(gpu_name: str) -> Listing:
    return Listing.objects.get(origin=Origin.CATALOG, gpu_name=gpu_name)


def test_each_name_becomes_a_listing_of_unknown_price_and_stock() -> None:
    named = offering("H100 SXM", "A100-40GB")
    assert sync_stand_ins() == Counts(new=2)
    row = stand_in("H100 SXM")
    assert (row.offering, row.key, row.stock) == (named, "catalog:H100 SXM", Stock.UNKNOWN)
    assert (row.usd_per_hour, row.spot_usd_per_hour, row.spot) == (None, None, None)
    assert (row.gpu_count, row.region, row.withdrawn_at) == (None, "", None)
    assert row.gpu == Gpu.objects.get(slug="h100-sxm")
    assert not row.price_points.exists()


def test_it_fills_the_gpu_table_where_that_is_missing() -> None:
    offering("T4")
    sync_stand_ins()
    assert Gpu.objects.filter(slug="t4").exists()


@pytest.mark.parametrize(
    ("gpu_name", "family", "gpu", "vram"),
    [
        ("T4", "t4", "t4", 16),
        ("H200", "h200", None, 141),
        ("H100", "h100", None, None),
        ("A100-80GB", "a100", None, 80),
        ("RTX 4090 48GB", "rtx-4090", None, 48),
    ],
)
def test_what_is_open_stays_open(
    gpu_name: str, family: str, gpu: str | None, vram: int | None
) -> None:
    offering(gpu_name)
    sync_stand_ins()
    row = stand_in(gpu_name)
    assert row.family is not None
    assert (row.family.slug, row.gpu and row.gpu.slug, row.vram_gb) == (family, gpu, vram)


def test_a_providers_own_words_are_understood() -> None:
    offering("P4de", provider="aws")
    sync_stand_ins()
    row = stand_in("P4de")
    assert row.gpu is not None
    assert (row.gpu.slug, row.vram_gb) == ("a100-sxm-80gb", 80)


def test_a_second_run_writes_nothing_and_costs_the_same_for_more_offerings() -> None:
    def cost() -> int:
        sync_stand_ins()
        with CaptureQueriesContext(connection) as queries:
            assert not sync_stand_ins().wrote
        verbs = ("INSERT", "UPDATE", "DELETE")
        assert [q["sql"] for q in queries.captured_queries if q["sql"].startswith(verbs)] == []
        return len(queries)

    offering("H100", "Foo 9000")
    few = cost()
    for number in range(20):
        offering("H100", "A100", f"Foo {number}", provider=f"p{number}")
    assert cost() == few <= 20


def test_an_unchanged_run_keeps_the_day_of_the_row() -> None:
    offering("T4")
    sync_stand_ins()
    old = stand_in("T4").first_seen - timedelta(days=9)
    Listing.objects.update(seen_at=old, first_seen=old)
    assert sync_stand_ins() == Counts(unchanged=1)
    assert stand_in("T4").seen_at == old


def test_a_name_that_left_is_withdrawn_and_comes_back_as_itself() -> None:
    named = offering("T4", "L4")
    sync_stand_ins()
    before = stand_in("L4").pk
    name(named, "T4")
    assert sync_stand_ins() == Counts(unchanged=1, withdrawn=1)
    assert stand_in("L4").withdrawn_at is not None
    name(named, "T4", "L4")
    assert sync_stand_ins() == Counts(changed=1, unchanged=1)
    assert (stand_in("L4").pk, stand_in("L4").withdrawn_at) == (before, None)


def test_an_offering_that_names_none_any_more_keeps_no_stand_in() -> None:
    named = offering("T4")
    sync_stand_ins()
    Offering.objects.filter(pk=named.pk).update(gpu_names=None)
    assert sync_stand_ins() == Counts(withdrawn=1)


def test_a_name_that_stands_twice_is_one_listing() -> None:
    offering("T4", "T4")
    assert sync_stand_ins() == Counts(new=1)


def test_a_row_follows_the_gpu_table() -> None:
    offering("T4")
    sync_stand_ins()
    Listing.objects.update(family=None, gpu=None, vram_gb=None)
    assert sync_stand_ins() == Counts(changed=1)
    assert stand_in("T4").gpu == Gpu.objects.get(slug="t4")


def test_listings_of_other_origins_are_left_alone() -> None:
    live = make_listing(offering("T4"))
    sync_stand_ins()
    live.refresh_from_db()
    assert (live.origin, live.withdrawn_at) == (Origin.LIVE, None)


def test_an_unknown_name_is_kept_and_queued_once_for_each_provider() -> None:
    offering("Foo 9000", provider="one")
    offering("Foo 9000", provider="two")
    make_offering(provider=Offering.objects.all()[0].provider, gpu_names=["Foo 9000"])
    sync_stand_ins()
    assert Listing.objects.filter(family=None).count() == 3
    queued = UnknownGpuName.objects.order_by("count").values_list("name", "count")
    assert list(queued) == [("Foo 9000", 1), ("Foo 9000", 2)]
    places = UnknownGpuName.objects.values_list("seen_at", flat=True)
    assert set(places) == {"catalog:one", "catalog:two"}


def test_a_listed_exception_is_kept_but_not_queued() -> None:
    offering("H100_40GB", provider="baseten")
    sync_stand_ins()
    row = stand_in("H100_40GB")
    assert (row.family, row.vram_gb) == (None, 40)
    assert not UnknownGpuName.objects.exists()


def test_a_very_long_provider_slug_finds_room_in_the_queue() -> None:
    slug = "p" * 64
    offering("Foo 9000", provider=slug)
    sync_stand_ins()
    sync_stand_ins()
    assert slug.startswith(UnknownGpuName.objects.get().seen_at.removeprefix("catalog:"))
