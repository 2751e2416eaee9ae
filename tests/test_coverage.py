"""How well the catalog is known, computed from facts made by hand and from any others."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.coverage import (
    OLDEST,
    Cell,
    Coverage,
    CoverageFacts,
    Decided,
    Rented,
    by_provider,
    coverage,
    share,
)
from providers.dimensions import CLAIMED, MAIN

TODAY = date(2026, 11, 30)
MAIN_ONE, OTHER = "docker_daemon", "ssh"


def rented(key: str = "acme/pods", known: int = 0, *contradicted: str) -> Rented:
    provider, _, slug = key.partition("/")
    return Rented(provider, slug, provider.title(), slug.title(), known, contradicted)


def answer(
    days: int | None, offering: Rented | None = None, dimension: str = OTHER, *, own: bool = True
) -> Decided:
    """An answer read so many days ago."""
    read_on = None if days is None else TODAY - timedelta(days=days)
    return Decided(Cell(offering or rented(), dimension), own, read_on)


def aged(*ages: int | None) -> Coverage:
    pods = rented()
    keys = [d.key for d in CLAIMED]
    answers = [answer(days, pods, keys[n]) for n, days in enumerate(ages)]
    return coverage(CoverageFacts([pods], answers), TODAY)


def test_main_cells_are_each_main_question_of_each_offering() -> None:
    found = coverage(CoverageFacts([rented("a/x", 3), rented("a/y", 0)], []), TODAY)
    assert (found.offerings, found.main_known, found.main_cells) == (2, 3, 2 * len(MAIN))


def test_only_a_source_of_the_provider_is_its_own() -> None:
    pods = rented()
    answers = [answer(1, pods), answer(1, pods, MAIN_ONE, own=False), answer(1, pods, "spot")]
    found = coverage(CoverageFacts([pods], answers), TODAY)
    assert (found.own_source, found.answers, found.own_source_share) == (2, 3, 0.6666)


@pytest.mark.parametrize(
    ("ages", "median"),
    [
        ((), None),
        ((0,), 0),
        ((10, 30, 20), 20),
        ((10, 21), 21),
        ((10, 20, None), 20),
        ((10, None), None),
        ((None,), None),
        ((None, 5, None), None),
        ((-1,), 0),
    ],
)
def test_a_median_is_of_whole_days_and_an_answer_without_a_day_is_oldest(
    ages: tuple[int | None, ...], median: int | None
) -> None:
    assert aged(*ages).median_age_days == median


def test_what_is_due_has_no_day_or_was_read_half_a_year_ago() -> None:
    found = aged(180, 181, None, 3)
    assert (found.due, found.undated) == (2, 1)


def test_the_oldest_ten_begin_with_those_without_a_day() -> None:
    found = aged(1, 5, None, *range(100, 120))
    assert [old.read_on for old in found.oldest] == [
        None,
        *(TODAY - timedelta(days=days) for days in range(119, 110, -1)),
    ]


def test_answers_of_one_day_stand_in_the_order_of_questions_and_then_of_offerings() -> None:
    first, second = rented("b/one"), rented("a/two")
    keys = [MAIN_ONE, OTHER]
    answers = [answer(None, o, key) for key in reversed(keys) for o in (second, first)]
    found = coverage(CoverageFacts([first, second], answers), TODAY)
    told = [(old.cell.offering.key, old.cell.dimension) for old in found.oldest]
    assert told == [(o.key, key) for key in keys for o in (first, second)]


def test_contradictions_are_of_all_questions_and_known_to_nobody() -> None:
    pods = rented("acme/pods", 0, OTHER, MAIN_ONE)
    found = coverage(CoverageFacts([pods], []), TODAY)
    assert found.contradictions == (Cell(pods, MAIN_ONE), Cell(pods, OTHER))
    assert (found.contradicted, found.main_known) == (2, 0)


def test_nothing_has_no_share_and_no_age() -> None:
    found = coverage(CoverageFacts([], []), TODAY)
    assert (found.main_known_share, found.own_source_share) == (None, None)
    assert (found.median_age_days, found.oldest, found.contradictions) == (None, (), ())


@pytest.mark.parametrize(
    ("count", "of", "told"), [(0, 7, 0), (6, 7, 0.8571), (7, 7, 1), (99_999, 100_000, 0.9999)]
)
def test_a_share_that_is_not_all_never_reads_as_all(count: int, of: int, told: float) -> None:
    assert share(count, of) == told


# --- By provider -----------------------------------------------------------------------------


def order(*facts: tuple[Rented, tuple[Decided, ...]]) -> list[str]:
    offerings = [offering for offering, _ in facts]
    answers = [answer for _, several in facts for answer in several]
    return [each.slug for each in by_provider(CoverageFacts(offerings, answers), TODAY)]


def test_the_least_known_provider_stands_first() -> None:
    assert order((rented("full/x", 7), ()), (rented("none/x", 0), ())) == ["none", "full"]


def test_of_equally_known_ones_those_with_fewer_sources_of_their_own_stand_first() -> None:
    told, silent = rented("told/x", 3), rented("silent/x", 3)
    by_others = (answer(1, silent, own=False),)
    assert order((told, (answer(9, told),)), (silent, by_others)) == ["silent", "told"]


def test_of_those_the_ones_that_were_read_longest_ago_stand_first() -> None:
    new, old, undated = rented("new/x", 3), rented("old/x", 3), rented("undated/x", 3)
    facts = [(one, (answer(days, one),)) for one, days in ((new, 1), (old, 99), (undated, None))]
    assert order(*facts) == ["undated", "old", "new"]


def test_those_that_are_equal_stand_as_they_came() -> None:
    assert order((rented("b/x", 3), ()), (rented("a/x", 3), ())) == ["b", "a"]


# --- Whatever the facts ----------------------------------------------------------------------

_KEYS = [d.key for d in CLAIMED]
_OTHER_KEYS = [d.key for d in CLAIMED if not d.main]


@st.composite
def worlds(draw: st.DrawFn) -> CoverageFacts:
    keys = draw(
        st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), unique=True, max_size=6)
    )
    offerings, answers = [], []
    for provider, slug in keys:
        told = draw(st.lists(st.sampled_from(_KEYS), unique=True, max_size=8))
        known = sum(key in {d.key for d in MAIN} for key in told)
        torn = draw(st.lists(st.sampled_from(_OTHER_KEYS), unique=True, max_size=3))
        offering = rented(f"{provider}/{slug}", known, *(key for key in torn if key not in told))
        offerings.append(offering)
        days: Any = st.none() | st.integers(0, 900)
        answers += [answer(draw(days), offering, key, own=draw(st.booleans())) for key in told]
    return CoverageFacts(offerings, draw(st.permutations(answers)))


@given(worlds())
def test_providers_add_up_to_the_whole(facts: CoverageFacts) -> None:
    whole = coverage(facts, TODAY)
    parts = [each.figures for each in by_provider(facts, TODAY)]
    for name in (
        *("offerings", "main_cells", "main_known", "answers", "own_source"),
        *("undated", "due", "contradicted"),
    ):
        assert getattr(whole, name) == sum(getattr(part, name) for part in parts), name
    assert set(whole.contradictions) == {cell for part in parts for cell in part.contradictions}
    # An answer that is among the oldest of all is among the oldest of its provider.
    assert set(whole.oldest) <= {old for part in parts for old in part.oldest}


@given(worlds())
def test_figures_keep_within_what_they_are_of(facts: CoverageFacts) -> None:
    found = coverage(facts, TODAY)
    assert 0 <= found.main_known <= found.main_cells
    assert 0 <= found.own_source <= found.answers
    assert found.undated <= found.due <= found.answers
    assert len(found.oldest) == min(OLDEST, found.answers)
    if found.main_cells:
        exact = Fraction(found.main_known, found.main_cells)
        assert found.main_known_share is not None
        assert exact - Fraction(1, 10_000) < Fraction(str(found.main_known_share)) <= exact


@given(worlds())
def test_at_least_half_are_as_old_as_the_median_and_half_as_young(facts: CoverageFacts) -> None:
    found = coverage(facts, TODAY)
    ages = [
        10**6 if each.read_on is None else (TODAY - each.read_on).days for each in facts.answers
    ]
    median = 10**6 if found.median_age_days is None else found.median_age_days
    if ages:
        assert sum(age <= median for age in ages) * 2 >= len(ages)
        assert sum(age >= median for age in ages) * 2 >= len(ages)


@given(worlds(), st.randoms())
def test_the_order_in_which_claims_come_changes_nothing(facts: CoverageFacts, chance: Any) -> None:
    shuffled = list(facts.answers)
    chance.shuffle(shuffled)
    other = CoverageFacts(facts.offerings, shuffled)
    assert coverage(facts, TODAY) == coverage(other, TODAY)
    assert by_provider(facts, TODAY) == by_provider(other, TODAY)


@given(worlds())
def test_providers_stand_from_the_least_known_on(facts: CoverageFacts) -> None:
    shares = [each.figures.main_known_share for each in by_provider(facts, TODAY)]
    assert shares == sorted(s for s in shares if s is not None)
