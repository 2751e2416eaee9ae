"""Priced rows under Criteria, fifty at a time, and the same counts over listings."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from django.db import connection, transaction

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
        tally.rows(o, judging.of_offering(o), [(Truth.YES, f) for f in judging.listed(o)])
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
        world.gpu_slugs,
        world.family_slugs,
    )


def every_row(judging: Judging, parameters: Mapping[str, Any]) -> Iterator[ListedRow]:
    """All rows in order, for exports, as they were at one moment however long they are read.

    One cursor at the server, which sees one snapshot: a refresh meanwhile changes none of them.
    Its transaction ends with the rows; the server ends it when nobody takes any for IDLE_S.
    """
    statement, values = _asked(judging, parameters, None, None)
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


def _rows(
    judging: Judging, parameters: Mapping[str, Any], limit: int, place: _Place | None
) -> Iterator[ListedRow]:
    return map(ListedRow._make, run(*_asked(judging, parameters, limit, place)))


def _asked(
    judging: Judging, parameters: Mapping[str, Any], limit: int | None, place: _Place | None
) -> tuple[str, dict[str, Any]]:
    """The statement for rows, and its values."""
    criteria = judging.criteria
    by_truth: dict[Truth, list[int]] = {said: [] for said in Truth}
    for offering in judging.open:
        by_truth[judging.of_offering(offering)].append(offering.pk)
    least = Truth.YES if criteria.one("unknown") == "hide" else Truth.MAYBE
    return listing_sql.rows_statement(criteria, behind=place is not None), {
        **parameters,
        **(place._asdict() if place else {}),
        "offerings_yes": by_truth[Truth.YES],
        "offerings_may": by_truth[Truth.MAYBE],
        "offering_order": _offering_order(judging),
        "least": int(least),
        "limit": limit,
    }


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
