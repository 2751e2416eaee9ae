"""What every page with Criteria shows round its rows: facets, chips, menus, notices."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Protocol

from django.utils.translation import get_language

from gpucompare import spoken
from providers.answers import Text
from providers.browse import links
from providers.browse.criteria import Criteria, Ignored
from providers.browse.facets import Cost, FacetCount
from providers.browse.page import Facet, FacetValue, Relaxation
from providers.browse.parameters import PARAMETERS
from providers.dimensions import DIMENSIONS, MAIN
from providers.models import Origin
from providers.wording import joined

# Between the main dimensions and the rest.
_ABOUT_LISTINGS = ("gpu", "gpu_count", "max_price", "region", "spot_only", "in_stock", "freshness")
# Facet values beyond these are folded away.
OPEN_VALUES = 8


class Found(Protocol):
    """What the queries behind such pages have in common."""

    @property
    def criteria(self) -> Criteria: ...
    @property
    def facets(self) -> Mapping[str, tuple[FacetCount, ...]]: ...
    @property
    def costs(self) -> tuple[Cost, ...]: ...
    @property
    def gpu_names(self) -> Mapping[str, str]: ...
    @property
    def currencies(self) -> Collection[str]: ...


def frame(
    result: Found, ignored: Sequence[Ignored], path: str, seen: Iterable[tuple[str, datetime]]
) -> dict[str, Any]:
    """The fields of FilteredPage but the counts; `seen` are the origins and days of its prices."""
    criteria = result.criteria
    return {
        "facets": _all_facets(result, path),
        "chips": links.chips(criteria, path, result.gpu_names),
        "notices": tuple(links.notice(part) for part in ignored),
        "sorts": links.sorts(criteria, path),
        "units": links.units(criteria, path),
        "currencies": links.currencies(criteria, path, result.currencies),
        "unknown_switch": links.unknown_switch(criteria, path),
        "exports": links.exports(criteria, path),
        "numbers": links.numbers(criteria),
        "hidden": links.hidden(criteria, "q"),
        "number_hidden": links.hidden(criteria, *links.NUMBERS),
        "path": path,
        "q": criteria.one("q"),
        "price_unit": links.price_unit(criteria),
        "clear_url": criteria.unfiltered().url(path),
        "canonical_url": criteria.url(path),
        "relaxations": _relaxations(result, path),
        "snapshot_day": snapshot_day(seen),
    }


def snapshot_day(seen: Iterable[tuple[str, datetime]]) -> Text:
    days = [day for origin, day in seen if origin == Origin.SNAPSHOT]
    return spoken.day(max(days)) if days else ""


def _all_facets(result: Found, path: str) -> tuple[Facet, ...]:
    main = [d.key for d in MAIN]
    rest = [key for key in DIMENSIONS if key not in main]
    order = ["verdict", *main, *_ABOUT_LISTINGS, "kind", *rest]
    facets, language = result.facets, get_language() or ""
    found = [_facet(result, name, facets[name], path, language) for name in order if name in facets]
    return tuple(facet for facet in found if facet.values)


def _facet(
    result: Found, name: str, counted: Iterable[FacetCount], path: str, language: str
) -> Facet:
    criteria = result.criteria
    asked = criteria.all(name)
    counts = [c for c in counted if c.match or c.may or c.value in asked]
    if name == "gpu":
        counts.sort(key=lambda c: -c.match)
    values = []
    for count in counts:
        element, label, told = _worded(name, count.value, language)
        label = label or str(links.words(criteria, name, count.value, result.gpu_names))
        active = count.value in asked
        values.append(FacetValue(*count, active, element, label, told))
    first = [v for i, v in enumerate(values) if i < OPEN_VALUES or v.active]
    folded = [v for i, v in enumerate(values) if i >= OPEN_VALUES and not v.active]
    dimension = DIMENSIONS.get(name)
    return Facet(
        name,
        *_headed(name, language),
        tuple(first),
        bool(asked),
        criteria.toggles(name, path),
        tuple(folded),
        bool(asked) or name in ("verdict", "gpu") or (dimension is not None and dimension.main),
    )


@lru_cache(maxsize=1024)
def _headed(name: str, language: str) -> tuple[str, str]:
    """The label and the question of a facet, in a language."""
    dimension = DIMENSIONS.get(name)
    return str(PARAMETERS[name].label), str(dimension.question) if dimension else ""


# What a value is called depends on the page for these alone.
_OF_THE_PAGE = ("gpu", "max_price")


@lru_cache(maxsize=8192)
def _worded(name: str, value: str, language: str) -> tuple[str, str, str]:
    """The id, the label ("" where the page decides) and the help of a value, in a language."""
    dimension = DIMENSIONS.get(name)
    known = dimension.by_key.get(value) if dimension else None
    of_the_page = name in _OF_THE_PAGE
    label = "" if of_the_page else str(links.words(Criteria(), name, value, {}))
    return links.element_id("f", name, value), label, str(known.help) if known else ""


def _relaxations(result: Found, path: str) -> tuple[Relaxation, ...]:
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
