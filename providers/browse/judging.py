"""What every filter says about every offering, so that each facet can lift its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from providers.browse import listing_sql
from providers.browse.criteria import Criteria, answers_asked
from providers.browse.judge import Truth, judge_answer, truth
from providers.browse.listing_sql import Found
from providers.browse.ranks import Ranks, says
from providers.browse.world import World, fold, is_closed
from providers.dimensions import DIMENSIONS
from providers.models import Offering


@dataclass
class Verdicts:
    """What the listings statement answered; an offering without listings is in none of it."""

    # "all", "without:gpu", "alone:gpu" → by offering: one, or one for each rank of its hosts.
    said: Mapping[str, Mapping[int, Sequence[Found]]]
    facets: Mapping[str, Mapping[int, Sequence[Found]]]  # by criterion and offering

    def of(self, what: str, offering: int) -> Truth:
        """Without listings anything may match."""
        found = self.said[what].get(offering)
        return Truth(max(f.truth for f in found)) if found else Truth.MAYBE

    def families(self, offering: int) -> Iterable[int | None]:
        """The families that it lists; None for names that are not known."""
        return {found.family for found in self.facets["gpu"].get(offering, ())}


class Judging:
    """One truth for each offering and filter, so that each facet can lift its own."""

    def __init__(
        self, criteria: Criteria, world: World, verdicts: Verdicts, ranks: Ranks | None = None
    ) -> None:
        self.criteria = criteria
        self.ranks = ranks
        self.standings = criteria.all("verdict") if ranks else ()
        self.world = world
        self.verdicts = verdicts
        self.open = tuple(o for o in world.offerings if not is_closed(o))
        self.listing_names = listing_sql.active(criteria)
        self._searched = _searcher(criteria.one("q"), world, verdicts)
        self._asked = answers_asked(criteria)
        # What each active filter about offerings says, offering by offering.
        self.said: dict[str, Mapping[int, Truth]] = {
            name: self._say_of_all(name, kept)
            for name, kept in criteria.filters()
            if name not in (*listing_sql.LISTING_CRITERIA, "verdict")
        }
        # The filters that listings answer: the last one by the best of what matches the others.
        self.about_listings = [*self.listing_names, *(["verdict"] if self.standings else [])]

    def _say_of_all(self, name: str, kept: tuple[str, ...]) -> Mapping[int, Truth]:
        if name == "q":  # it looks in listings too
            return {o.pk: self._say(name, kept, o) for o in self.world.offerings}
        return self.world.once(
            (name, kept), lambda: {o.pk: self._say(name, kept, o) for o in self.world.offerings}
        )

    def _say(self, name: str, kept: tuple[str, ...], offering: Offering) -> Truth:
        if name == "q":
            return truth(self._searched(offering))
        if name == "provider":
            return truth(offering.provider.slug in kept)
        if name == "kind":
            return truth(offering.provider.kind in kept)
        return judge_answer(DIMENSIONS[name], offering.answer(name), kept)

    def of_offering(self, offering: Offering, lifted: str = "") -> Truth:
        """The filters about offerings together, all but the lifted one."""
        said = (truths[offering.pk] for name, truths in self.said.items() if name != lifted)
        return min(said, default=Truth.YES)

    def of_listings(self, offering: Offering, lifted: str = "") -> Truth:
        """The filters about listings together, all but the lifted one."""
        what = f"without:{lifted}" if lifted in self.listing_names else "all"
        others = [name for name in self.listing_names if name != lifted]
        said = self.verdicts.of(what, offering.pk) if others else Truth.YES
        if lifted == "verdict" or not self.standings:
            return said
        return min(said, says(self.rank(what, offering.pk), self.standings))

    def rank(self, what: str, offering: int) -> int:
        """The best rank of what matches for certain, or else of what may match."""
        found = self.verdicts.said[what].get(offering)
        if not found:
            return self.ranks.without_listings[offering] if self.ranks else 0
        return best_rank((f.truth, f) for f in found)

    def listed(self, offering: Offering) -> Sequence[Found]:
        """The offering's listings under all filters about listings; one that stands for all that
        may be there when there are none."""
        found = self.verdicts.said["all"].get(offering.pk)
        if found:
            return found
        truth = Truth.MAYBE if self.listing_names else Truth.YES
        rank = self.rank("all", offering.pk)
        return (Found(offering.pk, None, None, None, truth, 0, 0, rank),)

    def all_of(self, offering: Offering, lifted: str = "") -> Truth:
        return min(self.of_offering(offering, lifted), self.of_listings(offering, lifted))

    def alone(self, name: str, offering: Offering) -> Truth:
        """What one active filter says by itself."""
        if name in self.said:
            return self.said[name][offering.pk]
        if name == "verdict":
            return says(self.rank("alone:verdict", offering.pk), self.standings)
        return self.verdicts.of(f"alone:{name}", offering.pk)

    def unknown_of_offering(self, offering: Offering) -> tuple[str, ...]:
        """The active filters about offerings that cannot be answered for this one."""
        return tuple(n for n, said in self.said.items() if said[offering.pk] is Truth.MAYBE)

    def unknown(self, offering: Offering) -> tuple[str, ...]:
        """The active filters that cannot be answered for an offering that may match."""
        names = [*self.unknown_of_offering(offering)]
        if self.of_listings(offering) is Truth.MAYBE:
            alone = [n for n in self.about_listings if self.alone(n, offering) is Truth.MAYBE]
            # Each may hold on some listing and no one listing answers all of them.
            names += alone or self.about_listings
        return tuple(names)


def best_rank(fits: Iterable[tuple[int, Found]]) -> int:
    """The best rank among those that fit for certain, or else among those that may."""
    return max((fit, found.rank) for fit, found in fits)[1]


def _searcher(q: str, world: World, verdicts: Verdicts) -> Callable[[Offering], bool]:
    """Whether every word of `q` stands in the names of provider, offering or GPUs."""
    words = fold(q).split()

    def found(offering: Offering) -> bool:
        provider = offering.provider
        names = [provider.name, provider.slug, offering.name, offering.slug]
        names += offering.gpu_names or ()
        for family in verdicts.families(offering.pk):
            names += world.names_by_family.get(family, ())
        text = fold(" ".join(names))
        return all(word in text for word in words)

    return found
