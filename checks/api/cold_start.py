"""GET /api/v1/cold-start: the minutes and the money of a first start, phase by phase."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from checks import coldstart
from checks.coldstart.numbers import Range
from gpucompare.rest.problem import ProblemError, fault, unfit
from providers.api.shapes import Number
from providers.dimensions import DIMENSIONS
from providers.models import ProviderKind

router = Router(tags=["check"])

Flag = Literal["0", "1"]
Amount = Annotated[Decimal, Field(ge=0, le=10**6)]
Seconds = Annotated[Decimal, Field(ge=0, le=10**8)]


class Span(Schema):
    """Low takes the figures that make a start shortest, high those that make it longest."""

    low: Number
    likely: Number
    high: Number


class PhaseTaken(Span):
    """Seconds of one part of the start."""

    phase: Literal["provision", "pull", "unpack", "start", "weights", "ready"]
    basis: coldstart.Basis = Field(description="What the likely length rests on")
    limit: str = Field(description="What decides the likely length; empty where one figure does")


class Assumed(Span):
    """A figure that nobody told. `given` replaces it: `given=key:figure`."""

    key: str
    unit: str
    basis: str
    source: str
    read_on: str | None
    given: bool


class ColdStart(Schema):
    """A start. The total is the sum of the phases in each case; GB are 10⁹ bytes."""

    total_s: Span
    metered_s: Span = Field(description="Seconds while the meter runs, before rounding")
    billed_s: Span = Field(description="Seconds on the bill, rounded as the provider rounds")
    usd: Span | None = Field(description="null without usd_per_hour")
    pull_billing_unknown: bool = Field(
        description="Nobody said whether the pull is billed: the bill then spans both"
    )
    phases: list[PhaseTaken]
    assumptions: list[Assumed]


class ColdStartQuery(Schema):
    """The inputs. What is left out is not known, and assumed."""

    compressed_gb: Amount = Field(description="The image as it is pulled, GB")
    down_mbps: Annotated[Decimal, Field(gt=0, le=10**6)] | None = Field(
        None, description="Bandwidth of the host, Mbit/s"
    )
    usd_per_hour: Amount | None = Field(None, description="USD an hour for the instance")
    cached: Flag = Field("0", description="1: this very image is on the host")
    kind: Literal[tuple(ProviderKind.values)] | None = Field(  # type: ignore[valid-type]
        None, description="Kind of provider"
    )
    isolation: Literal[DIMENSIONS["isolation"].allowed] | None = Field(  # type: ignore[valid-type]
        None, description="What separates you from other renters"
    )
    image_cache: Flag | None = Field(None, description="0: the provider keeps no layers")
    billed_during_pull: Flag | None = Field(None, description="Whether the pull is on the bill")
    increment_s: Seconds | None = Field(None, description="Step in which time is billed, s")
    minimum_s: Seconds | None = Field(None, description="Shortest time that is billed, s")
    weights_gb: Amount = Field(Decimal(0), description="The model's weights, unpacked, GB")
    weights: coldstart.Weights | None = Field(None, description="Where they are")
    given: list[str] = Field(
        [], max_length=40, description="Your own figure for an assumption, as key:figure"
    )


EXAMPLE = "/api/v1/cold-start?compressed_gb=16.3&down_mbps=1000&usd_per_hour=2.19&cached=0"


@router.get(
    "/cold-start",
    response=ColdStart,
    operation_id="cold_start",
    openapi_extra={"x-example": EXAMPLE},
)
def cold_start(request: HttpRequest, asked: Query[ColdStartQuery]) -> dict[str, Any]:
    """What the first start of an image takes and costs, so that anyone can check the arithmetic."""
    try:
        given = dict(map(_given, asked.given))
        found = coldstart.estimate(_image(asked), _place(asked), _terms(asked), given)
    except ValueError as error:
        raise _unfit(str(error)) from None
    return {
        "total_s": _span(found.total_s),
        "metered_s": _span(found.metered_s),
        "billed_s": _span(found.billed_s),
        "usd": _span(found.usd) if found.usd else None,
        "pull_billing_unknown": found.pull_billing_unknown,
        "phases": [
            {"phase": p.key, "basis": _basis(p), "limit": p.limit, **_span(p.seconds)}
            for p in found.phases
        ],
        "assumptions": list(_assumed(given)),
    }


def _image(asked: ColdStartQuery) -> coldstart.Image:
    return coldstart.Image(
        compressed_gb=asked.compressed_gb, weights_gb=asked.weights_gb, weights=asked.weights
    )


def _place(asked: ColdStartQuery) -> coldstart.Place:
    return coldstart.Place(
        kind=asked.kind or "",
        isolation=asked.isolation or "",
        image_cache=_flag(asked.image_cache),
        cached=asked.cached == "1",
        down_mbps=asked.down_mbps,
    )


def _terms(asked: ColdStartQuery) -> coldstart.Terms:
    return coldstart.Terms(
        usd_per_hour=asked.usd_per_hour,
        billed_during_pull=_flag(asked.billed_during_pull),
        increment_s=asked.increment_s,
        minimum_s=asked.minimum_s,
    )


def _basis(phase: coldstart.Phase) -> coldstart.Basis:
    """The bandwidth is whoever asks's own figure: nobody measured it here."""
    told = phase.basis is coldstart.Basis.MEASURED
    return coldstart.Basis.GIVEN if told else phase.basis


def _flag(value: Flag | None) -> bool | None:
    return None if value is None else value == "1"


def _given(text: str) -> tuple[str, str]:
    key, colon, figure = text.partition(":")
    if not colon:
        raise ValueError(f"given: {text[:40]!r} is not key:figure")
    return key.strip(), figure


def _unfit(told: str) -> ProblemError:
    """The model names the input before a colon; any other name is that of an assumption."""
    name = told.partition(":")[0]
    known = name in ColdStartQuery.model_fields
    found = fault(name if known else "given", "", "value", () if known else _keys())
    return unfit([found.model_copy(update={"detail": told})])


def _keys() -> Iterable[str]:
    return coldstart.assumption_rows()


def _span(found: Range) -> dict[str, Decimal]:
    return {"low": found.low, "likely": found.likely, "high": found.high}


def _assumed(given: dict[str, str]) -> Iterable[dict[str, Any]]:
    assumed = coldstart.assume(given)
    for key, row in coldstart.assumption_rows().items():
        own = assumed.given.get(key)
        yield {
            "key": key,
            "unit": row.unit,
            "basis": "given" if own else row.basis,
            "source": "" if own else row.source,
            "read_on": row.read_on.isoformat() if row.read_on and not own else None,
            "given": own is not None,
            **_span(own or row.range),
        }
