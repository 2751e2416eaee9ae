"""BrowseResult → BrowsePage: words, marks and addresses for the template."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from providers.answers import Dimension, Text
from providers.browse import links
from providers.browse.criteria import Criteria, Ignored
from providers.browse.facets import FacetCount
from providers.browse.page import (
    BrowsePage,
    Cell,
    Choice,
    Column,
    Facet,
    FacetValue,
    Group,
    PriceCell,
    Relaxation,
    Row,
    Section,
)
from providers.browse.parameters import PARAMETERS
from providers.browse.query import BrowseResult, Cheapest, Judged
from providers.dimensions import DIMENSIONS, MAIN
from providers.freshness import ReviewBand, claim_band, listing_band
from providers.models import Origin, Status
from providers.wording import cell_detail, cell_state, cell_text, joined

PAGE_SIZE = 150
# Facet values beyond these are folded away.
OPEN_VALUES = 8
_LISTING_FACETS = ("gpu", "gpu_count", "region", "spot_only", "in_stock")


def browse_page(result: BrowseResult, ignored: Sequence[Ignored], now: datetime) -> BrowsePage:
    """The page for a result; `ignored` becomes its notices."""
    criteria, path = result.criteria, reverse("browse")
    shown = [*result.match, *_shown_may(result), *result.closed]
    page = min(criteria.page, max(1, -(-len(shown) // PAGE_SIZE)))
    rows = shown[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
    return BrowsePage(
        sections=_sections(result, rows, now),
        facets=_all_facets(result, path),
        chips=links.chips(criteria, path, result.gpu_names),
        presets=links.presets(criteria, path),
        notices=tuple(links.notice(part) for part in ignored),
        columns=tuple(
            Column(d.key, d.column_label, d.question)
            for d in (DIMENSIONS[key] for key in criteria.columns)
        ),
        column_choices=links.columns(criteria, path),
        sorts=links.sorts(criteria, path),
        unknown_switch=links.unknown_switch(criteria, path),
        exports=links.exports(criteria, path),
        numbers=links.numbers(criteria),
        hidden=links.hidden(criteria, "q"),
        number_hidden=links.hidden(criteria, *links.NUMBERS),
        q=criteria.one("q"),
        match=len(result.match),
        may=len(result.may),
        total=result.total,
        providers=len({row.offering.provider_id for row in result.match}),
        price_unit=links.price_unit(criteria),
        clear_url=criteria.unfiltered().url(path),
        canonical_url=criteria.url(path),
        pages=_pages(criteria, path, len(shown), page),
        relaxations=_relaxations(result, path),
        snapshot_day=_snapshot_day(result),
    )


def _shown_may(result: BrowseResult) -> tuple[Judged, ...]:
    return () if result.criteria.one("unknown") == "hide" else result.may


def _pages(criteria: Criteria, path: str, rows: int, page: int) -> tuple[Choice, ...]:
    count = -(-rows // PAGE_SIZE)
    if count < 2:
        return ()
    return tuple(
        Choice(str(n), str(n), criteria.put("page", str(n)).url(path), n == page)
        for n in range(1, count + 1)
    )


def _snapshot_day(result: BrowseResult) -> Text:
    days = [
        row.cheapest.seen_at
        for row in result.rows
        if row.cheapest and row.cheapest.origin == Origin.SNAPSHOT
    ]
    return date_format(max(days), "j F Y") if days else ""


# --- Rows ------------------------------------------------------------------------


def _sections(result: BrowseResult, rows: list[Judged], now: datetime) -> tuple[Section, ...]:
    standing = {id(row): "closed" for row in result.closed}
    standing |= {id(row): "match" for row in result.match}
    found = []
    for key, members in groupby(rows, key=lambda row: standing.get(id(row), "may")):
        part = list(members)
        heading, explanation, count = _heading(key, result)
        found.append(Section(key, heading, explanation, _groups(part, result.criteria, now), count))
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


def _groups(rows: Iterable[Judged], criteria: Criteria, now: datetime) -> tuple[Group, ...]:
    columns = [DIMENSIONS[key] for key in criteria.columns]
    found = []
    for provider, members in groupby(rows, key=lambda row: row.offering.provider):
        url = reverse("provider", args=[provider.slug])
        found.append(
            Group(
                provider.name,
                url,
                provider.get_kind_display(),
                tuple(_row(row, url, columns, criteria, now) for row in members),
                provider.status,
                "" if provider.status == Status.ACTIVE else provider.get_status_display(),
            )
        )
    return tuple(found)


def _row(
    row: Judged, provider_url: str, columns: list[Dimension], criteria: Criteria, now: datetime
) -> Row:
    offering = row.offering
    # Put together by hand: `reverse` for each of a thousand cells costs more than the page.
    base = f"{provider_url}{offering.slug}/"
    return Row(
        f"{offering.provider.slug}/{offering.slug}",
        offering.name,
        f"{provider_url}#{offering.slug}",
        offering.summary,
        offering.docs,
        tuple(_cell(row, dimension, base, now) for dimension in columns),
        price_cell(row.cheapest, criteria, now),
        offering.status == Status.CLOSED,
        tuple(PARAMETERS[name].unknown_label for name in row.unknown),
    )


def _cell(row: Judged, dimension: Dimension, base: str, now: datetime) -> Cell:
    key = dimension.key
    due = key in row.read_on and claim_band(row.read_on[key], now.date()) is ReviewBand.DUE
    return Cell(
        key,
        cell_state(row.offering, dimension),
        cell_text(row.offering, dimension),
        f"{base}{key}/",
        cell_detail(row.offering, dimension),
        due,
    )


def price_cell(cheapest: Cheapest | None, criteria: Criteria, now: datetime) -> PriceCell:
    """A price in the asked unit, with its age and its divisor."""
    if cheapest is None:
        return PriceCell()
    divisor = ""
    if criteria.per_gpu and (cheapest.gpu_count or 1) > 1:
        divisor = f"${cheapest.instance * criteria.hours:.2f} ÷ {cheapest.gpu_count}"
    return PriceCell(
        f"{cheapest.shown * criteria.hours:.2f}",
        _gpu_text(cheapest),
        _age(cheapest, now),
        listing_band(cheapest.origin, cheapest.seen_at, now).value,
        cheapest.spot,
        divisor,
    )


def _gpu_text(cheapest: Cheapest) -> str:
    count = cheapest.gpu_count or 1
    return cheapest.gpu_name if count == 1 else f"{count} × {cheapest.gpu_name}"


def _age(cheapest: Cheapest, now: datetime) -> str:
    if cheapest.origin == Origin.SNAPSHOT:
        return date_format(cheapest.seen_at, "j M Y")
    return _("%(time)s ago") % {"time": timesince(cheapest.seen_at, now, depth=1)}


# --- Facets ----------------------------------------------------------------------


def _all_facets(result: BrowseResult, path: str) -> tuple[Facet, ...]:
    main = [d.key for d in MAIN]
    rest = [key for key in DIMENSIONS if key not in main]
    order = [*main, "gpu", "gpu_count", "region", "spot_only", "in_stock", "kind", *rest]
    found = [_facet(result, name, path) for name in order if result.facets.get(name)]
    return tuple(facet for facet in found if facet.values)


def _facet(result: BrowseResult, name: str, path: str) -> Facet:
    criteria = result.criteria
    asked = criteria.all(name)
    counts = [c for c in result.facets[name] if c.match or c.may or c.value in asked]
    if name == "gpu":
        counts.sort(key=lambda c: -c.match)
    values = [_facet_value(result, name, count, path) for count in counts]
    first = [v for i, v in enumerate(values) if i < OPEN_VALUES or v.active]
    folded = [v for i, v in enumerate(values) if i >= OPEN_VALUES and not v.active]
    dimension = DIMENSIONS.get(name)
    return Facet(
        name,
        PARAMETERS[name].label,
        dimension.question if dimension else "",
        tuple(first),
        bool(asked),
        tuple(folded),
        bool(asked) or name == "gpu" or (dimension is not None and dimension.main),
    )


def _facet_value(result: BrowseResult, name: str, count: FacetCount, path: str) -> FacetValue:
    dimension = DIMENSIONS.get(name)
    known = dimension.by_key.get(count.value) if dimension else None
    return FacetValue(
        count.value,
        links.words(result.criteria, name, count.value, result.gpu_names),
        count.match,
        count.may,
        count.value in result.criteria.all(name),
        result.criteria.toggled(name, count.value).url(path),
        f"f-{name}-{count.value}",
        known.help if known else "",
    )


# --- Why nothing -------------------------------------------------------------------


def _relaxations(result: BrowseResult, path: str) -> tuple[Relaxation, ...]:
    best = max((c.regained for c in result.costs), default=0)
    most = max((c.removes for c in result.costs), default=0)
    return tuple(
        Relaxation(
            PARAMETERS[cost.name].label,
            joined(
                [
                    links.words(result.criteria, cost.name, v, result.gpu_names)
                    for v in result.criteria.all(cost.name)
                ]
            ),
            cost.removes,
            cost.regained,
            result.criteria.without(cost.name).url(path),
            # Lifting one may not be enough; then the one that removes most goes first.
            cost.regained == best if best else cost.removes == most,
        )
        for cost in result.costs
    )
