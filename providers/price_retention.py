"""How long prices are kept, and how closely. No Django: the settings read it."""

from __future__ import annotations

from typing import NamedTuple

# The guards look at the last seven days, and the drawings at ninety, of which each has its lowest.
LEAST_ALL_DAYS, LEAST_DAILY_DAYS = 8, 91


class Retention(NamedTuple):
    """For so many days every change of a price is kept, then what bounds each day, then each week,
    and then nothing but what still stands."""

    all_days: int
    daily_days: int
    kept_days: int


def retention(all_days: int, daily_days: int, kept_days: int) -> Retention:
    """Raises ValueError with the variables for days that do not grow, or are too few."""
    if all_days < LEAST_ALL_DAYS:
        raise ValueError(f"GPUCOMPARE_PRICES_ALL_DAYS={all_days}: give {LEAST_ALL_DAYS} or more")
    if daily_days < max(LEAST_DAILY_DAYS, all_days):
        raise ValueError(
            f"GPUCOMPARE_PRICES_DAILY_DAYS={daily_days}: give {LEAST_DAILY_DAYS} or more, and not "
            "less than GPUCOMPARE_PRICES_ALL_DAYS"
        )
    if kept_days < daily_days:
        raise ValueError(
            f"GPUCOMPARE_PRICES_KEPT_DAYS={kept_days}: give no less than "
            "GPUCOMPARE_PRICES_DAILY_DAYS"
        )
    return Retention(all_days, daily_days, kept_days)
