"""Answers with what stands behind them; a type a dimension, drawn from its declaration."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import date
from types import GenericAlias
from typing import TYPE_CHECKING, Any, Literal

from django.utils import translation
from ninja import Schema
from pydantic import Field, create_model

from providers.answers import Dimension, Kind, query_form
from providers.api.shapes import Number
from providers.dimensions import DIMENSIONS
from providers.models import Claim, Offering

State = Literal["known", "unknown", "contradicted"]
BasisKey = Literal["probed", "documented", "derived", "reported"]
SourceKindKey = Literal["provider", "integrator", "third_party"]


class Evidence(Schema):
    """Who says it. Without a claim, as where it is unknown, all of these are null."""

    basis: BasisKey | None = None
    source: str | None = Field(None, description="Address of the page that says so")
    source_kind: SourceKindKey | None = None
    read_on: date | None = Field(
        None, description="The day it was read; null: not recorded, which counts as due for review"
    )
    note: str = ""


class Answer(Evidence):
    """The resolved answer of one dimension. Unknown is never no."""

    state: State


def _value_type(dimension: Dimension) -> Any:
    match dimension.kind:
        case Kind.CHOICE | Kind.YES_NO:
            return Literal[dimension.allowed]
        case Kind.SET:
            return GenericAlias(list, (Literal[dimension.allowed],))
        case Kind.HOSTS:
            return list[str]
        case Kind.NUMBER:
            return Number
        case _:
            return str


def answer_model(dimension: Dimension) -> type[Answer]:
    """The answer to one dimension: its values, spelled as criteria spell them."""
    told = f"{dimension.question} ({dimension.unit})" if dimension.unit else dimension.question
    name = "Answer" + "".join(part.title() for part in dimension.key.split("_"))
    value = (_value_type(dimension) | None, Field(description=str(told)))
    return create_model(name, __base__=Answer, value=value)


def answers_model(dimensions: Iterable[Dimension]) -> type[Schema]:
    """One optional answer a dimension: those that were not asked for are left out."""
    fields: dict[str, Any] = {
        d.key: (answer_model(d) | None, Field(None, description=str(d.label))) for d in dimensions
    }
    return create_model("Answers", __base__=Schema, **fields)


if TYPE_CHECKING:

    class Answers(Schema):
        """The answers of an offering, by dimension."""

else:
    # The document of the API is in English, whoever asks for it first.
    with translation.override("en"):
        Answers = answers_model(DIMENSIONS.values())

# By offering and dimension.
Deciding = Mapping[int, Mapping[str, Claim]]


def deciding(offerings: Iterable[Offering] | None = None) -> Deciding:
    """The claim that decides each answer: of some offerings, or of all. One query."""
    claims = Claim.objects.filter(decides=True).order_by()
    if offerings is not None:
        claims = claims.filter(offering__in=[offering.pk for offering in offerings])
    found: dict[int, dict[str, Claim]] = defaultdict(dict)
    for claim in claims:
        found[claim.offering_id][claim.dimension] = claim
    return found


def answers_of(
    offering: Offering, claims: Mapping[str, Claim], columns: Iterable[str] = DIMENSIONS
) -> dict[str, Any]:
    return {key: _answer(offering, DIMENSIONS[key], claims.get(key)) for key in columns}


def _answer(offering: Offering, dimension: Dimension, claim: Claim | None) -> dict[str, Any]:
    value = offering.answer(dimension.key)
    if dimension.key in offering.contradicted:
        return {"state": "contradicted", "value": None}
    if value is None:
        return {"state": "unknown", "value": None}
    found = {"state": "known", "value": spelled(value)}
    if claim is not None:
        return found | evidence(claim)
    # The catalog answers it for the offering as a whole, by its documentation.
    return found | {"source": offering.docs}


def evidence(claim: Claim) -> dict[str, Any]:
    return {
        "basis": claim.basis,
        "source": claim.source,
        "source_kind": claim.source_kind,
        "read_on": claim.read_on,
        "note": claim.note,
    }


def spelled(value: Any) -> Any:
    """As criteria spell it: yes and no as words; numbers and lists as they are."""
    return query_form(value) if isinstance(value, bool) else value
