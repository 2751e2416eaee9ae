"""Claims → the offering's columns.

The best claim decides; claims that are equally good and disagree decide nothing.
`resolve_offerings` is the only code that writes a column that claims answer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Protocol

from django.db import transaction

from providers.answers import Dimension, Kind
from providers.dimensions import CLAIMED, DIMENSIONS
from providers.models.claim import Basis, Claim, SourceKind
from providers.models.offering import Offering

_BASIS_RANK = {basis: rank for rank, basis in enumerate(Basis.values)}
_SOURCE_RANK = {kind: rank for rank, kind in enumerate(SourceKind.values)}
_COLUMNS = tuple(d.key for d in CLAIMED)
# The columns hold three places after the point.
_PLACES = Decimal("0.001")


class ClaimLike(Protocol):
    """What resolving needs to know of a claim, whether it is a row or stands in a file."""

    @property
    def value(self) -> Any: ...
    @property
    def basis(self) -> str: ...
    @property
    def source_kind(self) -> str: ...
    @property
    def read_on(self) -> date | None: ...


@dataclass(frozen=True)
class Resolution:
    """The answer to one dimension. `by` is the index of the claim that decides it.

    Contradicted: no value, nobody decides. Unknown: the same, without contradiction.
    """

    value: Any = None
    by: int | None = None
    contradicted: bool = False


UNKNOWN = Resolution()


def strength(claim: ClaimLike) -> tuple[int, int, date]:
    """How good a claim is, as a key to compare by; more is better, no day is oldest."""
    return (
        -_BASIS_RANK[claim.basis],
        -_SOURCE_RANK[claim.source_kind],
        claim.read_on or date.min,
    )


def agree(dimension: Dimension, one: Any, other: Any) -> bool:
    """Whether two values say the same; the members of a set have no order."""
    return bool(_comparable(dimension, one) == _comparable(dimension, other))


def resolve(dimension: Dimension, claims: Sequence[ClaimLike]) -> Resolution:
    """The answer that `claims` give to `dimension`; among equals the first one decides.

    A value that is no answer (any more) to the dimension takes no part.
    """
    able = [i for i, claim in enumerate(claims) if dimension.fault(claim.value) is None]
    if not able:
        return UNKNOWN
    best = max(strength(claims[i]) for i in able)
    first, *rest = (i for i in able if strength(claims[i]) == best)
    if not all(agree(dimension, claims[first].value, claims[i].value) for i in rest):
        return Resolution(contradicted=True)
    return Resolution(_column_value(dimension, claims[first].value), by=first)


def _comparable(dimension: Dimension, value: Any) -> Any:
    column = _column_value(dimension, value)
    return frozenset(column) if isinstance(column, list) else column


def _column_value(dimension: Dimension, value: Any) -> Any:
    """`value` as the column holds it and gives it back."""
    if dimension.kind is Kind.NUMBER:
        return Decimal(str(value)).quantize(_PLACES)
    return list(value) if isinstance(value, list) else value


@transaction.atomic
def resolve_offerings(offering_ids: Iterable[int] | None = None) -> int:
    """Bring the columns of these offerings (None: of all) in line with their claims.

    Writes only what differs; returns the number of offerings that changed.
    """
    chosen = Offering.objects.all()
    if offering_ids is not None:
        chosen = chosen.filter(pk__in=list(offering_ids))
    # Locked in one order, so that two desks saving claims at once wait instead of deadlocking;
    # without their keys, so that a refresh adding listings to them waits for nobody.
    offerings = list(chosen.order_by("pk").select_for_update(of=("self",), no_key=True))
    claims = _claims_of(offerings)
    changed: dict[str, list[Offering]] = defaultdict(list)
    decided: dict[bool, list[int]] = {True: [], False: []}
    for offering in offerings:
        for field in _apply(offering, claims.get(offering.pk, {}), decided):
            changed[field].append(offering)
    _write(changed, decided)
    return len({offering.pk for several in changed.values() for offering in several})


def _claims_of(offerings: Iterable[Offering]) -> dict[int, dict[str, list[Claim]]]:
    """Claims by offering and dimension, in their order."""
    found: dict[int, dict[str, list[Claim]]] = defaultdict(lambda: defaultdict(list))
    rows = Claim.objects.filter(offering__in=[o.pk for o in offerings])
    for claim in rows.order_by("offering_id", "dimension", "position", "pk"):
        found[claim.offering_id][claim.dimension].append(claim)
    return found


def _apply(
    offering: Offering, claims: Mapping[str, list[Claim]], decided: dict[bool, list[int]]
) -> list[str]:
    """Set the columns of `offering`; returns those that changed and notes who decides what."""
    resolutions = {key: resolve(DIMENSIONS[key], claims.get(key, ())) for key in _COLUMNS}
    wanted = {key: resolution.value for key, resolution in resolutions.items()}
    wanted["contradicted"] = [key for key, each in resolutions.items() if each.contradicted]
    for key, several in claims.items():
        by = resolutions[key].by if key in resolutions else None
        for index, claim in enumerate(several):
            if claim.decides is not (index == by):
                decided[index == by].append(claim.pk)
    changed = [key for key, value in wanted.items() if getattr(offering, key) != value]
    for key in changed:
        setattr(offering, key, wanted[key])
    return changed


def _write(changed: Mapping[str, list[Offering]], decided: Mapping[bool, list[int]]) -> None:
    touched = {offering.pk: offering for several in changed.values() for offering in several}
    if touched:
        Offering.objects.bulk_update(touched.values(), sorted(changed))
    for decides, ids in decided.items():
        if ids:
            Claim.objects.filter(pk__in=ids).update(decides=decides)
