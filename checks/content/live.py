"""The numbers that texts show: what the browse page would count, each asked for once a page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from checks.content.placeholders import Placeholder, criteria_of
from providers.answers import Dimension, Text, Value
from providers.browse.judge import Truth
from providers.browse.query import ready
from providers.browse.world import World, is_closed
from providers.dimensions import DIMENSIONS
from providers.wording import value_text


@dataclass(frozen=True)
class Counts:
    """Offerings that match for certain, those that may, and those that do not."""

    match: int
    may: int
    no: int


class Live:
    """The numbers of one moment. World takes four queries; counts about listings take their
    index, which is mostly there already."""

    def __init__(self, world: World, now: datetime) -> None:
        self._world = world
        self._now = now
        self._counts: dict[str, Counts] = {}

    def shown(self, part: Placeholder) -> Text:
        """What stands in the place of a placeholder."""
        match part.name:
            case "total":
                return str(self.total)
            case "providers":
                return str(self.providers)
            case "label":
                return _label(part.query)
            case "count":
                return str(self.counts(part.query).match)
            case "may":
                return str(self.counts(part.query).may)
            case _:
                return str(self.counts(part.query).no)

    @cached_property
    def total(self) -> int:
        return sum(not is_closed(o) for o in self._world.offerings)

    @cached_property
    def providers(self) -> int:
        return len({o.provider_id for o in self._world.offerings if not is_closed(o)})

    def counts(self, query: str) -> Counts:
        if query not in self._counts:
            self._counts[query] = self._count(query)
        return self._counts[query]

    def answers(self, dimension: Dimension) -> Iterator[tuple[Value, int]]:
        """How many offerings give each answer; of a set, one may give several."""
        for value in dimension.values:
            yield value, self.counts(f"{dimension.key}={value.key}").match

    def unanswered(self, dimension: Dimension) -> int:
        """Offerings of which the answer is not known."""
        return self.counts(f"{dimension.key}={dimension.values[0].key}").may

    def _count(self, query: str) -> Counts:
        judging = ready(criteria_of(query), self._world, self._now)
        found = [judging.all_of(offering) for offering in judging.open]
        return Counts(*(found.count(truth) for truth in (Truth.YES, Truth.MAYBE, Truth.NO)))


def _label(query: str) -> Text:
    key, _equals, value = query.partition("=")
    dimension = DIMENSIONS[key]
    return value_text(dimension, value) if value else dimension.label
