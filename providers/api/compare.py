"""GET /api/v1/compare: offerings side by side, and where they differ."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from django.http import HttpRequest
from django.utils import timezone
from ninja import Router, Schema
from pydantic import Field

from gpucompare.rest.problem import fault, unfit
from providers.api.asked import documented, fault_of, only, text_parameter
from providers.api.offerings import OfferingOut, offering_out
from providers.api.shapes import Price, Units, price_of, units_of
from providers.browse.parameters import PRICED
from providers.browse.world import World
from providers.compare.comparison import Comparison
from providers.compare.differences import Line
from providers.compare.selection import LIMIT, Selection
from providers.models import Offering

router = Router(tags=["catalog"])

_KEY = {"pattern": "^[a-z0-9-]{1,64}/[a-z0-9-]{1,64}$"}
_OFFERINGS = {
    **text_parameter("o", "Offerings to compare, as provider/offering"),
    "required": True,
    "schema": {
        "type": "array",
        "items": {"type": "string", **_KEY},
        "minItems": 1,
        "maxItems": LIMIT,
    },
}
_BASE = text_parameter("base", "The one that the others are measured against: one of `o`", _KEY)


class Compared(OfferingOut):
    cheapest: Price | None = Field(description="On demand, of the asked GPUs")
    cheapest_spot: Price | None


class LineOut(Schema):
    """One dimension across the offerings, in their order."""

    dimension: str
    standings: list[Literal["base", "same", "different", "open"]] = Field(
        description="To the base; open: one of the two is not known"
    )
    differs: bool = Field(description="Whether any two known answers differ")
    comparable: bool = Field(description="Whether at least two answers are known")
    equal: bool = Field(description="Whether all are known and the same")


class ComparisonOut(Schema):
    address: str = Field(description="The page that shows the same")
    units: Units
    base: str
    offerings: list[Compared]
    lines: list[LineOut]


@router.get(
    "/compare",
    response=ComparisonOut,
    exclude_unset=True,
    operation_id="compare",
    openapi_extra={"parameters": [_OFFERINGS, _BASE, *documented(only(PRICED))]},
)
def compare(request: HttpRequest) -> dict[str, Any]:
    """Up to six offerings side by side: every answer with its source, prices, differences."""
    world = World.read()
    selection, ignored = Selection.parse(request.GET, world.by_key, world.vocabulary)
    # To a page, an offering that is missing is one that it knows nothing of.
    known = [replace(p, reason="absent") if p.reason == "missing" else p for p in ignored]
    faults = [fault_of(part) for part in known]
    if not faults and not selection.offerings:
        faults = [fault("o", "", "missing")]
    if faults:
        raise unfit(faults)
    return _comparison(Comparison.read(selection, world, timezone.now()))


def _comparison(found: Comparison) -> dict[str, Any]:
    selection = found.selection
    return {
        "address": selection.url("/compare/"),
        "units": units_of(selection.view),
        "base": selection.base,
        "offerings": [_compared(offering, found) for offering in found.offerings],
        "lines": [_line(line) for line in found.lines],
    }


def _compared(offering: Offering, found: Comparison) -> dict[str, Any]:
    claims = {claim.dimension: claim for claim in found.claims[offering.pk] if claim.decides}
    view, prices = found.selection.view, found.prices
    return {
        **offering_out(offering, claims),
        "cheapest": price_of(prices.on_demand.get(offering.pk), view),
        "cheapest_spot": price_of(prices.spot.get(offering.pk), view),
    }


def _line(line: Line) -> dict[str, Any]:
    return {
        "dimension": line.key,
        "standings": [standing.value for standing in line.standings],
        "differs": line.differs,
        "comparable": line.comparable,
        "equal": line.equal,
    }
