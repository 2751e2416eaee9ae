"""The parameters of a query string: what each may hold, and its one canonical spelling.

A dimension is a parameter by its key; the others are declared here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from types import MappingProxyType
from typing import Any

from django.utils.translation import gettext_lazy as _

from gpucompare.cuda.answer import Standing
from providers.answers import HOST_RE, VERSION_RE, Dimension, Kind, Text, version_key
from providers.dimensions import DIMENSIONS, MAIN
from providers.freshness import Band
from providers.models import ProviderKind


@dataclass(frozen=True)
class Vocabulary:
    """The names that only the database knows: provider slugs, GPU families and models,
    and the currencies with a rate (USD for one unit)."""

    providers: Collection[str] = ()
    gpus: Collection[str] = ()
    currencies: Mapping[str, Decimal] = field(default_factory=lambda: {"USD": Decimal(1)})
    # Only a page that ranks hosts, as the check of an image does, has verdicts to filter by.
    verdicts: Sequence[str] = ()
    # Orders that only a page has which computes what they rank by.
    sorts: Sequence[str] = ()


# Raw text → canonical text, or None when it is not a value of the parameter.
# Letters of what is typed freely.
LONGEST_SEARCH, LONGEST_REGION = 100, 64

Normalise = Callable[[str, Vocabulary], str | None]


@dataclass(frozen=True)
class Parameter:
    """One parameter. `filters` tells whether it narrows the rows or only shows them otherwise."""

    name: str
    label: Text
    normalise: Normalise
    many: bool = False
    filters: bool = True
    # What is unknown where it cannot be answered: "price", of "price at most".
    subject: Text = ""
    # A criterion about listings: it must hold on one listing together with the others.
    listing: bool = False
    default: tuple[str, ...] = ()
    allowed: Callable[[Vocabulary], Iterable[str]] = field(default=lambda vocabulary: ())
    rank: Callable[[str], object] = field(default=lambda value: value)

    @property
    def unknown_label(self) -> Text:
        return self.subject or self.label

    def canonical(self, values: Iterable[str]) -> tuple[str, ...]:
        """Values in their one order, each once; the default is left out."""
        ordered = tuple(sorted(set(values), key=self.rank))  # type: ignore[arg-type]
        return () if ordered == self.default else ordered


# Where a page of listings goes on: standing, two sort keys and the id of the row before it.
AFTER_RE = re.compile(r"[0-2]_\d{1,9}_-?\d{1,18}(\.\d{1,12})?_\d{1,18}")


def clean(raw: str, limit: int) -> str:
    """`raw` in one Unicode form, without control characters, at most `limit` characters."""
    text = unicodedata.normalize("NFKC", raw)
    text = "".join(" " if unicodedata.category(c).startswith("C") else c for c in text)
    return " ".join(text.split())[:limit].strip()


def _words(raw: str, limit: int) -> str:
    """`raw` as `clean` writes it; empty where it is too long to be a value."""
    return clean(raw, limit) if len(raw) <= limit else ""


def _choice(
    name: str, label: Text, values: Iterable[str], *, default: str = "", **options: Any
) -> Parameter:
    keys = tuple(values)
    return Parameter(
        name,
        label,
        lambda raw, vocabulary: raw if raw in keys else None,
        allowed=lambda vocabulary: keys,
        default=(default,) if default else (),
        rank=keys.index,
        **options,
    )


def _flag(name: str, label: Text, subject: Text) -> Parameter:
    return _choice(name, label, ("1",), listing=True, subject=subject)


def _number(raw: str, low: Decimal, high: Decimal) -> str | None:
    try:
        number = Decimal(raw) if len(raw) <= 20 else None
    except InvalidOperation:
        return None
    if number is None or not number.is_finite() or not low <= number <= high:
        return None
    # Six decimals are what a price column holds; more would be one state with two addresses.
    return f"{round(number, 6).normalize():f}"


def _whole(raw: str, low: int, high: int) -> str | None:
    text = raw.lstrip("0") or "0"
    if not re.fullmatch(r"[0-9]{1,9}", text):
        return None
    return text if low <= int(text) <= high else None


def _version(raw: str, vocabulary: Vocabulary) -> str | None:
    # As numbers, so that 535.129.03 and 535.129.3 are one state with one address.
    return ".".join(map(str, version_key(raw))) if VERSION_RE.fullmatch(raw) else None


def _host(raw: str, vocabulary: Vocabulary) -> str | None:
    return raw.lower() if HOST_RE.fullmatch(raw.lower()) else None


def _gpu(raw: str, vocabulary: Vocabulary) -> str | None:
    """A slug, or a name that is spelled like one: H100 SXM."""
    slug = raw if raw in vocabulary.gpus else "-".join(_NAMED.findall(raw.lower()))
    return slug if slug in vocabulary.gpus else None


def _region(raw: str, vocabulary: Vocabulary) -> str | None:
    return _words(raw, LONGEST_REGION).lower() or None


_NAMED = re.compile(r"[a-z0-9]+")
SORTS = ("name", "price", "-price", "freshness", "known")
_ONE_MILLIONTH = Decimal("0.000001")

_BEFORE = (
    Parameter("q", _("Search"), lambda raw, vocabulary: _words(raw, LONGEST_SEARCH) or None),
)

_AFTER = (
    Parameter(
        "provider",
        _("Provider"),
        lambda raw, vocabulary: raw if raw in vocabulary.providers else None,
        many=True,
        allowed=lambda vocabulary: sorted(vocabulary.providers),
    ),
    _choice("kind", _("Kind of provider"), ProviderKind.values, many=True),
    Parameter(
        "gpu",
        _("GPU"),
        _gpu,
        many=True,
        listing=True,
        allowed=lambda vocabulary: sorted(vocabulary.gpus),
    ),
    Parameter(
        "gpu_count",
        _("GPU count"),
        lambda raw, vocabulary: _whole(raw, 1, 1024),
        many=True,
        listing=True,
        rank=int,
    ),
    Parameter(
        "min_vram",
        _("VRAM at least"),
        lambda raw, vocabulary: _whole(raw, 1, 4096),
        listing=True,
        subject=_("VRAM"),
    ),
    Parameter("region", _("Region"), _region, many=True, listing=True),
    Parameter("min_driver", _("Driver at least"), _version, listing=True, subject=_("Driver")),
    Parameter("min_cuda", _("CUDA at least"), _version, listing=True, subject=_("CUDA")),
    Parameter(
        "max_price",
        _("Price at most"),
        lambda raw, vocabulary: _number(raw, _ONE_MILLIONTH, Decimal(10**7)),
        listing=True,
        subject=_("Price"),
    ),
    _flag("spot_only", _("Spot only"), _("Spot")),
    _flag("in_stock", _("In stock"), _("Stock")),
    _choice(
        "freshness",
        _("Price seen"),
        (band.value for band in Band if band is not Band.CATALOG),
        many=True,
        listing=True,
    ),
    Parameter(
        "verdict",
        _("Verdict"),
        lambda raw, vocabulary: raw if raw in vocabulary.verdicts else None,
        many=True,
        allowed=lambda vocabulary: vocabulary.verdicts,
        rank=tuple(Standing).index,
    ),
    _choice("unknown", _("Unknown"), ("show", "hide"), default="show", filters=False),
    _choice("per", _("Price per"), ("gpu", "instance"), default="gpu", filters=False),
    _choice("period", _("Price for"), ("hour", "day", "month"), default="hour", filters=False),
    Parameter(
        "currency",
        _("Currency"),
        lambda raw, vocabulary: raw.upper() if raw.upper() in vocabulary.currencies else None,
        filters=False,
        default=("USD",),
        allowed=lambda vocabulary: sorted(vocabulary.currencies),
    ),
    Parameter(
        "sort",
        _("Sort"),
        lambda raw, vocabulary: raw if raw in (*SORTS, *vocabulary.sorts) else None,
        filters=False,
        default=("name",),
        allowed=lambda vocabulary: (*SORTS, *vocabulary.sorts),
    ),
    Parameter(
        "columns",
        _("Columns"),
        lambda raw, vocabulary: raw if raw in DIMENSIONS else None,
        many=True,
        filters=False,
        default=tuple(d.key for d in MAIN),
        allowed=lambda vocabulary: tuple(DIMENSIONS),
        rank=tuple(DIMENSIONS).index,
    ),
    Parameter(
        "page",
        _("Page"),
        lambda raw, vocabulary: _whole(raw, 1, 100_000),
        filters=False,
        default=("1",),
    ),
    Parameter(
        "after",
        _("Rows after"),
        lambda raw, vocabulary: raw if AFTER_RE.fullmatch(raw) else None,
        filters=False,
    ),
)


def _answer_form(dimension: Dimension) -> Normalise:
    match dimension.kind:
        case Kind.VERSION | Kind.VERSIONS:
            return _version
        case Kind.NUMBER:
            return lambda raw, vocabulary: _number(raw, Decimal(0), Decimal(10**9 - 1))
        case Kind.HOSTS:
            return _host
        case _:
            return lambda raw, vocabulary: raw if raw in dimension.allowed else None


def _answer_rank(dimension: Dimension) -> Callable[[str], object]:
    match dimension.kind:
        case Kind.VERSION | Kind.VERSIONS:
            return version_key
        case Kind.NUMBER:
            return Decimal
        case Kind.HOSTS:
            return str
        case _:
            return dimension.allowed.index


def _of_dimension(dimension: Dimension) -> Parameter:
    return Parameter(
        dimension.key,
        dimension.label,
        _answer_form(dimension),
        many=True,
        allowed=lambda vocabulary: dimension.allowed,
        rank=_answer_rank(dimension),
    )


# In canonical order: the order of a query string.
PARAMETERS: Mapping[str, Parameter] = MappingProxyType(
    {
        p.name: p
        for p in (
            *_BEFORE,
            *(_of_dimension(d) for d in DIMENSIONS.values() if d.filterable),
            *_AFTER,
        )
    }
)

# What prices are for: taken along from the matrix to a comparison.
PRICED = ("gpu", "per", "period", "currency")

# Say how to answer, not what to show: they belong to the request, not to the Criteria.
BESIDE_CRITERIA = frozenset({"format", "lang"})
