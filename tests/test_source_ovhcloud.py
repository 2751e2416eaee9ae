"""OVHcloud: one catalog in which a flavor stands many times, and its GPU often not at all."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from providers.sources.base import ListingRecord, MalformedError
from tests.recorded_http import answered, body, page, read, source

CATALOG = body("ovhcloud", "catalog")


def row(key: str) -> ListingRecord:
    records, _bad = answered("ovhcloud")
    return records[f"ovhcloud/gpu-instances {key}"]


def catalog(**fields: Any) -> dict[str, ListingRecord]:
    records, _bad = read(source("ovhcloud"), [page(CATALOG | fields, "catalog")])
    return records


def test_a_price_is_in_hundred_millionths_of_the_currency() -> None:
    price = row("h100-760").price
    assert price is not None
    assert (price.raw, price.amount, price.currency) == ("566000000", Decimal("5.66"), "EUR")


def test_the_currency_is_that_of_the_catalog() -> None:
    records = catalog(locale={"currencyCode": "USD"})
    assert {each.price.currency for each in records.values() if each.price} == {"USD"}


def test_a_flavor_is_one_row_however_often_it_stands_there() -> None:
    """By the hour and by the month, with Windows, twice in the list and once within a plan."""
    records, bad = answered("ovhcloud")
    assert {each.key for each in records.values()} == {
        "h100-760",
        "l40s-180",
        "t1-le-45",
        "t2-90",
        "h200-960",
        "rtx5000-84",
        "a10-90",
    }
    assert not bad


def test_addons_within_plans_are_read_as_well() -> None:
    assert row("a10-90").gpu_count == 2


@pytest.mark.parametrize(
    ("key", "gpu", "count", "vram"),
    [
        ("h100-760", "H100", 2, 80),
        ("l40s-180", "L40S", 2, 48),  # the catalog says one
        ("t1-le-45", "V100", 1, 16),  # the catalog says nothing
        ("t2-90", "V100S", 2, 32),
        ("rtx5000-84", "Quadro RTX 5000", 3, 16),
        ("h200-960", "H200", 4, 141),  # the table says nothing
    ],
)
def test_the_table_goes_before_what_the_catalog_says_of_gpus(
    key: str, gpu: str, count: int, vram: int
) -> None:
    found = row(key)
    assert (found.gpu_name, found.gpu_count, found.vram_gb) == (gpu, count, vram)


def test_a_price_of_zero_is_no_price_and_none_is_no_listing() -> None:
    records, _bad = answered("ovhcloud")
    assert row("rtx5000-84").price is None
    assert "ovhcloud/gpu-instances h200-1920-eph" not in records


def test_disks_and_bandwidth_are_figures() -> None:
    assert row("h100-760").extras == {"disk_gb": Decimal(7880), "inet_mbps": Decimal(16000)}


def test_a_flavor_without_details_is_known_by_its_name() -> None:
    addon = CATALOG["addons"][0] | {"blobs": None}
    (found,) = catalog(addons=[addon], plans=[]).values()
    assert (found.gpu_name, found.gpu_count, found.extras) == ("H100", 2, {})


@pytest.mark.parametrize("plans", [None, "x", [None], [{"addonFamilies": [None, {"addons": 3}]}]])
def test_plans_of_any_shape_do_no_harm(plans: object) -> None:
    assert len(catalog(plans=plans)) == 6


@pytest.mark.parametrize("addons", [None, "x", 3])
def test_addons_of_another_shape_are_malformed(addons: object) -> None:
    with pytest.raises(MalformedError):
        catalog(addons=addons)


def test_a_catalog_without_its_currency_is_malformed() -> None:
    with pytest.raises(MalformedError, match="no 'locale'"):
        read(source("ovhcloud"), [page({"addons": []}, "catalog")])
