"""What of an index depends on the moment: how long ago its listings were seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

import numpy as np

from providers.browse.judge import Truth
from providers.browse.listing_index import ListingIndex, Sighting
from providers.browse.listing_rows import LIVE, SNAPSHOT, Array
from providers.freshness import AGEING_FOR, FRESH_FOR, STALE_FOR, Band

NO, MAYBE, YES = (int(truth) for truth in (Truth.NO, Truth.MAYBE, Truth.YES))
# The bands of freshness by number; what only the catalog names has none of them.
BANDS: Final = (Band.FRESH, Band.AGEING, Band.STALE, Band.LAST_SEEN, Band.SNAPSHOT)
NO_BAND: Final = len(BANDS)
_SNAPSHOT_BAND: Final = BANDS.index(Band.SNAPSHOT)


class Seen(NamedTuple):
    """What of a sighting depends on the moment."""

    at: int  # microseconds since 1970; 0: nobody knows
    trusted: bool  # whether a price or a stock may be acted on
    band: int


def seen_at(index: ListingIndex, good_runs: Mapping[str, datetime], now: datetime) -> list[Seen]:
    """Every sighting of an index."""
    runs = [_micros(good_runs[s]) if s in good_runs else 0 for s in index.sources]
    ends = [_micros(now - length) for length in (FRESH_FOR, AGEING_FOR, STALE_FOR)]
    return [_seen(each, runs, ends) for each in index.sightings]


class Standing:
    """What of an index depends on the moment, cell by cell: cells are many, sightings few."""

    def __init__(self, index: ListingIndex, of_sightings: Sequence[Seen]) -> None:
        at, trusted, band = zip(*of_sightings, strict=True) if of_sightings else ((), (), ())
        self.seen: Array = np.array(at, np.int64)[index.sighting]
        self.trusted: Array = np.array(trusted, np.bool_)[index.sighting]
        self.band: Array = np.array(band, np.int8)[index.sighting]
        self.in_stock = three(~self.trusted | (index.stock == MAYBE), index.stock == YES)


def _seen(one: Sighting, runs: Sequence[int], ends: Sequence[int]) -> Seen:
    seen = one.seen if one.seen >= 0 else runs[one.source]
    if one.origin != LIVE:
        return Seen(seen, False, _SNAPSHOT_BAND if one.origin == SNAPSHOT else NO_BAND)
    return Seen(seen, seen > ends[1], sum(seen <= end for end in ends))


def _micros(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)


_EPOCH: Final = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


def three(unknown: Array, yes: Array) -> Array:
    """Truths of what is known to be, known not to be, or unknown."""
    return np.where(unknown, MAYBE, np.where(yes, YES, NO)).astype(np.int8)
