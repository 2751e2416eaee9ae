"""The rows of a query: their order, what search finds, and which price counts as cheapest."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.http import QueryDict

from providers.browse.criteria import Criteria
from providers.browse.judge import Truth
from providers.browse.query import BrowseResult, Cheapest, browse
from providers.browse.world import World, fold
from providers.models import Gpu, GpuFamily, Offering, Origin
from tests.factories import NOW, make_claim, make_gpu, make_listing, make_offering, make_provider

pytestmark = pytest.mark.django_db

MAY = date(2026, 5, 24)


def ask(query: str = "") -> BrowseResult:
    world = World.read()
    criteria, ignored = Criteria.parse(QueryDict(query), world.vocabulary)
    assert ignored == []
    return browse(criteria, world, NOW)


def slugs(query: str = "") -> list[str]:
    return [row.offering.slug for row in ask(query).rows]


def cheapest(query: str = "") -> Cheapest:
    (row,) = ask(query).rows
    assert row.cheapest is not None
    return row.cheapest


def shown(query: str = "") -> float:
    """What the cheapest listing costs, in the unit that the query asks for."""
    return float(cheapest(query).shown)


def price(offering: Offering, usd: float | None = None, **fields: Any) -> None:
    """A live listing of 1 × H100 seen just now, unless the fields say otherwise."""
    h100 = Gpu.objects.filter(slug="h100-sxm").first() or make_gpu("h100-sxm", "h100")
    hours = fields.pop("hours_old", 0)
    fields.setdefault("seen_at", NOW - timedelta(hours=hours))
    dollars = None if usd is None else Decimal(str(usd))
    make_listing(offering, fields.pop("gpu", h100), usd_per_hour=dollars, **fields)


def dated(offering: Offering, usd: float, **fields: Any) -> None:
    price(offering, usd, origin=Origin.SNAPSHOT, hours_old=24 * 190, **fields)


# --- Order -------------------------------------------------------------------------------


def test_rows_stand_by_provider_and_then_in_the_catalogs_order() -> None:
    zed, acme = make_provider("zed", name="Acme"), make_provider("acme", name="Zed")
    for slug, provider, position in (("c", acme, 0), ("b", zed, 1), ("a", zed, 2), ("d", zed, 0)):
        make_offering(slug, provider, position=position)
    assert slugs() == ["d", "b", "a", "c"]


def test_names_stand_in_order_without_regard_to_case() -> None:
    for name in ("beta", "Alpha", "İstanbul GPU", "Gamma", "jet"):
        make_offering(name[:1].lower(), make_provider(name=name))
    assert [row.offering.provider.name for row in ask().rows] == [
        *("Alpha", "beta", "Gamma", "İstanbul GPU", "jet")
    ]


@pytest.fixture
def priced() -> None:
    """Offerings named by how they are priced."""
    acme = make_provider()
    dated(make_offering("old-1", acme), 1)
    price(make_offering("live-3", acme), 3)
    make_offering("none", acme)
    price(make_offering("live-2", acme), 2)
    dated(make_offering("old-4", acme), 4)
    price(make_offering("stale-5", acme), 5, hours_old=13)


@pytest.mark.usefixtures("priced")
def test_by_price_the_live_stand_before_the_dated_and_those_before_the_unpriced() -> None:
    assert slugs("sort=price") == ["live-2", "live-3", "stale-5", "old-1", "old-4", "none"]


@pytest.mark.usefixtures("priced")
def test_dearest_first_turns_prices_round_but_not_what_they_are_worth() -> None:
    order = slugs("sort=-price")
    assert order == ["live-3", "live-2", "stale-5", "old-4", "old-1", "none"]


def test_by_price_the_shown_unit_counts() -> None:
    price(make_offering("eight"), 16, gpu_count=8)
    price(make_offering("one"), 3)
    assert slugs("sort=price") == ["eight", "one"]
    assert slugs("sort=price&per=instance") == ["one", "eight"]


def test_by_freshness_the_latest_read_claim_counts() -> None:
    acme = make_provider()
    for slug, days in (("old", [MAY]), ("new", [MAY, date(2026, 11, 1)]), ("undated", [None])):
        offering = make_offering(slug, acme)
        for dimension, day in zip(("spot", "ssh"), days, strict=False):
            make_claim(offering, dimension, True, read_on=day)
    losing = make_offering("losing", acme)
    make_claim(losing, "spot", True, read_on=NOW.date(), decides=False)
    assert slugs("sort=freshness") == ["new", "old", "losing", "undated"]


def test_by_knowledge_the_main_questions_count_before_the_rest() -> None:
    make_offering("rest", ssh=True, jupyter=True, spot=False)
    make_offering("main", docker_daemon="none")
    make_offering("both", docker_daemon="none", ssh=False)
    make_offering("nothing")
    assert slugs("sort=known") == ["both", "main", "rest", "nothing"]


# --- Search ------------------------------------------------------------------------------


@pytest.fixture
def searchable() -> None:
    istanbul = make_offering("bulut", make_provider("istanbul", name="İSTANBUL Işık"))
    make_gpu("l40s", name="L40S")
    runpod = make_offering(
        "pods", make_provider("runpod", name="RunPod"), name="Secure Pods", gpu_names=["RTX A6000"]
    )
    price(runpod, 2)
    make_listing(istanbul, GpuFamily.objects.get(slug="l40s"))


@pytest.mark.usefixtures("searchable")
@pytest.mark.parametrize(
    ("q", "found"),
    [
        ("runpod", ["pods"]),
        ("SECURE", ["pods"]),
        ("run pods", ["pods"]),  # every word, in any order, anywhere in a name
        ("pods run", ["pods"]),
        ("rtx a6000", ["pods"]),  # a GPU as the catalog names it
        ("h100", ["pods"]),  # a GPU that a listing is of
        ("L40S", ["bulut"]),
        ("istanbul", ["bulut"]),
        ("ISTANBUL ışık", ["bulut"]),
        ("İSTANBUL IŞIK", ["bulut"]),
        ("ıstanbul", ["bulut"]),
        ("runpod l40s", []),
        ("b200", []),
    ],
)
def test_search_finds_by_provider_offering_and_gpu(q: str, found: list[str]) -> None:
    criteria = Criteria.of({"q": (q,)})
    rows = browse(criteria, World.read(), NOW).rows
    assert [row.offering.slug for row in rows] == found
    assert {row.truth for row in rows} <= {Truth.YES}


@pytest.mark.parametrize("text", ["İ", "I", "ı", "i", "i\u0307"[:1]])
def test_the_turkish_letters_i_are_one(text: str) -> None:
    assert fold(text) == "i"


def test_a_withdrawn_listing_is_not_searched() -> None:
    price(make_offering(), 2, withdrawn_at=NOW)
    assert slugs("q=h100") == []


# --- Closed ------------------------------------------------------------------------------


def test_closed_offerings_stand_apart_and_do_not_count() -> None:
    make_offering("open", docker_daemon="root")
    make_offering("ended", status="closed", docker_daemon="root")
    make_offering("of-ended", make_provider(status="closed"), docker_daemon="root")
    make_offering("ended-otherwise", status="closed", docker_daemon="none")
    make_offering("acquired", make_provider(status="acquired"), docker_daemon="root")
    result = ask("docker_daemon=root")
    assert {row.offering.slug for row in result.rows} == {"open", "acquired"}
    assert {row.offering.slug for row in result.closed} == {"ended", "of-ended"}
    assert result.total == 2
    assert [c.match for c in result.facets["docker_daemon"] if c.value == "root"] == [2]


# --- Cheapest ------------------------------------------------------------------------------


@pytest.fixture
def pods() -> Offering:
    return make_offering("pods")


def test_the_cheapest_is_per_gpu_or_per_instance_as_asked(pods: Offering) -> None:
    price(pods, 16, gpu_count=8)
    price(pods, 3)
    assert (shown(), cheapest().instance, cheapest().gpu_count) == (2, Decimal(16), 8)
    assert (shown("per=instance"), cheapest("per=instance").gpu_count) == (3, 1)


def test_a_live_price_stands_before_a_cheaper_dated_one(pods: Offering) -> None:
    dated(pods, 1)
    price(pods, 3)
    assert (shown(), cheapest().origin, cheapest().trusted) == (3, "live", True)


def test_a_fresh_price_stands_before_a_cheaper_stale_one(pods: Offering) -> None:
    price(pods, 1, hours_old=13)
    price(pods, 3, hours_old=11)
    assert (shown(), cheapest().trusted) == (3, True)


def test_a_stale_price_still_stands_before_a_dated_one(pods: Offering) -> None:
    dated(pods, 1)
    price(pods, 3, hours_old=13)
    assert (shown(), cheapest().origin, cheapest().trusted) == (3, "live", False)


def test_a_dated_price_is_shown_where_there_is_no_other(pods: Offering) -> None:
    dated(pods, 1.5)
    assert (shown(), cheapest().origin, cheapest().trusted) == (1.5, "snapshot", False)


def test_on_demand_is_quoted_and_spot_where_only_spot_is_asked_for(pods: Offering) -> None:
    price(pods, 3, spot_usd_per_hour=Decimal(1))
    assert (shown(), cheapest().spot) == (3, False)
    assert (shown("spot_only=1"), cheapest("spot_only=1").spot) == (1, True)


def test_a_price_that_is_only_spot_says_so(pods: Offering) -> None:
    price(pods, None, spot_usd_per_hour=Decimal("0.9"))
    assert (shown(), cheapest().spot) == (0.9, True)


def test_the_cheapest_meets_the_other_criteria(pods: Offering) -> None:
    price(pods, 1, gpu=make_gpu("l4"))
    price(pods, 2, region="eu")
    price(pods, 3, region="us")
    assert shown("gpu=h100") == 2
    assert shown("gpu=h100&region=us") == 3
    assert shown("region=us") == 1  # whose region nobody knows


def test_a_withdrawn_price_is_no_price(pods: Offering) -> None:
    price(pods, 1, withdrawn_at=NOW)
    (row,) = ask().rows
    assert row.cheapest is None


# --- Listings that speak ---------------------------------------------------------------------


def name_in_catalog(offering: Offering, gpu: Gpu | GpuFamily) -> None:
    make_listing(offering, gpu, origin=Origin.CATALOG, gpu_count=None)


def truths(query: str) -> dict[str, Truth]:
    return {row.offering.slug: row.truth for row in ask(query).rows}


def test_a_gpu_that_the_catalog_names_may_match_what_it_leaves_open(pods: Offering) -> None:
    name_in_catalog(pods, make_gpu("h100-sxm", "h100"))
    assert truths("gpu=h100-sxm") == {"pods": Truth.YES}
    assert truths("gpu=h100-sxm&region=eu&max_price=1") == {"pods": Truth.MAYBE}
    assert truths("gpu_count=8") == {"pods": Truth.MAYBE}


def test_it_is_silent_when_a_listing_of_the_same_gpu_speaks(pods: Offering) -> None:
    name_in_catalog(pods, make_gpu("h100-sxm", "h100"))
    price(pods, 2, region="us", gpu_count=1)
    assert truths("gpu=h100&region=eu") == {}
    assert truths("gpu=h100&gpu_count=8") == {}
    assert truths("gpu=h100&region=us") == {"pods": Truth.YES}


def test_it_speaks_beside_listings_of_other_gpus(pods: Offering) -> None:
    name_in_catalog(pods, make_gpu("l4"))
    price(pods, 2, region="us")
    assert truths("gpu=l4&region=eu") == {"pods": Truth.MAYBE}


def test_it_speaks_again_when_the_listing_is_withdrawn(pods: Offering) -> None:
    name_in_catalog(pods, make_gpu("h100-sxm", "h100"))
    price(pods, 2, region="us", withdrawn_at=NOW)
    assert truths("region=eu") == {"pods": Truth.MAYBE}


def test_an_offering_without_listings_may_match(pods: Offering) -> None:
    make_gpu("l4")
    for query in ("gpu=l4", "max_price=1", "in_stock=1", "min_cuda=12.8&region=eu"):
        assert truths(query) == {"pods": Truth.MAYBE}
    assert ask("gpu=l4&spot_only=1").rows[0].unknown == ("gpu", "spot_only")


def test_all_criteria_about_listings_hold_on_one_listing(pods: Offering) -> None:
    price(pods, 2, region="us", stock="none")
    price(pods, 5, region="eu", stock="available")
    assert truths("max_price=3&region=us") == {"pods": Truth.YES}
    assert truths("max_price=3&region=eu") == {}
    assert truths("in_stock=1&max_price=3") == {}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, Truth.YES),
        ({"hours_old": 13}, Truth.MAYBE),
        ({"origin": Origin.SNAPSHOT, "hours_old": 24}, Truth.MAYBE),
    ],
)
def test_only_a_price_that_may_be_acted_on_satisfies_a_limit(
    pods: Offering, fields: dict[str, Any], said: Truth
) -> None:
    price(pods, 2, stock="available", **fields)
    assert truths("max_price=3") == {"pods": said}
    assert truths("in_stock=1") == {"pods": said}
    assert truths("max_price=1") == {}


@pytest.mark.parametrize(
    ("driver", "asked", "said"),
    [
        ("580.95.05", "580.65.6", Truth.YES),
        ("580", "580.65.6", Truth.MAYBE),  # a branch may hold the release
        ("580", "580", Truth.YES),
        ("575.51", "580.65.6", None),
        ("575", "580.65.6", None),
    ],
)
def test_a_driver_known_by_its_branch_may_be_new_enough(
    pods: Offering, driver: str, asked: str, said: Truth | None
) -> None:
    price(pods, 2, driver=driver)
    assert truths(f"min_driver={asked}").get("pods") is said
