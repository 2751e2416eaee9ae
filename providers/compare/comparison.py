"""A selection with all that is known about it: read once, then shown or exported."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from providers import queries
from providers.browse.world import World
from providers.compare import differences, prices
from providers.compare.differences import Line
from providers.compare.prices import Prices
from providers.compare.selection import Selection
from providers.models import Claim, Offering


@dataclass(frozen=True)
class Comparison:
    selection: Selection
    offerings: tuple[Offering, ...]  # in the order of the columns
    lines: tuple[Line, ...]  # every dimension; none without offerings
    prices: Prices
    claims: Mapping[int, Sequence[Claim]]  # by offering
    world: World

    @classmethod
    def read(cls, selection: Selection, world: World, now: datetime) -> Comparison:
        """Two queries, and none without offerings."""
        offerings = tuple(world.by_key[key] for key in selection.offerings)
        if not offerings:
            return cls(selection, (), (), Prices({}, {}, {}), {}, world)
        claims: dict[int, list[Claim]] = defaultdict(list)
        for claim in queries.claims_about(offerings):
            claims[claim.offering_id].append(claim)
        found = differences.lines(offerings, selection.offerings.index(selection.base))
        priced = prices.read(selection.view, offerings, world, now)
        return cls(selection, offerings, found, priced, claims, world)

    @property
    def base(self) -> Offering:
        return self.world.by_key[self.selection.base]

    def folds(self, line: Line) -> bool:
        return self.selection.fold and line.equal

    def read_on(self, offering: Offering) -> dict[str, date | None]:
        """The day on which each deciding claim was read, by dimension."""
        return {c.dimension: c.read_on for c in self.claims[offering.pk] if c.decides}
