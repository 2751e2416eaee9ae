"""What a GPU has cost: the lowest on-demand price of one GPU, in USD an hour, day by day (UTC).

A price stands from its point on until the next point of its listing, or until the listing was
withdrawn or last seen. The bundled snapshot is a reading of one day and makes no history.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from django.db import connection

KEPT_DAYS = 90
DAY = timedelta(days=1)

Series = Mapping[date, Decimal]  # days on which nothing is known are missing

# First the points that may stand within the window: those of it, and the last one before it of
# each listing. Prices that stood from and to the same days become one row before days are
# counted, so that the last step is bounded by the window, not by the number of listings.
_LOWEST = """
    WITH points AS (
        SELECT l.family_id, p.at, p.usd_per_hour / l.gpu_count AS price,
            LEAST(
                LEAD(p.at) OVER (PARTITION BY l.id ORDER BY p.at),
                l.withdrawn_at,
                COALESCE(l.seen_at, state.good_at, p.at),
                %(now)s
            ) AS until
        FROM providers_listing l
        LEFT JOIN providers_sourcestate state ON state.slug = l.source
        CROSS JOIN LATERAL (
            SELECT COALESCE(MAX(at), %(since)s) AS at FROM providers_pricepoint
            WHERE listing_id = l.id AND at < %(since)s
        ) start
        JOIN providers_pricepoint p ON p.listing_id = l.id AND p.at >= start.at
        WHERE l.origin = 'live' AND l.gpu_count IS NOT NULL AND l.family_id IS NOT NULL
          AND (l.withdrawn_at IS NULL OR l.withdrawn_at >= %(since)s) AND {whose}
    ), spans AS (
        SELECT family_id, MIN(price) AS price,
            DATE_TRUNC('day', GREATEST(at, %(since)s) AT TIME ZONE 'UTC') AS first,
            DATE_TRUNC('day', until AT TIME ZONE 'UTC') AS last
        FROM points WHERE price IS NOT NULL AND until >= GREATEST(at, %(since)s)
        GROUP BY 1, 3, 4
    )
    SELECT family_id, day::date, MIN(price)
    FROM spans CROSS JOIN LATERAL GENERATE_SERIES(first, last, INTERVAL '1 day') day
    GROUP BY 1, 2 ORDER BY 1, 2
"""


def family_history(family: int, now: datetime) -> Series:
    """Of all the forms of a family at any offering. One query."""
    return _lowest("l.family_id = %(whose)s", family, now).get(family, {})


def model_history(gpu: int, now: datetime) -> Series:
    """Of one model; listings that leave the form open are not it. One query."""
    found = _lowest("l.gpu_id = %(whose)s", gpu, now)
    return next(iter(found.values()), {})


def offerings_history(offerings: Collection[int], now: datetime) -> dict[int, Series]:
    """By id of family, at these offerings. One query."""
    return _lowest("l.offering_id = ANY(%(whose)s)", list(offerings), now)


def _lowest(condition: str, whose: int | list[int], now: datetime) -> dict[int, Series]:
    first = now.astimezone(UTC).date() - (KEPT_DAYS - 1) * DAY
    since = datetime.combine(first, time.min, UTC)
    found: dict[int, dict[date, Decimal]] = {}
    for family, day, price in _run(
        _LOWEST.format(whose=condition), {"whose": whose, "since": since, "now": now}
    ):
        found.setdefault(family, {})[day] = price
    return dict(found)


def _run(statement: str, parameters: Mapping[str, Any]) -> list[tuple[int, date, Decimal]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())
