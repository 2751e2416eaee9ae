"""Priced rows under Criteria, fifty at a time or all of them, and the same counts over listings."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from itertools import islice
from operator import itemgetter
from typing import Any, Final

from django.db import connection

from gpucompare.snapshot import one_snapshot
from providers.browse.criteria import Criteria
from providers.browse.facets import Cost, FacetCount
from providers.browse.index_tally import IndexTally, failing
from providers.browse.judge import Truth
from providers.browse.kept import Few
from providers.browse.picked import Behind, Picked, Picking, rank_scale
from providers.browse.query import Judged, Listed, in_order, listed, listed_of, ready
from providers.browse.world import World
from providers.models import Offering

PAGE_SIZE = 50
# Rows that an export holds in memory at once.
EXPORT_PAGE = 2000
# Seconds for which an export may wait for whoever reads it, with its transaction open.
IDLE_S = 30


@dataclass(frozen=True, slots=True)
class ListedRow(Listed):
    """A priced listing under criteria; amounts in USD an hour."""

    criteria: Criteria
    picked: Picked
    unknown: tuple[str, ...]  # the filters that cannot be answered: its offering's, then its own
    is_spot: bool  # whether the shown price is the spot price
    instance: Decimal | None  # the shown price, for the instance
    shown: Decimal | None  # in the asked divisor

    @property
    def truth(self) -> int:
        return self.picked.truth

    @property
    def order(self) -> Decimal:
        """The second sort key."""
        return Decimal(self.picked.rank) / rank_scale(self.criteria.one("sort"))

    @property
    def after(self) -> str:
        """The place of this row, for the page that goes on behind it."""
        return f"{2 - self.truth}_{self.picked.key}_{self.order:f}_{self.id}"


@dataclass(frozen=True)
class ListingsResult:
    criteria: Criteria
    rows: tuple[ListedRow, ...]
    offerings: Mapping[int, Offering]
    tally: IndexTally
    more: bool  # whether rows follow
    gpu_names: Mapping[str, str]
    currencies: Collection[str]  # those with a rate
    gpu_slugs: Mapping[int, str]  # by model
    family_slugs: Mapping[int, str]
    told: Few[Hashable, Any]  # what pages told of rows of this state of the database

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
    rows = _Rows(criteria, world, now)
    page = rows.page()
    return ListingsResult(
        criteria,
        tuple(page[:PAGE_SIZE]),
        world.open_by_id,
        rows.tally,
        len(page) > PAGE_SIZE,
        world.gpu_names,
        world.vocabulary.currencies,
        world.gpu_slugs,
        world.family_slugs,
        world.told,
    )


@contextmanager
def every_row(criteria: Criteria, now: datetime) -> Iterator[tuple[World, Iterator[ListedRow]]]:
    """All rows in order, for exports, and the world that they are of, as both were at one moment
    however long they are read.

    They are fetched some at a time, in one snapshot: a refresh meanwhile changes none of them.
    Its transaction ends with the rows; the server ends it when nobody takes any for IDLE_S.
    """
    with one_snapshot():
        world = World.read()
        rows = _Rows(criteria, world, now)  # may wait until the index is laid out
        with connection.cursor() as settings:
            settings.execute(f"SET LOCAL idle_in_transaction_session_timeout = '{IDLE_S}s'")
        yield world, rows.all()
    # What is left to send waits without the database.
    if not connection.in_atomic_block:
        connection.close()


class _Rows:
    """The priced rows of open offerings that match or may match."""

    def __init__(self, criteria: Criteria, world: World, now: datetime) -> None:
        self._criteria, self._sort = criteria, criteria.one("sort")
        self._world = world
        self.judging = ready(criteria, world, now)
        place = self.judging.listings.indexed.place
        self._units = self.judging.listings.units_but(failing(self.judging)[place])
        self.tally = IndexTally(self.judging, self._units)
        order = world.once(
            ("order", self._sort),
            lambda: {pk: place for place, pk in enumerate(self._offering_order(), 1)},
        )
        self._picking = Picking(self._units, self.tally.truth[place], self._sort, order)
        hidden = criteria.one("unknown") == "hide"
        self._least = Truth.YES if hidden else Truth.MAYBE

    def page(self) -> list[ListedRow]:
        """Those of a page and the one behind it, if there is one."""
        limit = PAGE_SIZE + 1
        behind = _behind(self._criteria.one("after"), rank_scale(self._sort))
        picked = list(islice(self._picking.rows(self._least, behind, limit), limit))
        return self._told(picked, listed_of(self._world, self._ids(picked)))

    def all(self) -> Iterator[ListedRow]:
        picked = self._picking.rows(self._least)
        while some := list(islice(picked, EXPORT_PAGE)):
            yield from self._told(some, {row[0]: row for row in listed(self._ids(some))})

    def _offering_order(self) -> list[int]:
        """Ids of the offerings in the order that `name` or `known` puts them in."""
        rows = [Judged(o, Truth.YES) for o in self.judging.open]
        by = self._sort if self._sort == "known" else "name"
        return [row.offering.pk for row in in_order(rows, by)]

    def _ids(self, picked: list[Picked]) -> list[int]:
        ids: list[int] = self._units.index.id[[one.row for one in picked]].tolist()
        return ids

    def _told(self, picked: list[Picked], found: Mapping[int, tuple[Any, ...]]) -> list[ListedRow]:
        """`found` are the fields of these listings by id."""
        unknown = self._unknown([one.row for one in picked if one.truth == Truth.MAYBE])
        rows = []
        for one, pk in zip(picked, self._ids(picked), strict=True):
            told = found[pk]
            price = _price(self._criteria, *_PRICES(told))
            rows.append(ListedRow(*(*told, self._criteria, one, unknown.get(one.row, ()), *price)))
        return rows

    def _unknown(self, rows: list[int]) -> dict[int, tuple[str, ...]]:
        """Of rows of the index that may match; one that matches leaves nothing open."""
        if not rows:
            return {}
        index = self._units.index
        offerings = index.offering[index.cell[rows]].tolist()
        every = zip(rows, offerings, self._units.unknown(rows), strict=True)
        return {row: (*self._own_unknown[pk], *names) for row, pk, names in every}

    @cached_property
    def _own_unknown(self) -> dict[int, tuple[str, ...]]:
        """The filters about offerings that cannot be answered, by offering."""
        return {o.pk: self.judging.unknown_of_offering(o) for o in self.judging.open}


_PRICES: Final = itemgetter(
    *map(
        [field.name for field in fields(Listed)].index,
        ("usd_per_hour", "spot_usd_per_hour", "gpu_count"),
    )
)


def _price(
    criteria: Criteria, usd: Decimal | None, spot_usd: Decimal | None, gpu_count: int | None
) -> tuple[bool, Decimal | None, Decimal | None]:
    """The last three of a row."""
    is_spot = usd is None or criteria.spot_only
    instance = spot_usd if is_spot else usd
    if instance is None or not criteria.per_gpu:
        return is_spot, instance, instance
    return is_spot, instance, instance / gpu_count if gpu_count else None


def _behind(after: str, scale: int) -> Behind | None:
    if not after:
        return None
    standing, key, rank, pk = after.split("_")
    return Behind(int(standing), int(key), int(Decimal(rank) * scale), int(pk))
