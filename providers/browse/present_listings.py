"""ListingsResult → ListingsPage."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from functools import cache, partial
from typing import NamedTuple
from urllib.parse import urlsplit

from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from gpucompare import spoken
from gpucompare.addresses import by_slug
from providers.browse import links
from providers.browse.criteria import Criteria, Ignored
from providers.browse.frame import frame
from providers.browse.judge import Truth
from providers.browse.kept import minute
from providers.browse.listings import ListedRow, ListingsResult
from providers.browse.page import ListedPrice, ListingsPage, PriceCell
from providers.browse.parameters import PARAMETERS
from providers.browse.present import age_text, amount, divisor
from providers.freshness import listing_band
from providers.models import Origin, Stock
from providers.wording import UNKNOWN

STOCK_STATES: Mapping[str, str] = {
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
        rows=_rows(result, now),
        may_starts=next((r.id for r in result.rows if r.truth == Truth.MAYBE), None),
        other_unit=links.price_unit(criteria, other=True),
        match=result.match,
        may=result.may,
        next_url=criteria.put("after", behind).url(path) if behind else "",
        first_url=criteria.put("after").url(path) if criteria.one("after") else "",
        browse_url=criteria.put("after").url(reverse("browse")),
    )


def _rows(result: ListingsResult, now: datetime) -> tuple[ListedPrice, ...]:
    """Put into words once a minute for all pages that show a row in the same units."""
    asked = result.criteria
    units = (asked.one("currency"), asked.scale, asked.per_gpu, asked.spot_only)
    same = (get_language(), minute(now), *units)
    rows: dict[Hashable, ListedRow] = {
        (row.id, row.truth, row.unknown, *same): row for row in result.rows
    }

    def tell(missing: list[Hashable]) -> dict[Hashable, ListedPrice]:
        told = _Told(result, now)
        return {key: _row(rows[key], result, told) for key in missing}

    found = result.told.of([*rows], tell)
    return tuple(found[key] for key in rows)


class _Told:
    """What many rows of a page tell alike, told once: where they lead to, and how old they are."""

    def __init__(self, result: ListingsResult, now: datetime) -> None:
        self._slugs, self._listings = result.gpu_slug, reverse("listings")
        self.provider, self._gpu = by_slug("provider"), by_slug("gpu")
        self.vram = cache(lambda size: _("%(size)s GB") % {"size": size} if size else "")
        self.stock = cache(_stock)
        self._host = cache(lambda site: urlsplit(site).hostname or "")
        self.seen = cache(partial(_seen, now))

    def listing(self, row: ListedRow) -> str:
        return f"{self._listings}{row.id}/"

    def host(self, url: str) -> str:
        # Up to the path, which is another one for each row.
        return self._host("/".join(url.split("/", 3)[:3]))

    def gpu(self, row: ListedRow) -> str:
        slug = self._slugs(row)
        return self._gpu(slug) if slug else ""


class _Sighting(NamedTuple):
    """When a row was seen: its band, its age, and the exact moment or day."""

    band: str
    age: str
    at: str


def _row(row: ListedRow, result: ListingsResult, told: _Told) -> ListedPrice:
    criteria = result.criteria
    offering = result.offerings[row.offering_id]
    provider_url = told.provider(offering.provider.slug)
    seen = told.seen(row.origin, row.seen_at)
    return ListedPrice(
        id=row.id,
        url=told.listing(row),
        provider=offering.provider.name,
        provider_url=provider_url,
        offering=offering.name,
        offering_url=f"{provider_url}#{offering.slug}",
        gpu=row.gpu_name,
        gpu_url=told.gpu(row),
        gpu_count=str(row.gpu_count or ""),
        vram=told.vram(row.vram_gb),
        region=row.region,
        price=_price(row, criteria, seen),
        other=_other(row, criteria),
        spot=_spot(row, criteria),
        stock=told.stock(row.stock, row.stock_count),
        stock_state=STOCK_STATES[row.stock],
        driver=row.driver,
        cuda=row.cuda,
        tier=row.tier,
        source_url=row.source_url,
        source_host=told.host(row.source_url),
        seen=seen.at,
        may=row.truth == Truth.MAYBE,
        unknown=tuple(PARAMETERS[name].unknown_label for name in row.unknown),
    )


def _price(row: ListedRow, criteria: Criteria, seen: _Sighting) -> PriceCell:
    if row.shown is None or row.instance is None:
        return PriceCell(age=seen.age, band=seen.band)
    return PriceCell(
        amount(row.shown, criteria),
        row.gpu_name,
        seen.age,
        seen.band,
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


def _stock(stock: str, count: int | None) -> str:
    if stock == Stock.UNKNOWN:
        return str(UNKNOWN)
    return spoken.number(count) if count is not None else str(Stock(stock).label)


def _seen(now: datetime, origin: str, at: datetime) -> _Sighting:
    exact = spoken.day(at) if origin == Origin.SNAPSHOT else spoken.moment(at)
    return _Sighting(listing_band(origin, at, now).value, age_text(origin, at, now), exact)
