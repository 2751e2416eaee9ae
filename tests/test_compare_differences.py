"""Equal, different, or not comparable: what is not known is neither equal nor different."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.compare.differences import (
    Count,
    Line,
    Standing,
    comparable_form,
    count,
    lines,
    telling,
)
from providers.dimensions import DIMENSIONS, MAIN
from providers.models import Offering

BASE, SAME, DIFFERENT, OPEN = Standing
ANSWERS = st.fixed_dictionaries(
    {
        "docker_daemon": st.sampled_from([None, "root", "nested", "none"]),
        "persistent_volume": st.sampled_from([None, "network", "host_pinned"]),
        "registry_auth": st.sampled_from([None, ["no"], ["docker_login", "cloud_role"]]),
        "spot": st.sampled_from([None, True, False]),
    }
)
WORLDS = st.lists(ANSWERS, min_size=1, max_size=6)


def line(key: str, *answers: Any, base: int = 0) -> Line:
    found = lines([Offering(**{key: answer}) for answer in answers], base)
    return next(line for line in found if line.key == key)


@pytest.mark.parametrize(
    ("key", "one", "other", "standing"),
    [
        ("docker_daemon", "root", "root", SAME),
        ("docker_daemon", "root", "none", DIFFERENT),
        ("docker_daemon", "root", None, OPEN),
        ("docker_daemon", None, "root", OPEN),
        ("docker_daemon", None, None, OPEN),
        ("registry_auth", ["docker_login", "cloud_role"], ["cloud_role", "docker_login"], SAME),
        ("registry_auth", ["docker_login"], ["cloud_role", "docker_login"], DIFFERENT),
        ("registries", ["any"], ["docker.io"], DIFFERENT),
        ("cuda_max", "12", "12.0", SAME),
        ("cuda_max", "12.10", "12.1", DIFFERENT),
        ("driver", "535-595", "535-595", SAME),
        ("driver", "535-595", "535", DIFFERENT),
        ("billing_increment_s", Decimal(60), Decimal("60.000"), SAME),
        ("spot", False, None, OPEN),
        ("spot", False, False, SAME),
        ("cold_start", "Fast.", "Faster.", DIFFERENT),
    ],
)
def test_two_answers_stand_to_each_other(
    key: str, one: Any, other: Any, standing: Standing
) -> None:
    assert line(key, one, other).standings == (BASE, standing)


def test_a_contradicted_answer_cannot_be_compared() -> None:
    pair = [Offering(docker_daemon="root"), Offering(contradicted=["docker_daemon"])]
    found = {line.key: line for line in lines(pair, 0)}
    assert found["docker_daemon"].standings == (BASE, OPEN)
    assert not found["docker_daemon"].comparable


def test_a_row_is_equal_only_when_every_answer_is_known_and_the_same() -> None:
    assert line("docker_daemon", "root", "root", "root").equal
    assert not line("docker_daemon", "root", "root", None).equal
    assert not line("docker_daemon", "root", "none").equal
    assert not line("docker_daemon", None, None).equal
    assert not line("docker_daemon", "root").equal


def test_a_row_may_differ_where_the_base_is_silent() -> None:
    found = line("docker_daemon", None, "root", "none")
    assert found.standings == (BASE, OPEN, OPEN)
    assert found.differs


def test_every_dimension_is_a_row_in_the_declared_order() -> None:
    assert [line.key for line in lines([Offering()], 0)] == list(DIMENSIONS)


@given(WORLDS, st.data())
def test_another_base_changes_standings_but_not_whether_a_row_differs(
    answers: list[dict[str, Any]], data: st.DataObject
) -> None:
    offerings = [Offering(**given) for given in answers]
    one, other = (data.draw(st.integers(0, len(offerings) - 1)) for _ in range(2))
    before, after = lines(offerings, one), lines(offerings, other)
    for a, b in zip(before, after, strict=True):
        assert (a.differs, a.equal, a.comparable) == (b.differs, b.equal, b.comparable)
        if one != other:
            assert a.standings[other] == b.standings[one]  # being different is mutual


@given(WORLDS)
def test_counts_are_those_of_the_cells(answers: list[dict[str, Any]]) -> None:
    found = lines([Offering(**given) for given in answers], 0)
    for column in range(len(answers)):
        said = [line.standings[column] for line in found]
        main = [line.standings[column] for line in found if line.dimension in MAIN]
        counted = Count(main.count(DIFFERENT), said.count(DIFFERENT), said.count(OPEN))
        assert count(found, column) == counted
    assert count(found, 0) == Count(0, 0, 0)


def test_the_most_telling_difference_is_the_one_whose_grades_lie_furthest_apart() -> None:
    offerings = [
        Offering(custom_image="any", docker_daemon="root", persistent_volume="network", spot=True),
        Offering(
            custom_image="contract", docker_daemon="none", persistent_volume="network", spot=False
        ),
    ]
    named = [line.key for line in telling(lines(offerings, 0), offerings)]
    assert named == ["docker_daemon", "custom_image"]


def test_no_more_than_three_differences_are_named() -> None:
    offerings = [
        Offering(
            custom_image="any",
            docker_daemon="root",
            gpu_passthrough="automatic",
            multi_container="compose",
        ),
        Offering(
            custom_image="curated_only",
            docker_daemon="none",
            gpu_passthrough="none",
            multi_container="single",
        ),
    ]
    assert len(telling(lines(offerings, 0), offerings)) == 3


def test_an_unknown_answer_has_no_form_to_compare() -> None:
    assert comparable_form(DIMENSIONS["spot"], None) is None
    assert comparable_form(DIMENSIONS["spot"], False) is False
