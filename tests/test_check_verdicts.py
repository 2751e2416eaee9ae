"""How offerings stand for an image: by their best GPU, their claims, and in which order."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.http import QueryDict

from checks.conditions import Asked
from checks.image.fact import ImageFacts
from checks.judgement import Said
from checks.verdicts import Checked, CheckResult, check
from gpucompare.cuda.answer import Standing
from gpucompare.cuda.image import Image
from providers.browse.criteria import Criteria
from providers.browse.world import World
from providers.models import Gpu, Offering
from tests.checking import ASKED, TORCH
from tests.factories import NOW, make_gpu, make_listing, make_offering

pytestmark = pytest.mark.django_db

NEW = "580.65.06"  # runs CUDA 12.4
OLD = "470.82.01"  # does not


def gpu(slug: str, family: str = "") -> Gpu:
    return Gpu.objects.filter(slug=slug).first() or make_gpu(slug, family)


def offer(slug: str = "", **fields: Any) -> Offering:
    """An offering that takes any image and hands the GPU over, unless the fields say otherwise."""
    defaults = {"custom_image": "any", "gpu_passthrough": "automatic"}
    return make_offering(slug, **(defaults | fields))


def listing(offering: Offering, usd: float, driver: str = NEW, slug: str = "h100-sxm") -> None:
    family = slug.partition("-")[0]
    price = Decimal(str(usd))
    make_listing(offering, gpu(slug, family), usd_per_hour=price, driver=driver)


def ask(query: str = "", asked: Asked = ASKED) -> CheckResult:
    world = World.read()
    criteria, _ignored = Criteria.parse(QueryDict(query), world.vocabulary)
    return check(asked, criteria, world, NOW)


def only(result: CheckResult) -> Checked:
    (one,) = result.rows
    return one


def said(query: str = "") -> Said:
    return only(ask(query)).stand.said


# --- By the best of its hosts ----------------------------------------------------------------


def test_an_offering_stands_by_its_best_gpu_and_counts_the_listings_that_do() -> None:
    pods = offer()
    listing(pods, 1, OLD)
    listing(pods, 2)
    listing(pods, 3)
    stand = only(ask()).stand
    assert (stand.standing, stand.its_listings, stand.listings) == (Standing.RUNS, 2, 3)


def test_the_cheapest_listing_is_not_one_on_which_it_fails() -> None:
    pods = offer()
    listing(pods, 1, OLD)
    listing(pods, 3)
    listing(pods, 2)
    row = only(ask()).row
    assert row.cheapest
    assert row.cheapest.shown == 2


def test_criteria_about_listings_decide_which_hosts_speak() -> None:
    pods = offer()
    listing(pods, 1, OLD)
    listing(pods, 3)
    assert said("max_price=2").standing is Standing.FAILS
    assert said("min_driver=570").standing is Standing.RUNS


def test_what_only_may_meet_the_criteria_does_not_speak_beside_what_does() -> None:
    pods = offer()
    make_listing(pods, gpu("h100-sxm", "h100"), driver=NEW, region="")
    make_listing(pods, gpu("h100-sxm", "h100"), driver=OLD, region="eu")
    assert said("region=eu").standing is Standing.FAILS
    assert said("region=us").standing is Standing.RUNS


def test_a_listing_without_driver_is_a_range_by_the_claims() -> None:
    for slug, driver in (("old", "470"), ("mixed", "470-580"), ("new", "570-580"), ("none", None)):
        pods = offer(slug, driver=driver, driver_kind="branches", driver_changeable=False)
        listing(pods, 1, "", "a100-sxm-80gb")
    standings = {one.row.offering.slug: one.stand.standing for one in ask().rows}
    assert standings == {
        "old": Standing.FAILS,
        "mixed": Standing.CONDITION,
        "new": Standing.RUNS,
        "none": Standing.UNKNOWN,
    }


def test_a_driver_that_the_renter_may_replace_is_a_condition() -> None:
    pods = offer(driver="470", driver_kind="branches", driver_changeable=True)
    listing(pods, 1, "")
    assert said().standing is Standing.CONDITION
    assert "install_driver" in said().fixes


def test_an_offering_without_listings_stands_by_its_claims() -> None:
    offer(driver="580", driver_kind="exact")
    stand = only(ask("", Asked(ImageFacts(Image(software="cpu"), ()), private=False))).stand
    assert (stand.standing, stand.listings) == (Standing.RUNS, 0)
    assert said().standing is Standing.UNKNOWN  # which GPU it is, nobody says
    assert "host.compute_capability" in said().missing


# --- By its claims ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "standing", "key"),
    [
        ({"custom_image": "curated_only"}, Standing.FAILS, "curated_only"),
        ({"custom_image": "contract"}, Standing.CONDITION, "image_contract"),
        ({"custom_image": "own_registry"}, Standing.CONDITION, "own_registry"),
        ({"custom_image": None}, Standing.UNKNOWN, "own_image_unknown"),
        ({"gpu_passthrough": "none"}, Standing.FAILS, "no_gpu"),
        ({"gpu_passthrough": "manual"}, Standing.CONDITION, "gpu_by_hand"),
        ({"gpu_passthrough": None}, Standing.UNKNOWN, "gpu_unknown"),
        ({"registries": ["nvcr.io"]}, Standing.CONDITION, "registry_not_taken"),
    ],
)
def test_what_an_offering_does_to_images_limits_how_it_stands(
    fields: dict[str, Any], standing: Standing, key: str
) -> None:
    listing(offer(**fields), 1)
    found = only(ask("", Asked(ASKED.facts, "docker.io", False))).stand.said
    assert found.standing is standing
    assert [condition.key for condition in found.conditions] == [key]


def test_a_condition_makes_nothing_better_than_its_hosts() -> None:
    listing(offer(custom_image="contract"), 1, OLD)
    assert said().standing is Standing.FAILS


@pytest.mark.parametrize(
    ("private", "ways", "standing", "key"),
    [
        (True, ["stored_credentials"], Standing.CONDITION, "credentials_needed"),
        (True, ["no"], Standing.FAILS, "no_credentials"),
        (True, None, Standing.UNKNOWN, "credentials_unknown"),
        (None, ["docker_login"], Standing.RUNS, "taken_if_private"),
        (None, ["no"], Standing.RUNS, "refused_if_private"),
        (None, None, Standing.RUNS, None),
        (False, ["no"], Standing.RUNS, None),
    ],
)
def test_credentials_count_where_the_image_may_need_them(
    private: bool | None, ways: list[str] | None, standing: Standing, key: str | None
) -> None:
    listing(offer(registry_auth=ways), 1)
    found = only(ask("", Asked(ImageFacts(TORCH, ()), "", private))).stand.said
    assert found.standing is standing
    assert [condition.key for condition in found.conditions] == ([key] if key else [])


def test_an_image_for_the_cpu_needs_no_gpu_in_the_container() -> None:
    offer(gpu_passthrough="none")
    cpu = Asked(ImageFacts(Image(software="cpu"), ()), private=False)
    assert only(ask("", cpu)).stand.standing is Standing.RUNS


# --- Order -----------------------------------------------------------------------------------


@pytest.fixture
def market() -> None:
    for slug, usd, fields in (
        ("dear", 9, {}),
        ("by-contract", 1, {"custom_image": "contract"}),
        ("twice", 1, {"custom_image": "contract", "gpu_passthrough": "manual"}),
        ("cheap", 2, {}),
        ("curated", 1, {"custom_image": "curated_only"}),
        ("unsaid", 1, {"custom_image": None}),
    ):
        listing(offer(slug, **fields), usd)


def slugs(query: str = "") -> list[str]:
    return [one.row.offering.slug for one in ask(query).rows]


@pytest.mark.usefixtures("market")
def test_the_best_stand_first_and_then_what_is_least_to_do_and_cheapest() -> None:
    assert slugs() == ["cheap", "dear", "by-contract", "twice", "unsaid", "curated"]


@pytest.mark.usefixtures("market")
def test_another_order_holds_within_each_standing() -> None:
    assert slugs("sort=-price")[:2] == ["dear", "cheap"]
    assert slugs("sort=-price")[-1] == "curated"


@pytest.mark.usefixtures("market")
def test_the_sentence_counts_offerings_by_standing() -> None:
    counts = {standing.value: len(found) for standing, found in ask().counts.items()}
    assert counts == {"runs": 2, "condition": 2, "unknown": 1, "fails": 1}
