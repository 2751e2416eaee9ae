"""The prices of compared offerings: which GPU, how old, in which unit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from providers.models import Offering
from tests.comparing import BOTH, make_pods, make_vms, page_of
from tests.factories import make_gpu, make_listing

pytestmark = pytest.mark.django_db
pods = pytest.fixture(make_pods)
vms = pytest.fixture(make_vms)


def test_the_cheapest_prices_name_their_gpu_age_and_divisor(
    client: Client, pods: Offering, vms: Offering
) -> None:
    now = timezone.now()
    h100 = make_gpu("h100-sxm", "h100")
    fresh: dict[str, Any] = {"seen_at": now - timedelta(minutes=5), "gpu_count": 8}
    make_listing(pods, h100, usd_per_hour=Decimal(20), spot_usd_per_hour=Decimal(8), **fresh)
    make_listing(vms, make_gpu("l4"), usd_per_hour=Decimal("0.50"), seen_at=now)
    on_demand, spot = page_of(client, BOTH).prices
    assert [cell.amount for cell in on_demand.cells] == ["2.50", "0.50"]
    assert [cell.amount for cell in spot.cells] == ["1.00", ""]
    assert on_demand.cells[0].gpu == "8 × H100-SXM"
    assert on_demand.cells[0].divisor == "$20.00 ÷ 8"
    assert on_demand.cells[0].band == "fresh"


def test_prices_may_be_for_one_gpu_and_the_menu_names_who_rents_it(
    client: Client, pods: Offering, vms: Offering
) -> None:
    now = timezone.now()
    h100, l4 = make_gpu("h100-sxm", "h100"), make_gpu("l4")
    for offering in (pods, vms):
        make_listing(offering, h100, usd_per_hour=Decimal(3), seen_at=now)
    make_listing(vms, l4, usd_per_hour=Decimal("0.50"), seen_at=now)
    page = page_of(client, BOTH)
    assert [(choice.key, str(choice.label)) for choice in page.gpus] == [
        ("any", "Cheapest of all"),
        ("h100", "H100 (2 of 2)"),
        ("h100-sxm", "H100-SXM (2 of 2)"),
        ("l4", "L4 (1 of 2)"),
    ]
    chosen = page_of(client, page.gpus[1].url)
    assert [cell.amount for cell in chosen.prices[0].cells] == ["3.00", "3.00"]
    assert str(chosen.price_of) == "H100"
    assert chosen.gpus[0].url == page.canonical_url


def test_a_gpu_that_nobody_here_rents_stays_in_the_menu(client: Client, pods: Offering) -> None:
    make_gpu("l4")
    page = page_of(client, "/compare/?o=alpha/pods&gpu=l4")
    assert [(c.key, c.active) for c in page.gpus] == [("any", False), ("l4", True)]


def test_units_are_part_of_the_address(client: Client, pods: Offering) -> None:
    listed = make_gpu("l4")
    make_listing(pods, listed, usd_per_hour=Decimal(2), gpu_count=2, seen_at=timezone.now())
    address = "/compare/?o=alpha/pods&per=instance&period=day"
    page = page_of(client, address)
    assert page.canonical_url == address
    assert page.prices[0].cells[0].amount == "48.00"
    assert str(page.price_unit) == "$ / instance / day"


def test_the_day_of_snapshot_prices_is_said(client: Client, pods: Offering) -> None:
    seen = datetime(2026, 5, 24, tzinfo=UTC)
    make_listing(pods, make_gpu("l4"), usd_per_hour=Decimal(1), origin="snapshot", seen_at=seen)
    page = page_of(client, "/compare/?o=alpha/pods")
    assert page.snapshot_day == "24 May 2026"
    assert "snapshot, 24 May 2026" in client.get("/compare/?o=alpha/pods").content.decode()
