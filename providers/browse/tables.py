"""The rows of browse and of listings as tables for export."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

from django.urls import reverse

from providers.browse.criteria import Criteria
from providers.browse.export import Table, answer_value, iso
from providers.browse.judge import Truth
from providers.browse.listings import ListedRow, ListingsResult
from providers.browse.query import BrowseResult, Judged
from providers.models import Offering

_MATCH = {Truth.YES: "yes", Truth.MAYBE: "may"}


def price_column(criteria: Criteria) -> str:
    """The price's name states what it is for."""
    return f"{criteria.one('currency').lower()}_per_{criteria.one('per')}_{criteria.one('period')}"


def in_period(usd_per_hour: Decimal | None, criteria: Criteria) -> Decimal | None:
    return None if usd_per_hour is None else round(usd_per_hour * criteria.scale, 6).normalize()


def _address(offering: Offering) -> str:
    return f"{reverse('provider', args=[offering.provider.slug])}#{offering.slug}"


def browse_table(result: BrowseResult) -> Table:
    """One record an offering, those that may match among them; `match` says which."""
    criteria = result.criteria
    about = ("provider", "offering", "provider_name", "offering_name", "status", "match", "unknown")
    price = (
        *(price_column(criteria), "gpu", "gpu_count"),
        *("price_is_spot", "price_origin", "price_seen_at"),
    )
    return Table("offerings", (*about, *criteria.columns, *price, "url"), _offerings(result))


def _offerings(result: BrowseResult) -> Iterator[tuple[Any, ...]]:
    show = result.criteria.one("unknown") == "show"
    for row in result.rows:
        if show or row.truth is Truth.YES:
            yield _offering(row, _MATCH[row.truth], result.criteria)
    for row in result.closed:
        yield _offering(row, "closed", result.criteria)


def _offering(row: Judged, match: str, criteria: Criteria) -> tuple[Any, ...]:
    offering, cheapest = row.offering, row.cheapest
    price: tuple[Any, ...] = (None,) * 6
    if cheapest is not None:
        price = (
            in_period(cheapest.shown, criteria),
            cheapest.gpu_name,
            cheapest.gpu_count,
            cheapest.spot,
            cheapest.origin,
            iso(cheapest.seen_at),
        )
    return (
        offering.provider.slug,
        offering.slug,
        offering.provider.name,
        offering.name,
        offering.status,
        match,
        list(row.unknown),
        *(answer_value(offering, key) for key in criteria.columns),
        *price,
        _address(offering),
    )


def listings_table(result: ListingsResult, rows: Iterable[ListedRow]) -> Table:
    """One record a priced listing; `rows` may be more than the page of `result`."""
    criteria = result.criteria
    about = ("provider", "offering", "match", "unknown", "gpu_name", "gpu", "gpu_count", "vram_gb")
    instance = f"{criteria.one('currency').lower()}_per_instance_{criteria.one('period')}"
    price = (price_column(criteria), "price_is_spot", f"{instance}_on_demand", f"{instance}_spot")
    seen = ("stock", "stock_count", "region", "driver", "cuda", "tier", "origin", "seen_at")
    columns = (*about, *price, *seen, "source", "url")
    return Table("listings", columns, (_listing(row, result) for row in rows))


def _listing(row: ListedRow, result: ListingsResult) -> tuple[Any, ...]:
    offering, criteria = result.offerings[row.offering_id], result.criteria
    return (
        offering.provider.slug,
        offering.slug,
        _MATCH[Truth(row.truth)],
        [*result.unknown[row.offering_id], *row.unknown],
        row.gpu_name,
        result.gpu_slug(row),
        row.gpu_count,
        row.vram_gb,
        in_period(row.shown, criteria),
        row.is_spot,
        None if row.is_spot else in_period(row.instance, criteria),
        in_period(row.spot_usd_per_hour, criteria),
        row.stock,
        row.stock_count,
        row.region,
        row.driver,
        row.cuda,
        row.tier,
        row.origin,
        iso(row.seen_at),
        row.source_url,
        _address(offering),
    )
