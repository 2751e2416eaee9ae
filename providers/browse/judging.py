"""What every filter says about every offering, so that each facet can lift its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from providers.browse.criteria import Criteria
from providers.browse.judge import Truth, judge_answer, truth
from providers.browse.listing_truths import ListingTruths
from providers.browse.ranks import truths
from providers.browse.world import World, fold
from providers.dimensions import DIMENSIONS
from providers.models import Offering

_UNRANKED = truths()


class Judging:
    """One truth for each offering and filter, so that each facet can lift its own."""

    def __init__(self, criteria: Criteria, world: World, listings: ListingTruths) -> None:
        self.criteria = criteria
        self.world = world
        self.listings = listings
        self.open = world.open
        self.listing_names = listings.asked.names
        self._searched = _searcher(criteria.one("q"), world, listings)
        # What each active filter about offerings says, offering by offering.
        self.said: dict[str, Mapping[int, Truth]] = {
            name: self._say_of_all(name, kept)
            for name, kept in criteria.filters()
            if name not in (*self.listing_names, "verdict")
        }
        standings = criteria.all("verdict") if listings.ranks else ()
        # What the best of an offering's listings comes to: the verdict counts on what matches else.
        self.of_level = truths(standings)
        # The filters that listings answer.
        self.about_listings = [*self.listing_names, *(["verdict"] if standings else [])]

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
        names = tuple(name for name in self.listing_names if name != lifted)
        of_level = _UNRANKED if lifted == "verdict" else self.of_level
        return Truth(of_level[self.listings.level(names, offering.pk)])

    def all_of(self, offering: Offering, lifted: str = "") -> Truth:
        return min(self.of_offering(offering, lifted), self.of_listings(offering, lifted))

    def alone(self, name: str, offering: Offering) -> Truth:
        """What one active filter says by itself."""
        if name in self.said:
            return self.said[name][offering.pk]
        if name == "verdict":
            return Truth(self.of_level[self.listings.level((), offering.pk)])
        return Truth(_UNRANKED[self.listings.level((name,), offering.pk)])

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


def _searcher(q: str, world: World, listings: ListingTruths) -> Callable[[Offering], bool]:
    """Whether every word of `q` stands in the names of provider, offering or GPUs."""
    words = fold(q).split()

    def found(offering: Offering) -> bool:
        provider = offering.provider
        names = [provider.name, provider.slug, offering.name, offering.slug]
        names += offering.gpu_names or ()
        for family in listings.families(offering.pk):
            names += world.names_by_family.get(family, ())
        text = fold(" ".join(names))
        return all(word in text for word in words)

    return found
