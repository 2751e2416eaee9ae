"""Criteria → rows, facet counts, totals, and why nothing matches. The one way in for all pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from typing import Any

from django.db import connection

from providers.ageing import good_runs
from providers.answers import version_bounds
from providers.browse import listing_index, picked
from providers.browse.criteria import Criteria
from providers.browse.facets import Cost, FacetCount, costs
from providers.browse.index_tally import IndexTally
from providers.browse.judge import Truth, hosts_have
from providers.browse.judging import Judging
from providers.browse.kept import kept, minute
from providers.browse.listing_truths import Indexed, ListingTruths
from providers.browse.moment import seen_at
from providers.browse.ranks import Ranks
from providers.browse.units import Asked, ListingTerms
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
    judging: Judging
    total: int  # open offerings in all
    gpu_names: Mapping[str, str]  # slug → name, families and models
    currencies: Collection[str]  # those with a rate

    # Counting takes most of a page's time, and not every page and export shows counts.

    @cached_property
    def facets(self) -> Mapping[str, tuple[FacetCount, ...]]:
        return IndexTally(self.judging).facets()

    @cached_property
    def costs(self) -> tuple[Cost, ...]:
        return costs(self.judging)

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
    judging = ready(criteria, world, now)
    units = judging.listings.units
    cheapest = cheapest_of(picked.cheapest(units).values(), judging, now)
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
        judging,
        len(judging.open),
        world.gpu_names,
        world.vocabulary.currencies,
    )


def ready(criteria: Criteria, world: World, now: datetime) -> Judging:
    """What every filter says about every offering; listings are asked when they matter."""

    def read() -> Indexed:
        index = listing_index.current()
        return Indexed.of(index, world, seen_at(index, dict(good_runs()), now))

    asked = Asked(criteria, _terms(criteria, world), criteria.about_listings)
    return Judging(criteria, world, ListingTruths(asked, read))


def ranked(judging: Judging, ranks: Ranks) -> Judging:
    """The same, with a filter by verdict: offerings stand by the best of their hosts."""
    return Judging(judging.criteria, judging.world, judging.listings.ranked(ranks))


def _terms(criteria: Criteria, world: World) -> ListingTerms:
    asked = world.gpu_ids(criteria.all("gpu"))
    return ListingTerms(
        families=asked.families,
        gpus=asked.models,
        open_families=asked.families_of_models,
        driver=_hosts(criteria, "min_driver", world.offerings, _driver_bounds),
        cuda=_hosts(criteria, "min_cuda", world.offerings, _cuda_bounds),
        spot_no=[o.pk for o in world.offerings if o.answer("spot") is False],
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


def cheapest_of(ids: Collection[int], judging: Judging, now: datetime) -> dict[int, Cheapest]:
    """The listings with these ids, by offering, as its criteria ask for prices."""
    spot, per_gpu = judging.criteria.spot_only, judging.criteria.per_gpu
    found = {}
    for row in (Listed(*fields) for fields in listed_of(judging.world, ids).values()):
        is_spot = spot or row.usd_per_hour is None
        price = row.spot_usd_per_hour if is_spot else row.usd_per_hour
        trusted = row.origin == Origin.LIVE and row.seen_at > now - AGEING_FOR
        shown = price / row.gpu_count if per_gpu else price
        found[row.offering_id] = Cheapest(
            shown, price, row.gpu_count, row.gpu_name, row.origin, row.seen_at, is_spot, trusted
        )
    return found


@dataclass(frozen=True, slots=True)
class Listed:
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


_LISTED = """
    SELECT l.id, offering_id, family_id, gpu_id, gpu_name, gpu_count, vram_gb, region,
        usd_per_hour, spot_usd_per_hour, spot, stock, stock_count, driver, cuda, tier, origin,
        COALESCE(seen_at, state.good_at), source_url
    FROM providers_listing l LEFT JOIN providers_sourcestate state ON state.slug = l.source
    WHERE l.id = ANY(%(ids)s::bigint[])
"""


def listed(ids: Collection[int]) -> list[tuple[Any, ...]]:
    """The fields of listings by their ids, in no order. One statement."""
    # As text: the driver takes longer over a list of numbers.
    return run(_LISTED, {"ids": f"{{{','.join(map(str, ids))}}}"})


def listed_of(world: World, ids: Collection[int]) -> dict[int, tuple[Any, ...]]:
    """The same by id, for the listings of a page: those that were shown before are not fetched."""
    return world.listed.of([*ids], lambda some: {fields[0]: fields for fields in listed(some)})


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
