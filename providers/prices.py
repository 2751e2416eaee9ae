"""The cheapest price of each GPU: at every offering of a provider, and at all of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.http import QueryDict

from providers.browse.criteria import Criteria
from providers.browse.listing_sql import CURRENT
from providers.browse.parameters import Vocabulary
from providers.browse.query import Cheapest, run
from providers.freshness import AGEING_FOR

UNITS = ("per", "period")

# A name that no table explains is a GPU of its own; a family without model leaves the form open.
_GPU = "family_id, gpu_id, CASE WHEN family_id IS NULL THEN gpu_name ELSE '' END"
_TRUSTED = "(origin = 'live' AND seen_at > %(trusted_since)s)"
# Live prices that can be trusted stand before dated ones, however cheap those are. What only the
# catalog names stands as a row without a price.
_CHEAPEST = """
    SELECT DISTINCT ON ({by}, is_spot) offering_id, family_id, gpu_id, gpu_name, is_spot, shown,
        price, gpu_count, origin, seen_at, {trusted}
    FROM (
        SELECT *, CASE WHEN %(per_gpu)s THEN price / gpu_count ELSE price END AS shown
        FROM ({current}) known
        CROSS JOIN LATERAL (VALUES (FALSE, usd_per_hour), (TRUE, spot_usd_per_hour))
            AS kind (is_spot, price)
        WHERE offering_id = ANY(%(offerings)s)
    ) offered
    WHERE shown IS NOT NULL OR (origin = 'catalog' AND NOT is_spot)
    ORDER BY {by}, is_spot, {trusted} DESC, (origin = 'live') DESC, shown, id
"""


@dataclass(frozen=True)
class GpuPrice:
    """A GPU at an offering, with its cheapest listing; None where only the catalog names it."""

    offering: int
    family: int | None  # None: the name is unknown
    gpu: int | None  # None: the name leaves the form open
    name: str
    spot: bool
    cheapest: Cheapest | None


def units_asked(query: QueryDict) -> Criteria:
    """The units that an address asks for; such a page has no other criteria."""
    asked, _ignored = Criteria.parse(query, Vocabulary())
    return Criteria.of({name: asked.all(name) for name in UNITS})


def by_offering(units: Criteria, offerings: Collection[int], now: datetime) -> list[GpuPrice]:
    """On demand and as spot, for every GPU of these offerings. One query."""
    return _read(f"offering_id, {_GPU}", units, offerings, now)


def by_family(units: Criteria, offerings: Collection[int], now: datetime) -> dict[int, Cheapest]:
    """The cheapest of each family at any of these offerings; spot where nothing else is."""
    found = _read("family_id", units, offerings, now)
    prices = {p.family: p.cheapest for p in reversed(found) if p.family and p.cheapest}
    return {family: cheapest for family, cheapest in prices.items() if family is not None}


def _read(by: str, units: Criteria, offerings: Collection[int], now: datetime) -> list[GpuPrice]:
    statement = _CHEAPEST.format(by=by, current=CURRENT, trusted=_TRUSTED)
    parameters = {
        "offerings": list(offerings),
        "per_gpu": units.per_gpu,
        "trusted_since": now - AGEING_FOR,
    }
    found = []
    for offering, family, gpu, name, spot, shown, price, count, origin, seen, sure in run(
        statement, parameters
    ):
        cheapest = (
            None if shown is None else Cheapest(shown, price, count, name, origin, seen, spot, sure)
        )
        found.append(GpuPrice(offering, family, gpu, name, spot, cheapest))
    return found
