"""Which claim answers a question, and when none does."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from itertools import pairwise, permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.catalog.schema import ClaimDocument
from providers.dimensions import DIMENSIONS
from providers.resolve import UNKNOWN, Resolution, agree, resolve, strength
from tests.catalog_texts import claim_document

BASES = ("probed", "documented", "derived", "reported")
KINDS = ("provider", "integrator", "third_party")
DAYS = ("2026-11-02", "2026-11-01", "2020-01-01", None)


def spot(value: bool, basis: str, kind: str, day: str | None) -> ClaimDocument:
    return claim_document("spot", value, basis=basis, source_kind=kind, read_on=day)


def answer(key: str, *claims: ClaimDocument) -> Resolution:
    return resolve(DIMENSIONS[key], claims)


def test_without_claims_the_answer_is_unknown() -> None:
    assert answer("spot") == UNKNOWN == Resolution(None, None, contradicted=False)


def test_a_single_claim_decides() -> None:
    assert answer("spot", spot(False, "reported", "third_party", None)) == Resolution(False, by=0)


@pytest.mark.parametrize(("stronger", "weaker"), list(pairwise(BASES)))
def test_a_stronger_basis_wins_whoever_says_it_and_whenever(stronger: str, weaker: str) -> None:
    old = spot(True, stronger, "third_party", None)
    new = spot(False, weaker, "provider", "2026-11-02")

    assert answer("spot", new, old) == Resolution(True, by=1)


@pytest.mark.parametrize(("nearer", "farther"), list(pairwise(KINDS)))
def test_on_one_basis_the_nearer_source_wins_whenever_it_was_read(
    nearer: str, farther: str
) -> None:
    old = spot(True, "derived", nearer, None)
    new = spot(False, "derived", farther, "2026-11-02")

    assert answer("spot", new, old) == Resolution(True, by=1)


@pytest.mark.parametrize(("later", "earlier"), list(pairwise(DAYS)))
def test_between_equal_sources_the_later_reading_wins_and_no_day_is_oldest(
    later: str | None, earlier: str | None
) -> None:
    claims = spot(False, "derived", "provider", earlier), spot(True, "derived", "provider", later)

    assert answer("spot", *claims) == Resolution(True, by=1)


def test_equally_good_claims_that_disagree_contradict_each_other() -> None:
    claims = [spot(value, "documented", "provider", "2026-11-01") for value in (True, False)]

    assert answer("spot", *claims) == Resolution(None, None, contradicted=True)


def test_a_contradiction_among_weaker_claims_does_not_matter() -> None:
    weak = [spot(value, "reported", "provider", None) for value in (True, False)]

    assert answer("spot", *weak, spot(True, "derived", "provider", None)) == Resolution(True, by=2)


def test_among_equally_good_claims_that_agree_the_first_decides() -> None:
    claims = [spot(True, "documented", "provider", "2026-11-01")] * 2

    assert answer("spot", *claims).by == 0


@pytest.mark.parametrize(
    ("key", "one", "other", "same"),
    [
        ("registry_auth", ["docker_login", "cloud_role"], ["cloud_role", "docker_login"], True),
        ("registry_auth", ["docker_login"], ["docker_login", "cloud_role"], False),
        ("registries", ["ghcr.io", "docker.io"], ["docker.io", "ghcr.io"], True),
        ("max_image_gb", 10, 10.0, True),
        ("max_image_gb", 10, 10.5, False),
        ("driver", "535-595", "535", False),
        ("cold_start", "fast", "Fast", False),
    ],
)
def test_values_agree_as_what_they_mean(key: str, one: Any, other: Any, same: bool) -> None:
    assert agree(DIMENSIONS[key], one, other) is same
    assert (
        answer(key, claim_document(key, one), claim_document(key, other)).contradicted is not same
    )


@pytest.mark.parametrize(
    ("key", "value", "column"),
    [
        ("max_image_gb", 9.5, Decimal("9.500")),
        ("billing_increment_s", 60, Decimal(60)),
        ("spot", False, False),
        ("cuda_max", "12.8", "12.8"),
        ("registries", ["ghcr.io", "any"], ["ghcr.io", "any"]),
    ],
)
def test_the_answer_is_what_the_column_holds(key: str, value: Any, column: Any) -> None:
    result = answer(key, claim_document(key, value)).value

    assert result == column
    assert type(result) is type(column)


def test_a_value_that_the_dimension_no_longer_knows_takes_no_part() -> None:
    gone = claim_document("custom_image", "any").model_copy(update={"value": "withdrawn"})
    weaker = claim_document("custom_image", "contract", basis="reported")

    assert answer("custom_image", gone, weaker) == Resolution("contract", by=1)
    assert answer("custom_image", gone) == UNKNOWN


CLAIMS = st.builds(
    spot, st.booleans(), st.sampled_from(BASES), st.sampled_from(KINDS), st.sampled_from(DAYS)
)


@given(st.lists(CLAIMS, min_size=1, max_size=4))
def test_the_order_of_claims_does_not_change_the_answer(claims: list[ClaimDocument]) -> None:
    answers = {
        (found.value, found.contradicted)
        for several in permutations(claims)
        for found in [answer("spot", *several)]
    }

    assert len(answers) == 1


@given(st.lists(CLAIMS, min_size=1, max_size=6))
def test_nobody_stronger_stands_against_the_claim_that_decides(
    claims: list[ClaimDocument],
) -> None:
    found = answer("spot", *claims)
    best = [claim for claim in claims if strength(claim) == max(map(strength, claims))]

    if found.contradicted:
        assert {claim.value for claim in best} == {True, False}
    else:
        assert found.by is not None
        assert claims[found.by] in best
        assert {claim.value for claim in best} == {found.value}


def test_a_claim_without_a_day_is_older_than_any_day() -> None:
    assert strength(spot(True, "derived", "provider", None)) < strength(
        spot(True, "derived", "provider", date(1970, 1, 1).isoformat())
    )
