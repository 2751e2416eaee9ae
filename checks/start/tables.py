"""The ranking of a first start as a table for export: keys and exact figures, in no language."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from checks.coldstart import Cases
from checks.start.found import ColdResult, Place
from providers.browse.export import Table, iso

_CASES = ("low", "likely", "high")
_COLUMNS = (
    "provider",
    "offering",
    "verdict",
    "gpu",
    "gpu_count",
    "usd_per_hour",
    "spot",
    "price_origin",
    "price_seen_at",
    "price_source",
    *(f"start_{case}_s" for case in _CASES),
    *(f"start_{case}_usd" for case in _CASES),
    "pull_billing_unknown",
    "hours",
    *(f"total_{case}_usd" for case in _CASES),
    "not_in_total",
)


def cold_table(result: ColdResult) -> Table:
    """One record an offering, in the order of the page; what is not known is left empty."""
    return Table("cold-start", _COLUMNS, (_record(one, result) for one in result.ranked))


def _record(one: Place, result: ColdResult) -> tuple[Any, ...]:
    start, here = one.job.start, one.here
    return (
        here.offering.provider.slug,
        here.offering.slug,
        one.standing.value if result.judged else None,
        *_price(one),
        *_figures(start.total_s),
        *_figures(start.usd),
        start.pull_billing_unknown,
        result.hours,
        *_figures(one.job.usd),
        list(one.job.missing),
    )


def _price(one: Place) -> Iterator[Any]:
    here, row = one.here, one.here.checked.row.cheapest
    yield here.listing.gpu_name if here.listing else None
    yield here.listing.gpu_count if here.listing else None
    yield here.rented.price
    yield here.on_spot if row else None
    yield row.origin if row else None
    yield iso(row.seen_at) if row else None
    yield here.listing.source_url if here.listing else None


def _figures(found: Cases | None) -> tuple[Any, ...]:
    return (found.low, found.likely, found.high) if found else (None, None, None)
