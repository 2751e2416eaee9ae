"""The seven checks of an offering before money is spent: what is known, and what is not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from checks.launch.words import Answer
from providers.answers import Dimension
from providers.dimensions import MAIN

State = Literal["known", "unknown", "contradicted"]


@dataclass(frozen=True)
class Detail:
    """A known fact beside an answer, such as the version of the driver."""

    dimension: str
    value: Any
    source: str
    basis: str
    read_on: date | None


@dataclass(frozen=True)
class Check:
    """One main question about an offering. `providers.dimensions` has its words and its look."""

    dimension: str
    state: State
    value: Any  # None unless it is known
    source: str  # of the claim that decides; empty: none does
    basis: str
    read_on: date | None
    settle: str  # the command that shows it on the machine; empty: known, or there is none
    details: tuple[Detail, ...] = ()


def preflight(answers: Mapping[str, Answer]) -> tuple[Check, ...]:
    """The main questions in their order. An answer that is left out is not known."""
    return tuple(_check(dimension, answers) for dimension in MAIN)


def _check(dimension: Dimension, answers: Mapping[str, Answer]) -> Check:
    answer = answers.get(dimension.key, Answer())
    state = _state(answer)
    known = state == "known"
    return Check(
        dimension.key,
        state,
        answer.value if known else None,
        answer.source if known else "",
        answer.basis if known else "",
        answer.read_on if known else None,
        "" if known else dimension.settled_by.command,
        tuple(_detail(key, answers[key]) for key in dimension.details if _is_known(answers, key)),
    )


def _state(answer: Answer) -> State:
    if answer.contradicted:
        return "contradicted"
    return "unknown" if answer.value is None else "known"


def _is_known(answers: Mapping[str, Answer], key: str) -> bool:
    return key in answers and _state(answers[key]) == "known"


def _detail(key: str, answer: Answer) -> Detail:
    return Detail(key, answer.value, answer.source, answer.basis, answer.read_on)
