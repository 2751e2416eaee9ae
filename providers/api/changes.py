"""GET /api/v1/changes: what changed, from what to what, when, why and by whose word."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any, Final, Literal

from django.http import HttpRequest
from django.utils import timezone
from ninja import Router, Schema
from pydantic import Field

from gpucompare.rest.problem import unfit
from providers.api.answers import spelled
from providers.api.asked import documented, fault_of
from providers.api.paths import PREFIX, Part
from providers.api.shapes import Number
from providers.browse.parameters import PARAMETERS
from providers.browse.world import World
from providers.changes.asked import concerns, read_asked
from providers.changes.catalog import CONTRADICTED
from providers.changes.present import Presenter
from providers.changes.select import Selection, page_of, place_of
from providers.models import Change, What, Why

router = Router(tags=["changes"])

SIZE: Final = 100
_NOT_ASKED: Final = [name for name in PARAMETERS if not concerns(name)]


class ChangeOut(Schema):
    """One change. Prices are the cheapest of an offering for a GPU."""

    id: int
    at: datetime
    what: What
    why: Why
    provider: str = Field(description="Slug; empty for a digest")
    offering: str = Field(description="provider/offering; empty for a provider's own status")
    dimension: str = Field(description="Of an answer; else empty")
    gpu: str = Field(description="Slug of the model or family; empty where it is not about one")
    spot: bool = Field(description="Whether it is about the spot price")
    before: str | float | list[str] | None = Field(
        description="An answer as criteria spell it, or contradicted; a status; whether in stock"
    )
    after: str | float | list[str] | None
    usd_per_gpu_hour_before: Number | None = Field(description="What was last told")
    usd_per_gpu_hour_after: Number | None
    effect: Literal["", "starts", "stops"] = Field(
        description="Whether it starts to match the criteria by this, or stops"
    )
    text: str = Field(description="All of it in one line")
    source: str = Field(description="Address of who says so; empty where a refresh does")
    refreshed: str = Field(description="Slug of the source that was refreshed")
    digest: dict[str, Any] | None = Field(
        description="Of what: digest. Counts and extremes of the changes that it stands for"
    )
    url: str


class ChangePart(Part):
    criteria: str
    items: list[ChangeOut]


@router.get(
    "/changes",
    response=ChangePart,
    operation_id="changes",
    openapi_extra={"parameters": documented(_NOT_ASKED)},
)
def changes(request: HttpRequest) -> dict[str, Any]:
    """Changes that concern the criteria, the latest first; a hundred at a time.

    The same as a feed, under the same parameters: /feed.atom
    """
    world = World.read()
    criteria, ignored = read_asked(request, world)
    if ignored:
        raise unfit(map(fault_of, ignored))
    selection = Selection(criteria, world, timezone.now())
    rows, more = page_of(selection, criteria.one("after"), SIZE)
    shown, known = criteria.put("after"), Presenter(selection)
    following = shown.put("after", place_of(rows[-1])).url(f"{PREFIX}/changes") if more else None
    return {
        "criteria": shown.query(),
        "items": [_change(change, known) for change in rows],
        "next": following,
    }


def _change(change: Change, known: Presenter) -> dict[str, Any]:
    provider, offering = known.slugs(change)
    entry = known.entry(change)
    return {
        "id": change.pk,
        "at": change.at,
        "what": change.what,
        "why": change.why,
        "provider": provider,
        "offering": f"{provider}/{offering}" if offering else "",
        "dimension": change.dimension,
        "gpu": known.gpu_slug(change.family_id, change.gpu_id),
        "spot": change.spot,
        "before": _value(change.before),
        "after": _value(change.after),
        "usd_per_gpu_hour_before": _told(change, known),
        "usd_per_gpu_hour_after": change.usd_after,
        "effect": entry.effect,
        "text": entry.title,
        "source": change.source_url,
        "refreshed": change.source,
        "digest": change.figures or None,
        "url": entry.url,
    }


def _told(change: Change, known: Presenter) -> Decimal | None:
    """What it was before; where no limit is waited for, before the last change that was told."""
    told = change.usd_told if change.what == What.PRICE and not known.selection.limits else None
    return told or change.usd_before


def _value(value: Any) -> Any:
    return "contradicted" if value == CONTRADICTED else spelled(value)
