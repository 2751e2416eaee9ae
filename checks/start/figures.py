"""Seconds and dollars as they are shown, each with its exact figure beside it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from checks.coldstart import Cases
from gpucompare import spoken
from providers.answers import Text
from providers.browse import links
from providers.browse.criteria import Criteria

_MINUTE: Final = 60
_HOUR: Final = 3600
_CENT: Final = Decimal("0.01")
# Below these, the smaller unit says more.
_IN_SECONDS: Final = 100
_IN_MINUTES: Final = 100 * 60


@dataclass(frozen=True)
class Figure:
    """A rounded text, and the figure that it was rounded from in plain digits."""

    text: Text
    exact: str


@dataclass(frozen=True)
class Span:
    """In each case; `wide` tells whether the ends are shown otherwise than the likely one."""

    low: Figure
    likely: Figure
    high: Figure

    @property
    def wide(self) -> bool:
        return self.low.text != self.high.text


def times(seconds: Cases) -> Span:
    return Span(*(Figure(short(each), _exact(each)) for each in _cases(seconds)))


def costs(usd: Cases, criteria: Criteria) -> Span:
    return Span(*(Figure(money(each, criteria), _exact(each)) for each in _cases(usd)))


def _cases(found: Cases) -> tuple[Decimal, Decimal, Decimal]:
    return found.low, found.likely, found.high


def _exact(figure: Decimal) -> str:
    return f"{figure.normalize():f}"


def short(seconds: Decimal) -> str:
    """33 s, 2.8 min, 21 min, 1.5 h."""
    if seconds < _IN_SECONDS:
        return pgettext("seconds", "%(n)s s") % {"n": spoken.number(_rounded(seconds, Decimal(1)))}
    if seconds < _IN_MINUTES:
        return pgettext("minutes", "%(n)s min") % {"n": _tenths(seconds / _MINUTE)}
    return pgettext("hours", "%(n)s h") % {"n": _tenths(seconds / _HOUR)}


def in_full(seconds: Decimal) -> str:
    """For a sentence: 33 seconds, 3 minutes, 1.5 hours."""
    if seconds < _IN_SECONDS:
        n = _rounded(seconds, Decimal(1))
        return ngettext("%(n)s second", "%(n)s seconds", int(n)) % {"n": n}
    if seconds < _IN_MINUTES:
        n = _rounded(seconds / _MINUTE, Decimal(1))
        return ngettext("%(n)s minute", "%(n)s minutes", int(n)) % {"n": n}
    return _("%(n)s hours") % {"n": _tenths(seconds / _HOUR)}


def money(usd: Decimal, criteria: Criteria) -> str:
    """In the asked currency: to the cent, few cents to two digits, and what is no cent as less."""
    shown = usd / criteria.usd_per_unit
    sign = links.sign(criteria)
    if 0 < shown < _CENT:
        return f"<\u00a0{sign}{_CENT}"
    tenth = _rounded(shown, _CENT / 10)
    return f"{sign}{tenth.normalize() if 0 < tenth < 10 * _CENT else _rounded(shown, _CENT)}"


def _tenths(figure: Decimal) -> str:
    """One decimal where it says something: 2.8, 3, 21."""
    step = Decimal("0.1") if figure < 10 else Decimal(1)
    return spoken.number(_rounded(figure, step))


def _rounded(figure: Decimal, step: Decimal) -> Decimal:
    return figure.quantize(step, ROUND_HALF_UP)
