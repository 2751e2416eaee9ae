"""A selection and its address are the same thing; what an address asks in vain is named."""

from __future__ import annotations

from random import Random

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from providers.browse.criteria import MAX_IGNORED, Criteria
from providers.browse.parameters import Vocabulary
from providers.compare.selection import LIMIT, Selection

KEYS = [f"provider-{n}/pods" for n in range(8)]
WORDS = Vocabulary(gpus=("h100", "l4"))
COLUMNS = st.lists(st.sampled_from(KEYS), unique=True, max_size=LIMIT).map(tuple)
VIEWS = st.fixed_dictionaries(
    {},
    optional={
        "gpu": st.sampled_from([["h100"], ["h100", "l4"]]),
        "per": st.just(["instance"]),
        "period": st.sampled_from([["day"], ["month"]]),
    },
).map(Criteria.of)
SELECTIONS = st.builds(Selection, COLUMNS, st.sampled_from(["", *KEYS]), st.booleans(), VIEWS)


def parse(query: str) -> tuple[Selection, list[tuple[str, str, str]]]:
    """A selection, and the name, value and reason of what was ignored."""
    selection, ignored = Selection.parse(QueryDict(query), KEYS, WORDS)
    return selection, [(i.name, i.value, i.reason) for i in ignored]


def address(selection: Selection) -> str:
    return selection.url("")[1:]


@given(SELECTIONS)
def test_an_address_read_back_is_the_same_selection(selection: Selection) -> None:
    assert parse(address(selection)) == (selection, [])


@given(SELECTIONS, st.randoms())
def test_one_selection_has_one_address_however_its_parameters_stand(
    selection: Selection, random: Random
) -> None:
    by_name: dict[str, list[str]] = {}
    for part in filter(None, address(selection).split("&")):
        by_name.setdefault(part.partition("=")[0], []).append(part)
    names = sorted(by_name)
    random.shuffle(names)
    shuffled = "&".join(part for name in names for part in by_name[name])
    assert address(parse(shuffled)[0]) == address(selection)


@given(SELECTIONS.filter(lambda s: len(s.offerings) > 1), st.data())
def test_moving_a_column_and_back_is_the_identity(
    selection: Selection, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(selection.offerings) - 2))
    key = selection.offerings[place]
    there = selection.moved(key, 1)
    assert there.offerings[place + 1] == key
    assert there.base == selection.base
    assert there.moved(key, -1) == selection


@given(SELECTIONS.filter(lambda s: bool(s.offerings)), st.integers(-9, 9), st.data())
def test_a_move_keeps_every_column_and_stops_at_the_ends(
    selection: Selection, by: int, data: st.DataObject
) -> None:
    key = data.draw(st.sampled_from(selection.offerings))
    moved = selection.moved(key, by)
    assert sorted(moved.offerings) == sorted(selection.offerings)
    wanted = selection.offerings.index(key) + by
    assert moved.offerings.index(key) == min(max(wanted, 0), len(selection.offerings) - 1)


@given(SELECTIONS.filter(lambda s: bool(s.offerings)), st.data())
def test_removing_the_base_makes_the_first_of_the_rest_the_base(
    selection: Selection, data: st.DataObject
) -> None:
    key = data.draw(st.sampled_from(selection.offerings))
    left = selection.without(key)
    assert key not in left.offerings
    first = left.offerings[0] if left.offerings else ""
    assert left.base == (first if key == selection.base else selection.base)
    assert left.view == selection.view


@given(SELECTIONS)
def test_folding_and_unfolding_is_the_identity(selection: Selection) -> None:
    assert selection.folded(True).folded(selection.fold) == selection


def test_defaults_are_left_out_of_the_address() -> None:
    selection = Selection((KEYS[0], KEYS[1]), KEYS[0])
    assert address(selection) == f"o={KEYS[0]}&o={KEYS[1]}"
    assert address(selection.based_on(KEYS[1])) == f"o={KEYS[0]}&o={KEYS[1]}&base={KEYS[1]}"
    assert Selection().url("/compare/") == "/compare/"


def test_a_form_encodes_slashes_and_means_the_same() -> None:
    assert parse("o=provider-0%2Fpods&o=")[0] == Selection((KEYS[0],))


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("o=nobody/pods", ("o", "nobody/pods", "missing")),
        ("o=", None),
        ("o=provider-0", ("o", "provider-0", "missing")),
        (f"o={KEYS[0]}&o={KEYS[0]}", ("o", KEYS[0], "twice")),
        (f"o={KEYS[0]}&base={KEYS[1]}", ("base", KEYS[1], "value")),
        ("equal=hide", ("equal", "hide", "value")),
        ("gpu=abacus", ("gpu", "abacus", "value")),
        ("per=gpu", None),
        ("docker_daemon=root", ("docker_daemon", "root", "parameter")),
        ("page=2", ("page", "2", "parameter")),
        ("colour=blue", ("colour", "blue", "parameter")),
        ("format=csv&lang=ar", None),
    ],
)
def test_what_cannot_be_followed_is_named(query: str, named: tuple[str, str, str] | None) -> None:
    assert parse(query)[1] == ([named] if named else [])


def test_the_surplus_is_named_and_the_first_six_stand() -> None:
    selection, ignored = parse("&".join(f"o={key}" for key in KEYS))
    assert selection.offerings == tuple(KEYS[:LIMIT])
    assert ignored == [("o", key, "surplus") for key in KEYS[LIMIT:]]


def test_a_hostile_address_yields_few_notices() -> None:
    query = "&".join([*(f"o=x{n}" for n in range(500)), *(f"y{n}=1" for n in range(400))])
    selection, ignored = parse(query)
    assert selection == Selection()
    assert len(ignored) == MAX_IGNORED
