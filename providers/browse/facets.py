"""Two counts for each value of each facet, with the facet's own filter lifted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from providers.answers import Dimension
from providers.browse.judge import Truth, answer_values, judge_answer, truth
from providers.browse.judging import Judging
from providers.dimensions import DIMENSIONS
from providers.models import Offering, ProviderKind


@dataclass(frozen=True)
class FacetCount:
    """How many open offerings match a value, and how many may."""

    value: str
    match: int
    may: int


@dataclass(frozen=True)
class Cost:
    """What one filter costs: rows it alone removes of all, rows that match once it is lifted."""

    name: str
    removes: int
    regained: int


def facet_counts(judging: Judging) -> dict[str, tuple[FacetCount, ...]]:
    """For each facet and value: how many open offerings match, and how many may."""
    found = {d.key: _dimension_facet(judging, d) for d in DIMENSIONS.values() if d.filterable}
    found["kind"] = _kind_facet(judging)
    found["gpu"] = _gpu_facet(judging)
    for name in ("gpu_count", "region", "spot_only", "in_stock"):
        found[name] = _listing_facet(judging, name)
    return found


def _count(value: str, truths: Iterable[Truth]) -> FacetCount:
    match = may = 0
    for said in truths:
        match += said is Truth.YES
        may += said is Truth.MAYBE
    return FacetCount(value, match, may)


def _dimension_facet(judging: Judging, dimension: Dimension) -> tuple[FacetCount, ...]:
    others = [(o.answer(dimension.key), judging.all_of(o, dimension.key)) for o in judging.open]
    asked = judging.criteria.all(dimension.key)
    values = answer_values(dimension, [answer for answer, _ in others])
    values += [value for value in asked if value not in values]
    return tuple(
        _count(v, (min(rest, judge_answer(dimension, a, (v,))) for a, rest in others))
        for v in values
    )


def _kind_facet(judging: Judging) -> tuple[FacetCount, ...]:
    others = [(o.provider.kind, judging.all_of(o, "kind")) for o in judging.open]
    return tuple(
        _count(kind, (rest for k, rest in others if k == kind)) for kind in ProviderKind.values
    )


def _gpu_facet(judging: Judging) -> tuple[FacetCount, ...]:
    """Families, and the models of the families that are asked for or asked into."""
    asked = set(judging.criteria.all("gpu"))
    groups: dict[int, list[tuple[int | None, int | None, int]]] = defaultdict(list)
    for offering, named, model, _value, said in judging.verdicts.facets.get("gpu", ()):
        groups[offering].append((named, model, said))
    # Only what some open offering names: an unknown name may be any GPU, and proves none.
    offered = {named for o in judging.open for named, _model, _said in groups.get(o.pk, ())}
    counts = []
    for family in judging.world.families:
        members = list(family.models.all())
        inside = asked & {family.slug, *(g.slug for g in members)}
        if family.pk in offered or inside:
            counts.append(_gpu_count(judging, groups, family.slug, family.pk, None))
        if inside:
            others = (g for g in members if g.slug != family.slug)
            counts += [_gpu_count(judging, groups, g.slug, family.pk, g.pk) for g in others]
    return tuple(counts)


def _gpu_count(
    judging: Judging,
    groups: Mapping[int, list[tuple[int | None, int | None, int]]],
    slug: str,
    family: int,
    gpu: int | None,
) -> FacetCount:
    def said(offering: Offering) -> Truth:
        rows = groups.get(offering.pk)
        if rows is None:
            return min(judging.of_offering(offering), Truth.MAYBE)
        best = max(min(Truth(t), _is_gpu(f, g, family, gpu)) for f, g, t in rows)
        return min(judging.of_offering(offering), best)

    return _count(slug, map(said, judging.open))


def _is_gpu(family: int | None, gpu: int | None, asked: int, asked_gpu: int | None) -> Truth:
    if family is None:
        return Truth.MAYBE
    if asked_gpu is None:
        return truth(family == asked)
    if gpu is None:
        return Truth.MAYBE if family == asked else Truth.NO
    return truth(gpu == asked_gpu)


def _listing_facet(judging: Judging, name: str) -> tuple[FacetCount, ...]:
    """Values of a criterion about listings that is a plain value of the row."""
    rows: dict[int, list[tuple[str | None, int]]] = defaultdict(list)
    for offering, _family, _gpu, value, verdict in judging.verdicts.facets.get(name, ()):
        rows[offering].append((value, verdict))
    flag = name in ("spot_only", "in_stock")
    seen = {value for found in rows.values() for value, _ in found if value is not None}
    values = ["1"] if flag else sorted(seen, key=int if name == "gpu_count" else None)
    values += [v for v in judging.criteria.all(name) if v not in values]

    def said(offering: Offering, asked: str) -> Truth:
        judged = (
            min(Truth(t), Truth(int(v or 0)) if flag else _is_value(v, asked))
            for v, t in rows.get(offering.pk, ())
        )
        # No listing at all: the offering may still have one like this.
        best = max(judged, default=Truth.MAYBE)
        return min(judging.of_offering(offering), best)

    return tuple(_count(v, (said(o, v) for o in judging.open)) for v in values)


def _is_value(value: str | None, asked: str) -> Truth:
    return Truth.MAYBE if value is None else truth(value == asked)


def filter_costs(judging: Judging) -> tuple[Cost, ...]:
    """What each filter removes, when no offering matches all of them."""
    if any(judging.all_of(o) is Truth.YES for o in judging.open):
        return ()
    names = [*judging.said, *judging.listing_names]
    return tuple(
        Cost(
            name,
            removes=sum(judging.alone(name, o) is Truth.NO for o in judging.open),
            regained=sum(judging.all_of(o, name) is Truth.YES for o in judging.open),
        )
        for name in names
    )
