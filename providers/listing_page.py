"""What the page of one listing shows: its prices, where they come from, and the machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gpucompare import spoken
from providers.answers import Text
from providers.browse import links
from providers.browse.page import Cell, PriceCell
from providers.browse.present import answer_cell
from providers.browse.present_listings import STOCK_STATES
from providers.claim_views import offering_url
from providers.dimensions import MAIN
from providers.freshness import Band, listing_band
from providers.gpu_links import gpu_url
from providers.listing_extras import extra_facts
from providers.listing_facts import POINTS_SHOWN, OpenedListing
from providers.listing_prices import (
    UNITS,
    PointView,
    PriceLine,
    Stated,
    price_lines,
    price_points,
    shown_price,
    stated,
    thinned,
)
from providers.models import Listing, Origin, Status, Stock
from providers.sources import SOURCES
from providers.wording import UNKNOWN


@dataclass(frozen=True)
class Fact:
    """A line of the sheet; `known` is false where nobody tells."""

    label: Text
    text: Text
    known: bool = True
    mark: str = ""  # yes | partly | no | unknown, for what is more than a fact
    url: str = ""


@dataclass(frozen=True)
class SourceView:
    """Who told it. `host` is the API's, or that of the page a dated price was read on."""

    name: Text
    host: str
    url: str  # the address of the page or the API
    status_url: str  # how its runs went; empty for dated prices


@dataclass(frozen=True)
class ListingPage:
    provider: str
    provider_url: str
    offering: str
    offering_url: str
    title: str  # "8 × H100 SXM"
    notices: tuple[Text, ...]
    price: PriceCell
    sign: str  # "$"
    divisors: Text  # "/ GPU / hour"
    unit: Text  # "$ / GPU / hour"
    lines: tuple[PriceLine, ...]
    stated: Stated
    facts: tuple[Fact, ...]
    extras: tuple[tuple[Text, str], ...]
    source: SourceView
    seen: Text  # empty where it was not recorded
    first_seen: Text
    withdrawn: Text  # since when it is not offered any more; empty while it is
    points: tuple[PointView, ...]  # none of a dated price: one reading is no course
    unmoved: Text  # since when, where there is a single point
    older: bool  # whether older points are kept
    thinned: tuple[Text, ...]  # from when on points between them are not kept
    answers: tuple[Cell, ...]  # what Docker support means at its offering
    others_url: str  # the same GPU at every offering; empty when it is not known which it is
    back_url: str


_OUTDATED: dict[Band, Text] = {
    Band.SNAPSHOT: gettext_lazy(
        "A dated price, read once from the provider's page; it has not been read since."
    ),
    Band.STALE: gettext_lazy("The source was not read for so long that this price is stale."),
    Band.LAST_SEEN: gettext_lazy(
        "Only as last seen: the source was not read for so long that nobody knows what it is now."
    ),
}


def listing_page(opened: OpenedListing, now: datetime) -> ListingPage:
    listing = opened.listing
    offering = listing.offering
    provider_url = reverse("provider", args=[offering.provider.slug])
    gpu = listing.gpu or listing.family
    asked = UNITS.put("gpu", gpu.slug).put("sort", "price") if gpu else None
    base = f"{provider_url}{offering.slug}/"
    points = tuple(price_points(opened))
    return ListingPage(
        provider=offering.provider.name,
        provider_url=provider_url,
        offering=offering.name,
        offering_url=offering_url(offering),
        title=f"{listing.gpu_count} × {listing.gpu_name}"
        if listing.gpu_count
        else listing.gpu_name,
        notices=tuple(_notices(opened, now)),
        price=shown_price(opened, now),
        sign=links.sign(UNITS),
        divisors=links.divisors(UNITS),
        unit=links.price_unit(UNITS),
        lines=tuple(price_lines(listing)),
        stated=stated(listing),
        facts=tuple(_facts(listing)),
        extras=extra_facts(listing.extras),
        source=_source(listing),
        seen=_moment(listing, opened.seen_at),
        first_seen=_moment(listing, listing.first_seen),
        withdrawn=spoken.moment(listing.withdrawn_at) if listing.withdrawn_at else "",
        points=points,
        unmoved=points[0].at if len(points) == 1 else "",
        older=len(opened.points) > POINTS_SHOWN,
        thinned=tuple(thinned(opened)),
        answers=tuple(answer_cell(offering, d, opened.read_on, base, now) for d in MAIN),
        others_url=asked.url(reverse("listings")) if asked else "",
        back_url=UNITS.put("sort", "price").url(reverse("listings")),
    )


def _notices(opened: OpenedListing, now: datetime) -> Iterator[Text]:
    """What speaks against acting on the price, gravest first."""
    listing = opened.listing
    closed = Status.CLOSED in (listing.offering.status, listing.offering.provider.status)
    if listing.withdrawn_at:
        yield _("No longer offered: its source stopped naming it. It is kept as it was last.")
    elif closed:
        yield _("The offering is closed: this can no longer be rented.")
    elif opened.superseded:
        yield _("The provider's own API was read since; its prices stand in place of this one.")
    elif opened.seen_at:
        band = listing_band(listing.origin, opened.seen_at, now)
        if band in _OUTDATED:
            yield _OUTDATED[band]


# --- The machine -----------------------------------------------------------------


def _facts(listing: Listing) -> Iterator[Fact]:
    gpu = listing.gpu or listing.family
    yield Fact(_("GPU"), gpu.name, url=gpu_url(gpu.slug)) if gpu else _unknown(_("GPU"))
    yield Fact(_("Named by the source"), listing.gpu_name)
    yield _fact(_("GPU count"), str(listing.gpu_count or ""))
    yield _fact(_("Memory"), _memory(listing))
    yield _fact(_("Region"), listing.region)
    if listing.tier:
        yield Fact(_("Tier"), listing.tier)
    yield Fact(_("Stock"), _stock(listing), mark=STOCK_STATES[Stock(listing.stock)])
    yield _spot(listing)
    yield _fact(_("Host driver"), listing.driver)
    yield _fact(_("Highest CUDA"), listing.cuda)


def _unknown(label: Text) -> Fact:
    return Fact(label, UNKNOWN, known=False)


def _fact(label: Text, text: Text) -> Fact:
    return Fact(label, text) if text else _unknown(label)


def _memory(listing: Listing) -> Text:
    if not listing.vram_gb:
        return ""
    if (listing.gpu_count or 1) == 1:
        return _("%(size)s GB") % {"size": listing.vram_gb}
    sizes = {"one": listing.vram_gb, "all": listing.vram_gb * (listing.gpu_count or 1)}
    return _("%(one)s GB each, %(all)s GB in all") % sizes


def _stock(listing: Listing) -> Text:
    label = Stock(listing.stock).label
    if listing.stock_count is None:
        return UNKNOWN if listing.stock == Stock.UNKNOWN else label
    return f"{label} · {spoken.number(listing.stock_count)}"


def _spot(listing: Listing) -> Fact:
    label = _("Can be had as spot")
    if listing.spot is None:
        return Fact(label, UNKNOWN, mark="unknown")
    return Fact(label, _("Yes"), mark="yes") if listing.spot else Fact(label, _("No"), mark="no")


# --- Where it comes from, and since when -----------------------------------------


def _source(listing: Listing) -> SourceView:
    if listing.origin == Origin.SNAPSHOT:
        host = urlsplit(listing.source_url).hostname or listing.source_url
        return SourceView(_("The bundled snapshot"), host, listing.source_url, "")
    name = _("The API of %(provider)s") % {"provider": listing.offering.provider.name}
    status_url = f"{reverse('status')}#{listing.source}"
    source = SOURCES.get(listing.source)
    if source is None:  # an older version of the program read it
        return SourceView(name, "", "", status_url)
    host = urlsplit(source.base_url).hostname or source.base_url
    return SourceView(name, host, listing.source_url or source.base_url, status_url)


def _moment(listing: Listing, at: datetime | None) -> Text:
    """A time, or the day for a row of the snapshot, which knows no more than that."""
    if at is None:
        return ""
    return spoken.day(at) if listing.origin == Origin.SNAPSHOT else spoken.moment(at)
