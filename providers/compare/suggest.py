"""What to look at next: offerings with the answers that the compared share, and near neighbours.

Pure functions over offerings that were read before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from providers.answers import Dimension, Grade, Kind, Text, query_form
from providers.browse.criteria import Criteria
from providers.browse.judge import Truth, judge_answer
from providers.browse.presets import PRESETS
from providers.browse.world import fold, is_closed
from providers.compare.differences import Line, comparable_form, telling
from providers.dimensions import DIMENSIONS, MAIN
from providers.models import Offering

NEIGHBOURS = 3
READY_COLUMNS = 3

# A dimension's key → the answers that would do, as a query string spells them.
Asked = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Others:
    """Offerings outside the comparison that give certain answers."""

    criteria: Criteria
    count: int


@dataclass(frozen=True)
class Ready:
    """A comparison worth a first look: the best known answers to a question of renters."""

    label: Text
    offerings: tuple[Offering, ...]


# --- Others with the same answers ------------------------------------------------------


def others(
    chosen: Sequence[Offering], found: Sequence[Line], everything: Iterable[Offering]
) -> tuple[Others, ...]:
    """Searches for what the chosen share, and for that with the best answer to what divides them.

    Shared answers are given up, the last one first, until some other offering gives the rest.
    """
    candidates = [o for o in everything if o not in chosen and not is_closed(o)]
    shared = shared_answers(chosen)
    divided = [_best_answer(line.dimension, chosen) for line in telling(found, chosen)]
    searches = [_search(shared, asked, candidates) for asked in ({}, *divided)]
    kept: dict[Criteria, Others] = {s.criteria: s for s in searches if s is not None}
    return tuple(kept.values())


def shared_answers(chosen: Sequence[Offering]) -> dict[str, tuple[str, ...]]:
    """Main answers that all of the chosen are known to give, and that help a renter."""
    found = {}
    for dimension in MAIN:
        given = [_helpful(dimension, offering) for offering in chosen]
        common = [value for value in dimension.allowed if all(value in g for g in given)]
        if chosen and common:
            found[dimension.key] = tuple(common)
    return found


def _helpful(dimension: Dimension, offering: Offering) -> list[str]:
    answer = offering.answer(dimension.key)
    if answer is None:
        return []
    members = answer if dimension.kind is Kind.SET else [answer]
    values = map(query_form, members)
    return [v for v in values if dimension.by_key[v].grade is not Grade.NO]


def _best_answer(dimension: Dimension, chosen: Sequence[Offering]) -> dict[str, tuple[str, ...]]:
    given = {value for offering in chosen for value in _helpful(dimension, offering)}
    best = next((value for value in dimension.allowed if value in given), None)
    return {dimension.key: (best,)} if best else {}


def _search(shared: Asked, divided: Asked, candidates: Sequence[Offering]) -> Others | None:
    wanted = list(shared.items())
    while wanted or divided:
        asked = dict(wanted) | dict(divided)
        if count := sum(gives(offering, asked) is Truth.YES for offering in candidates):
            return Others(Criteria.of(asked), count)
        if not wanted:
            return None
        wanted.pop()
    return None


def gives(offering: Offering, asked: Asked) -> Truth:
    said = (judge_answer(DIMENSIONS[k], offering.answer(k), v) for k, v in asked.items())
    return min(said, default=Truth.YES)


# --- Neighbours ------------------------------------------------------------------------


def closest(
    base: Offering, chosen: Sequence[Offering], everything: Iterable[Offering]
) -> tuple[Offering, ...]:
    """Open offerings whose main answers agree most with the base's, best first."""
    near = [o for o in everything if o not in chosen and not is_closed(o) and _agreeing(o, base)]
    near.sort(key=lambda o: (-_agreeing(o, base), fold(str(o)), o.pk))
    return tuple(near[:NEIGHBOURS])


def _agreeing(one: Offering, other: Offering) -> int:
    """How many main questions both are known to answer alike."""
    forms = (
        (comparable_form(d, one.answer(d.key)), comparable_form(d, other.answer(d.key)))
        for d in MAIN
    )
    return sum(a is not None and a == b for a, b in forms)


# --- With nothing chosen ---------------------------------------------------------------


def ready(everything: Iterable[Offering]) -> tuple[Ready, ...]:
    """For each question of the presets, the offerings that meet it and are known best."""
    offerings = [offering for offering in everything if not is_closed(offering)]
    found = []
    for preset in PRESETS:
        meeting = [o for o in offerings if gives(o, preset.asks) is Truth.YES]
        best = _one_a_provider(sorted(meeting, key=lambda o: (-_known(o), fold(str(o)))))
        if len(best) > 1:
            found.append(Ready(preset.label, best))
    return tuple(found)


def _known(offering: Offering) -> int:
    return sum(offering.answer(key) is not None for key in DIMENSIONS)


def _one_a_provider(offerings: Iterable[Offering]) -> tuple[Offering, ...]:
    first: dict[int, Offering] = {}
    for offering in offerings:
        first.setdefault(offering.provider_id, offering)
    return tuple(list(first.values())[:READY_COLUMNS])
