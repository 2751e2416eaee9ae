"""Every key of the first start and of a launch has its words."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any, get_args

import pytest
from django.utils.functional import Promise
from hypothesis import given
from hypothesis import strategies as st

from checks import coldstart
from checks.coldstart import Basis, Image, Place, Terms, Weights, Work
from checks.coldstart.assumptions import Assumption, Unit
from checks.launch import Caution, Kind, Language, OptionFault, Way
from checks.launch.preflight import Check
from checks.launch.shelf import shelf
from checks.start import present_phases, wording, wording_launch
from checks.start.figures import in_full, money, short
from providers.answers import Text
from providers.browse.criteria import Criteria
from tests.coldstarting import images, places, terms

KEYS = {key for key in coldstart.assumption_rows() if "." not in key}
SAID_OF_A_JOB = {part.key for part in coldstart.job(Work(1), Image(compressed_gb=1)).parts}
PHASES = {phase.key for phase in coldstart.estimate(Image(compressed_gb=1)).phases}
STATES = get_args(Check.__dataclass_fields__["state"].type) or ("known", "unknown", "contradicted")
WAYS = {one.key for one in coldstart.side_by_side(Image(compressed_gb=1))}

WORDS: list[tuple[str, Mapping[Any, Text], Collection[Any]]] = [
    ("phases", wording.PHASES, PHASES),
    ("bases", wording.BASES, set(Basis)),
    ("assumptions", wording.ASSUMPTIONS, KEYS),
    ("assumed on", wording.ASSUMED_ON, set(get_args(Assumption.model_fields["basis"].annotation))),
    ("units", wording.UNITS, set(get_args(Unit))),
    ("ways", wording.WAYS, WAYS),
    ("parts", wording.PARTS, SAID_OF_A_JOB),
    ("weights", wording.WEIGHTS, set(Weights)),
    ("kinds", wording_launch.KINDS, set(Kind)),
    ("languages", wording_launch.LANGUAGES, set(Language)),
    ("cautions", wording_launch.CAUTIONS, set(Caution)),
    ("credentials", wording_launch.CREDENTIALS, set(Way)),
    ("faults of options", wording_launch.OPTION_FAULTS, {*OptionFault, "quotes"}),
    ("states", wording_launch.STATES, set(STATES)),
]


@pytest.mark.parametrize(("words", "keys"), [w[1:] for w in WORDS], ids=[w[0] for w in WORDS])
def test_every_key_has_words_of_its_own(words: Mapping[Any, Text], keys: Collection[Any]) -> None:
    assert set(words) == set(keys)
    said = [str(text) for text in words.values()]
    assert len(set(said)) == len(said)
    assert all(isinstance(text, Promise) for text in words.values())
    assert all(text == text.strip() != "" for text in said)


@pytest.mark.parametrize(
    "words",
    [
        wording.WAY_REASONS,
        wording.BREAK_EVENS,
        wording_launch.CAUTIONS,
        wording_launch.CREDENTIALS,
    ],
)
def test_what_stands_alone_is_a_sentence(words: Mapping[Any, Text]) -> None:
    assert [str(text) for text in words.values() if not str(text).endswith(".")] == []


def test_every_template_has_a_title_of_its_own() -> None:
    titles = {row.key: wording_launch.TITLES[row.key] for row in shelf().templates}
    assert set(titles) == set(wording_launch.TITLES)
    assert len(set(titles.values())) == len(titles)


@given(images, places)
def test_whatever_decides_a_phase_has_words_and_its_assumptions(image: Image, place: Place) -> None:
    for phase in coldstart.estimate(image, place).phases:
        if phase.limit:
            assert phase.limit in wording.LIMITS
        if phase.seconds.high:
            assert set(present_phases.BEHIND[phase.key, phase.limit]) <= KEYS


@given(images, places, terms)
def test_whatever_keeps_a_way_from_being_computed_has_words(
    image: Image, place: Place, on: Terms
) -> None:
    reasons = {one.reason for one in coldstart.side_by_side(image, place, on)} - {""}
    assert reasons <= wording.WAY_REASONS.keys()


@given(images, terms, st.sampled_from((0, 1)), st.none() | st.sampled_from((0, 1, 3)))
def test_whatever_keeps_spot_from_breaking_even_has_words(
    image: Image, on: Terms, hours: int, spot: int | None
) -> None:
    both = Terms(usd_per_hour=on.usd_per_hour, spot_usd_per_hour=spot)
    found = coldstart.interruptible(Work(hours, on_spot=True), image, None, both)
    assert found.break_even.reason in {"", *wording.BREAK_EVENS}


# --- Figures --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "said", "in_a_sentence"),
    [
        ("0", "0 s", "0 seconds"),
        ("0.4", "0 s", "0 seconds"),
        ("1", "1 s", "1 second"),
        ("33", "33 s", "33 seconds"),
        ("99.4", "99 s", "99 seconds"),
        ("100", "1.7 min", "2 minutes"),
        ("169", "2.8 min", "3 minutes"),
        ("180", "3 min", "3 minutes"),
        ("1264", "21 min", "21 minutes"),
        ("5999", "100 min", "100 minutes"),
        ("6000", "1.7 h", "1.7 hours"),
        ("36000", "10 h", "10 hours"),
        ("360000", "100 h", "100 hours"),
    ],
)
def test_seconds_are_said_in_the_unit_that_says_most(
    seconds: str, said: str, in_a_sentence: str
) -> None:
    assert short(Decimal(seconds)) == said
    assert in_full(Decimal(seconds)) == in_a_sentence


@pytest.mark.parametrize(
    ("usd", "said"),
    [
        ("0", "$0.00"),
        ("0.000001", "<\u00a0$0.01"),
        ("0.000306", "<\u00a0$0.01"),
        ("0.008", "<\u00a0$0.01"),
        ("0.0906", "$0.091"),
        ("0.0999", "$0.10"),
        ("0.1", "$0.10"),
        ("1.285", "$1.29"),
        ("1234.5", "$1234.50"),
    ],
)
def test_money_is_said_to_the_cent_and_less_than_one_as_less(usd: str, said: str) -> None:
    assert money(Decimal(usd), Criteria()) == said


def test_money_is_said_in_the_currency_that_is_asked_for() -> None:
    euros = Criteria.of({"currency": ["EUR"]}, usd_per_unit=Decimal("1.25"))
    assert money(Decimal("2.5"), euros) == "€2.00"
