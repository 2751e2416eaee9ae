"""GET /api/v1/offerings: ways of renting under criteria, each answer with its source and day."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Literal

from django.http import Http404, HttpRequest
from django.utils import timezone
from ninja import Router
from pydantic import Field

from providers import queries
from providers.api.answers import Answers, answers_of, deciding
from providers.api.asked import criteria_of, documented
from providers.api.paths import Part, Slug
from providers.api.shapes import Match, Named, Price, Units, names_of, price_of, units_of
from providers.browse.judge import Truth
from providers.browse.query import Judged, browse
from providers.browse.world import World
from providers.dimensions import DIMENSIONS
from providers.models import Claim, Offering

router = Router(tags=["catalog"])

StatusKey = Literal["active", "acquired", "closed"]


class OfferingOut(Named):
    """A way of renting at a provider."""

    status: StatusKey
    status_note: str
    summary: str
    gpu_names: list[str] | None = Field(description="As the provider names them; null: it does not")
    answers: Answers = Field(description="By dimension; those not in `columns` are left out")


class OfferingRow(OfferingOut):
    match: Match = Field(description="Whether it matches the criteria, or may")
    unknown: list[str] = Field(description="The criteria that nobody can answer for it")
    cheapest: Price | None = Field(description="Its cheapest listing under the criteria")


class OfferingPart(Part):
    criteria: str = Field(description="In canonical form")
    units: Units
    total: int = Field(description="Open offerings, whatever the criteria")
    match: int
    may: int
    items: list[OfferingRow]


@router.get(
    "/offerings",
    response=OfferingPart,
    exclude_unset=True,
    operation_id="offerings",
    openapi_extra={"parameters": documented({"page", "after", "verdict"})},
)
def offerings(request: HttpRequest) -> dict[str, Any]:
    """Open offerings that match the criteria or may match, in the asked order; all at once."""
    world = World.read()
    criteria = criteria_of(request.GET, world.vocabulary)
    found = browse(criteria, world, timezone.now())
    columns = criteria.columns if "columns" in request.GET else tuple(DIMENSIONS)
    rows = found.match if criteria.one("unknown") == "hide" else found.rows
    claims = deciding()
    return {
        "criteria": criteria.query(),
        "units": units_of(criteria),
        "total": found.total,
        "match": len(found.match),
        "may": len(found.may),
        "items": [
            _row(row, claims.get(row.offering.pk, {}), columns)
            | {"cheapest": price_of(row.cheapest, criteria)}
            for row in rows
        ],
        "next": None,
    }


def _row(row: Judged, claims: Mapping[str, Claim], columns: Collection[str]) -> dict[str, Any]:
    return {
        **offering_out(row.offering, claims, columns),
        "match": "yes" if row.truth is Truth.YES else "may",
        "unknown": list(row.unknown),
    }


@router.get(
    "/offerings/{provider}/{offering}",
    response=OfferingOut,
    exclude_unset=True,
    operation_id="offering",
)
def offering(request: HttpRequest, provider: Slug, offering: Slug) -> dict[str, Any]:
    """One offering with the answer to every dimension; closed ones too."""
    found = queries.offering(provider, offering)
    if found is None:
        raise Http404
    return offering_out(found, deciding([found]).get(found.pk, {}))


def offering_out(
    offering: Offering, claims: Mapping[str, Claim], columns: Collection[str] = tuple(DIMENSIONS)
) -> dict[str, Any]:
    return {
        **names_of(offering),
        "status": offering.status,
        "status_note": offering.status_note,
        "summary": offering.summary,
        "gpu_names": offering.gpu_names,
        "answers": answers_of(offering, claims, columns),
    }
