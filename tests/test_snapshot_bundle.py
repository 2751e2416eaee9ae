"""The project's own prices, loaded whole over offerings as the catalog has them."""

from __future__ import annotations

import csv
from decimal import Decimal

import pytest
import yaml
from django.conf import settings
from django.db.models import F, Q

from providers.models import Listing, Offering, PricePoint, UnknownGpuName
from providers.refresh.merge import Counts
from providers.refresh.snapshot import load_snapshot
from providers.refresh.stand_ins import sync_stand_ins
from tests.factories import make_offering, make_provider

pytestmark = pytest.mark.django_db


def prices() -> list[dict[str, str]]:
    with (settings.LISTINGS_DIR / "prices.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def offerings() -> list[Offering]:
    """Every offering of the catalog with its GPU names, without claims."""
    made = []
    for path in sorted(settings.CATALOG_DIR.glob("*.yaml")):
        told = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
        provider = make_provider(told["slug"])
        for one in told["offerings"]:
            made.append(make_offering(one["slug"], provider, gpu_names=one.get("gpus")))
    return made


@pytest.mark.usefixtures("offerings")
def test_every_bundled_price_becomes_a_listing_with_a_known_gpu() -> None:
    rows = prices()
    assert load_snapshot(settings.LISTINGS_DIR) == Counts(new=len(rows))
    assert not Listing.objects.filter(family=None).exists()
    assert not UnknownGpuName.objects.exists()
    assert PricePoint.objects.count() == len(rows)


@pytest.mark.usefixtures("offerings")
def test_the_bundled_prices_are_kept_to_the_cent() -> None:
    load_snapshot(settings.LISTINGS_DIR)
    told = sum(Decimal(row["usd_per_gpu_hour"] or 0) * int(row["gpu_count"]) for row in prices())
    kept = sum(row.usd_per_hour or 0 for row in Listing.objects.all())
    assert kept == told


@pytest.mark.usefixtures("offerings")
def test_spot_is_claimed_where_a_spot_price_is_known_and_nowhere_else() -> None:
    load_snapshot(settings.LISTINGS_DIR)
    with_price = Q(spot_usd_per_hour__isnull=False)
    assert not Listing.objects.filter(with_price).exclude(spot=True).exists()
    assert not Listing.objects.filter(~with_price, spot__isnull=False).exists()
    assert not Listing.objects.filter(spot_usd_per_hour__gt=F("usd_per_hour")).exists()


def test_every_gpu_of_the_catalog_has_its_stand_in(offerings: list[Offering]) -> None:
    named = sum(len(set(offering.gpu_names or ())) for offering in offerings)
    assert named > 600
    assert sync_stand_ins() == Counts(new=named)
    assert not UnknownGpuName.objects.exists()


@pytest.mark.usefixtures("offerings")
def test_snapshot_and_stand_ins_do_not_touch_each_other() -> None:
    first = (load_snapshot(settings.LISTINGS_DIR), sync_stand_ins())
    again = (load_snapshot(settings.LISTINGS_DIR), sync_stand_ins())
    assert [counts.unchanged for counts in again] == [counts.new for counts in first]
    assert not any(counts.wrote for counts in again)
