"""Which price stands for an offering: of an asked GPU, the most trusted, then the cheapest."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from providers.browse.criteria import Criteria
from providers.browse.query import browse
from providers.browse.world import World
from providers.compare import prices
from providers.compare.prices import Prices
from providers.models import Gpu, GpuFamily, Listing, Offering
from tests.factories import NOW, make_gpu, make_listing, make_offering

pytestmark = pytest.mark.django_db

LONG_AGO = NOW - timedelta(days=3)


@pytest.fixture
def pods() -> Offering:
    return make_offering()


@pytest.fixture
def sxm() -> Gpu:
    return make_gpu("h100-sxm", "h100")


def read(*offerings: Offering, **view: str) -> Prices:
    criteria = Criteria.of({name: [value] for name, value in view.items()})
    return prices.read(criteria, offerings, World.read(), NOW)


def on_demand(offering: Offering, **view: str) -> tuple[str, Decimal] | None:
    found = read(offering, **view).on_demand.get(offering.pk)
    return (found.gpu_name, found.shown) if found else None


def test_the_cheapest_of_all_gpus_is_named(pods: Offering, sxm: Gpu) -> None:
    make_listing(pods, sxm, usd_per_hour=Decimal(3))
    make_listing(pods, make_gpu("l4"), usd_per_hour=Decimal(1))
    assert on_demand(pods) == ("L4", Decimal(1))


def test_a_model_and_its_family_can_be_asked_for(pods: Offering, sxm: Gpu) -> None:
    make_listing(pods, sxm, usd_per_hour=Decimal(3))
    make_listing(pods, make_gpu("l4"), usd_per_hour=Decimal(1))
    for slug in ("h100-sxm", "h100"):
        assert on_demand(pods, gpu=slug) == ("H100-SXM", Decimal(3))


def test_an_open_form_may_be_the_asked_model_and_another_model_is_not(
    pods: Offering, sxm: Gpu
) -> None:
    pcie = make_gpu("h100-pcie", "h100")
    make_listing(pods, pcie, usd_per_hour=Decimal(1))
    assert on_demand(pods, gpu="h100-sxm") is None
    make_listing(pods, sxm.family, usd_per_hour=Decimal(2))
    assert on_demand(pods, gpu="h100-sxm") == ("H100", Decimal(2))


def test_an_unknown_name_may_be_any_gpu(pods: Offering, sxm: Gpu) -> None:
    make_listing(pods, None, usd_per_hour=Decimal(2))
    assert on_demand(pods, gpu="h100-sxm") == ("Mystery 9000", Decimal(2))


def test_a_trusted_price_stands_before_cheaper_old_ones(pods: Offering, sxm: Gpu) -> None:
    l4, a10 = make_gpu("l4"), make_gpu("a10")
    make_listing(pods, l4, usd_per_hour=Decimal(1), origin="snapshot", seen_at=LONG_AGO)
    assert on_demand(pods) == ("L4", Decimal(1))
    make_listing(pods, a10, usd_per_hour=Decimal(2), seen_at=LONG_AGO)
    assert on_demand(pods) == ("A10", Decimal(2))
    make_listing(pods, sxm, usd_per_hour=Decimal(3))
    assert on_demand(pods) == ("H100-SXM", Decimal(3))


def test_spot_and_on_demand_are_two_rows(pods: Offering, sxm: Gpu) -> None:
    make_listing(pods, sxm, spot_usd_per_hour=Decimal(1))
    found = read(pods)
    assert found.on_demand == {}
    assert found.spot[pods.pk].shown == Decimal(1)
    assert found.spot[pods.pk].spot


def test_a_price_follows_the_divisor(pods: Offering, sxm: Gpu) -> None:
    make_listing(pods, sxm, usd_per_hour=Decimal(16), gpu_count=8)
    make_listing(pods, sxm, usd_per_hour=Decimal(3), gpu_count=1)
    assert read(pods).on_demand[pods.pk].shown == Decimal(2)
    assert read(pods, per="instance").on_demand[pods.pk].shown == Decimal(3)


def test_withdrawn_listings_have_no_price(pods: Offering, sxm: Gpu) -> None:
    make_listing(pods, sxm, usd_per_hour=Decimal(3), withdrawn_at=NOW)
    assert read(pods) == Prices({}, {}, {})


def test_each_offering_has_its_own_price_and_no_other_is_read(sxm: Gpu) -> None:
    cheap, dear, absent = (make_offering() for _ in range(3))
    for offering, usd in ((cheap, 1), (dear, 5), (absent, 2)):
        make_listing(offering, sxm, usd_per_hour=Decimal(usd))
    found = read(dear, cheap).on_demand
    assert {pk: price.shown for pk, price in found.items()} == {cheap.pk: 1, dear.pk: 5}


def test_who_rents_what_counts_offerings_and_what_only_the_catalog_names(
    pods: Offering, sxm: Gpu
) -> None:
    other, l4 = make_offering(), make_gpu("l4")
    make_listing(pods, sxm, usd_per_hour=Decimal(1))
    make_listing(pods, sxm, usd_per_hour=Decimal(2), gpu_count=2)
    make_listing(other, sxm.family, origin="catalog", gpu_count=None)
    make_listing(other, l4, origin="catalog", gpu_count=None)
    make_listing(other, None, usd_per_hour=Decimal(1))
    assert list(read(pods, other).rented.items()) == [("h100", 2), ("h100-sxm", 1), ("l4", 1)]


LISTED = st.lists(
    st.fixed_dictionaries(
        {
            "gpu": st.sampled_from(["h100-sxm", "h100-pcie", "h100", "l4", None]),
            "origin": st.sampled_from(["live", "snapshot"]),
            "hours_old": st.sampled_from([0, 3, 40]),
            "gpu_count": st.sampled_from([1, 2, 8]),
            "usd_per_hour": st.integers(1, 40).map(Decimal),
        }
    ),
    max_size=5,
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    LISTED, st.sampled_from(["", "h100-sxm", "h100", "l4"]), st.sampled_from(["gpu", "instance"])
)
def test_browse_and_compare_name_the_same_price(
    listed: list[dict[str, Any]], gpu: str, per: str
) -> None:
    Listing.objects.all().delete()
    offering, gpus = _the_same_ones()
    for fields in listed:
        seen = NOW - timedelta(hours=fields["hours_old"])
        rest = {k: v for k, v in fields.items() if k not in ("gpu", "hours_old")}
        make_listing(offering, gpus[fields["gpu"]], seen_at=seen, **rest)
    view = {"gpu": gpu, "per": per} if gpu else {"per": per}
    criteria = Criteria.of({name: [value] for name, value in view.items()})
    rows = browse(criteria, World.read(), NOW).rows
    there = {row.offering.pk: row.cheapest.shown for row in rows if row.cheapest}
    here = {pk: price.shown for pk, price in read(offering, **view).on_demand.items()}
    assert here == there


def _the_same_ones() -> tuple[Offering, dict[str | None, Gpu | GpuFamily | None]]:
    """One offering and a few GPUs, made in the first example and found in the others."""
    if not Offering.objects.exists():
        make_offering()
        for slug, family in (("h100-sxm", "h100"), ("h100-pcie", "h100"), ("l4", "l4")):
            make_gpu(slug, family)
    gpus: dict[str | None, Gpu | GpuFamily | None] = {gpu.slug: gpu for gpu in Gpu.objects.all()}
    return Offering.objects.get(), gpus | {"h100": GpuFamily.objects.get(slug="h100"), None: None}
