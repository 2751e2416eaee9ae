"""Priced rows under Criteria, fifty at a time, and the same counts over listings."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from providers.browse import listing_sql
from providers.browse.criteria import Criteria
from providers.browse.facets import Cost, FacetCount, Tally
from providers.browse.judge import Truth
from providers.browse.judging import Judging
from providers.browse.query import Judged, in_order, ready, run
from providers.browse.world import World
from providers.models import Offering

PAGE_SIZE = 50
# Rows that an export holds in memory at once.
EXPORT_PAGE = 2000


class ListedRow(NamedTuple):
    """A priced listing; amounts in USD an hour. Its fields are those of the statement."""

    truth: int
    key: int  # first sort key
    order: Decimal  # second sort key
    id: int
    offering_id: int
    family_id: int | None
    gpu_id: int | None
    gpu_name: str
    gpu_count: int | None
    vram_gb: int | None
    region: str
    shown: Decimal | None  # in the asked divisor
    instance: Decimal | None
    spot_usd_per_hour: Decimal | None  # for the instance
    spot: bool | None
    is_spot: bool  # whether the shown price is the spot price
    stock: str
    stock_count: int | None
    driver: str
    cuda: str
    tier: str
    origin: str
    seen_at: datetime
    source_url: str
    unknown: list[str]  # the filters about listings that cannot be answered for it

    @property
    def after(self) -> str:
        """The place of this row, for the page that goes on behind it."""
        return f"{2 - self.truth}_{self.key}_{self.order:f}_{self.id}"


@dataclass(frozen=True)
class ListingsResult:
    criteria: Criteria
    rows: tuple[ListedRow, ...]
    offerings: Mapping[int, Offering]
    unknown: Mapping[int, tuple[str, ...]]  # by offering: its own filters without an answer
    facets: Mapping[str, tuple[FacetCount, ...]]
    costs: tuple[Cost, ...]
    match: int
    may: int
    more: bool  # whether rows follow
    gpu_names: Mapping[str, str]
    currencies: Collection[str]  # those with a rate
    gpu_slugs: Mapping[int, str]  # by model
    family_slugs: Mapping[int, str]

    def gpu_slug(self, row: ListedRow) -> str:
        """The model that a row names, else its family, else nothing."""
        if row.gpu_id is not None:
            return self.gpu_slugs[row.gpu_id]
        return self.family_slugs[row.family_id] if row.family_id is not None else ""


def listings(criteria: Criteria, world: World, now: datetime) -> ListingsResult:
    """One page of the rows that match or may match, with all counts."""
    judging, parameters = ready(criteria, world, now)
    tally = Tally(judging, listings=True)
    rows = list(_rows(judging, parameters, PAGE_SIZE + 1, _place(criteria.one("after"))))
    counts = [
        tally.rows(o, judging.of_offering(o), [(Truth.YES, judging.listed(o))])
        for o in judging.open
    ]
    return ListingsResult(
        criteria,
        tuple(rows[:PAGE_SIZE]),
        {o.pk: o for o in judging.open},
        {o.pk: judging.unknown_of_offering(o) for o in judging.open},
        tally.facets(),
        tally.costs(),
        sum(match for match, _ in counts),
        sum(may for _, may in counts),
        len(rows) > PAGE_SIZE,
        world.gpu_names,
        world.vocabulary.currencies,
        {g.pk: g.slug for f in world.families for g in f.models.all()},
        {f.pk: f.slug for f in world.families},
    )


def every_row(criteria: Criteria, world: World, now: datetime) -> Iterator[ListedRow]:
    """All rows in order, for exports: read page by page, so that memory stays small."""
    judging, parameters = ready(criteria, world, now)
    place = None
    while True:
        page = list(_rows(judging, parameters, EXPORT_PAGE, place))
        yield from page
        if len(page) < EXPORT_PAGE:
            return
        place = _place(page[-1].after)


def _rows(
    judging: Judging, parameters: Mapping[str, Any], limit: int, place: _Place | None
) -> Iterator[ListedRow]:
    criteria = judging.criteria
    by_truth: dict[Truth, list[int]] = {said: [] for said in Truth}
    for offering in judging.open:
        by_truth[judging.of_offering(offering)].append(offering.pk)
    least = Truth.YES if criteria.one("unknown") == "hide" else Truth.MAYBE
    found = run(
        listing_sql.rows_statement(criteria, behind=place is not None),
        {
            **parameters,
            **(place._asdict() if place else {}),
            "offerings_yes": by_truth[Truth.YES],
            "offerings_may": by_truth[Truth.MAYBE],
            "offering_order": _offering_order(judging),
            "least": int(least),
            "limit": limit,
        },
    )
    return (ListedRow(*row) for row in found)


class _Place(NamedTuple):
    """The row that a page goes on behind."""

    place_standing: int
    place_key: int
    place_order: Decimal
    place_id: int


def _place(after: str) -> _Place | None:
    if not after:
        return None
    standing, key, order, pk = after.split("_")
    return _Place(int(standing), int(key), Decimal(order), int(pk))


def _offering_order(judging: Judging) -> list[int]:
    """Ids of the offerings in the order that `name` or `known` puts them in."""
    sort = judging.criteria.one("sort")
    rows = [Judged(o, Truth.YES) for o in judging.open]
    return [row.offering.pk for row in in_order(rows, sort if sort == "known" else "name")]
