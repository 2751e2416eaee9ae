"""What each offering's answers say to each value of the facets about offerings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from providers.browse.judge import answer_values, judge_answer, truth
from providers.dimensions import DIMENSIONS
from providers.models import Offering, ProviderKind


@dataclass(frozen=True)
class AnswerTable:
    """Truths by value and offering, facet after facet."""

    values: Sequence[str]
    says: NDArray[np.int8]
    rows: Mapping[str, tuple[int, int]]  # where the values of a facet begin and end

    @classmethod
    def of(cls, offerings: Sequence[Offering], open_ones: Sequence[Offering]) -> AnswerTable:
        """The values are those that `open_ones` name, where a dimension declares none."""
        values: list[str] = []
        says: list[list[int]] = []
        rows = {}
        for name, stated, say in _facets(open_ones):
            rows[name] = (len(values), len(values) + len(stated))
            values += stated
            says += [[say(offering, value) for offering in offerings] for value in stated]
        shape = (len(values), len(offerings))
        return cls(values, np.array(says, dtype=np.int8).reshape(shape), rows)


Say = Callable[[Offering, str], int]


def _facets(open_ones: Sequence[Offering]) -> list[tuple[str, Sequence[str], Say]]:
    found: list[tuple[str, Sequence[str], Say]] = []
    for dimension in DIMENSIONS.values():
        if dimension.filterable:
            answers: list[Any] = [offering.answer(dimension.key) for offering in open_ones]
            say = _says(dimension.key)
            found.append((dimension.key, answer_values(dimension, answers), say))
    found.append(("kind", ProviderKind.values, lambda o, v: truth(o.provider.kind == v)))
    return found


def _says(key: str) -> Say:
    dimension = DIMENSIONS[key]
    return lambda offering, value: judge_answer(dimension, offering.answer(key), (value,))
