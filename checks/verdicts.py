"""One image against all offerings, under criteria.

A renter picks a GPU, so an offering stands by the best of its hosts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

import numpy as np

from checks.conditions import Asked
from checks.judgement import Engine, Kinds, Machines, Said
from gpucompare.cuda.answer import Standing
from gpucompare.cuda.host import Host, Hosts
from providers.browse.criteria import Criteria
from providers.browse.facets import Cost, FacetCount, costs
from providers.browse.index_tally import IndexTally
from providers.browse.judge import Truth
from providers.browse.judging import Judging
from providers.browse.kept import kept, minute
from providers.browse.listing_rows import Array
from providers.browse.parameters import SORTS
from providers.browse.picked import NOWHERE, OnHosts, on_hosts
from providers.browse.query import Judged, cheapest_of, in_order, ranked, read_days, ready
from providers.browse.ranks import RANKED, HostKey, Ranks, says
from providers.browse.world import World, is_closed
from providers.models import Offering

Gpus = tuple[int | None, int | None]  # family and model; a family alone leaves its form open


class Place(NamedTuple):
    """A priced listing among others: the first is the one to name."""

    place: int
    listing: int  # its id


@dataclass(frozen=True)
class OnGpu:
    """The listings of one GPU of an offering of which the same is said."""

    gpu: Gpus
    said: Said
    listings: int  # priced ones that match the criteria or may match
    cheapest: Place | None


@dataclass(frozen=True)
class Stand:
    """How an offering stands: what is said of the best of its hosts, and of all of them."""

    said: Said
    gpus: tuple[OnGpu, ...] = ()

    @property
    def standing(self) -> Standing:
        return self.said.standing

    @property
    def listings(self) -> int:
        """Priced listings under the criteria."""
        return sum(one.listings for one in self.gpus)

    def of(self, standing: Standing) -> list[OnGpu]:
        return [one for one in self.gpus if one.said.standing is standing]

    @property
    def its_listings(self) -> int:
        """How many listings stand as the offering does."""
        return sum(one.listings for one in self.of(self.standing))

    @property
    def cheapest(self) -> Place | None:
        """The cheapest listing that stands as the offering does."""
        return min((g.cheapest for g in self.of(self.standing) if g.cheapest), default=None)


@dataclass(frozen=True)
class Checked:
    """An offering for an image; `row.cheapest` is on a GPU by which it stands."""

    row: Judged
    stand: Stand


@dataclass(frozen=True)
class CheckResult:
    """Everything that a page or an export knows about an image under the criteria."""

    criteria: Criteria
    rows: tuple[Checked, ...]  # open offerings that match or may match, ranked
    closed: tuple[Checked, ...]
    # The open offerings that match all else, whatever the verdict on them.
    counts: Mapping[Standing, tuple[Offering, ...]]
    judging: Judging
    counted: Callable[[], Mapping[str, tuple[FacetCount, ...]]]  # all facets but this one
    verdicts: tuple[FacetCount, ...]
    world: World = field(repr=False)

    @cached_property
    def facets(self) -> Mapping[str, tuple[FacetCount, ...]]:
        return {"verdict": self.verdicts, **self.counted()}

    @cached_property
    def costs(self) -> tuple[Cost, ...]:
        return costs(self.judging)

    @property
    def gpu_names(self) -> Mapping[str, str]:
        return self.world.gpu_names

    @property
    def currencies(self) -> Collection[str]:
        return self.world.vocabulary.currencies

    @property
    def match(self) -> tuple[Checked, ...]:
        return tuple(one for one in self.rows if one.row.truth is Truth.YES)

    @property
    def may(self) -> tuple[Checked, ...]:
        return tuple(one for one in self.rows if one.row.truth is Truth.MAYBE)


def check(asked: Asked, criteria: Criteria, world: World, now: datetime) -> CheckResult:
    """All offerings for one image. Two queries beside those of the world and of the listings."""
    known = _listings(criteria, world, now)
    plain = judging = known.judging
    counted = known.facets
    said, stands = _on_hosts(asked, known)
    if criteria.all("verdict"):
        judging = ranked(plain, _ranks(said, stands))
        counted = IndexTally(judging).facets
    rows = in_rank(_rows(judging, stands, now), criteria)
    others = [
        (o, min(plain.of_offering(o), plain.of_listings(o)), stands[o.pk].standing)
        for o in plain.open
    ]
    return CheckResult(
        criteria,
        tuple(one for one in rows if not is_closed(one.row.offering)),
        tuple(one for one in rows if is_closed(one.row.offering)),
        {s: tuple(o for o, t, of in others if t is Truth.YES and of is s) for s in Standing},
        judging,
        counted,
        tuple(_facet_count(s, [(truth, of) for _, truth, of in others]) for s in Standing),
        world,
    )


@dataclass(frozen=True)
class _Listings:
    """What the criteria say of all listings, whatever the image."""

    judging: Judging
    on: OnHosts
    machines: Kinds[Host | Hosts]

    @cached_property
    def _facets(self) -> Mapping[str, tuple[FacetCount, ...]]:
        return IndexTally(self.judging).facets()

    def facets(self) -> Mapping[str, tuple[FacetCount, ...]]:
        return self._facets

    @cached_property
    def counting(self) -> Array:
        """The hosts that an offering stands by: those that match, or else those that may."""
        offering, truth = self.on.hosts.offering, self.on.truth
        most = np.zeros(offering.max(initial=0) + 1, np.int8)
        np.maximum.at(most, offering, truth)
        return np.flatnonzero(truth == most[offering])


def _listings(criteria: Criteria, world: World, now: datetime) -> _Listings:
    criteria = replace(criteria, beside=())
    key = ("listings of images", criteria, criteria.usd_per_unit, minute(now), id(world))

    def read() -> _Listings:
        judging = ready(criteria, world, now)
        on = on_hosts(judging.listings.units)
        machines = Machines.of_world(world).kinds(on.hosts.keys)
        return _Listings(judging, on, machines)

    return kept(key, read)


def _on_hosts(asked: Asked, known: _Listings) -> tuple[Kinds[Said], Mapping[int, Stand]]:
    """What is said of the image on every host, and how each offering stands by that."""

    def read() -> tuple[_Listings, Kinds[Said], Mapping[int, Stand]]:
        engine = Engine(asked, known.judging.world)
        said = engine.said_of_all(known.machines, known.on.hosts.offering)
        return known, said, _stands(engine, known, said)

    # The result keeps the listings alive, so that no others get the same id.
    _, said, stands = kept(("image on hosts", asked, id(known)), read)
    return said, stands


def _facet_count(standing: Standing, found: Sequence[tuple[Truth, Standing]]) -> FacetCount:
    truths = [min(truth, says(RANKED.index(of), (standing,))) for truth, of in found]
    return FacetCount(standing.value, truths.count(Truth.YES), truths.count(Truth.MAYBE))


# --- How offerings stand -----------------------------------------------------------------


def _stands(engine: Engine, known: _Listings, said: Kinds[Said]) -> dict[int, Stand]:
    """Each offering by the hosts that match the criteria, or else by those that may. One that
    lists nothing stands by what its claims say of any host."""
    gpus: dict[int, list[OnGpu]] = defaultdict(list)
    for offering, gpu in _on_gpus(known, said):
        gpus[offering].append(gpu)
    return {
        o.pk: _stand(gpus[o.pk])
        if o.pk in gpus
        else Stand(engine.said(HostKey(o.pk, None, None, "", "")))
        for o in known.judging.world.offerings
    }


def _on_gpus(known: _Listings, said: Kinds[Said]) -> Iterator[tuple[int, OnGpu]]:
    """With the id of the offering. Of equally good hosts the first is named: always the same."""
    on, host = known.on, known.counting
    alike = on.hosts.gpu[host] * len(said.kinds) + said.each[host]
    _, first, each = np.unique(alike, return_index=True, return_inverse=True)
    place = np.full(len(first), NOWHERE)
    np.minimum.at(place, each, on.place[host])
    listings = np.bincount(each, on.listings[host])
    order = np.argsort(first)
    columns = (a.tolist() for a in (host[first[order]], listings[order], place[order]))
    for number, count, at in zip(*columns, strict=True):
        key = on.hosts.keys[number]
        cheapest = Place(at, int(on.id[at])) if at != NOWHERE else None
        one = said.kinds[said.each[number]]
        yield key.offering, OnGpu((key.family, key.gpu), one, int(count), cheapest)


def _stand(gpus: Sequence[OnGpu]) -> Stand:
    best = min(gpus, key=lambda one: (-one.said.rank, one.said.to_do, -one.listings))
    return Stand(best.said, tuple(gpus))


def _ranks(said: Kinds[Said], stands: Mapping[int, Stand]) -> Ranks:
    ranks = np.array([one.rank for one in said.kinds], dtype=np.int8)
    return Ranks(ranks[said.each], {pk: stand.said.rank for pk, stand in stands.items()})


# --- Rows ----------------------------------------------------------------------------------


def _rows(judging: Judging, stands: Mapping[int, Stand], now: datetime) -> list[Checked]:
    truths = [(o, judging.all_of(o)) for o in judging.world.offerings]
    found = [(o, truth, stands[o.pk]) for o, truth in truths if truth is not Truth.NO]
    ids = [stand.cheapest.listing for _, _, stand in found if stand.cheapest]
    cheapest = cheapest_of(ids, judging, now)
    by_day = judging.criteria.one("sort") == "freshness"
    read_on = read_days(*(() if by_day else judging.criteria.columns))
    return [
        Checked(
            Judged(
                offering,
                truth,
                judging.unknown(offering),
                cheapest.get(offering.pk),
                read_on.get(offering.pk, {}),
            ),
            stand,
        )
        for offering, truth, stand in found
    ]


def in_rank(rows: Sequence[Checked], criteria: Criteria) -> list[Checked]:
    """Best standing first; then by the cost of getting there (least to do, cheapest), unless
    another order is asked for. One that is not ours is brought in by whoever has it."""
    sort = criteria.one("sort")
    by_offering = {one.row.offering.pk: one for one in rows}
    by_cost = sort == "name" or sort not in SORTS
    ordered = in_order((one.row for one in rows), "price" if by_cost else sort)

    def cost(one: Checked) -> tuple[int, int]:
        said = one.stand.said
        return -said.rank, said.to_do if by_cost else 0

    return sorted((by_offering[row.offering.pk] for row in ordered), key=cost)
