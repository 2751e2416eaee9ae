"""How a dimension stands, or would stand with other claims: nothing is saved for it."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from datetime import date

from providers.answers import Dimension
from providers.claim_views import CellPage, cell_page
from providers.models import Claim, Offering
from providers.resolve import agree, resolve, strength


def as_page(
    offering: Offering, dimension: Dimension, claims: Sequence[Claim], today: date
) -> CellPage:
    """What the public page of the cell says where `claims`, in their order, stand."""
    found = resolve(dimension, claims)
    like = copy(offering)
    setattr(like, dimension.key, found.value)
    others = [key for key in offering.contradicted if key != dimension.key]
    like.contradicted = [*others, dimension.key] if found.contradicted else others
    told = [_told(claim, decides=index == found.by) for index, claim in enumerate(claims)]
    return cell_page(like, dimension, told, today)


def _told(claim: Claim, *, decides: bool) -> Claim:
    like = copy(claim)
    like.decides = decides
    return like


def with_claim(claims: Sequence[Claim], new: Claim, old: Claim | None = None) -> list[Claim]:
    """The claims of a dimension once `new` stands: last, or in the place of `old`."""
    if old is None:
        return [*claims, new]
    rest = [claim for claim in claims if claim.pk != old.pk]
    # The newest of those in one place comes last, as its id will be the highest.
    place = sum(claim.position <= old.position for claim in rest)
    return [*rest[:place], new, *rest[place:]]


def rivals(dimension: Dimension, claims: Sequence[Claim], claim: Claim) -> list[Claim]:
    """The claims that contradict `claim`: as strong, no weaker, and saying something else."""
    able = [each for each in claims if dimension.fault(each.value) is None]
    if claim not in able or strength(claim) != max(map(strength, able)):
        return []
    return [
        each
        for each in able
        if strength(each) == strength(claim) and not agree(dimension, each.value, claim.value)
    ]
