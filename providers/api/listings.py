"""GET /api/v1/listings: priced, rentable configurations under criteria."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router, Schema
from pydantic import Field

from providers.api.asked import criteria_of, documented
from providers.api.paths import PREFIX, Id, Part
from providers.api.shapes import Match, Number, Units, units_of
from providers.browse.criteria import Criteria
from providers.browse.judge import Truth
from providers.browse.listings import ListedRow, ListingsResult
from providers.browse.listings import listings as listed
from providers.browse.world import World
from providers.listing_facts import OpenedListing, opened_listing

router = Router(tags=["prices"])


class Listing(Schema):
    """A GPU model × count × region of an offering. Amounts are USD an hour for the instance."""

    id: int
    offering: str = Field(description="provider/offering")
    gpu: str = Field(description="Slug of the model, or of the family where the form is open")
    gpu_name: str = Field(description="As the source names it")
    gpu_count: int | None
    vram_gb: int | None = Field(description="GB of one GPU")
    region: str
    usd_per_hour: Number | None
    spot_usd_per_hour: Number | None
    spot: bool | None = Field(description="Whether it can be had as spot; null: not known")
    stock: Literal["available", "scarce", "none", "unknown"]
    stock_count: int | None
    driver: str = Field(description="Of the host; empty: not told")
    cuda: str = Field(description="The highest that the host reports; empty: not told")
    tier: str = Field(description="The provider's own word")
    origin: Literal["live", "snapshot", "catalog"]
    seen_at: datetime | None
    source: str = Field(description="Address that the price was read at")
    url: str


class ListingRow(Listing):
    match: Match
    unknown: list[str] = Field(description="The criteria that nobody can answer for it")
    shown: Number | None = Field(description="The price in `units`; spot where `shown_is_spot`")
    shown_is_spot: bool


class ListingPart(Part):
    criteria: str
    units: Units
    match: int
    may: int
    items: list[ListingRow]


class PricePoint(Schema):
    """A price from `at` on, until the next one; null: none, also while withdrawn."""

    at: datetime
    usd_per_hour: Number | None
    spot_usd_per_hour: Number | None


class ListingDetail(Listing):
    first_seen: datetime
    withdrawn_at: datetime | None
    stated_price: str = Field(description="As the source states it")
    stated_spot_price: str
    stated_unit: str = Field(description="What the stated prices are for")
    extras: dict[str, Any] = Field(description="Further figures; the unit is in the name")
    prices: list[PricePoint] = Field(description="How the price moved, the latest first")
    every_change_since: datetime | None = Field(
        description="Of each day (UTC) before it only the lowest, highest and last price are kept, "
        "and that there was none; null: every change is kept"
    )
    each_day_since: datetime | None = Field(
        description="Before it they are those of a week; null: of a day"
    )


@router.get(
    "/listings",
    response=ListingPart,
    operation_id="listings",
    openapi_extra={"parameters": documented({"page", "columns", "verdict"})},
)
def listings(request: HttpRequest) -> HttpResponse:
    """Priced rows that match the criteria or may match, fifty at a time."""
    # Written here: to check fifty rows of our own against their shape would take half of the time.
    return HttpResponse(json.dumps(_part(request)), content_type="application/json; charset=utf-8")


def _part(request: HttpRequest) -> dict[str, Any]:
    """A ListingPart as JSON has it."""
    world = World.read()
    criteria = criteria_of(request.GET, world.vocabulary)
    found = listed(criteria, world, timezone.now())
    shown = criteria.put("after")
    return {
        "criteria": shown.query(),
        "units": units_of(criteria).model_dump(),
        "match": found.match,
        "may": found.may,
        "items": [_row(row, found, criteria) for row in found.rows],
        "next": _next(shown, found.rows[-1]) if found.more else None,
    }


def _next(criteria: Criteria, last: ListedRow) -> str:
    return criteria.put("after", last.after).url(f"{PREFIX}/listings")


def _row(row: ListedRow, found: ListingsResult, criteria: Criteria) -> dict[str, Any]:
    offering = found.offerings[row.offering_id]
    return {
        "id": row.id,
        "offering": f"{offering.provider.slug}/{offering.slug}",
        "gpu": found.gpu_slug(row),
        "gpu_name": row.gpu_name,
        "gpu_count": row.gpu_count,
        "vram_gb": row.vram_gb,
        "region": row.region,
        "usd_per_hour": _number(row.instance),
        "spot_usd_per_hour": _number(row.spot_usd_per_hour),
        "spot": row.spot,
        "stock": row.stock,
        "stock_count": row.stock_count,
        "driver": row.driver,
        "cuda": row.cuda,
        "tier": row.tier,
        "origin": row.origin,
        "seen_at": _moment(row.seen_at),
        "source": row.source_url,
        "url": f"/listings/{row.id}/",
        "match": "yes" if row.truth == Truth.YES else "may",
        "unknown": list(row.unknown),
        "shown": None if row.shown is None else float(round(row.shown * criteria.scale, 6)),
        "shown_is_spot": row.is_spot,
    }


def _number(amount: Decimal | None) -> float | None:
    return None if amount is None else float(amount)


# Most rows of a source were seen at one moment.
@lru_cache(maxsize=4096)
def _moment(at: datetime | None) -> str | None:
    """As the framework writes it: to the millisecond, in UTC."""
    if at is None:
        return None
    told = at.astimezone(UTC).isoformat(timespec="milliseconds" if at.microsecond else "seconds")
    return told.replace("+00:00", "Z")


@router.get("/listings/{listing}", response=ListingDetail, operation_id="listing")
def listing(request: HttpRequest, listing: Id) -> dict[str, Any]:
    """One listing, withdrawn or not, and how its price moved."""
    found = opened_listing(listing)
    if found is None:
        raise Http404
    return _detail(found)


def _detail(found: OpenedListing) -> dict[str, Any]:
    row = found.listing
    gpu = row.gpu or row.family
    same = ("gpu_name", "gpu_count", "vram_gb", "region", "usd_per_hour", "spot_usd_per_hour")
    more = ("spot", "stock", "stock_count", "driver", "cuda", "tier", "origin", "first_seen")
    last = ("withdrawn_at", "stated_price", "stated_spot_price", "stated_unit", "extras")
    return {
        **{name: getattr(row, name) for name in (*same, *more, *last)},
        "id": row.pk,
        "offering": f"{row.offering.provider.slug}/{row.offering.slug}",
        "gpu": gpu.slug if gpu else "",
        "seen_at": found.seen_at,
        "source": row.source_url,
        "url": f"/listings/{row.pk}/",
        "prices": [
            {name: getattr(point, name) for name in PricePoint.model_fields}
            for point in found.points
        ],
        "every_change_since": found.every_change_since,
        "each_day_since": found.each_day_since,
    }
