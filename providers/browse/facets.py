"""What a facet says, and what each filter costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from providers.browse.judge import Truth
from providers.browse.judging import Judging


class FacetCount(NamedTuple):
    """How many rows match a value, and how many may."""

    value: str
    match: int
    may: int


@dataclass(frozen=True)
class Cost:
    """What one filter costs: rows it alone removes of all, rows that match once it is lifted."""

    name: str
    removes: int
    regained: int


def costs(judging: Judging) -> tuple[Cost, ...]:
    """What each filter removes, when nothing matches all of them."""
    if any(judging.all_of(o) is Truth.YES for o in judging.open):
        return ()
    return tuple(
        Cost(
            name,
            removes=sum(judging.alone(name, o) is Truth.NO for o in judging.open),
            regained=sum(judging.all_of(o, name) is Truth.YES for o in judging.open),
        )
        for name in [*judging.said, *judging.about_listings]
    )
