"""Shapes that several answers of the API hold: numbers, units, the cheapest listing."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal

from ninja import Schema
from pydantic import Field, PlainSerializer

from providers.browse.criteria import Criteria
from providers.browse.query import Cheapest
from providers.models import Offering

# Exact inside, a JSON number outside.
Number = Annotated[Decimal, PlainSerializer(float, return_type=float)]
Match = Literal["yes", "may"]


class Units(Schema):
    """What `shown` prices of the answer are for; other amounts carry their unit in their name."""

    currency: str = Field(description="ISO 4217")
    per: Literal["gpu", "instance"]
    period: Literal["hour", "day", "month"]


class Price(Schema):
    """The cheapest listing under the criteria, as it was seen."""

    usd_per_hour: Number = Field(description="USD an hour for the whole instance")
    shown: Number = Field(description="The same in the `units` of the answer")
    spot: bool
    gpu_name: str = Field(description="As the source names it")
    gpu_count: int | None
    origin: Literal["live", "snapshot", "catalog"]
    seen_at: datetime
    trusted: bool = Field(description="Live, and seen lately enough to act on")


class Named(Schema):
    """An offering by its names. `key` is provider/offering."""

    key: str
    provider: str
    offering: str
    provider_name: str
    offering_name: str
    url: str = Field(description="Its part of the provider's page")
    docs: str = Field(description="Where the provider explains it")


def units_of(criteria: Criteria) -> Units:
    return Units.model_validate(
        {name: criteria.one(name) for name in ("currency", "per", "period")}
    )


def price_of(found: Cheapest | None, criteria: Criteria) -> Price | None:
    if found is None:
        return None
    return Price.model_validate(
        {
            "usd_per_hour": found.instance,
            "shown": round(found.shown * criteria.scale, 6),
            "spot": found.spot,
            "gpu_name": found.gpu_name,
            "gpu_count": found.gpu_count,
            "origin": found.origin,
            "seen_at": found.seen_at,
            "trusted": found.trusted,
        }
    )


def names_of(offering: Offering) -> dict[str, str]:
    provider = offering.provider
    return {
        "key": f"{provider.slug}/{offering.slug}",
        "provider": provider.slug,
        "offering": offering.slug,
        "provider_name": provider.name,
        "offering_name": offering.name,
        "url": f"/providers/{provider.slug}/#{offering.slug}",
        "docs": offering.docs,
    }
