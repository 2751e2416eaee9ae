"""ListingsResult → ListingsPage."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from urllib.parse import urlsplit

from django.urls import reverse
from django.utils.translation import gettext as _

from gpucompare import spoken
from providers.answers import Text
from providers.browse import links
from providers.browse.criteria import Criteria, Ignored
from providers.browse.frame import frame
from providers.browse.judge import Truth
from providers.browse.listings import ListedRow, ListingsResult
from providers.browse.page import ListedPrice, ListingsPage, PriceCell
from providers.browse.parameters import PARAMETERS
from providers.browse.present import age_text, amount, divisor
from providers.freshness import listing_band
from providers.models import Origin, Stock
from providers.wording import UNKNOWN

STOCK_STATES = {
    Stock.AVAILABLE: "yes",
    Stock.SCARCE: "partly",
    Stock.NONE: "no",
    Stock.UNKNOWN: "unknown",
}


def listings_page(
    result: ListingsResult, ignored: Sequence[Ignored], now: datetime
) -> ListingsPage:
    """The page for a result; `ignored` becomes its notices."""
    criteria, path = result.criteria, reverse("listings")
    behind = result.rows[-1].after if result.more else ""
    return ListingsPage(
        **frame(result, ignored, path, ((row.origin, row.seen_at) for row in result.rows)),
        rows=tuple(_row(row, result, now) for row in result.rows),
        may_starts=next((r.id for r in result.rows if r.truth == Truth.MAYBE), None),
        other_unit=links.price_unit(criteria, other=True),
        match=result.match,
        may=result.may,
        next_url=criteria.put("after", behind).url(path) if behind else "",
        first_url=criteria.put("after").url(path) if criteria.one("after") else "",
        browse_url=criteria.put("after").url(reverse("browse")),
    )


def _row(row: ListedRow, result: ListingsResult, now: datetime) -> ListedPrice:
    criteria = result.criteria
    offering = result.offerings[row.offering_id]
    provider_url = reverse("provider", args=[offering.provider.slug])
    slug = result.gpu_slug(row)
    return ListedPrice(
        id=row.id,
        url=reverse("listing", args=[row.id]),
        provider=offering.provider.name,
        provider_url=provider_url,
        offering=offering.name,
        offering_url=f"{provider_url}#{offering.slug}",
        gpu=row.gpu_name,
        gpu_url=reverse("gpu", args=[slug]) if slug else "",
        gpu_count=str(row.gpu_count or ""),
        vram=_("%(size)s GB") % {"size": row.vram_gb} if row.vram_gb else "",
        region=row.region,
        price=_price(row, criteria, now),
        other=_other(row, criteria),
        spot=_spot(row, criteria),
        stock=_stock(row),
        stock_state=STOCK_STATES[Stock(row.stock)],
        driver=row.driver,
        cuda=row.cuda,
        tier=row.tier,
        source_url=row.source_url,
        source_host=urlsplit(row.source_url).hostname or "",
        seen=_seen(row),
        may=row.truth == Truth.MAYBE,
        unknown=_unknown(row, result) if row.truth == Truth.MAYBE else (),
    )


def _price(row: ListedRow, criteria: Criteria, now: datetime) -> PriceCell:
    band = listing_band(row.origin, row.seen_at, now).value
    age = age_text(row.origin, row.seen_at, now)
    if row.shown is None or row.instance is None:
        return PriceCell(age=age, band=band)
    return PriceCell(
        amount(row.shown, criteria),
        row.gpu_name,
        age,
        band,
        row.is_spot,
        divisor(row.instance, row.gpu_count, criteria),
    )


def _per(usd: Decimal | None, row: ListedRow, per_gpu: bool) -> Decimal | None:
    if usd is None or not per_gpu:
        return usd
    return usd / row.gpu_count if row.gpu_count else None


def _other(row: ListedRow, criteria: Criteria) -> str:
    price = _per(row.instance, row, per_gpu=not criteria.per_gpu)
    return amount(price, criteria) if price is not None else ""


def _spot(row: ListedRow, criteria: Criteria) -> str:
    price = _per(row.spot_usd_per_hour, row, criteria.per_gpu)
    return amount(price, criteria) if price is not None else ""


def _stock(row: ListedRow) -> Text:
    if row.stock == Stock.UNKNOWN:
        return UNKNOWN
    return spoken.number(row.stock_count) if row.stock_count is not None else Stock(row.stock).label


def _seen(row: ListedRow) -> Text:
    if row.origin == Origin.SNAPSHOT:
        return spoken.day(row.seen_at)
    return spoken.moment(row.seen_at)


def _unknown(row: ListedRow, result: ListingsResult) -> tuple[Text, ...]:
    """What cannot be answered for a row: its offering's filters, then those about the row."""
    names = [*result.unknown[row.offering_id], *row.unknown]
    return tuple(PARAMETERS[name].unknown_label for name in names)
