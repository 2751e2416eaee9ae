"""Writes what a batch of listings changes: rows, price points, withdrawals; nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime

from providers.models import Listing, Origin, PricePoint
from providers.refresh.diff import Diff, Key, ListingFacts, StoredListing, diff

_BATCH = 1000
_UNDATED = [f.name for f in fields(ListingFacts) if f.name != "seen_at"]


@dataclass(frozen=True)
class Counts:
    """How many rows a run made, changed, left alone and took away."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    withdrawn: int = 0

    @property
    def wrote(self) -> bool:
        return bool(self.new or self.changed or self.withdrawn)


def merge(
    origin: Origin, incoming: Mapping[Key, ListingFacts], *, dated: bool, now: datetime
) -> Counts:
    """Make the listings of `origin` those of `incoming`, within the caller's transaction.

    `dated` tells whether `incoming` says when its rows were seen; otherwise a new row is
    seen `now` and an old one keeps its time.
    """
    found = diff(incoming, _stored(origin, dated=dated))
    _create(origin, found.new, now)
    _update(found.changed, dated=dated)
    _add_price_points(found.repriced.items(), now)
    if found.withdrawn:
        Listing.objects.filter(pk__in=found.withdrawn).update(withdrawn_at=now)
    return _counts(found)


def _stored(origin: Origin, *, dated: bool) -> dict[Key, StoredListing]:
    columns = [*_UNDATED, "seen_at"] if dated else _UNDATED
    rows = Listing.objects.filter(origin=origin).values(
        "pk", "offering_id", "key", "withdrawn_at", *columns
    )
    return {
        (row["offering_id"], row["key"]): StoredListing(
            row["pk"],
            ListingFacts(**{name: row[name] for name in columns}),
            withdrawn=row["withdrawn_at"] is not None,
        )
        for row in rows.order_by()
    }


def _create(origin: Origin, new: Mapping[Key, ListingFacts], now: datetime) -> None:
    listings = []
    for (offering_id, key), facts in new.items():
        seen_at = facts.seen_at or now
        values = asdict(facts) | {"seen_at": seen_at, "first_seen": seen_at}
        listings.append(Listing(offering_id=offering_id, key=key, origin=origin, **values))
    made = Listing.objects.bulk_create(listings, batch_size=_BATCH)
    priced = [
        (row.pk, facts) for row, facts in zip(made, new.values(), strict=True) if facts.priced
    ]
    _add_price_points(priced, now)


def _update(changed: Mapping[int, ListingFacts], *, dated: bool) -> None:
    if not changed:
        return
    listings = [Listing(pk=pk, **asdict(facts), withdrawn_at=None) for pk, facts in changed.items()]
    columns = [*_UNDATED, "withdrawn_at", *(["seen_at"] if dated else [])]
    Listing.objects.bulk_update(listings, columns, batch_size=_BATCH)


def _add_price_points(priced: Iterable[tuple[int, ListingFacts]], now: datetime) -> None:
    """One point a listing and time: a price corrected for the same time replaces its point."""
    PricePoint.objects.bulk_create(
        [
            PricePoint(
                listing_id=pk,
                at=facts.seen_at or now,
                usd_per_hour=facts.usd_per_hour,
                spot_usd_per_hour=facts.spot_usd_per_hour,
            )
            for pk, facts in priced
        ],
        batch_size=_BATCH,
        update_conflicts=True,
        unique_fields=["listing", "at"],
        update_fields=["usd_per_hour", "spot_usd_per_hour"],
    )


def _counts(found: Diff) -> Counts:
    return Counts(len(found.new), len(found.changed), found.unchanged, len(found.withdrawn))
