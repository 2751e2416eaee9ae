"""The cheapest price of each GPU: trusted before dated, on demand apart from spot."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.http import QueryDict

from providers.browse.criteria import Criteria
from providers.models import Gpu, Listing, Offering, Origin
from providers.prices import GpuPrice, by_family, by_offering, units_asked
from tests.factories import NOW, make_gpu, make_listing, make_offering

pytestmark = pytest.mark.django_db

PER_INSTANCE = Criteria.of({"per": ["instance"]})


@pytest.fixture
def pods() -> Offering:
    return make_offering("pods")


@pytest.fixture
def h100() -> Gpu:
    return make_gpu("h100-sxm", "h100")


def priced(offering: Offering, gpu: Gpu | None, usd: str | None, **fields: object) -> Listing:
    price = None if usd is None else Decimal(usd)
    return make_listing(offering, gpu, usd_per_hour=price, **fields)


def found(*offerings: Offering, units: Criteria = Criteria()) -> list[GpuPrice]:  # noqa: B008
    return by_offering(units, [offering.pk for offering in offerings], NOW)


def amounts(prices: list[GpuPrice]) -> list[tuple[str, bool, Decimal | None]]:
    return [(p.name, p.spot, p.cheapest.shown if p.cheapest else None) for p in prices]


def test_each_gpu_has_its_cheapest_listing_on_demand_and_as_spot(pods: Offering, h100: Gpu) -> None:
    priced(pods, h100, "3")
    priced(pods, h100, "2.5", spot_usd_per_hour=Decimal("1.5"))
    priced(pods, make_gpu("l4"), "0.5")
    assert amounts(found(pods)) == [
        ("H100-SXM", False, Decimal("2.5")),
        ("H100-SXM", True, Decimal("1.5")),
        ("L4", False, Decimal("0.5")),
    ]


def test_a_trusted_price_stands_before_a_cheaper_dated_one(pods: Offering, h100: Gpu) -> None:
    priced(pods, h100, "1", origin=Origin.SNAPSHOT)
    priced(pods, h100, "2", seen_at=NOW - timedelta(days=2))
    priced(pods, h100, "3")
    (price,) = found(pods)
    assert price.cheapest
    assert (price.cheapest.shown, price.cheapest.trusted) == (Decimal(3), True)


def test_among_dated_prices_a_live_one_stands_before_a_snapshot(pods: Offering, h100: Gpu) -> None:
    priced(pods, h100, "1", origin=Origin.SNAPSHOT)
    priced(pods, h100, "2", seen_at=NOW - timedelta(days=2))
    (price,) = found(pods)
    assert price.cheapest
    assert (price.cheapest.shown, price.cheapest.trusted) == (Decimal(2), False)


def test_the_unit_decides_which_is_cheapest(pods: Offering, h100: Gpu) -> None:
    priced(pods, h100, "16", gpu_count=8)
    priced(pods, h100, "3", gpu_count=1)
    (per_gpu,) = found(pods)
    (per_instance,) = found(pods, units=PER_INSTANCE)
    assert per_gpu.cheapest
    assert per_instance.cheapest
    assert (per_gpu.cheapest.shown, per_gpu.cheapest.gpu_count) == (Decimal(2), 8)
    assert (per_instance.cheapest.shown, per_instance.cheapest.gpu_count) == (Decimal(3), 1)


def test_what_only_the_catalog_names_has_no_price(pods: Offering, h100: Gpu) -> None:
    priced(pods, h100, None, origin=Origin.CATALOG, gpu_count=None)
    assert amounts(found(pods)) == [("H100-SXM", False, None)]


def test_a_listing_speaks_for_the_catalogs_name_of_the_same_gpu(pods: Offering, h100: Gpu) -> None:
    priced(pods, h100, None, origin=Origin.CATALOG, gpu_count=None)
    priced(pods, h100, "2")
    assert amounts(found(pods)) == [("H100-SXM", False, Decimal(2))]


def test_an_open_form_and_unknown_names_stand_apart(pods: Offering, h100: Gpu) -> None:
    make_listing(pods, h100.family, usd_per_hour=Decimal(2))
    priced(pods, h100, "3")
    priced(pods, None, "4", gpu_name="Mystery 1")
    priced(pods, None, "5", gpu_name="Mystery 2")
    prices = found(pods)
    assert [(p.family is None, p.gpu is None) for p in prices] == [
        (False, False),
        (False, True),
        (True, True),
        (True, True),
    ]
    assert [p.name for p in prices[2:]] == ["Mystery 1", "Mystery 2"]


def test_withdrawn_listings_and_other_offerings_are_left_out(pods: Offering, h100: Gpu) -> None:
    priced(pods, h100, "1", withdrawn_at=NOW)
    priced(make_offering("other"), h100, "2")
    assert found(pods) == []


def test_a_family_has_the_cheapest_of_all_models_and_offerings(pods: Offering, h100: Gpu) -> None:
    other = make_offering("other")
    priced(pods, h100, "3")
    priced(other, make_gpu("h100-pcie", "h100"), "2", spot_usd_per_hour=Decimal(1))
    priced(other, None, "0.1")
    prices = by_family(Criteria(), [pods.pk, other.pk], NOW)
    assert [cheapest.shown for cheapest in prices.values()] == [2]
    assert prices[h100.family_id].spot is False


def test_a_family_that_is_spot_only_says_so(pods: Offering, h100: Gpu) -> None:
    priced(pods, h100, None, spot_usd_per_hour=Decimal(1))
    price = by_family(Criteria(), [pods.pk], NOW)[h100.family_id]
    assert (price.shown, price.spot) == (Decimal(1), True)


def test_a_family_without_a_price_is_left_out(pods: Offering, h100: Gpu) -> None:
    priced(pods, h100, None, origin=Origin.CATALOG, gpu_count=None)
    assert by_family(Criteria(), [pods.pk], NOW) == {}


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("", ""),
        ("per=instance&period=month", "per=instance&period=month"),
        ("gpu=h100&docker_daemon=root&sort=price&per=instance", "per=instance"),
        ("per=%00&period=century&period=day&x=y", "period=day"),
    ],
)
def test_an_address_is_asked_for_its_units_alone(query: str, kept: str) -> None:
    assert units_asked(QueryDict(query)).query() == kept
