"""Where a conflict is, in words, with the pages that show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Q

from providers.catalog.merge import MISSING, Conflict
from providers.claim_views import cell_url, offering_url
from providers.dimensions import DIMENSIONS
from providers.models import Offering
from providers.wording import spelled

NOTHING: Final = "nothing"


@dataclass(frozen=True)
class Place:
    """What a conflict is about. An address is empty where there is no such page."""

    words: str
    page: str = ""  # where readers see it
    source: str = ""


Places = Callable[[str, Conflict], Place]


def catalog_places(conflicts: Mapping[str, Sequence[Conflict]]) -> Places:
    """The places of conflicts in catalog files; one query for all of them."""
    wanted = Q()
    for name in conflicts:
        wanted |= Q(provider__slug=name)
    found = Offering.objects.filter(wanted).select_related("provider") if conflicts else ()
    offerings = {(offering.provider.slug, offering.slug): offering for offering in found}
    return lambda name, conflict: _place(name, conflict.path, offerings)


def _place(name: str, path: tuple[Any, ...], offerings: Mapping[Any, Offering]) -> Place:
    if len(path) < 2 or path[0] != "offerings":
        return Place(" › ".join([name, *map(field_words, path)]))
    offering = offerings.get((name, path[1]))
    named = str(offering) if offering else f"{name} {path[1]}"
    page = offering_url(offering) if offering else ""
    rest = [part for part in path[2:] if part != "claims"]
    source = ""
    if rest and isinstance(rest[0], tuple):
        dimension, source, _n = rest[0]
        if offering and dimension in DIMENSIONS:
            page = cell_url(offering, DIMENSIONS[dimension])
    return Place(" › ".join([named, *map(field_words, rest)]), page, source)


def field_words(part: Any) -> str:
    """One step of a path in words."""
    if isinstance(part, tuple):
        dimension, _source, number = part
        label = str(DIMENSIONS[dimension].label) if dimension in DIMENSIONS else dimension
        return f"{label}, claim no. {number + 1} of its source" if number else label
    return str(part).replace("_", " ")


def side_lines(conflict: Conflict) -> tuple[list[str], list[str], list[str]]:
    """What base, file and desk say, line by line; of large parts only what differs."""
    sides = [dict(_flat(side)) for side in (conflict.base, conflict.file, conflict.desk)]
    present = [side for side in sides if side != {"": NOTHING}]
    keys = list(dict.fromkeys(key for side in present for key in side))
    told = [k for k in keys if len({side.get(k, NOTHING) for side in present}) > 1] or keys
    base, file, desk = (_told(side, told) for side in sides)
    return base, file, desk


def _told(side: Mapping[str, str], keys: Sequence[str]) -> list[str]:
    if side == {"": NOTHING}:
        return [NOTHING]
    return [f"{key}: {side.get(key, NOTHING)}" if key else side[key] for key in keys]


def _flat(side: Any, above: tuple[Any, ...] = ()) -> list[tuple[str, str]]:
    """A part of a document as (where in it, what it says)."""
    if isinstance(side, dict):
        return [line for key, part in side.items() for line in _flat(part, (*above, key))]
    where = " › ".join(field_words(part) for part in above if part != "claims")
    return [(where, _said(side))]


def _said(value: Any) -> str:
    if value is MISSING or value is None:
        return NOTHING
    if isinstance(value, list) and any(not isinstance(each, str) for each in value):
        return "; ".join(map(str, value))
    return spelled(value)
