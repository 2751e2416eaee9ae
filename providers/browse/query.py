"""Criteria → rows, facet counts, totals, and why nothing matches. The one way in for all pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

from django.db import connection

from providers.ageing import good_runs
from providers.answers import version_bounds
from providers.browse import listing_index, listing_sql, picked
from providers.browse.criteria import Criteria
from providers.browse.facets import Cost, FacetCount
from providers.browse.index_tally import Indexed, IndexTally, IndexVerdicts
from providers.browse.judge import Truth, hosts_have
from providers.browse.judging import Judging, Verdicts
from providers.browse.kept import kept, minute
from providers.browse.listing_sql import Found
from providers.browse.ranks import Ranks
from providers.browse.units import Asked, standing
from providers.browse.world import World, fold, is_closed
from providers.dimensions import DIMENSIONS, MAIN
from providers.freshness import AGEING_FOR
from providers.models import Claim, Offering, Origin


@dataclass(frozen=True)
class Cheapest:
    """The cheapest listing of an offering under the criteria; amounts in USD an hour."""

    shown: Decimal  # per GPU or per instance, as the criteria ask
    instance: Decimal
    gpu_count: int | None
    gpu_name: str
    origin: str
    seen_at: datetime
    spot: bool
    trusted: bool


@dataclass(frozen=True)
class Judged:
    """An offering under the criteria."""

    offering: Offering
    truth: Truth
    unknown: tuple[str, ...] = ()  # the parameters that nobody can answer for it
    cheapest: Cheapest | None = None
    read_on: Mapping[str, date | None] = field(default_factory=dict)  # by dimension

    @property
    def known(self) -> tuple[int, int]:
        """How many answers are known: of the main dimensions, and of all."""
        offering = self.offering
        return (
            sum(offering.answer(d.key) is not None for d in MAIN),
            sum(offering.answer(key) is not None for key in DIMENSIONS),
        )


@dataclass(frozen=True)
class BrowseResult:
    criteria: Criteria
    rows: tuple[Judged, ...]  # open offerings that match or may match, sorted
    closed: tuple[Judged, ...]  # closed ones that would
    tally: IndexTally
    total: int  # open offerings in all
    gpu_names: Mapping[str, str]  # slug → name, families and models
    currencies: Collection[str]  # those with a rate

    # Counting takes most of a page's time, and not every page and export shows counts.

    @cached_property
    def facets(self) -> Mapping[str, tuple[FacetCount, ...]]:
        return self.tally.facets()

    @cached_property
    def costs(self) -> tuple[Cost, ...]:
        return self.tally.costs()

    @property
    def match(self) -> tuple[Judged, ...]:
        return tuple(row for row in self.rows if row.truth is Truth.YES)

    @property
    def may(self) -> tuple[Judged, ...]:
        return tuple(row for row in self.rows if row.truth is Truth.MAYBE)


def browse(criteria: Criteria, world: World, now: datetime) -> BrowseResult:
    """Everything that a page, an export or a feed needs to know about `criteria`."""
    # The result keeps its world alive, so that no other one gets the same id.
    key = ("browse", criteria, criteria.usd_per_unit, minute(now), id(world))
    return kept(key, lambda: _browse(criteria, world, now))


def _browse(criteria: Criteria, world: World, now: datetime) -> BrowseResult:
    judging, verdicts = indexed_listings(criteria, world, now)
    cheapest = _cheapest(picked.cheapest(verdicts.units).values(), criteria, now - AGEING_FOR)
    read_on = kept("days of claims", read_days)
    rows = [
        Judged(o, verdict, judging.unknown(o), cheapest.get(o.pk), read_on.get(o.pk, {}))
        for o in world.offerings
        if (verdict := judging.all_of(o)) is not Truth.NO
    ]
    rows = in_order(rows, criteria.one("sort"))
    closed = tuple(row for row in rows if is_closed(row.offering))
    return BrowseResult(
        criteria,
        tuple(row for row in rows if not is_closed(row.offering)),
        closed,
        IndexTally(judging, verdicts.indexed, verdicts.units, listings=False),
        len(judging.open),
        world.gpu_names,
        world.vocabulary.currencies,
    )


def indexed_listings(
    criteria: Criteria, world: World, now: datetime
) -> tuple[Judging, IndexVerdicts]:
    """What every filter says about every offering, by the index of the current listings."""
    index = listing_index.current()
    indexed = Indexed.of(index, standing(index, dict(good_runs()), now), world)
    names = listing_sql.active(criteria)
    asked = Asked(criteria, _terms(criteria, world, now), names, "spot_only" in names)
    verdicts = IndexVerdicts(indexed, asked)
    return Judging(criteria, world, verdicts), verdicts


def ready(
    criteria: Criteria, world: World, now: datetime, ranks: Ranks | None = None, hosts: bool = False
) -> tuple[Judging, dict[str, Any]]:
    """What every filter says about every offering, and the parameters of listing statements.

    With `ranks`, the filter by verdict counts too. `hosts` tells them apart, for a page to rank.
    """
    parameters = listing_sql.parameters(criteria, _terms(criteria, world, now))
    statement = listing_sql.verdicts_statement(criteria, ranks is not None, hosts)
    found = _verdicts(statement, parameters | (ranks.parameters() if ranks else {}))
    return Judging(criteria, world, found, ranks), parameters


def ready_to_list(
    criteria: Criteria, world: World, now: datetime
) -> tuple[Judging, dict[str, Any]]:
    """As `ready`, without a word about listings: for an export, which counts nothing."""
    if criteria.one("q"):  # a search looks in the names of GPUs, too
        return ready(criteria, world, now)
    parameters = listing_sql.parameters(criteria, _terms(criteria, world, now))
    return Judging(criteria, world, Verdicts({}, {"gpu": {}})), parameters


def _terms(criteria: Criteria, world: World, now: datetime) -> listing_sql.ListingTerms:
    asked = world.gpu_ids(criteria.all("gpu"))
    return listing_sql.ListingTerms(
        families=asked.families,
        gpus=asked.models,
        open_families=asked.families_of_models,
        driver=_hosts(criteria, "min_driver", world.offerings, _driver_bounds),
        cuda=_hosts(criteria, "min_cuda", world.offerings, _cuda_bounds),
        spot_no=[o.pk for o in world.offerings if o.answer("spot") is False],
        now=now,
    )


def _cuda_bounds(offering: Offering) -> tuple[str | None, str | None]:
    return offering.answer("cuda_min"), offering.answer("cuda_max")


def _driver_bounds(offering: Offering) -> tuple[str | None, str | None]:
    stated = offering.answer("driver")
    if stated is None:
        return None, None
    low, high = (".".join(map(str, bound)) for bound in version_bounds(stated))
    return low, high


def _hosts(
    criteria: Criteria,
    name: str,
    offerings: Iterable[Offering],
    bounds: Callable[[Offering], tuple[str | None, str | None]],
) -> dict[int, Truth]:
    version = criteria.version(name)
    if version is None:
        return {}
    return {
        o.pk: hosts_have(version, *bounds(o), replaceable=bool(o.answer("driver_changeable")))
        for o in offerings
    }


def run(statement: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchall()  # type: ignore[no-any-return]


def _verdicts(statement: str, parameters: Mapping[str, Any]) -> Verdicts:
    said: dict[str, dict[int, list[Found]]] = defaultdict(lambda: defaultdict(list))
    facets: dict[str, dict[int, list[Found]]] = defaultdict(lambda: defaultdict(list))
    for what, *row in run(statement, parameters):
        kind, _colon, name = what.partition(":")
        found = Found._make(row)
        if kind == "facet":
            facets[name][found.offering].append(found)
        else:
            said[what][found.offering].append(found)
    return Verdicts(said, facets)


def _cheapest(
    ids: Collection[int], criteria: Criteria, trusted_since: datetime
) -> dict[int, Cheapest]:
    """The listings with these ids, by offering."""
    spot, per_gpu = bool(criteria.all("spot_only")), criteria.per_gpu
    found = {}
    for row in listed(ids):
        is_spot = spot or row.usd_per_hour is None
        price = row.spot_usd_per_hour if is_spot else row.usd_per_hour
        trusted = row.origin == Origin.LIVE and row.seen_at > trusted_since
        shown = price / row.gpu_count if per_gpu else price
        found[row.offering_id] = Cheapest(
            shown, price, row.gpu_count, row.gpu_name, row.origin, row.seen_at, is_spot, trusted
        )
    return found


class Listed(NamedTuple):
    """A listing as it stands in the database; amounts in USD an hour for the instance."""

    id: int
    offering_id: int
    family_id: int | None
    gpu_id: int | None
    gpu_name: str
    gpu_count: int | None
    vram_gb: int | None
    region: str
    usd_per_hour: Any
    spot_usd_per_hour: Any
    spot: bool | None
    stock: str
    stock_count: int | None
    driver: str
    cuda: str
    tier: str
    origin: str
    seen_at: datetime
    source_url: str


def listed(ids: Collection[int]) -> list[Listed]:
    """Listings by their ids, in no order. One statement."""
    return [Listed._make(row) for row in run(listing_sql.LISTED, {"ids": list(ids)})]


def read_days(*dimensions: str) -> dict[int, dict[str, date | None]]:
    """The day on which each deciding claim was read, by offering and dimension: all, or some."""
    days: dict[int, dict[str, date | None]] = defaultdict(dict)
    deciding = Claim.objects.filter(decides=True)
    if dimensions:
        deciding = deciding.filter(dimension__in=dimensions)
    found = deciding.order_by().values_list("offering_id", "dimension", "read_on")
    for offering, dimension, read_on in found:
        days[offering][dimension] = read_on
    return days


# --- Order ---------------------------------------------------------------------


def in_order(rows: Iterable[Judged], sort: str) -> list[Judged]:
    """Rows in the asked order; ties and rows without the asked fact stand by name."""
    return sorted(rows, key=lambda row: (*_SORTS[sort](row), *_by_name(row)))


def _by_name(row: Judged) -> tuple[Any, ...]:
    offering = row.offering
    return (fold(offering.provider.name), offering.provider.slug, offering.position, offering.slug)


def _by_price(sign: int) -> Callable[[Judged], tuple[Any, ...]]:
    def key(row: Judged) -> tuple[Any, ...]:
        found = row.cheapest
        if found is None:
            return (3, 0)
        standing = 0 if found.trusted else 1 if found.origin == Origin.LIVE else 2
        return (standing, sign * found.shown)

    return key


def _by_freshness(row: Judged) -> tuple[Any, ...]:
    days = [day.toordinal() for day in row.read_on.values() if day]
    return (-max(days, default=0),)


_SORTS: Mapping[str, Callable[[Judged], tuple[Any, ...]]] = {
    "name": lambda row: (),
    "price": _by_price(1),
    "-price": _by_price(-1),
    "freshness": _by_freshness,
    "known": lambda row: tuple(-count for count in row.known),
}
