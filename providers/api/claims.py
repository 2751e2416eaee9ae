"""GET /api/v1/claims: who says what about an offering, on what basis, read on which day."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Literal

from django.http import HttpRequest, QueryDict
from django.utils import timezone
from ninja import Query, Router, Schema
from pydantic import Field

from gpucompare.rest.problem import fault, unfit
from providers.api.answers import BasisKey, Evidence, evidence, spelled
from providers.api.paths import PREFIX, Part
from providers.dimensions import CLAIMED
from providers.freshness import claim_band
from providers.models import Claim, Offering, Provider

router = Router(tags=["catalog"])

if TYPE_CHECKING:
    DimensionKey = str
else:
    DimensionKey = Literal[tuple(d.key for d in CLAIMED)]
Key = Annotated[str, Field(pattern="^[a-z0-9-]{1,64}/[a-z0-9-]{1,64}$")]
Slug = Annotated[str, Field(pattern="^[a-z0-9-]{1,64}$")]


class ClaimOut(Evidence):
    """One answer of one source. Several may answer the same dimension, and disagree."""

    id: int
    offering: str = Field(description="provider/offering")
    dimension: DimensionKey
    value: str | float | list[str] = Field(description="As criteria spell it")
    decides: bool = Field(description="Whether the offering's answer is this one")
    review: Literal["current", "ageing", "due"] = Field(
        description="How soon it must be read again"
    )
    url: str = Field(description="The page that shows it beside the others")


class ClaimPart(Part):
    items: list[ClaimOut]


class ClaimQuery(Schema):
    provider: list[Slug] = Field([], max_length=50, description="Slugs of providers")
    offering: list[Key] = Field([], max_length=50, description="Offerings, as provider/offering")
    dimension: list[DimensionKey] = Field([], description="Keys of dimensions")
    basis: list[BasisKey] = Field([], description="How it is known")
    decides: Literal["0", "1"] | None = Field(None, description="1: only those that decide")
    limit: int = Field(100, ge=1, le=500, description="How many at a time")
    cursor: int = Field(0, ge=0, lt=2**63, description="Where this part begins: taken from `next`")


@router.get("/claims", response=ClaimPart, operation_id="claims")
def claims(request: HttpRequest, asked: Query[ClaimQuery]) -> dict[str, Any]:
    """Claims in a stable order, a part at a time."""
    _refuse_unknown_names(asked)
    found = list(_asked(asked)[: asked.limit + 1])
    today = timezone.now().date()
    shown = found[: asked.limit]
    return {
        "items": [_claim(claim, today) for claim in shown],
        "next": _next(request.GET, shown[-1].pk) if len(found) > asked.limit else None,
    }


def _asked(asked: ClaimQuery) -> Any:
    claims = Claim.objects.select_related("offering__provider").order_by("pk")
    claims = claims.filter(pk__gt=asked.cursor)
    if asked.provider:
        claims = claims.filter(offering__provider__slug__in=asked.provider)
    if asked.offering:
        claims = claims.filter(offering__in=_ids(asked.offering).values())
    if asked.dimension:
        claims = claims.filter(dimension__in=asked.dimension)
    if asked.basis:
        claims = claims.filter(basis__in=asked.basis)
    if asked.decides is not None:
        claims = claims.filter(decides=asked.decides == "1")
    return claims


def _ids(keys: list[str]) -> dict[str, int]:
    """Ids by key, of those that there are."""
    slugs = {key.partition("/")[2] for key in keys}
    rows = Offering.objects.filter(slug__in=slugs).values_list("provider__slug", "slug", "pk")
    return {f"{p}/{o}": pk for p, o, pk in rows.order_by() if f"{p}/{o}" in keys}


def _refuse_unknown_names(asked: ClaimQuery) -> None:
    known = Provider.objects.filter(slug__in=asked.provider).order_by()
    slugs = set(known.values_list("slug", flat=True)) if asked.provider else set()
    keys = _ids(asked.offering) if asked.offering else {}
    faults = [fault("provider", slug, "absent") for slug in asked.provider if slug not in slugs]
    faults += [fault("offering", key, "absent") for key in asked.offering if key not in keys]
    if faults:
        raise unfit(faults)


def _next(query: QueryDict, last: int) -> str:
    following = query.copy()
    following["cursor"] = str(last)
    return f"{PREFIX}/claims?{following.urlencode(safe='/')}"


def _claim(claim: Claim, today: date) -> dict[str, Any]:
    offering = claim.offering
    key = f"{offering.provider.slug}/{offering.slug}"
    return {
        **evidence(claim),
        "id": claim.pk,
        "offering": key,
        "dimension": claim.dimension,
        "value": spelled(claim.value),
        "decides": claim.decides,
        "review": claim_band(claim.read_on, today).value,
        "url": f"/providers/{key}/{claim.dimension}/",
    }
