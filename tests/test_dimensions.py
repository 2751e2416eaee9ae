"""A dimension is declared once; everything else reads the declaration."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from providers.answers import Dimension, Grade, Kind, query_form, version_bounds
from providers.browse.criteria import Criteria
from providers.browse.present import browse_page
from providers.browse.query import browse
from providers.browse.tables import browse_table
from providers.browse.world import World
from providers.dimensions import CLAIMED, DIMENSIONS, GROUPS, MAIN
from providers.models import Claim, Offering
from providers.wording import answer_text
from tests.factories import make_claim, make_offering, make_provider

EXAMPLES = {
    Kind.YES_NO: True,
    Kind.HOSTS: ["docker.io"],
    Kind.VERSION: "12.8",
    Kind.VERSIONS: "535-595",
    Kind.NUMBER: 60,
    Kind.TEXT: "About a minute.",
}
every_dimension = pytest.mark.parametrize("dimension", DIMENSIONS.values(), ids=list(DIMENSIONS))


def example(dimension: Dimension) -> object:
    """An answer, as the catalog holds it."""
    if dimension.kind is Kind.CHOICE:
        return dimension.allowed[0]
    return [dimension.allowed[0]] if dimension.kind is Kind.SET else EXAMPLES[dimension.kind]


def test_seven_dimensions_are_the_main_ones_in_the_order_of_the_founding_questions() -> None:
    assert [d.key for d in MAIN] == [
        *("custom_image", "docker_daemon", "registry_auth", "gpu_passthrough"),
        *("driver_kind", "persistent_volume", "multi_container"),
    ]


@every_dimension
def test_a_declaration_is_complete(dimension: Dimension) -> None:
    assert dimension.group in GROUPS
    assert str(dimension.question).endswith("?")
    assert len({value.key for value in dimension.values}) == len(dimension.values)
    assert set(dimension.details) <= set(DIMENSIONS)
    assert dimension.values or dimension.kind in EXAMPLES


@every_dimension
def test_values_stand_from_best_to_worst(dimension: Dimension) -> None:
    grades = [list(Grade).index(value.grade) for value in dimension.values]
    assert grades == sorted(grades)


@every_dimension
def test_an_answer_is_accepted_and_nonsense_is_named_with_what_is_allowed(
    dimension: Dimension,
) -> None:
    assert dimension.fault(example(dimension)) is None
    for nonsense in (None, "maybe later", [], {"a": 1}, ["maybe later"], float("nan")):
        if dimension.kind is Kind.TEXT and isinstance(nonsense, str):
            continue
        fault = dimension.fault(nonsense)
        assert fault is not None
        assert all(key in fault for key in dimension.allowed if dimension.kind is Kind.CHOICE)


@every_dimension
@pytest.mark.django_db
def test_it_is_column_facet_criterion_export_desk_and_page(dimension: Dimension) -> None:
    offering = make_offering("pods", make_provider("acme"), **{dimension.key: example(dimension)})
    if not dimension.on_offering:
        make_claim(offering, dimension.key, example(dimension))
    world = World.read()
    result = browse(Criteria.of({"columns": (dimension.key,)}), world, timezone.now())
    page = browse_page(result, [], timezone.now())
    assert [column.key for column in page.columns] == [dimension.key]
    assert dimension.key in browse_table(result).columns
    assert (dimension.key in {f.key for f in page.facets}) is dimension.filterable
    assert any(choice.key == dimension.key for choice in page.column_choices)
    path = reverse("cell", args=["acme", "pods", dimension.key])
    cell = Client().get(path).content.decode()
    assert str(answer_text(dimension, offering.answer(dimension.key))) in cell
    assert dimension.key in {field.name for field in Offering._meta.get_fields()}


@every_dimension
@pytest.mark.django_db
def test_its_answer_finds_the_offering_and_another_does_not(dimension: Dimension) -> None:
    if not dimension.filterable:
        return  # free text is shown, never asked for
    fields: dict[str, Any] = {dimension.key: example(dimension)}
    make_offering("pods", **fields)
    answer = example(dimension)
    value = query_form(answer[0] if isinstance(answer, list) else answer)
    value = value.split("-")[0] if dimension.kind is Kind.VERSIONS else value
    found = browse(Criteria.of({dimension.key: (value,)}), World.read(), timezone.now())
    assert [row.truth.name for row in found.rows] == ["YES"]
    other = {Kind.VERSION: "1.0", Kind.VERSIONS: "1", Kind.NUMBER: "7", Kind.HOSTS: "no.example"}
    wrong = other.get(dimension.kind) or next(v for v in reversed(dimension.allowed) if v != value)
    assert browse(Criteria.of({dimension.key: (wrong,)}), World.read(), timezone.now()).rows == ()


def test_the_desk_knows_every_claimed_dimension() -> None:
    assert admin.site.is_registered(Claim)
    assert set(dict(Claim._meta.get_field("dimension").choices or ())) == {d.key for d in CLAIMED}


@given(st.lists(st.integers(0, 999), min_size=1, max_size=4), st.integers(0, 50))
def test_a_range_of_versions_has_its_ends_as_bounds(low: list[int], step: int) -> None:
    high = [low[0] + step, *low[1:]]
    text = "-".join(".".join(map(str, end)) for end in (low, high))
    assert version_bounds(text) == (tuple(low), tuple(high))
    assert DIMENSIONS["driver"].fault(text) is None
    if step:
        backwards = "-".join(reversed(text.split("-")))
        assert "ends below" in str(DIMENSIONS["driver"].fault(backwards))
