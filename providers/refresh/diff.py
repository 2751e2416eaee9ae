"""What a batch of listings changes. Pure: the writing is :mod:`providers.refresh.merge`'s."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

# (offering's id, the listing's key): what makes a row the same row in the next batch.
Key = tuple[int, str]


@dataclass(frozen=True)
class ListingFacts:
    """What a batch says of one listing. Prices are USD an hour for the whole instance."""

    gpu_name: str
    family_id: int | None
    gpu_id: int | None
    gpu_count: int | None = None
    vram_gb: int | None = None
    usd_per_hour: Decimal | None = None
    spot_usd_per_hour: Decimal | None = None
    spot: bool | None = None
    tier: str = ""
    source_url: str = ""
    # None: the batch does not date its rows (the catalog); the stored day then stays.
    seen_at: datetime | None = None

    @property
    def prices(self) -> tuple[Decimal | None, Decimal | None]:
        return self.usd_per_hour, self.spot_usd_per_hour

    @property
    def priced(self) -> bool:
        return self.prices != (None, None)


@dataclass(frozen=True)
class StoredListing:
    pk: int
    facts: ListingFacts
    withdrawn: bool = False


@dataclass
class Diff:
    """The rows to write; `changed` includes those that were withdrawn and came back."""

    new: dict[Key, ListingFacts] = field(default_factory=dict)
    changed: dict[int, ListingFacts] = field(default_factory=dict)
    # Of the changed ones, those whose price is another.
    repriced: dict[int, ListingFacts] = field(default_factory=dict)
    withdrawn: list[int] = field(default_factory=list)
    unchanged: int = 0


def diff(incoming: Mapping[Key, ListingFacts], stored: Mapping[Key, StoredListing]) -> Diff:
    """What makes `stored` say the same as `incoming`."""
    found = Diff(
        withdrawn=[s.pk for key, s in stored.items() if key not in incoming and not s.withdrawn]
    )
    for key, facts in incoming.items():
        before = stored.get(key)
        if before is None:
            found.new[key] = facts
        elif before.withdrawn or before.facts != facts:
            found.changed[before.pk] = facts
            if before.facts.prices != facts.prices:
                found.repriced[before.pk] = facts
        else:
            found.unchanged += 1
    return found
