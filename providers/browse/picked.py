"""Which rows of an index are shown: all in order or a page, and what is cheapest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple

import numpy as np

from providers.browse.listing_index import spread
from providers.browse.listing_rows import CATALOG, LIVE, MILLION, NO_PRICE, NUMBER, Array
from providers.browse.moment import YES
from providers.browse.ranks import Hosts
from providers.browse.units import PER_USD, Span, Units

# More than any key: places of offerings are fewer.
_KEYS: Final = 2**40
# So many rows are told at once.
_AT_ONCE: Final = 1000


class Behind(NamedTuple):
    """The row that a page goes on behind."""

    standing: int
    key: int
    rank: int
    id: int


class Picked(NamedTuple):
    """A row of the index in its order: how well it stands, then two sort keys.

    A rank counts ten-billionths of a dollar, or millionths of a second.
    """

    truth: int
    key: int
    rank: int
    row: int


class _Part(NamedTuple):
    """Rows of one standing and key, as spans."""

    standing: int
    key: int
    first: Array
    end: Array


class Picking:
    """Rows of `units` in the order `sort`."""

    def __init__(self, units: Units, truth: Array, sort: str, order: Mapping[int, int]) -> None:
        """`truth` is what each cell's offering says itself; `order` its place by its id."""
        self._units, self._truth, self._sort = units, truth, sort
        self._order = order

    def rows(
        self, least: int, behind: Behind | None = None, limit: int | None = None
    ) -> Iterator[Picked]:
        """Those of at least that truth, behind a place; no more than `limit` will be taken."""
        parts = sorted(self._parts(least), key=_standing)
        for standing, alike in groupby(parts, key=_standing):
            if behind and standing < behind[:2]:
                continue
            after = behind if behind and standing == behind[:2] else None
            yield from self._ordered(_joined(list(alike)), limit, after)

    def _parts(self, least: int) -> Iterator[_Part]:
        """All rows, those that stand alike together."""
        units = self._units
        for span in units.spans(units.all, units.limit, units.asked.spot):
            for unpriced, one in self._by_price(span):
                cell = units.cell[one.unit]
                truth = np.minimum(one.truth, self._truth[cell])
                counts = (truth >= least) & (one.end > one.first)
                counts &= units.index.origin[cell] != CATALOG
                truth, cell = truth[counts], cell[counts]
                major = (YES - truth.astype(np.int64)) * _KEYS + self._keys(unpriced)[cell]
                yield from _grouped(major, one.first[counts], one.end[counts])

    def _by_price(self, span: Span) -> Iterator[tuple[bool, Span]]:
        """A span's rows with a price, and those without."""
        end = np.clip(self._units.priced[span.unit], span.first, span.end)
        yield False, span._replace(end=end)
        if (end < span.end).any():
            yield True, span._replace(first=end)

    def _keys(self, unpriced: bool) -> Array:
        """Of each cell."""
        index, sort = self._units.index, self._sort
        if sort == "freshness":
            return np.zeros(len(index.start), NUMBER)
        if sort in ("name", "known"):
            known, each = np.unique(index.offering, return_inverse=True)
            return np.array([self._order.get(pk, 0) for pk in known.tolist()], NUMBER)[each]
        if unpriced:
            return np.full(len(index.start), 2, NUMBER)
        return np.where(self._units.now.trusted, NUMBER(0), NUMBER(1))

    def _ordered(self, part: _Part, limit: int | None, behind: Behind | None) -> Iterator[Picked]:
        row, _of = spread(*self._nearest(part, limit, behind))
        rank, ids = self._ranks(row), self._units.index.id[row]
        if behind:
            later = (rank > behind.rank) | ((rank == behind.rank) & (ids > behind.id))
            row, rank, ids = row[later], rank[later], ids[later]
        if limit is not None and len(row) > limit:
            enough = rank <= np.partition(rank, limit - 1)[limit - 1]
            row, rank, ids = row[enough], rank[enough], ids[enough]
        order = np.lexsort((ids, rank))[:limit]
        # Objects for all rows of an export would take more memory than the index does.
        for some in (order[at : at + _AT_ONCE] for at in range(0, len(order), _AT_ONCE)):
            chosen = zip(rank[some].tolist(), row[some].tolist(), strict=True)
            yield from (Picked(YES - part.standing, part.key, r, n) for r, n in chosen)

    def _nearest(
        self, part: _Part, limit: int | None, behind: Behind | None
    ) -> tuple[Array, Array]:
        """Without the rows that cannot be among the first: each span begins with its cheapest."""
        first, end = part.first, part.end
        anywhere = self._sort in ("-price", "freshness") or self._units.asked.spot
        if limit is None or behind or anywhere:
            return first, end
        end = np.minimum(end, first + limit)
        if len(first) > limit:
            lowest = self._ranks(first)
            near = lowest <= np.partition(lowest, limit - 1)[limit - 1]
            first, end = first[near], end[near]
        return first, end

    def _ranks(self, row: Array) -> Array:
        units, index = self._units, self._units.index
        if self._sort == "freshness":
            return -units.now.seen[index.cell[row]]
        shown = units.shown(row)
        known = shown != NO_PRICE
        if self._sort == "-price":
            return np.where(known, -shown, 0)
        # By name, what has no price stands behind all else of its offering.
        return np.where(known, shown, 0) if self._sort == "price" else shown


def rank_scale(sort: str) -> int:
    """How many of a rank make a dollar, or a second."""
    return MILLION if sort == "freshness" else PER_USD


def _standing(part: _Part) -> tuple[int, int]:
    return part.standing, part.key


def _joined(parts: list[_Part]) -> _Part:
    """Rows with a price and rows without may stand alike."""
    first, end = (np.concatenate(spans) for spans in zip(*(p[2:] for p in parts), strict=True))
    return parts[0]._replace(first=first, end=end)


def _grouped(major: Array, first: Array, end: Array) -> Iterator[_Part]:
    order = np.argsort(major, kind="stable")
    starts = np.flatnonzero(np.diff(major[order], prepend=-1))
    for here in np.split(order, starts[1:]) if len(starts) else ():
        standing, key = divmod(int(major[here[0]]), _KEYS)
        yield _Part(standing, key, first[here], end[here])


# --- The cheapest ------------------------------------------------------------------------

# Behind every place.
NOWHERE: Final = np.iinfo(np.int64).max


def cheapest(units: Units) -> dict[int, int]:
    """By offering, the id of its cheapest listing that matches or may; those that can be trusted
    stand first."""
    index = units.index
    row = _in_order(units, _cheapest_of_units(units))
    offering, first = np.unique(index.offering[index.cell[row]], return_index=True)
    return dict(zip(offering.tolist(), index.id[row[first]].tolist(), strict=True))


def _in_order(units: Units, row: Array) -> Array:
    """Rows with a price: what can be trusted before what is dated, then the cheapest."""
    index = units.index
    cell = index.cell[row]
    dated, doubtful = index.origin[cell] != LIVE, ~units.now.trusted[cell]
    ordered: Array = row[np.lexsort((index.id[row], units.shown(row), dated, doubtful))]
    return ordered


def _cheapest_of_units(units: Units) -> Array:
    found = []
    for span in units.spans(units.all, units.limit, units.asked.spot):
        has = (span.end > span.first) & (units.priced[span.unit] > span.first)
        unit = span.unit[has]
        # Rows of a cell ascend by the price on demand: behind its first one none is cheaper.
        first = np.diff(units.cell[unit], prepend=-1) != 0 if not units.asked.spot else slice(None)
        found.append(span.first[has][first])
    return np.concatenate(found)


@dataclass(frozen=True)
class OnHosts:
    """What criteria find on each host of an index."""

    hosts: Hosts
    truth: Array  # of the best of its listings
    listings: Array  # how many priced ones match or may match
    place: Array  # of the cheapest of these among the cheapest of all hosts; or NOWHERE
    id: Array  # by place


def on_hosts(units: Units) -> OnHosts:
    index, hosts = units.index, units.index.hosts
    truth = np.zeros(len(hosts.keys), np.int8)
    listings = np.zeros(len(hosts.keys), np.int64)
    cheapest_ones = []
    for span in units.spans(units.all, units.limit, units.asked.spot):
        row, of = spread(span.first, span.end)
        host, unit = hosts.of_row[row], span.unit[of]
        np.maximum.at(truth, host, span.truth[of])
        listings += np.bincount(host[units.listed[unit]], minlength=len(truth))
        cheapest_ones.append(_cheapest_of_hosts(units, row[row < units.priced[unit]]))
    row = _cheapest_of_hosts(units, np.concatenate(cheapest_ones))
    place = np.full(len(truth), NOWHERE)
    place[hosts.of_row[row]] = np.arange(len(row))
    return OnHosts(hosts, truth, listings, place, index.id[row])


def _cheapest_of_hosts(units: Units, row: Array) -> Array:
    """Of these rows with a price the cheapest of each host, in order."""
    ordered = _in_order(units, row)
    _hosts, first = np.unique(units.index.hosts.of_row[ordered], return_index=True)
    cheapest: Array = ordered[np.sort(first)]
    return cheapest
