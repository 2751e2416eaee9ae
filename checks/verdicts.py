"""One image against all offerings, under criteria.

A renter picks a GPU, so an offering stands by the best of its hosts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from checks.conditions import Asked
from checks.hosts import Listed, Place, listed
from checks.judgement import Engine, Machines, Said
from gpucompare.cuda.answer import Standing
from gpucompare.cuda.host import Host, Hosts
from providers.browse import listing_sql
from providers.browse.criteria import Criteria
from providers.browse.facets import Cost, FacetCount, Tally
from providers.browse.judge import Truth
from providers.browse.judging import Judging
from providers.browse.kept import kept, minute
from providers.browse.parameters import SORTS
from providers.browse.query import Cheapest, Judged, in_order, read_days, ready, run
from providers.browse.ranks import RANKED, HostKey, Ranks, says
from providers.browse.world import World, is_closed
from providers.models import Offering

Gpus = tuple[int | None, int | None]  # family and model; a family alone leaves its form open


@dataclass
class OnGpu:
    """The listings of one GPU of an offering of which the same is said."""

    gpu: Gpus
    said: Said
    listings: int = 0  # priced ones that match the criteria or may match
    cheapest: Place | None = None

    def add(self, host: Listed) -> None:
        self.listings += host.priced
        if host.cheapest and (self.cheapest is None or host.cheapest < self.cheapest):
            self.cheapest = host.cheapest


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
    tally: Tally
    verdicts: tuple[FacetCount, ...]
    world: World = field(repr=False)

    @cached_property
    def facets(self) -> Mapping[str, tuple[FacetCount, ...]]:
        return {"verdict": self.verdicts, **self.tally.counted}

    @cached_property
    def costs(self) -> tuple[Cost, ...]:
        return self.tally.costs()

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
    """All offerings for one image. Three queries beside those of the world, four where a verdict
    is asked for."""
    known = _listings(criteria, world, now)
    plain, tally = known.judging, known.tally
    hosts, stands = _on_hosts(asked, known)
    judging = plain
    if criteria.all("verdict"):
        judging, _parameters = ready(criteria, world, now, _ranks(hosts, stands))
        tally = Tally(judging)
    rows = in_rank(_rows(judging, stands), criteria)
    others = [
        (o, min(plain.of_offering(o), plain.of_listings(o)), stands[o.pk].standing)
        for o in plain.open
    ]
    return CheckResult(
        criteria,
        tuple(one for one in rows if not is_closed(one.row.offering)),
        tuple(one for one in rows if is_closed(one.row.offering)),
        {s: tuple(o for o, t, of in others if t is Truth.YES and of is s) for s in Standing},
        tally,
        tuple(_facet_count(s, [(truth, of) for _, truth, of in others]) for s in Standing),
        world,
    )


@dataclass(frozen=True)
class _Listings:
    """What the criteria say of all listings, whatever the image."""

    judging: Judging
    hosts: tuple[tuple[Listed, Host | Hosts], ...]  # each with the machine that it is
    tally: Tally


def _listings(criteria: Criteria, world: World, now: datetime) -> _Listings:
    criteria = replace(criteria, beside=())
    key = ("listings of images", criteria, criteria.usd_per_unit, minute(now), id(world))

    def read() -> _Listings:
        judging, _parameters = ready(criteria, world, now, hosts=True)
        of = Machines.of_world(world).of
        hosts = tuple((host, of(host.key)) for host in listed(judging))
        return _Listings(judging, hosts, Tally(judging))

    return kept(key, read)


OnHosts = list[tuple[Listed, Said]]


def _on_hosts(asked: Asked, known: _Listings) -> tuple[OnHosts, Mapping[int, Stand]]:
    """What is said of the image on every host, and how each offering stands by that."""

    def read() -> tuple[_Listings, OnHosts, Mapping[int, Stand]]:
        engine = Engine(asked, known.judging.world)
        said = engine.said_of
        hosts = [(host, said(machine, host.key.offering)) for host, machine in known.hosts]
        return known, hosts, _stands(engine, hosts, known.judging.world)

    # The result keeps the listings alive, so that no others get the same id.
    _, hosts, stands = kept(("image on hosts", asked, id(known)), read)
    return hosts, stands


def _facet_count(standing: Standing, found: Sequence[tuple[Truth, Standing]]) -> FacetCount:
    truths = [min(truth, says(RANKED.index(of), (standing,))) for truth, of in found]
    return FacetCount(standing.value, truths.count(Truth.YES), truths.count(Truth.MAYBE))


# --- How offerings stand -----------------------------------------------------------------


def _stands(engine: Engine, hosts: Iterable[tuple[Listed, Said]], world: World) -> dict[int, Stand]:
    """Each offering by the hosts that match the criteria, or else by those that may. One that
    lists nothing stands by what its claims say of any host."""
    of_offering: dict[int, list[tuple[Listed, Said]]] = defaultdict(list)
    for host, said in hosts:
        of_offering[host.key.offering].append((host, said))
    return {
        o.pk: _stand(of_offering[o.pk])
        if o.pk in of_offering
        else Stand(engine.said(HostKey(o.pk, None, None, "", "")))
        for o in world.offerings
    }


def _stand(hosts: Sequence[tuple[Listed, Said]]) -> Stand:
    most = max(host.truth for host, _ in hosts)
    gpus: dict[tuple[Gpus, int], OnGpu] = {}
    for host, said in hosts:
        if host.truth == most:
            gpu = (host.key.family, host.key.gpu)
            gpus.setdefault((gpu, id(said)), OnGpu(gpu, said)).add(host)
    best = min(gpus.values(), key=lambda one: (-one.said.rank, one.said.to_do, -one.listings))
    return Stand(best.said, tuple(gpus.values()))


def _ranks(hosts: Iterable[tuple[Listed, Said]], stands: Mapping[int, Stand]) -> Ranks:
    of_hosts = {host.key: said.rank for host, said in hosts}
    return Ranks(of_hosts, {pk: stand.said.rank for pk, stand in stands.items()})


# --- Rows ----------------------------------------------------------------------------------


def _rows(judging: Judging, stands: Mapping[int, Stand]) -> list[Checked]:
    truths = [(o, judging.all_of(o)) for o in judging.world.offerings]
    found = [(o, truth, stands[o.pk]) for o, truth in truths if truth is not Truth.NO]
    cheapest = _cheapest([stand.cheapest for _, _, stand in found], judging.criteria)
    by_day = judging.criteria.one("sort") == "freshness"
    read_on = read_days(*(() if by_day else judging.criteria.columns))
    return [
        Checked(
            Judged(
                offering,
                truth,
                judging.unknown(offering),
                cheapest.get(stand.cheapest.listing) if stand.cheapest else None,
                read_on.get(offering.pk, {}),
            ),
            stand,
        )
        for offering, truth, stand in found
    ]


def _cheapest(places: Iterable[Place | None], criteria: Criteria) -> dict[int, Cheapest]:
    trust = {place.listing: place.trust for place in places if place}
    spot_only = bool(criteria.one("spot_only"))
    rows = run(listing_sql.CHEAPEST_OF_HOSTS, {"ids": list(trust)})
    return {pk: _priced(row, criteria, spot_only, trusted=trust[pk] == 0) for pk, *row in rows}


def _priced(row: Sequence[Any], criteria: Criteria, spot_only: bool, trusted: bool) -> Cheapest:
    on_demand, spot, count, name, origin, seen_at = row
    is_spot = spot_only or on_demand is None
    price = spot if is_spot else on_demand
    shown = price / count if criteria.per_gpu else price
    return Cheapest(shown, price, count, name, origin, seen_at, is_spot, trusted)


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
