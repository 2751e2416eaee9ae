"""Until when what is shown stays true although nothing is written: bands of freshness end."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import cast

from providers.browse.kept import found, kept
from providers.freshness import BAND_ENDS, USUAL_INTERVAL
from providers.models import SourceState
from providers.refresh.schedule import interval
from providers.sources import SOURCES

# Ages are told in words too ("3 min ago"), and a few rows have a time of their own.
LONGEST = timedelta(minutes=5)
_GOOD_RUNS = "good runs"
_MINUTE = timedelta(minutes=1)
_EPOCH = datetime.fromisoformat("2000-01-01T00:00:00+00:00")


def next_boundary(now: datetime) -> datetime:
    """The next moment, at most LONGEST away, at which the age of something may be told otherwise.

    A full minute: what is kept of a page is kept for one.
    """
    return boundary_after(now, good_runs())


def boundary_at(now: datetime, state: str) -> datetime | None:
    """The same for a state of the database, if it is known without asking; else None."""
    runs = found(_GOOD_RUNS, state)
    return (
        None if runs is None else boundary_after(now, cast("Iterable[tuple[str, datetime]]", runs))
    )


def boundary_after(now: datetime, good_runs: Iterable[tuple[str, datetime]]) -> datetime:
    """The same, when the sources had those good runs."""
    longest = _EPOCH + ((now - _EPOCH) // LONGEST + 1) * LONGEST
    ends = (_whole_minute(end) for slug, at in good_runs for end in _ends(slug, at))
    return min([longest, *(end for end in ends if end > now)])


def _ends(slug: str, good_at: datetime) -> Iterator[datetime]:
    """When the bands of its rows end: as pages tell prices, and as the status tells the source."""
    every = interval(slug, os.environ) if slug in SOURCES else USUAL_INTERVAL
    for length in BAND_ENDS:
        yield good_at + length
        yield good_at + length * max(1.0, every / USUAL_INTERVAL)


def _whole_minute(moment: datetime) -> datetime:
    """That minute, or the next full one."""
    return _EPOCH - ((_EPOCH - moment) // _MINUTE) * _MINUTE


def good_runs() -> tuple[tuple[str, datetime], ...]:
    """When the last good run of each source was."""
    return kept(_GOOD_RUNS, _good_runs)


def _good_runs() -> tuple[tuple[str, datetime], ...]:
    found = SourceState.objects.values_list("slug", "good_at")
    return tuple((slug, good_at) for slug, good_at in found if good_at)
