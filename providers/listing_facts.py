"""What the page of one listing reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from providers.dimensions import MAIN
from providers.models import Claim, Listing, Origin, PricePoint, SourceState
from providers.price_roll_up import RolledStep, rolled_until

# Price points beyond these are left out of the page; the latest stand.
POINTS_SHOWN = 30


@dataclass(frozen=True)
class OpenedListing:
    """A listing with its offering, and how its price moved."""

    listing: Listing
    seen_at: datetime | None  # None: a withdrawn row whose last sighting was not recorded
    superseded: bool  # a dated row, while the provider's own API speaks for its offering
    points: Sequence[PricePoint]  # the latest first; one more than is shown where more are kept
    read_on: Mapping[str, date | None]  # by main dimension: the day of the claim that decides
    # Of points before these only what bounds each day is kept, or each week; None: all of them.
    every_change_since: datetime | None
    each_day_since: datetime | None


def opened_listing(pk: int) -> OpenedListing | None:
    """All about a listing, withdrawn or not; None for what is none. Five queries.

    What only the catalog names has neither price nor stock: it is no listing.
    """
    found = Listing.objects.exclude(origin=Origin.CATALOG)
    listing = found.select_related("offering__provider", "gpu", "family").filter(pk=pk).first()
    if listing is None:
        return None
    deciding = Claim.objects.filter(
        offering=listing.offering, decides=True, dimension__in=[d.key for d in MAIN]
    )
    rolled = rolled_until()
    return OpenedListing(
        listing,
        _seen_at(listing),
        _superseded(listing),
        list(listing.price_points.order_by("-at")[: POINTS_SHOWN + 1]),
        dict(deciding.values_list("dimension", "read_on")),
        rolled.get(RolledStep.DAY),
        rolled.get(RolledStep.WEEK),
    )


def _seen_at(listing: Listing) -> datetime | None:
    """A live row without a time of its own was seen at its source's last good run, while it was
    there to be seen."""
    if listing.seen_at is not None or listing.withdrawn_at is not None:
        return listing.seen_at
    state = SourceState.objects.filter(slug=listing.source).first()
    return state.good_at if state else None


def _superseded(listing: Listing) -> bool:
    live = Listing.objects.filter(offering=listing.offering, origin=Origin.LIVE, withdrawn_at=None)
    return listing.origin == Origin.SNAPSHOT and live.exists()
