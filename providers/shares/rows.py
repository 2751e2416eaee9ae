"""Offerings as rows of a share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

from providers.answers import query_form
from providers.browse.query import Cheapest
from providers.browse.world import is_closed
from providers.dimensions import DIMENSIONS
from providers.models import Claim, FormerKey, Offering, Status
from providers.shares.content import Answer, Content, Price, Row, Verdict

Match = Literal["yes", "may", "no"]
PriceKind = Literal["cheapest", "on_demand", "spot"]


@dataclass(frozen=True)
class Source:
    """An offering with what a page showed of it beside its answers."""

    offering: Offering
    prices: Mapping[PriceKind, Cheapest | None] = field(default_factory=dict)
    match: Match = "yes"
    unknown: tuple[str, ...] = ()
    verdict: Verdict | None = None


def frozen_rows(sources: Sequence[Source], columns: Iterable[str]) -> tuple[Row, ...]:
    """Rows with the answers that `columns` show, details included. One query."""
    dimensions = with_details(columns)
    claims = _deciding([source.offering.pk for source in sources], dimensions)
    return tuple(_row(source, dimensions, claims[source.offering.pk]) for source in sources)


def with_details(columns: Iterable[str]) -> tuple[str, ...]:
    """The dimensions that cells of these columns show, each once."""
    known = [DIMENSIONS[key] for key in columns if key in DIMENSIONS]
    return tuple(dict.fromkeys(key for d in known for key in (d.key, *d.details)))


def _deciding(
    offerings: Sequence[int], dimensions: Sequence[str]
) -> Mapping[int, Mapping[str, Claim]]:
    found: dict[int, dict[str, Claim]] = defaultdict(dict)
    claims = Claim.objects.filter(decides=True, offering__in=offerings, dimension__in=dimensions)
    for claim in claims.order_by("pk"):
        found[claim.offering_id].setdefault(claim.dimension, claim)
    return found


def _row(source: Source, dimensions: Sequence[str], claims: Mapping[str, Claim]) -> Row:
    offering = source.offering
    return Row(
        offering=offering.pk,
        key=f"{offering.provider.slug}/{offering.slug}",
        provider=offering.provider.name,
        name=offering.name,
        status=Status.CLOSED.value if is_closed(offering) else offering.status,
        match=source.match,
        unknown=source.unknown,
        answers=tuple(_answer(offering, key, claims.get(key)) for key in dimensions),
        prices=tuple(_price(kind, found) for kind, found in source.prices.items() if found),
        verdict=source.verdict,
    )


def _answer(offering: Offering, key: str, claim: Claim | None) -> Answer:
    value = _spelled(offering.answer(key))
    contradicted = key in offering.contradicted
    if claim is None or value is None:
        return Answer(dimension=key, value=value, contradicted=contradicted)
    return Answer(
        dimension=key,
        value=value,
        contradicted=contradicted,
        basis=claim.basis,
        source=claim.source,
        source_kind=claim.source_kind,
        read_on=claim.read_on,
    )


def _spelled(answer: Any) -> str | tuple[str, ...] | None:
    if answer is None:
        return None
    return tuple(map(query_form, answer)) if isinstance(answer, list) else query_form(answer)


def _price(kind: PriceKind, found: Cheapest) -> Price:
    return Price(
        kind=kind,
        shown=plain(found.shown),
        instance=plain(found.instance),
        gpu_count=found.gpu_count,
        gpu=found.gpu_name,
        origin=found.origin,
        day=found.seen_at.date(),
        spot=found.spot,
    )


def plain(amount: Decimal) -> Decimal:
    """An amount in its one spelling: six places at most, no zeros behind."""
    return Decimal(f"{round(amount, 6).normalize():f}")


def standing(content: Content, offerings: Iterable[Offering]) -> dict[int, Offering]:
    """What became of the offerings of a share, by their number in it. One query, or none.

    The number outlasts a renaming, which leaves the former key as its trace. Without one the
    number is that of another database, and the key alone leads on.
    """
    by_number = {offering.pk: offering for offering in offerings}
    by_key = {f"{o.provider.slug}/{o.slug}": o for o in by_number.values()}
    found = {row.offering: by_key.get(row.key) for row in content.rows}
    moved = [r for r in content.rows if (o := found[r.offering]) is None or o.pk != r.offering]
    if moved:
        former = FormerKey.objects.filter(key__in=[row.key for row in moved])
        traces = dict(former.values_list("key", "offering_id"))
        for row in moved:
            trace = traces.get(row.key)
            if trace == row.offering or found[row.offering] is None:
                found[row.offering] = by_number.get(trace or 0)
    return {number: offering for number, offering in found.items() if offering is not None}
