"""The rows of browse and of listings as tables for export."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.urls import reverse

from providers.browse.criteria import Criteria
from providers.browse.evidence import Evidence
from providers.browse.export import Table, answer_value, iso
from providers.browse.judge import Truth
from providers.browse.listings import ListedRow, every_row
from providers.browse.query import BrowseResult, Judged
from providers.browse.world import World
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
    about, rest = offerings_columns(result.criteria)
    return Table("offerings", (*about, *rest), _offerings(result, Evidence.read()))


def offerings_columns(criteria: Criteria) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which offering it is and how it matches; its answers and its price."""
    about = ("provider", "offering", "provider_name", "offering_name", "status", "match", "unknown")
    price = (
        *(price_column(criteria), "gpu", "gpu_count"),
        *("price_is_spot", "price_origin", "price_seen_at"),
    )
    evidence = ("answers_sources", "answers_read_on")
    return about, (*criteria.columns, *evidence, *price, "url")


def _offerings(result: BrowseResult, evidence: Evidence) -> Iterator[tuple[Any, ...]]:
    show = result.criteria.one("unknown") == "show"
    for row in result.rows:
        if show or row.truth is Truth.YES:
            yield _offering(row, result.criteria, evidence)
    for row in result.closed:
        yield _offering(row, result.criteria, evidence, "closed")


def _offering(
    row: Judged, criteria: Criteria, evidence: Evidence, match: str = ""
) -> tuple[Any, ...]:
    about, rest = offering_record(row, criteria, evidence, match)
    return (*about, *rest)


def offering_record(
    row: Judged, criteria: Criteria, evidence: Evidence, match: str = ""
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """What stands under `offerings_columns`; `match` overrules what the row says."""
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
    about = (
        offering.provider.slug,
        offering.slug,
        offering.provider.name,
        offering.name,
        offering.status,
        match or _MATCH[row.truth],
        list(row.unknown),
    )
    answers = (answer_value(offering, key) for key in criteria.columns)
    told = evidence.of(offering, criteria.columns)
    return about, (*answers, *told, *price, _address(offering))


def listings_table(criteria: Criteria, now: datetime) -> Table:
    """One record a priced listing; nothing is read before the first is asked for."""
    about = ("provider", "offering", "match", "unknown", "gpu_name", "gpu", "gpu_count", "vram_gb")
    instance = f"{criteria.one('currency').lower()}_per_instance_{criteria.one('period')}"
    price = (price_column(criteria), "price_is_spot", f"{instance}_on_demand", f"{instance}_spot")
    seen = ("stock", "stock_count", "region", "driver", "cuda", "tier", "origin", "seen_at")
    columns = (*about, *price, *seen, "source", "url", "listing")
    return Table("listings", columns, _listings(criteria, now))


def _listings(criteria: Criteria, now: datetime) -> Iterator[tuple[Any, ...]]:
    with every_row(criteria, now) as (world, rows):
        offerings = {o.pk: (o, _address(o)) for o in world.offerings}
        for row in rows:
            yield _listing(row, *offerings[row.offering_id], world)


def _listing(row: ListedRow, offering: Offering, url: str, world: World) -> tuple[Any, ...]:
    criteria = row.criteria
    return (
        offering.provider.slug,
        offering.slug,
        _MATCH[Truth(row.truth)],
        list(row.unknown),
        row.gpu_name,
        _gpu(row, world),
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
        url,
        f"/listings/{row.id}/",
    )


def _gpu(row: ListedRow, world: World) -> str:
    """The model, else its family."""
    model = world.gpu_slugs.get(row.gpu_id or 0)
    return model or world.family_slugs.get(row.family_id or 0, "")
