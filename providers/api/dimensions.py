"""GET /api/v1/dimensions: every question about an offering, with its possible answers."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from providers.answers import Dimension, Grade, Kind
from providers.api.paths import Part
from providers.dimensions import DIMENSIONS, GROUPS

router = Router(tags=["catalog"])


class Value(Schema):
    """One possible answer, as criteria spell it."""

    key: str
    label: str
    grade: Grade = Field(description="How far it helps a renter; never a filter")
    help: str


class SettledBy(Schema):
    """How anyone could find out. Words in capitals stand for your own."""

    text: str
    command: str


class DimensionOut(Schema):
    key: str
    kind: Kind
    group: str
    group_label: str
    label: str
    question: str
    unit: str
    main: bool = Field(description="One of those that the matrix shows at once")
    is_criterion: bool = Field(description="Whether offerings can be asked for by it")
    values: list[Value] = Field(description="From best to worst; empty: any well-formed value")
    settled_by: SettledBy


class DimensionPart(Part):
    items: list[DimensionOut]


@router.get("/dimensions", response=DimensionPart, operation_id="dimensions")
def dimensions(request: HttpRequest) -> dict[str, Any]:
    """All dimensions in their order; texts in the language of `lang`."""
    return {"items": [_dimension(dimension) for dimension in DIMENSIONS.values()], "next": None}


def _dimension(dimension: Dimension) -> dict[str, Any]:
    return {
        "key": dimension.key,
        "kind": dimension.kind,
        "group": dimension.group,
        "group_label": str(GROUPS[dimension.group]),
        "label": str(dimension.label),
        "question": str(dimension.question),
        "unit": str(dimension.unit),
        "main": dimension.main,
        "is_criterion": dimension.filterable,
        "values": [
            {"key": v.key, "label": str(v.label), "grade": v.grade, "help": str(v.help)}
            for v in dimension.values
        ],
        "settled_by": {
            "text": str(dimension.settled_by.text),
            "command": dimension.settled_by.command,
        },
    }
