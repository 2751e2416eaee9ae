"""Filters, sorts and columns as addresses, with the words for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Protocol

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from providers.answers import Text
from providers.browse.criteria import PAGING, Criteria, Ignored
from providers.browse.page import Chip, Choice, HiddenField, NumberField, Preset
from providers.browse.parameters import PARAMETERS
from providers.browse.presets import PRESETS
from providers.dimensions import DIMENSIONS
from providers.freshness import Band
from providers.models import ProviderKind
from providers.wording import STANDINGS, joined, value_text

NUMBERS = ("max_price", "min_vram", "min_driver", "min_cuda")
EXPORTS = ("csv", "json", "md")
_LISTED = 12


def words(criteria: Criteria, name: str, value: str, gpu_names: Mapping[str, str]) -> Text:
    """A value of a criterion in words."""
    match name:
        case "kind":
            text: Text = ProviderKind(value).label
        case "gpu":
            text = gpu_names.get(value, value)
        case "spot_only" | "in_stock":
            text = PARAMETERS[name].label
        case "freshness":
            text = Band(value).label
        case "verdict":
            text = STANDINGS[value]
        case "max_price":
            text = f"{sign(criteria)}{value}{divisors(criteria)}"
        case "min_vram":
            text = _("%(size)s GB") % {"size": value}
        case _:
            text = value_text(DIMENSIONS[name], value) if name in DIMENSIONS else value
    return text


def element_id(kind: str, name: str, value: str) -> str:
    """The id of a filter's element, so that focus finds it again; ids hold no spaces."""
    return f"{kind}-{name}-{'_'.join(value.split())}"


def chips(criteria: Criteria, path: str, gpu_names: Mapping[str, str]) -> tuple[Chip, ...]:
    return tuple(
        Chip(
            PARAMETERS[name].label,
            words(criteria, name, value, gpu_names),
            criteria.toggled(name, value).url(path),
            element_id("chip", name, value),
        )
        for name, kept in criteria.filters()
        for value in kept
    )


def presets(criteria: Criteria, path: str) -> tuple[Preset, ...]:
    """The ready-made questions; the one that is asked leads back to no filter."""
    return tuple(
        Preset(
            question.key,
            question.label,
            question.help,
            (criteria.unfiltered() if asked else question.applied(criteria)).url(path),
            asked,
        )
        for question in PRESETS
        for asked in [question.is_asked(criteria)]
    )


def sorts(criteria: Criteria, path: str) -> tuple[Choice, ...]:
    labels = {
        "name": _("Name"),
        "price": _("Cheapest first"),
        "-price": _("Dearest first"),
        "freshness": _("Latest read first"),
        "known": _("Best known first"),
    }
    now = criteria.one("sort")
    return tuple(
        Choice(key, label, criteria.put("sort", key).url(path), key == now)
        for key, label in labels.items()
    )


class Addressed(Protocol):
    """A state of a page that is its address: Criteria, or what holds them."""

    def one(self, name: str) -> str: ...
    def put(self, name: str, *values: str) -> Addressed: ...
    def url(self, path: str) -> str: ...


def currencies(criteria: Criteria, path: str, known: Iterable[str]) -> tuple[Choice, ...]:
    """The currencies that prices can be shown in; none while no rate is known."""
    codes = sorted(known)
    return tuple(
        Choice(
            f"currency-{code}",
            code,
            criteria.put("currency", code).url(path),
            code == criteria.one("currency"),
        )
        for code in codes
        if len(codes) > 1
    )


def units(state: Addressed, path: str) -> tuple[Choice, ...]:
    """What prices are for; sorting and limits follow."""
    labels = {
        ("per", "gpu"): _("per GPU"),
        ("per", "instance"): _("per instance"),
        ("period", "hour"): _("for an hour"),
        ("period", "day"): _("for a day"),
        ("period", "month"): _("for a month (730 h)"),
    }
    return tuple(
        Choice(
            f"{name}-{value}",
            label,
            state.put(name, value).url(path),
            state.one(name) == value,
        )
        for (name, value), label in labels.items()
    )


def columns(criteria: Criteria, path: str) -> tuple[Choice, ...]:
    return tuple(
        Choice(
            d.key, d.label, criteria.toggled("columns", d.key).url(path), d.key in criteria.columns
        )
        for d in DIMENSIONS.values()
    )


def exports(state: Addressed, path: str) -> tuple[Choice, ...]:
    url = state.url(path)
    join = "&" if "?" in url else "?"
    return tuple(Choice(f, f.upper(), f"{url}{join}format={f}", False) for f in EXPORTS)


def unknown_switch(criteria: Criteria, path: str) -> Choice:
    hidden = criteria.one("unknown") == "hide"
    label = _("Show rows that may match") if hidden else _("Hide rows that may match")
    return Choice(
        "unknown", label, criteria.put("unknown", "show" if hidden else "hide").url(path), hidden
    )


def price_unit(criteria: Criteria, other: bool = False) -> str:
    """What a price is for, with its divisor: `$ / GPU / hour`; `other` swaps the divisor."""
    return f"{sign(criteria).strip()}{divisors(criteria, other)}"


def divisors(criteria: Criteria, other: bool = False) -> str:
    return _divisors(criteria.per_gpu is not other, criteria.one("period"), get_language() or "")


@lru_cache(maxsize=64)
def _divisors(per_gpu: bool, period: str, language: str) -> str:
    per = _("GPU") if per_gpu else _("instance")
    told = {"hour": _("hour"), "day": _("day"), "month": _("month")}[period]
    return f" / {per} / {told}"


_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£"}


def sign(criteria: Criteria) -> str:
    """What stands before an amount: a sign that everybody knows, else the currency's code."""
    currency = criteria.one("currency")
    return _SIGNS.get(currency, f"{currency} ")


def numbers(criteria: Criteria) -> tuple[NumberField, ...]:
    hints = {
        "max_price": price_unit(criteria),
        "min_vram": _("GB"),
        "min_driver": "570",
        "min_cuda": "12.8",
    }
    return tuple(
        NumberField(name, PARAMETERS[name].label, criteria.one(name), "decimal", hint)
        for name, hint in hints.items()
    )


def hidden(criteria: Criteria, *leave_out: str) -> tuple[HiddenField, ...]:
    """The criteria that a form carries along, but those it asks for itself and the page."""
    names = [name for name, _kept in criteria.values if name not in (*leave_out, *PAGING)]
    beside = (HiddenField(n, v) for n, v in criteria.beside if n not in leave_out)
    return (*beside, *only(criteria, *names))


def only(criteria: Criteria, *names: str) -> tuple[HiddenField, ...]:
    """The criteria of these names, for a form to carry along."""
    return tuple(
        HiddenField(name, value)
        for name, kept in criteria.values
        if name in names
        for value in kept
    )


def notice(ignored: Ignored) -> Text:
    """What was not understood in an address, and what would have been."""
    given = f"{ignored.name}={ignored.value}"
    match ignored.reason:
        case "parameter":
            return _("ignored: %(given)s; there is no such filter") % {"given": given}
        case "repeated":
            return _("ignored: %(given)s; only one value counts, the last") % {"given": given}
        case "too_many":
            return _("ignored: %(n)s more values of %(name)s") % {
                "n": ignored.value,
                "name": ignored.name,
            }
    if not ignored.allowed:
        return _("ignored: %(given)s; this is not a value of the filter") % {"given": given}
    allowed = joined(ignored.allowed[:_LISTED])
    more = " …" if len(ignored.allowed) > _LISTED else ""
    return _("ignored: %(given)s; allowed: %(allowed)s") % {
        "given": given,
        "allowed": f"{allowed}{more}",
    }
