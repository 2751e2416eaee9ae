"""A price history as a drawing, as a table and in words. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import groupby

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gpucompare import spoken
from providers.answers import Text
from providers.browse.criteria import Criteria
from providers.browse.links import price_unit
from providers.browse.present import amount
from providers.gpu_links import GpuLink
from providers.price_history import DAY, KEPT_DAYS, Series

# Of the drawing, in its own units: it stretches to the room there is.
DAY_WIDTH = 10
HEIGHT = 200
# A day alone shows no course.
DAYS_NEEDED = 2
# Drawings that stand open; the others are folded away.
OPEN_CHARTS = 6


@dataclass(frozen=True)
class Period:
    """Days on end at one price, as it is shown; without `price` nothing is known of them."""

    first: Text
    last: Text  # empty for a single day
    price: str


@dataclass(frozen=True)
class Chart:
    """Each run of known days is a line of steps; days of which nothing is known are left out."""

    id: str
    name: str
    url: str
    width: int
    height: int
    path: str
    highest: str
    lowest: str  # empty when the price never moved: then one label says it
    first: Text
    last: Text
    summary: Text
    periods: tuple[Period, ...]  # the latest first


@dataclass(frozen=True)
class History:
    """Drawings where there is something to draw, else since when prices are kept."""

    unit: Text
    charts: tuple[Chart, ...]
    folded: tuple[Chart, ...]
    instead: Text


def history(found: Mapping[GpuLink, Series], today: date) -> History:
    """The part of a page for the series of its GPUs."""
    links = sorted(found, key=lambda link: link.order)
    charts = [chart(link, found[link], today) for link in links if len(found[link]) >= DAYS_NEEDED]
    return History(
        price_unit(Criteria()),
        tuple(charts[:OPEN_CHARTS]),
        tuple(charts[OPEN_CHARTS:]),
        "" if charts else _instead([day for series in found.values() for day in series]),
    )


def _instead(days: list[date]) -> Text:
    if not days:
        said = ngettext(
            "No live price was seen in the last %(n)d day.",
            "No live prices were seen in the last %(n)d days.",
            KEPT_DAYS,
        )
        return said % {"n": KEPT_DAYS}
    return _("Prices are kept since %(day)s; they are drawn from the second day on.") % {
        "day": spoken.day(min(days))
    }


def chart(link: GpuLink, series: Series, today: date) -> Chart:
    """From the first known day to today. `series` is not empty."""
    first, last = min(series), max(today, *series)
    low, high = min(series.values()), max(series.values())
    return Chart(
        id=f"history-{link.slug}",
        name=link.name,
        url=link.url,
        width=((last - first).days + 1) * DAY_WIDTH,
        height=HEIGHT,
        path=line(series),
        highest=_amount(high),
        lowest=_amount(low) if low < high else "",
        first=spoken.day(first),
        last=spoken.day(last),
        summary=_summary(series, last),
        periods=tuple(periods(series, last))[::-1],
    )


def line(series: Series) -> str:
    """The commands of an SVG path: x from the first known day, y from the highest price down."""
    first = min(series)
    low, high = min(series.values()), max(series.values())
    return "".join(_steps(run, series, first, low, high) for run in runs(series))


def runs(series: Series) -> Iterator[list[date]]:
    """The known days, in order, those on end together."""
    ordered = sorted(series)
    for _gap, members in groupby(enumerate(ordered), key=lambda pair: pair[1] - pair[0] * DAY):
        yield [day for _number, day in members]


def _steps(days: list[date], series: Series, first: date, low: Decimal, high: Decimal) -> str:
    heights = [_height(series[day], low, high) for day in days]
    levels = [(height, len(list(same)) * DAY_WIDTH) for height, same in groupby(heights)]
    steps = "V".join(f"{height}h{width}" for height, width in levels)
    return f"M{(days[0] - first).days * DAY_WIDTH} {steps}"


def _height(price: Decimal, low: Decimal, high: Decimal) -> str:
    """How far below the top; half way when there is no range."""
    share = (high - price) / (high - low) if high > low else Decimal("0.5")
    return f"{share * HEIGHT:.1f}".removesuffix(".0")


def periods(series: Series, last: date) -> Iterator[Period]:
    """All days from the first known one to `last`, those that read alike together."""
    first = min(series)
    days = [first + DAY * n for n in range((last - first).days + 1)]
    shown = {day: _amount(price) for day, price in series.items()}
    for price, members in groupby(days, key=lambda day: shown.get(day, "")):
        part = list(members)
        yield Period(spoken.day(part[0]), spoken.day(part[-1]) if len(part) > 1 else "", price)


def _summary(series: Series, last: date) -> Text:
    said = _latest(series)
    unknown = (last - min(series)).days + 1 - len(series)
    if not unknown:
        return said
    gap = ngettext("Nothing is known of %(n)d day.", "Nothing is known of %(n)d days.", unknown)
    return f"{said} {gap % {'n': unknown}}"


def _latest(series: Series) -> str:
    """The latest known price, and the lowest, at its latest day."""
    latest, cheapest = max(series), min(series, key=lambda day: (series[day], -day.toordinal()))
    words = {"latest": _amount(series[latest]), "day": spoken.day(latest)}
    if latest == cheapest:
        return _("%(latest)s on %(day)s, the lowest of these days.") % words
    words |= {"lowest": _amount(series[cheapest]), "cheapest": spoken.day(cheapest)}
    return _("%(latest)s on %(day)s; the lowest was %(lowest)s on %(cheapest)s.") % words


def _amount(price: Decimal) -> str:
    return f"${amount(price, Criteria())}"
