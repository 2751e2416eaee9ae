"""Three-valued judgement of an offering's answers. Unknown is not no.

Pure functions; the same logic over listings stands in :mod:`providers.browse.units`, over arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from enum import IntEnum
from typing import Any

from providers.answers import Dimension, Kind, query_form, version_bounds, version_key


class Truth(IntEnum):
    """Kleene's three values; AND is min, OR is max."""

    NO = 0
    MAYBE = 1
    YES = 2


def truth(value: bool) -> Truth:
    return Truth.YES if value else Truth.NO


def judge_answer(dimension: Dimension, answer: Any, asked: Sequence[str]) -> Truth:
    """Whether an offering whose resolved answer is `answer` gives one of the `asked` ones.

    None, which is how unknown and contradicted are kept, may match anything.
    """
    if answer is None:
        return Truth.MAYBE
    gives = _GIVES.get(dimension.kind, _gives_exactly)
    return max((gives(answer, value) for value in asked), default=Truth.NO)


def _gives_exactly(answer: Any, asked: str) -> Truth:
    return truth(query_form(answer) == asked)


def _gives_member(answer: Sequence[str], asked: str) -> Truth:
    return truth(asked in answer)


def _gives_host(answer: Sequence[str], asked: str) -> Truth:
    return truth(any(m in ("any", asked) or asked.endswith("." + m) for m in answer))


def _gives_version(answer: str, asked: str) -> Truth:
    """A range holds a version; one that is asked less exactly (580) means all it begins.

    An answer that is less exact than what is asked (580 for 580.126) may be it.
    """
    wanted = version_key(asked)
    low, high = version_bounds(answer)
    if low[: len(wanted)] <= wanted <= high[: len(wanted)]:
        return Truth.YES
    return Truth.MAYBE if wanted[: len(high)] == high else Truth.NO


_GIVES: dict[Kind, Callable[[Any, str], Truth]] = {
    Kind.SET: _gives_member,
    Kind.HOSTS: _gives_host,
    Kind.VERSIONS: _gives_version,
    Kind.VERSION: lambda answer, asked: truth(version_key(answer) == version_key(asked)),
}


def answer_values(dimension: Dimension, answers: Sequence[Any]) -> list[str]:
    """The values of a facet: the declared ones, or those that stand in the data."""
    if dimension.values:
        return list(dimension.allowed)
    known = [answer for answer in answers if answer is not None]
    match dimension.kind:
        case Kind.HOSTS:
            return sorted({member for answer in known for member in answer})
        case Kind.NUMBER:
            return sorted({query_form(answer) for answer in known}, key=Decimal)
        case Kind.VERSIONS:  # 580-595 and 580.126.20 both stand under the branches they begin at
            return sorted({answer.split("-")[0].split(".")[0] for answer in known}, key=int)
        case _:
            return sorted(set(known), key=version_key)


def hosts_have(version: list[int], lowest: Any, highest: Any, replaceable: bool) -> Truth:
    """Whether a host of an offering has at least `version`, from what its claims say.

    `lowest` and `highest` are versions or None; a renter who may replace the driver is not
    bound by the highest one. A highest of 580 may be any 580.x.
    """
    wanted = tuple(version)
    if lowest is not None and version_key(lowest) >= wanted:
        return Truth.YES
    top = version_key(highest) if highest is not None and not replaceable else ()
    return Truth.NO if top < wanted[: len(top)] else Truth.MAYBE
