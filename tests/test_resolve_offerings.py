"""The one function that writes the columns which claims answer."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from providers.dimensions import CLAIMED
from providers.models import Claim, Offering
from providers.resolve import resolve_offerings
from tests.factories import make_claim, make_offering

pytestmark = pytest.mark.django_db


def claim(offering: Offering, dimension: str, value: Any, **fields: Any) -> Claim:
    return make_claim(offering, dimension, value, **{"decides": False, **fields})


def deciding(offering: Offering) -> list[Any]:
    return list(offering.claims.filter(decides=True).values_list("value", flat=True))


def test_every_claimed_dimension_has_its_column_written() -> None:
    offering = make_offering()
    values = {
        "custom_image": "contract",
        "registry_auth": ["cloud_role", "docker_login"],
        "registries": ["ghcr.io"],
        "spot": False,
        "cuda_max": "12.8",
        "driver": "535-595",
        "max_image_gb": 9.5,
        "cold_start": "About a minute.",
    }
    for key, value in values.items():
        claim(offering, key, value)

    assert resolve_offerings([offering.pk]) == 1

    offering.refresh_from_db()
    assert {d.key: offering.answer(d.key) for d in CLAIMED if d.key in values} == {
        **values,
        "max_image_gb": Decimal("9.5"),
    }
    assert all(offering.answer(d.key) is None for d in CLAIMED if d.key not in values)
    assert offering.claims.filter(decides=True).count() == len(values)


def test_the_strongest_claim_decides_and_only_it() -> None:
    offering = make_offering()
    claim(offering, "spot", True, basis="reported")
    claim(offering, "spot", False, basis="probed")

    resolve_offerings([offering.pk])

    offering.refresh_from_db()
    assert offering.answer("spot") is False
    assert deciding(offering) == [False]


def test_a_contradiction_leaves_the_column_unknown_and_is_named() -> None:
    offering = make_offering(spot=True)
    for value in (True, False):
        claim(offering, "spot", value, decides=value)
    claim(offering, "ssh", True)

    resolve_offerings([offering.pk])

    offering.refresh_from_db()
    assert offering.answer("spot") is None
    assert offering.contradicted == ["spot"]
    assert deciding(offering) == [True]
    assert offering.answer("ssh") is True


def test_a_contradiction_that_was_settled_is_forgotten() -> None:
    offering = make_offering(contradicted=["spot"])
    claim(offering, "spot", True)

    resolve_offerings([offering.pk])

    offering.refresh_from_db()
    assert (offering.answer("spot"), offering.contradicted) == (True, [])


def test_an_answer_whose_claims_are_gone_becomes_unknown() -> None:
    offering = make_offering(custom_image="any", registries=["any"])

    resolve_offerings([offering.pk])

    offering.refresh_from_db()
    assert (offering.answer("custom_image"), offering.answer("registries")) == (None, None)


def test_among_equals_the_first_in_order_decides() -> None:
    offering = make_offering()
    second = claim(offering, "registries", ["ghcr.io", "docker.io"], position=1)
    first = claim(offering, "registries", ["docker.io", "ghcr.io"], position=0)

    resolve_offerings([offering.pk])

    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.decides, second.decides) == (True, False)


def test_other_offerings_are_left_alone() -> None:
    chosen, other = make_offering(), make_offering(custom_image="any")

    assert resolve_offerings([chosen.pk]) == 0

    other.refresh_from_db()
    assert other.answer("custom_image") == "any"


def test_none_means_all_offerings() -> None:
    for _ in range(2):
        claim(make_offering(), "spot", True)

    assert resolve_offerings() == 2
    assert Offering.objects.filter(spot=True).count() == 2


def test_ways_in_are_a_field_of_the_offering_and_stay() -> None:
    offering = make_offering(access_modes=["base_image"])

    resolve_offerings([offering.pk])

    offering.refresh_from_db()
    assert offering.answer("access_modes") == ["base_image"]


def test_what_is_resolved_already_is_not_written_again() -> None:
    offering = make_offering()
    claim(offering, "max_image_gb", 0.12345)
    claim(offering, "registries", ["ghcr.io"], read_on=date(2026, 1, 1))
    resolve_offerings()

    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert resolve_offerings() == 0

    assert not [q["sql"] for q in queries if q["sql"].startswith(("UPDATE", "INSERT", "DELETE"))]


def test_many_offerings_cost_as_many_queries_as_few() -> None:
    def cost(offerings: int) -> int:
        for _ in range(offerings):
            claim(make_offering(), "spot", True)
        with CaptureQueriesContext(connection) as queries:
            resolve_offerings()
        return len(queries)

    assert cost(1) == cost(12)
