"""When each source is read. No Django: the settings read it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from providers.refresh.enabled import enabled
from providers.sources import SOURCES

# How often the European Central Bank's rates are asked for; it sets them once a working day.
RATES_EVERY = timedelta(hours=12)
# How often the notes of readers are looked at that are too old to keep.
FORGET_EVERY = timedelta(days=1)
# How often prices that grew old are rolled up: a day of them at a time.
ROLL_UP_EVERY = timedelta(days=1)
# How often the pages that claims cite are looked at, and those of them that failed.
WATCH_EVERY = timedelta(days=7)
RETRY_EVERY = timedelta(days=1)
# Sources do not start together: each waits its share of this.
SPREAD = timedelta(minutes=10)


def interval_variable(slug: str) -> str:
    """The environment variable that sets how often a source is read, in minutes."""
    return f"GPUCOMPARE_SOURCE_{slug.upper()}_MINUTES"


def interval(slug: str, environ: Mapping[str, str]) -> timedelta:
    """How often a source is read: what the environment says, else what the source says.

    Raises ValueError for anything but a number of minutes from 1 to 10080, a week.
    """
    asked = environ.get(interval_variable(slug), "")
    if not asked:
        return SOURCES[slug].interval
    if not asked.isdecimal() or not 1 <= int(asked) <= 10_080:
        raise ValueError(f"{interval_variable(slug)}={asked}: give minutes, 1 to 10080")
    return timedelta(minutes=int(asked))


def beat_schedule(environ: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Celery's schedule: one entry a source, staggered, the exchange rates, and chores."""
    slugs = enabled(environ)
    schedule: dict[str, dict[str, Any]] = {
        f"refresh {slug}": {
            "task": "providers.tasks.refresh_source",
            "args": [slug],
            "schedule": (every := interval(slug, environ)),
            "options": {
                "countdown": round(SPREAD.total_seconds() * number / len(slugs)),
                # A worker that comes back finds one refresh to do, not a day of them.
                "expires": every.total_seconds() + SPREAD.total_seconds(),
            },
        }
        for number, slug in enumerate(slugs)
    }
    schedule["exchange rates"] = {
        "task": "providers.tasks.refresh_rates",
        "schedule": RATES_EVERY,
        "options": {"expires": RATES_EVERY.total_seconds()},
    }
    schedule["notes of corrections"] = {
        "task": "providers.tasks.forget_notes",
        "schedule": FORGET_EVERY,
        "options": {"expires": FORGET_EVERY.total_seconds()},
    }
    schedule["old prices"] = {
        "task": "providers.tasks.roll_up_prices",
        "schedule": ROLL_UP_EVERY,
        "options": {"expires": ROLL_UP_EVERY.total_seconds()},
    }
    schedule["watched sources"] = {
        "task": "providers.tasks.watch_sources",
        "schedule": WATCH_EVERY,
        "options": {"expires": WATCH_EVERY.total_seconds()},
    }
    schedule["watched sources that failed"] = {
        "task": "providers.tasks.watch_sources",
        "kwargs": {"failing": True},
        "schedule": RETRY_EVERY,
        "options": {"expires": RETRY_EVERY.total_seconds()},
    }
    return schedule
