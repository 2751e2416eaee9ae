"""The prices of one listing: as they are shown, as they were stated, and how they moved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import zip_longest

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from gpucompare import spoken
from providers.answers import Text
from providers.browse import links
from providers.browse.criteria import HOURS, Criteria
from providers.browse.page import PriceCell
from providers.browse.present import age_text, amount, divisor
from providers.freshness import Band, listing_band
from providers.listing_facts import POINTS_SHOWN, OpenedListing
from providers.models import Listing, Origin, PricePoint

UNITS = Criteria()  # USD for one GPU an hour
PERIODS = tuple(HOURS)


@dataclass(frozen=True)
class PriceLine:
    """One price for an hour, a day and a month, with the sign of its currency."""

    label: Text
    amounts: tuple[str, ...]


@dataclass(frozen=True)
class Stated:
    """What the source said before anything was worked out from it."""

    price: str  # its own spelling; empty when there is none
    spot: str
    unit: Text  # "EUR / instance / hour"
    steps: tuple[Text, ...]  # how the price of an instance in USD an hour follows


@dataclass(frozen=True)
class PointView:
    """A price from `at` on, in the unit of the page, and its step from the one before."""

    at: Text
    iso: str
    price: str
    spot: str
    change: str  # "+4.2 %"; empty when it did not move or nothing stands before


# --- As they are shown ----------------------------------------------------------


def shown_price(opened: OpenedListing, now: datetime) -> PriceCell:
    """The price that the list shows: on demand, else the spot price that stands alone."""
    listing, seen_at = opened.listing, opened.seen_at
    age = age_text(listing.origin, seen_at, now) if seen_at else ""
    band = listing_band(listing.origin, seen_at, now) if seen_at else Band.LAST_SEEN
    instance = listing.usd_per_hour or listing.spot_usd_per_hour
    one = _for_one(instance, listing)
    if instance is None or one is None:
        return PriceCell(age=age, band=band.value)
    return PriceCell(
        amount(one, UNITS),
        listing.gpu_name,
        age,
        band.value,
        listing.usd_per_hour is None,
        divisor(instance, listing.gpu_count, UNITS),
    )


def _for_one(instance: Decimal | None, listing: Listing) -> Decimal | None:
    return instance / listing.gpu_count if instance is not None and listing.gpu_count else None


def price_lines(listing: Listing) -> Iterator[PriceLine]:
    """Each known price for one GPU and, where that is another, for the instance."""
    several = (listing.gpu_count or 1) > 1
    for per_gpu, whole, usd in (
        (_("On demand, one GPU"), _("On demand, the instance"), listing.usd_per_hour),
        (_("Spot, one GPU"), _("Spot, the instance"), listing.spot_usd_per_hour),
    ):
        if usd is not None:
            one = _for_one(usd, listing)
            if one is not None:
                yield PriceLine(per_gpu, _amounts(one))
            if one is None or several:
                yield PriceLine(whole, _amounts(usd))


def _amounts(usd_per_hour: Decimal) -> tuple[str, ...]:
    asked = [UNITS.put("period", period) for period in PERIODS]
    return tuple(f"{links.sign(units)}{amount(usd_per_hour, units)}" for units in asked)


# --- As they were stated --------------------------------------------------------


def stated(listing: Listing) -> Stated:
    currency, per, period = _stated_unit(listing)
    unit = f"{currency} / {_PER[per]} / {_PERIOD[period]}" if currency else ""
    steps = tuple(_steps(listing, currency, per, period)) if currency else ()
    if listing.origin == Origin.SNAPSHOT:
        price, spot = listing.usd_per_hour, listing.spot_usd_per_hour
        return Stated(_spelled(price, listing), _spelled(spot, listing), unit, steps)
    return Stated(listing.stated_price, listing.stated_spot_price, unit, steps)


def _spelled(usd: Decimal | None, listing: Listing) -> str:
    """All digits of a price of the snapshot's file; its listing holds it for the instance."""
    one = _for_one(usd, listing)
    return "" if one is None else f"{one.normalize():f}"


_PER: dict[str, Text] = {"gpu": gettext_lazy("GPU"), "instance": gettext_lazy("instance")}
_PERIOD: dict[str, Text] = {
    "hour": gettext_lazy("hour"),
    "day": gettext_lazy("day"),
    "month": gettext_lazy("month"),
}


def _stated_unit(listing: Listing) -> tuple[str, str, str]:
    """Currency, divisor and period of what was stated; an empty currency when nothing was.

    The snapshot's file states USD for one GPU an hour.
    """
    if listing.origin == Origin.SNAPSHOT:
        return "USD", "gpu", "hour"
    currency, _slash, rest = listing.stated_unit.partition(" / ")
    per, _slash, period = rest.partition(" / ")
    return (currency, per, period) if per in _PER and period in _PERIOD else ("", "", "")


def _steps(listing: Listing, currency: str, per: str, period: str) -> Iterator[Text]:
    if per == "gpu" and (listing.gpu_count or 1) > 1:
        yield _("Stated for one GPU: the instance costs %(n)s times that.") % {
            "n": listing.gpu_count
        }
    if period == "day":
        yield _("Stated for a day: an hour is one of 24.")
    if period == "month":
        yield _("Stated for a month: an hour is one of %(n)s.") % {"n": HOURS["month"]}
    if currency != "USD":
        yield _(
            "Stated in %(currency)s: converted to US dollars at the European Central Bank's rate "
            "that was the latest when it was read."
        ) % {"currency": currency}


# --- How they moved -------------------------------------------------------------


def price_points(opened: OpenedListing) -> Iterator[PointView]:
    """Each shown point with its step from the next older one; none of a dated price, because one
    reading is no course."""
    if opened.listing.origin != Origin.LIVE:
        return
    pairs = list(zip_longest(opened.points, opened.points[1:]))
    for point, before in pairs[:POINTS_SHOWN]:
        yield PointView(
            at=spoken.short_moment(point.at),
            iso=point.at.isoformat(timespec="seconds"),
            price=_shown(point.usd_per_hour, opened.listing),
            spot=_shown(point.spot_usd_per_hour, opened.listing),
            change=_change(point, before),
        )


def thinned(opened: OpenedListing) -> Iterator[Text]:
    """What is not kept any more between the shown points."""
    shown = opened.points[:POINTS_SHOWN]
    oldest = min((point.at for point in shown), default=None)
    if oldest is None or opened.listing.origin != Origin.LIVE:
        return
    if opened.every_change_since and oldest < opened.every_change_since:
        yield _(
            "Before %(day)s only the lowest, the highest and the last price of a day are kept."
        ) % {"day": spoken.day(opened.every_change_since)}
    if opened.each_day_since and oldest < opened.each_day_since:
        yield _("Before %(day)s they are those of a week.") % {
            "day": spoken.day(opened.each_day_since)
        }


def _shown(usd: Decimal | None, listing: Listing) -> str:
    one = _for_one(usd, listing)
    return amount(one, UNITS) if one is not None else ""


def _change(point: PricePoint, before: PricePoint | None) -> str:
    """How far the price on demand moved, in percent of what it was."""
    if before is None or not before.usd_per_hour or point.usd_per_hour is None:
        return ""
    percent = round((point.usd_per_hour / before.usd_per_hour - 1) * 100, 1)
    if not percent:
        return ""
    sign = "+" if percent > 0 else "−"
    return pgettext("percent", "%(sign)s%(n)s %%") % {"sign": sign, "n": f"{abs(percent):f}"}
