"""BrowseResult → BrowsePage: words, marks and addresses for the template."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from itertools import groupby

from django.urls import reverse
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from gpucompare import spoken
from providers.answers import Dimension, Kind, Text
from providers.browse import links
from providers.browse.criteria import Criteria, Ignored
from providers.browse.frame import frame
from providers.browse.kept import kept
from providers.browse.page import (
    BrowsePage,
    Cell,
    Cells,
    Column,
    Group,
    PriceCell,
    Row,
    Section,
)
from providers.browse.paging import paged
from providers.browse.parameters import PARAMETERS, PRICED
from providers.browse.query import BrowseResult, Cheapest, Judged
from providers.browse.world import is_closed
from providers.changes.asked import feed_url
from providers.dimensions import DIMENSIONS
from providers.freshness import ReviewBand, claim_band, listing_band
from providers.models import Offering, Origin, Status
from providers.wording import cell_detail, cell_state, cell_text, joined, text_language

PAGE_SIZE = 150


def browse_page(result: BrowseResult, ignored: Sequence[Ignored], now: datetime) -> BrowsePage:
    """The page for a result; `ignored` becomes its notices."""
    criteria, path = result.criteria, reverse("browse")
    shown = [*result.match, *_shown_may(result), *result.closed]
    rows, pages = paged(shown, PAGE_SIZE, criteria, path)
    prices = (row.cheapest for row in result.rows if row.cheapest)
    return BrowsePage(
        **frame(result, ignored, path, ((p.origin, p.seen_at) for p in prices)),
        presets=links.presets(criteria, path),
        sections=_sections(result, rows, now),
        columns=tuple(
            Column(d.key, d.column_label, d.question)
            for d in (DIMENSIONS[key] for key in criteria.columns)
        ),
        column_choices=links.columns(criteria, path),
        match=len(result.match),
        may=len(result.may),
        total=result.total,
        providers=len({row.offering.provider_id for row in result.match}),
        listings_url=criteria.put("columns").url(reverse("listings")),
        # What is asked beside the criteria, such as an image, is none of a feed.
        feed_url="" if criteria.beside else feed_url(criteria),
        compare_url=reverse("compare"),
        compare_hidden=links.only(criteria, *PRICED),
        pages=pages,
    )


def _shown_may(result: BrowseResult) -> tuple[Judged, ...]:
    return () if result.criteria.one("unknown") == "hide" else result.may


# --- Rows ------------------------------------------------------------------------


def _sections(result: BrowseResult, rows: list[Judged], now: datetime) -> tuple[Section, ...]:
    standing = {id(row): "closed" for row in result.closed}
    standing |= {id(row): "match" for row in result.match}
    found = []
    for key, members in groupby(rows, key=lambda row: standing.get(id(row), "may")):
        part = list(members)
        heading, explanation, count = _heading(key, result)
        found.append(Section(key, heading, explanation, groups(part, result.criteria, now), count))
    return tuple(found)


def _heading(key: str, result: BrowseResult) -> tuple[str, str, int]:
    """Heading, explanation and number of rows on all pages, of one section."""
    if key == "match":
        return _("Matches"), "", len(result.match)
    if key == "may":
        names = {name for row in result.may for name in row.unknown}
        unknown = joined([p.unknown_label for name, p in PARAMETERS.items() if name in names])
        return _("May match"), _("Not known there: %(what)s.") % {"what": unknown}, len(result.may)
    gone = _("Can no longer be rented; kept so that it stays readable.")
    return pgettext("offerings", "Closed"), gone, len(result.closed)


def groups(rows: Iterable[Judged], criteria: Criteria, now: datetime) -> tuple[Group, ...]:
    columns = [DIMENSIONS[key] for key in criteria.columns]
    # What an offering answers is told alike whatever else is asked, for a day and a language.
    told = kept(("cells", criteria.columns, get_language(), now.date()), dict[int, Cells])
    found = []
    for provider, members in groupby(rows, key=lambda row: row.offering.provider):
        url = reverse("provider", args=[provider.slug])
        found.append(
            Group(
                provider.name,
                url,
                provider.get_kind_display(),
                tuple(
                    _row(row, url, _cells(row, url, columns, told, now), criteria, now)
                    for row in members
                ),
                provider.status,
                "" if provider.status == Status.ACTIVE else provider.get_status_display(),
            )
        )
    return tuple(found)


def _cells(
    row: Judged, provider_url: str, columns: list[Dimension], told: dict[int, Cells], now: datetime
) -> Cells:
    offering = row.offering
    if offering.pk not in told:
        # Put together by hand: `reverse` for each of a thousand cells costs more than the page.
        base = f"{provider_url}{offering.slug}/"
        cells = (answer_cell(offering, d, row.read_on, base, now) for d in columns)
        told[offering.pk] = Cells(cells)
    return told[offering.pk]


def _row(row: Judged, provider_url: str, cells: Cells, criteria: Criteria, now: datetime) -> Row:
    offering = row.offering
    return Row(
        f"{offering.provider.slug}/{offering.slug}",
        offering.name,
        f"{provider_url}#{offering.slug}",
        offering.summary,
        offering.docs,
        cells,
        price_cell(row.cheapest, criteria, now),
        is_closed(offering),
        tuple(PARAMETERS[name].unknown_label for name in row.unknown),
    )


def answer_cell(
    offering: Offering,
    dimension: Dimension,
    read_on: Mapping[str, date | None],
    base: str,
    now: datetime,
) -> Cell:
    """An answer as the matrix shows it; `base` is the address of the offering's cells."""
    key = dimension.key
    due = key in read_on and claim_band(read_on[key], now.date()) is ReviewBand.DUE
    return Cell(
        key,
        cell_state(offering, dimension),
        _unbroken(cell_text(offering, dimension), dimension),
        f"{base}{key}/",
        cell_detail(offering, dimension),
        due,
        dimension.column_label,
        text_language(offering, dimension),
    )


def _unbroken(text: Text, dimension: Dimension) -> Text:
    """The answers of a set break between each other, so that a narrow column keeps two lines."""
    if dimension.kind is not Kind.SET:
        return text
    answers = str(text).split(spoken.comma())
    return spoken.comma().join(answer.replace(" ", "\u00a0") for answer in answers)


def price_cell(cheapest: Cheapest | None, criteria: Criteria, now: datetime) -> PriceCell:
    """A price in the asked unit, with its age and its divisor."""
    if cheapest is None:
        return PriceCell()
    return PriceCell(
        amount(cheapest.shown, criteria),
        _gpu_text(cheapest),
        age_text(cheapest.origin, cheapest.seen_at, now),
        listing_band(cheapest.origin, cheapest.seen_at, now).value,
        cheapest.spot,
        divisor(cheapest.instance, cheapest.gpu_count, criteria),
    )


def amount(usd_per_hour: Decimal, criteria: Criteria) -> str:
    """A price in the asked currency and period, to the cent; small ones to where they differ."""
    return _amount(usd_per_hour, criteria.scale)


# The cheapest rows stand on many pages, and each says three amounts.
@lru_cache(maxsize=4096)
def _amount(usd_per_hour: Decimal, scale: Decimal) -> str:
    price = usd_per_hour * scale
    cents = round(price, 2)
    return f"{cents:.2f}" if price >= Decimal("0.1") or cents == price else f"{price:.3f}"


def divisor(instance: Decimal, gpu_count: int | None, criteria: Criteria) -> str:
    """How a price of one GPU follows from the instance's: `$19.92 ÷ 8`."""
    if not criteria.per_gpu or (gpu_count or 1) == 1:
        return ""
    return f"{links.sign(criteria)}{amount(instance, criteria)} ÷ {gpu_count}"


def _gpu_text(cheapest: Cheapest) -> str:
    count = cheapest.gpu_count or 1
    return cheapest.gpu_name if count == 1 else f"{count} × {cheapest.gpu_name}"


def age_text(origin: str, seen_at: datetime, now: datetime) -> str:
    """How old a price is: the day of a snapshot, the time since a live one was seen."""
    if origin == Origin.SNAPSHOT:
        return spoken.short_day(seen_at)
    return spoken.ago(seen_at, now)
