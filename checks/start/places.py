"""Where an image would start: what an offering's claims and one of its listings tell the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from checks.coldstart import (
    Basis,
    Place,
    Terms,
    link_of,
    minimum_of,
    provision_of,
    with_prices,
)
from checks.verdicts import Checked
from providers.models import Listing, Offering


class Rented(NamedTuple):
    """A listing as the model and a launch take it."""

    pk: int
    usd_per_hour: Decimal | None
    spot_usd_per_hour: Decimal | None
    gpu_count: int | None
    gpu_name: str
    gpu: str | None  # the slug of its model
    family: str | None  # and of its family
    extras: Mapping[str, Any]
    source_url: str

    @property
    def slug(self) -> str:
        """The model, or the family where the name leaves its form open; empty: no table knows."""
        return self.gpu or self.family or ""


_FIELDS = (
    "pk",
    "usd_per_hour",
    "spot_usd_per_hour",
    "gpu_count",
    "gpu_name",
    "gpu__slug",
    "family__slug",
    "extras",
    "source_url",
)


@dataclass(frozen=True)
class Here:
    """An offering with the listing by which it is judged; prices are those of that listing."""

    checked: Checked
    place: Place
    terms: Terms
    on_spot: bool = False  # only its spot price is known, or only spot was asked for
    listing: Rented | None = None  # None: nothing priced is listed

    @property
    def offering(self) -> Offering:
        return self.checked.row.offering

    @property
    def key(self) -> str:
        return f"{self.offering.provider.slug}/{self.offering.slug}"

    @property
    def rented(self) -> Terms:
        """The terms of the machine that one would get: at the spot price where it is spot."""
        return self.terms.on_spot if self.on_spot else self.terms


def heres(rows: Iterable[Checked], cached: bool = False) -> tuple[Here, ...]:
    """In the order of `rows`. One query."""
    rows = tuple(rows)
    ids = [one.stand.cheapest.listing for one in rows if one.stand.cheapest]
    found = Listing.objects.filter(pk__in=ids).order_by().values_list(*_FIELDS)
    listings = {pk: Rented(pk, *rest) for pk, *rest in found}
    return tuple(_here(one, listings, cached) for one in rows)


def _here(one: Checked, listings: Mapping[int, Rented], cached: bool) -> Here:
    cheapest = one.stand.cheapest
    listing = listings.get(cheapest.listing) if cheapest else None
    row = one.row.cheapest
    return Here(
        one,
        place_of(one.row.offering, listing.extras if listing else {}, cached),
        terms_of(one.row.offering, listing),
        on_spot=bool(row and row.spot),
        listing=listing,
    )


def place_of(offering: Offering, extras: Mapping[str, Any], cached: bool = False) -> Place:
    speed, basis = _link(extras)
    return Place(
        kind=offering.provider.kind,
        isolation=offering.answer("isolation") or "",
        image_cache=offering.answer("image_cache"),
        cached=cached,
        down_mbps=speed,
        down_basis=basis,
        provision=provision_of(f"{offering.provider.slug}/{offering.slug}"),
    )


def terms_of(offering: Offering, listing: Rented | None) -> Terms:
    terms = Terms(
        usd_per_hour=listing.usd_per_hour if listing else None,
        spot_usd_per_hour=listing.spot_usd_per_hour if listing else None,
        billed_during_pull=offering.answer("billed_during_pull"),
        increment_s=offering.answer("billing_increment_s"),
        minimum_s=minimum_of(f"{offering.provider.slug}/{offering.slug}"),
    )
    try:
        return with_prices(terms, listing.extras if listing else {})
    except ValueError:
        # A figure that cannot be, told by somebody's API, is a figure not known.
        return terms


def _link(extras: Mapping[str, Any]) -> tuple[Decimal | None, Basis]:
    try:
        found = link_of(extras)
    except ValueError:
        found = None
    # A speed test that measured nothing says nothing.
    return found if found and found[0] else (None, Basis.MEASURED)
