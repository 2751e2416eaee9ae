"""Days, times, numbers and lists as the active language writes them, for people.

Digits are Latin in every language. What a machine reads again (an ISO time, a query string, a
coordinate, a cell of CSV) is never written here, and neither is a price or a version: both keep
their dot everywhere. A language that CLDR does not know is spoken to as English is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Final

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_skeleton, format_timedelta
from babel.numbers import NumberPattern, format_decimal
from django.utils.translation import get_language, get_language_bidi, to_locale
from django.utils.translation import gettext as _

_ENGLISH: Final = "en"
# The day stands before the month, as in the texts of this site.
_ENGLISH_DAYS: Final[Mapping[str, str]] = {
    "long": "d MMMM y",
    "short": "d MMM y",
    "full": "EEEE, d MMMM y",
}
_SHORT_DAY: Final = "yMMMd"
# From the largest on; months and years as CLDR's relative times count them.
_UNITS: Final = (
    timedelta(days=365),
    timedelta(days=30),
    timedelta(weeks=1),
    timedelta(days=1),
    timedelta(hours=1),
    timedelta(minutes=1),
)
_NO_BREAK: Final = "\u00a0"
_GROUPED: Final = 1000


@dataclass(frozen=True)
class _Points:
    comma: str
    semicolon: str
    stop: str


# CLDR knows the commas of lists and no other point. A language without a line has those of Latin.
_LATIN = _Points(", ", "; ", ".")
_POINTS: Final[Mapping[str, _Points]] = {
    "ar": _Points("، ", "؛ ", "."),
    "ur": _Points("، ", "؛ ", "۔"),
    "bn": _Points(", ", "; ", "।"),
}


@lru_cache(maxsize=32)
def _locale(language: str) -> Locale:
    try:
        return Locale.parse(to_locale(language))
    except (UnknownLocaleError, ValueError):
        return Locale.parse(_ENGLISH)


def _active() -> Locale:
    return _locale(get_language() or _ENGLISH)


# --- Days and times ------------------------------------------------------------------------------


def day(at: date) -> str:
    """20 August 2026"""
    return _day(at, "long")


def short_day(at: date) -> str:
    """20 Aug 2026"""
    return _day(at, "short")


def weekday(at: date) -> str:
    """Monday, 20 August 2026"""
    return _day(at, "full")


def _day(at: date, width: str) -> str:
    told = at.astimezone(UTC).date() if isinstance(at, datetime) else at
    return _written(told, width, get_language() or _ENGLISH)


@lru_cache(maxsize=4096)
def _written(told: date, width: str, language: str) -> str:
    """A page of prices says few days many times, and CLDR's patterns are slow to read."""
    locale = _locale(language)
    if locale.language == _ENGLISH:
        return format_date(told, _ENGLISH_DAYS[width], locale=locale)
    if width == "short":
        # The medium width of CLDR is all digits in Arabic.
        return format_skeleton(_SHORT_DAY, told, locale=locale)
    return format_date(told, width, locale=locale)


def clock(at: datetime) -> str:
    """14:05, of a day of 24 hours: all times of this site are UTC."""
    return f"{at.astimezone(UTC):%H:%M}"


def moment(at: datetime) -> str:
    """20 August 2026, 14:05 UTC"""
    return _moment(at, get_language())


@lru_cache(maxsize=1024)
def _moment(at: datetime, _language: str | None) -> str:
    return _with_time(day(at), f"{clock(at)} UTC")


def short_moment(at: datetime) -> str:
    """20 Aug 2026, 14:05"""
    return _with_time(short_day(at), clock(at))


def _with_time(told_day: str, time: str) -> str:
    pattern = str(_active().datetime_formats["medium"])
    return pattern.replace("{0}", time).replace("{1}", told_day)


def ago(then: datetime, now: datetime) -> str:
    """12 minutes ago: in the largest unit that is full, because nothing is made to look older."""
    if now - then < _UNITS[-1]:
        return _("just now")
    return _relative(-_full_units(now - then))


def ahead(then: datetime, now: datetime) -> str:
    """in 40 minutes; what is about to happen is a minute away."""
    return _relative(_full_units(max(then - now, _UNITS[-1])))


def _full_units(span: timedelta) -> timedelta:
    unit = next(unit for unit in _UNITS if span >= unit)
    return span // unit * unit


def _relative(span: timedelta) -> str:
    return _told(span, get_language() or _ENGLISH)


@lru_cache(maxsize=1024)
def _told(span: timedelta, language: str) -> str:
    """Fifty rows of a page tell few ages, and CLDR's patterns are slow to read."""
    told = format_timedelta(
        span, granularity="minute", threshold=1, add_direction=True, locale=_locale(language)
    )
    # A number stays with its unit.
    head, *rest = told.split(" ")
    words = [head]
    for word in rest:
        words += [_NO_BREAK if words[-1].isdecimal() else " ", word]
    return "".join(words)


# --- Numbers and lists ---------------------------------------------------------------------------


def number(value: float | Decimal, digits: int | None = None) -> str:
    """1,234.5; with as many digits behind the point as are asked for, else as tell something."""
    if isinstance(value, int) and not digits and value >= 0:  # hundreds on a page
        return str(value) if value < _GROUPED else _in_groups(value, get_language() or _ENGLISH)
    exact = Decimal(str(value)).normalize() if digits is None else Decimal(f"{value:.{digits}f}")
    locale = _active()
    whole = locale.decimal_formats[None].pattern.partition(".")[0]
    zeros = "0" * max(-int(exact.as_tuple().exponent), 0)
    pattern = f"{whole}.{zeros}" if zeros else whole
    return format_decimal(exact, pattern, locale, numbering_system="latn")


def whole_numbers() -> Callable[[int], str]:
    """`number` for many counts of one page, which are not negative."""
    language = get_language() or _ENGLISH
    return lambda value: str(value) if value < _GROUPED else _in_groups(value, language)


def _in_groups(value: int, language: str) -> str:
    """What CLDR's patterns say of a whole number, without reading them for each."""
    told = str(value)
    mark, last, others = _grouping(language)
    head, parts = told[:-last], [told[-last:]]
    while head:
        head, parts = head[:-others], [head[-others:], *parts]
    return mark.join(parts)


@lru_cache(maxsize=32)
def _grouping(language: str) -> tuple[str, int, int]:
    """The mark between groups of digits, and how many stand in the last one and in the others."""
    locale = _locale(language)
    mark: str = locale.number_symbols["latn"]["group"]
    last, others = locale.decimal_formats[None].grouping
    return mark, last, others


def percent(points: float | Decimal, digits: int | None = None) -> str:
    """12.5 %, of 12.5: the sign stands where the language puts it."""
    locale = _active()
    told = number(points, digits)
    if locale.language == _ENGLISH:
        return f"{told} %"
    pattern: NumberPattern = locale.percent_formats[None]
    return f"{pattern.prefix[0]}{told}{pattern.suffix[0]}"


def joined(texts: Iterable[object]) -> str:
    """One after the other, with the comma of the language's script. In a language that runs from
    right to left each is ordered by itself, whatever letters it begins with."""
    isolated = "\u2068{}\u2069" if get_language_bidi() else "{}"
    return comma().join(isolated.format(text) for text in texts)


def comma() -> str:
    return _points().comma


def semicolon() -> str:
    return _points().semicolon


def sentence(*clauses: object) -> str:
    """Clauses as one sentence, with the semicolon and the full stop of the language."""
    return semicolon().join(map(str, clauses)) + _points().stop


def stop() -> str:
    return _points().stop


def _points() -> _Points:
    return _POINTS.get(_active().language, _LATIN)
