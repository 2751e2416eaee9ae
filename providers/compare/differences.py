"""Where offerings differ from one of them. Pure: resolved answers in, standings out.

Unknown and contradicted are neither equal nor different: they cannot be compared.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from providers.answers import Dimension, Grade, Kind, version_bounds
from providers.dimensions import DIMENSIONS
from providers.models import Offering

# Differences that the summary names.
NAMED = 3


class Standing(StrEnum):
    """How an answer stands to that of the base."""

    BASE = "base"
    SAME = "same"
    DIFFERENT = "different"
    OPEN = "open"  # one of the two is unknown or contradicted


@dataclass(frozen=True)
class Line:
    """One dimension across the columns."""

    dimension: Dimension
    standings: tuple[Standing, ...]  # one a column
    differs: bool  # whether any two known answers differ
    comparable: bool  # whether at least two answers are known
    equal: bool  # whether all answers are known and the same; never of one column

    @property
    def key(self) -> str:
        return self.dimension.key


@dataclass(frozen=True)
class Count:
    """How one column stands to the base, in numbers of dimensions."""

    main: int  # differences in main dimensions
    total: int  # differences in all
    open: int  # what cannot be compared, of all


def lines(offerings: Sequence[Offering], base: int) -> tuple[Line, ...]:
    """Every dimension, in the order of their declaration; `base` is the index of a column."""
    return tuple(_line(dimension, offerings, base) for dimension in DIMENSIONS.values())


def _line(dimension: Dimension, offerings: Sequence[Offering], base: int) -> Line:
    forms = [comparable_form(dimension, o.answer(dimension.key)) for o in offerings]
    known = [form for form in forms if form is not None]
    standings = tuple(
        Standing.BASE if column == base else _standing(form, forms[base])
        for column, form in enumerate(forms)
    )
    kinds = len(set(known))
    equal = kinds == 1 and len(known) == len(forms) > 1
    return Line(dimension, standings, kinds > 1, len(known) > 1, equal)


def _standing(form: Hashable, base: Hashable) -> Standing:
    if form is None or base is None:
        return Standing.OPEN
    return Standing.SAME if form == base else Standing.DIFFERENT


def comparable_form(dimension: Dimension, answer: Any) -> Hashable:
    """What two answers that say the same have in common; None for what is not known."""
    if answer is None:
        return None
    match dimension.kind:
        case Kind.SET | Kind.HOSTS:
            return frozenset(answer)
        case Kind.VERSION | Kind.VERSIONS:
            return tuple(map(_significant, version_bounds(answer)))
        case _:
            return answer  # type: ignore[no-any-return]


def _significant(version: tuple[int, ...]) -> tuple[int, ...]:
    """12 and 12.0 are one version."""
    while version and version[-1] == 0:
        version = version[:-1]
    return version


def count(found: Sequence[Line], column: int) -> Count:
    different = [line for line in found if line.standings[column] is Standing.DIFFERENT]
    unanswered = [line for line in found if line.standings[column] is Standing.OPEN]
    main = [line for line in different if line.dimension.main]
    return Count(len(main), len(different), len(unanswered))


def telling(found: Iterable[Line], offerings: Sequence[Offering]) -> tuple[Line, ...]:
    """The main differences that say most: the further apart the grades, the earlier."""
    different = [line for line in found if line.dimension.main and line.differs]
    different.sort(key=lambda line: -_spread(line.dimension, offerings))
    return tuple(different[:NAMED])


def _spread(dimension: Dimension, offerings: Sequence[Offering]) -> int:
    ranks = [
        list(Grade).index(grade)
        for offering in offerings
        if (grade := dimension.grade_of(offering.answer(dimension.key)))
    ]
    return max(ranks) - min(ranks)
