"""Keeps the price history bounded: of older days it keeps what bounds them, then of weeks.

What is kept was told, at its time; nothing is made up. Of each listing and day (UTC) the lowest,
the highest and the last price stay, on demand and as spot, and where it was gone, when first and
until when. So the lowest price of each day and what stood at its end are what they were; how often
a price moved in between is not told any more.

It goes day by day and week by week, each in a transaction of its own that also says how far it
came: whoever stops it loses nothing, and the next one goes on from there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from time import monotonic

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Min

from providers.models import PricePoint
from providers.price_retention import Retention
from providers.refresh.lock import held_alone

LOCKS = 0x6772


class RolledStep(StrEnum):
    """What is done with points as they grow old."""

    DAY = "day"
    WEEK = "week"
    FORGOTTEN = "forgotten"


DAY, WEEK = timedelta(days=1), timedelta(days=7)
_NO_END = float("inf")
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)

# A gap of several points is its first one. The first point of the span looks behind it: it ends a
# gap, or is the first of all, and then it stays.
_THIN = """
    WITH span AS (
        SELECT id, listing_id, at, usd_per_hour AS usd, spot_usd_per_hour AS spot,
            COALESCE(usd_per_hour, spot_usd_per_hour) IS NULL AS gone,
            LAG(COALESCE(usd_per_hour, spot_usd_per_hour) IS NULL) OVER (
                PARTITION BY listing_id ORDER BY at) AS after_gap
        FROM providers_pricepoint WHERE at >= %(start)s AND at < %(end)s
    ), bounds AS (
        SELECT *, MIN(usd) OVER whole AS low, MAX(usd) OVER whole AS high,
            MIN(spot) OVER whole AS spot_low, MAX(spot) OVER whole AS spot_high,
            MAX(at) OVER whole AS last_at, MIN(at) FILTER (WHERE gone) OVER whole AS gone_at,
            LAG(at) OVER (PARTITION BY listing_id ORDER BY at) AS before_at
        FROM span WHERE NOT gone OR after_gap IS NOT TRUE
        WINDOW whole AS (PARTITION BY listing_id ORDER BY at
            ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
    ), firsts AS (
        SELECT *, MIN(at) FILTER (WHERE usd = low) OVER whole AS low_at,
            MIN(at) FILTER (WHERE usd = high) OVER whole AS high_at,
            MIN(at) FILTER (WHERE spot = spot_low) OVER whole AS spot_low_at,
            MIN(at) FILTER (WHERE spot = spot_high) OVER whole AS spot_high_at
        FROM bounds
        WINDOW whole AS (PARTITION BY listing_id ORDER BY at
            ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
    ), kept AS (
        SELECT id FROM firsts WHERE CASE
            WHEN at IN (last_at, low_at, high_at, spot_low_at, spot_high_at, gone_at) THEN TRUE
            WHEN after_gap IS NOT NULL THEN after_gap AND before_at = gone_at
            ELSE COALESCE((
                SELECT COALESCE(before.usd_per_hour, before.spot_usd_per_hour) IS NULL
                FROM providers_pricepoint before
                WHERE before.listing_id = firsts.listing_id AND before.at < firsts.at
                ORDER BY before.at DESC LIMIT 1), TRUE) END
    )
    DELETE FROM providers_pricepoint point
    WHERE at >= %(start)s AND at < %(end)s
      AND NOT EXISTS (SELECT FROM kept WHERE kept.id = point.id)
"""
# The last point before the end still stands there.
_FORGET = """
    DELETE FROM providers_pricepoint point USING (
        SELECT listing_id, MAX(at) AS at FROM providers_pricepoint
        WHERE at >= %(start)s AND at < %(end)s GROUP BY 1
    ) standing
    WHERE point.listing_id = standing.listing_id AND point.at < standing.at
"""
_NOTE = """
    INSERT INTO providers_price_roll_up AS noted VALUES (%s, %s)
    ON CONFLICT (step) DO UPDATE SET until = GREATEST(noted.until, EXCLUDED.until)
"""
_STATEMENTS = {RolledStep.DAY: _THIN, RolledStep.WEEK: _THIN, RolledStep.FORGOTTEN: _FORGET}
_SPANS = {RolledStep.DAY: DAY, RolledStep.WEEK: WEEK, RolledStep.FORGOTTEN: WEEK}


class AlreadyRollingError(Exception):
    """Another process rolls prices up right now."""


class RolledUp(Counter[RolledStep]):
    """How many points each step took away."""

    left: bool = False  # whether there was more than time for


def roll_up(
    now: datetime, retention: Retention | None = None, within_s: float = _NO_END
) -> RolledUp:
    """Take away the points that `retention` (of the settings) no longer keeps at `now`.

    It begins no day or week more after `within_s` seconds. Raises AlreadyRollingError.
    """
    found, end = RolledUp(), monotonic() + within_s
    with held_alone(LOCKS, 0) as held:
        if not held:
            raise AlreadyRollingError
        for step, until in ends(now, retention or settings.PRICES_KEPT).items():
            for start, stop in _spans(step, until):
                if monotonic() >= end:
                    found.left = True
                    return found
                found[step] += _roll(step, start, stop)
            _note(step, until)
    return found


def ends(now: datetime, retention: Retention) -> dict[RolledStep, datetime]:
    """Up to when each step goes: midnights, those of weeks on Mondays (UTC)."""
    today = _midnight(now)
    return {
        RolledStep.DAY: today - DAY * retention.all_days,
        RolledStep.WEEK: _monday(today - DAY * retention.daily_days),
        RolledStep.FORGOTTEN: _monday(today - DAY * retention.kept_days),
    }


def _midnight(at: datetime) -> datetime:
    return datetime.combine(at.astimezone(UTC).date(), time.min, UTC)


def _monday(day: datetime) -> datetime:
    return day - DAY * day.weekday()


def _spans(step: RolledStep, until: datetime) -> Iterator[tuple[datetime, datetime]]:
    """What is left of a step, span by span that holds a point, the oldest first."""
    start = rolled_until().get(step, _BEGINNING)
    while (found := _first_point(start)) and found < until:
        day = _midnight(found)
        start = day if step is RolledStep.DAY else _monday(day)
        yield start, start + _SPANS[step]
        start += _SPANS[step]


def _first_point(since: datetime) -> datetime | None:
    points = PricePoint.objects.order_by().filter(at__gte=since)
    found: datetime | None = points.aggregate(first=Min("at"))["first"]
    return found


def rolled_until() -> dict[RolledStep, datetime]:
    """How far each step has come: to the points before that. One query."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT step, until FROM providers_price_roll_up ORDER BY until DESC")
        return {RolledStep(step): until for step, until in cursor.fetchall()}


def _roll(step: RolledStep, start: datetime, end: datetime) -> int:
    """One span of one step; how many points it took away."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL work_mem = '64MB'")
        cursor.execute(_STATEMENTS[step], {"start": start, "end": end})
        count: int = cursor.rowcount
        _note(step, end)
    return count


def _note(step: RolledStep, until: datetime) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_NOTE, [step.value, until])
