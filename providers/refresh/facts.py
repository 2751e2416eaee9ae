"""What a batch says of one listing, in the units and columns of the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from providers.models import Stock

# (offering's id, the listing's key): what makes a row the same row in the next batch.
Key = tuple[int, str]


@dataclass(frozen=True)
class ListingFacts:
    """Prices are USD an hour for the whole instance."""

    gpu_name: str
    family_id: int | None
    gpu_id: int | None
    gpu_count: int | None = None
    vram_gb: int | None = None
    region: str = ""
    usd_per_hour: Decimal | None = None
    spot_usd_per_hour: Decimal | None = None
    stated_price: str = ""
    stated_spot_price: str = ""
    stated_unit: str = ""
    spot: bool | None = None
    stock: str = Stock.UNKNOWN.value
    stock_count: int | None = None
    driver: str = ""
    cuda: str = ""
    tier: str = ""
    source_url: str = ""
    # None: as its source's last good run (live), or undated (the catalog).
    seen_at: datetime | None = None
    # Volatile: written along with a change, never a change by themselves.
    extras: Mapping[str, Any] = field(default_factory=dict)
