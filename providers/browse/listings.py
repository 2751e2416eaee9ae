"""Priced rows under Criteria, fifty at a time, and the same counts over listings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

from django.db import connection, transaction

from providers.browse import listing_sql
from providers.browse.criteria import Criteria
from providers.browse.facets import Cost, FacetCount
from providers.browse.index_tally import IndexTally, failing
from providers.browse.judge import Truth
from providers.browse.judging import Judging
from providers.browse.listing_index import Array
from providers.browse.picked import Behind, Picked, Picking, rank_scale
from providers.browse.query import Judged, Listed, in_order, indexed_listings, listed
from providers.browse.units import Units
from providers.browse.world import World
from providers.models import Offering

PAGE_SIZE = 50
# Rows that an export holds in memory at once.
EXPORT_PAGE = 2000
# Seconds for which an export may wait for whoever reads it, with its transaction open.
IDLE_S = 30


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
    unknown: Mapping[int, tuple[str, ...]]  # by offering of a row: its filters without an answer
    tally: IndexTally
    more: bool  # whether rows follow
    gpu_names: Mapping[str, str]
    currencies: Collection[str]  # those with a rate
    gpu_slugs: Mapping[int, str]  # by model
    family_slugs: Mapping[int, str]

    # Not everything that shows rows shows counts.

    @cached_property
    def facets(self) -> Mapping[str, tuple[FacetCount, ...]]:
        return self.tally.facets()

    @cached_property
    def costs(self) -> tuple[Cost, ...]:
        return self.tally.costs()

    @property
    def match(self) -> int:
        return self.tally.totals[0]

    @property
    def may(self) -> int:
        return self.tally.totals[1]

    def gpu_slug(self, row: ListedRow) -> str:
        """The model that a row names, else its family, else nothing."""
        if row.gpu_id is not None:
            return self.gpu_slugs[row.gpu_id]
        return self.family_slugs[row.family_id] if row.family_id is not None else ""


def listings(criteria: Criteria, world: World, now: datetime) -> ListingsResult:
    """One page of the rows that match or may match, with all counts."""
    judging, verdicts = indexed_listings(criteria, world, now)
    indexed = verdicts.indexed
    units = verdicts.units_but(failing(judging)[indexed.place])
    tally = IndexTally(judging, indexed, units, listings=True)
    rows = _page(judging, units, tally.truth[indexed.place])
    return ListingsResult(
        criteria,
        tuple(rows[:PAGE_SIZE]),
        {o.pk: o for o in judging.open},
        _unknown(judging, rows),
        tally,
        len(rows) > PAGE_SIZE,
        world.gpu_names,
        world.vocabulary.currencies,
        world.gpu_slugs,
        world.family_slugs,
    )


def _unknown(judging: Judging, rows: Iterable[ListedRow]) -> dict[int, tuple[str, ...]]:
    ids = {row.offering_id for row in rows}
    return {o.pk: judging.unknown_of_offering(o) for o in judging.open if o.pk in ids}


def _page(judging: Judging, units: Units, truth: Array) -> list[ListedRow]:
    """The rows of a page and the one behind it, if there is one."""
    criteria = judging.criteria
    sort = criteria.one("sort")
    order = judging.world.once(
        ("order", sort),
        lambda: {pk: place for place, pk in enumerate(_offering_order(judging), 1)},
    )
    picking = Picking(units, truth, sort, order)
    behind = _behind(criteria.one("after"), rank_scale(sort))
    picked = picking.page(PAGE_SIZE + 1, _least(criteria), behind)
    ids = [int(units.index.id[one.row]) for one in picked]
    found = {row.id: row for row in listed(ids)}
    # A row that matches leaves nothing open.
    open_ones = [one.row for one in picked if one.truth == Truth.MAYBE]
    unknown = dict(zip(open_ones, units.unknown(open_ones), strict=True)) if open_ones else {}
    return [
        _listed_row(one, found[pk], criteria, unknown.get(one.row, []))
        for one, pk in zip(picked, ids, strict=True)
    ]


def _listed_row(picked: Picked, row: Listed, criteria: Criteria, unknown: list[str]) -> ListedRow:
    spot = bool(criteria.all("spot_only"))
    price = row.spot_usd_per_hour if spot or row.usd_per_hour is None else row.usd_per_hour
    shown = price
    if price is not None and criteria.per_gpu:
        shown = price / row.gpu_count if row.gpu_count else None
    order = Decimal(picked.rank) / rank_scale(criteria.one("sort"))
    place = (picked.truth, picked.key, order)
    before = (*row[:8], shown, price, row.spot_usd_per_hour, row.spot)
    is_spot = spot or row.usd_per_hour is None
    return ListedRow._make((*place, *before, is_spot, *row[11:], unknown))


def _behind(after: str, scale: int) -> Behind | None:
    if not after:
        return None
    standing, key, rank, pk = after.split("_")
    return Behind(int(standing), int(key), int(Decimal(rank) * scale), int(pk))


def every_row(judging: Judging, parameters: Mapping[str, Any]) -> Iterator[ListedRow]:
    """All rows in order, for exports, as they were at one moment however long they are read.

    One cursor at the server, which sees one snapshot: a refresh meanwhile changes none of them.
    Its transaction ends with the rows; the server ends it when nobody takes any for IDLE_S.
    """
    statement, values = _asked(judging, parameters)
    with transaction.atomic():
        with connection.cursor() as settings:
            settings.execute(f"SET LOCAL idle_in_transaction_session_timeout = '{IDLE_S}s'")
            # All rows will be taken: a plan that is quick for the first few would be slow.
            settings.execute("SET LOCAL cursor_tuple_fraction = 1")
        with connection.chunked_cursor() as rows:
            rows.execute(statement, values)
            while page := rows.fetchmany(EXPORT_PAGE):
                yield from map(ListedRow._make, page)
    # What is left to send waits without the database.
    if not connection.in_atomic_block:
        connection.close()


def _asked(judging: Judging, parameters: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The statement for rows, and its values."""
    criteria = judging.criteria
    by_truth: dict[Truth, list[int]] = {said: [] for said in Truth}
    for offering in judging.open:
        by_truth[judging.of_offering(offering)].append(offering.pk)
    return listing_sql.rows_statement(criteria), {
        **parameters,
        "offerings_yes": by_truth[Truth.YES],
        "offerings_may": by_truth[Truth.MAYBE],
        "offering_order": _offering_order(judging),
        "least": int(_least(criteria)),
    }


def _least(criteria: Criteria) -> Truth:
    return Truth.YES if criteria.one("unknown") == "hide" else Truth.MAYBE


def _offering_order(judging: Judging) -> list[int]:
    """Ids of the offerings in the order that `name` or `known` puts them in."""
    sort = judging.criteria.one("sort")
    rows = [Judged(o, Truth.YES) for o in judging.open]
    return [row.offering.pk for row in in_order(rows, sort if sort == "known" else "name")]
