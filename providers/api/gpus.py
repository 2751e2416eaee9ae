"""GET /api/v1/gpus: models and families as hardware, and what they have cost day by day."""

from __future__ import annotations

from datetime import date
from typing import Any, Literal

from django.http import Http404, HttpRequest
from django.utils import timezone
from ninja import Router, Schema
from pydantic import Field

from providers.api.paths import Part, Slug
from providers.api.shapes import Number
from providers.gpu_links import models_in_order
from providers.gpus import gpu_rows
from providers.models import Gpu, GpuFamily
from providers.price_history import KEPT_DAYS, Series, family_history, model_history

router = Router(tags=["gpus"])


class Model(Schema):
    """One GPU model."""

    slug: str
    name: str
    vram_gb: int | None = Field(description="GB of one GPU as marketed; null: none is stated")
    architecture: str
    compute_capability: str = Field(description="Of CUDA, or the target of ROCm; empty: not found")
    variant: str = Field(description="Its form: SXM5, PCIe …")
    segment: Literal["datacenter", "workstation", "consumer", "edge"]
    source: str = Field(description="Whose table the architecture is from")


class Family(Schema):
    """What a bare name such as H100 means: any of its models."""

    slug: str
    name: str
    vendor: str
    models: list[Model]
    url: str


class FamilyPart(Part):
    items: list[Family]


class Found(Schema):
    """What a slug means: a family with all its models, or one model of it."""

    kind: Literal["family", "model"]
    family: Family
    model: Model | None


class Day(Schema):
    day: date
    usd_per_gpu_hour: Number


class Prices(Schema):
    """The lowest on-demand price of one GPU of each day (UTC), as live listings were seen here.

    Days on which nothing is known are missing. The bundled snapshot makes no history.
    """

    gpu: str
    kind: Literal["family", "model"]
    kept_days: int
    days: list[Day]


@router.get("/gpus", response=FamilyPart, operation_id="gpus")
def gpus(request: HttpRequest) -> dict[str, Any]:
    """All families with their models; all at once."""
    families = GpuFamily.objects.prefetch_related("models__family")
    sources = _sources()
    return {"items": [_family(family, sources) for family in families], "next": None}


@router.get("/gpus/{gpu}", response=Found, operation_id="gpu")
def gpu(request: HttpRequest, gpu: Slug) -> dict[str, Any]:
    """A family or a model by its slug."""
    family, model = _found(gpu)
    sources = _sources()
    return {
        "kind": "model" if model else "family",
        "family": _family(family, sources),
        "model": _model(model, sources) if model else None,
    }


@router.get("/gpus/{gpu}/prices", response=Prices, operation_id="gpu_prices")
def prices(request: HttpRequest, gpu: Slug) -> dict[str, Any]:
    """What a family or a model has cost, day by day."""
    family, model = _found(gpu)
    now = timezone.now()
    found = model_history(model.pk, now) if model else family_history(family.pk, now)
    return {
        "gpu": gpu,
        "kind": "model" if model else "family",
        "kept_days": KEPT_DAYS,
        "days": _days(found),
    }


def _days(found: Series) -> list[dict[str, Any]]:
    return [{"day": day, "usd_per_gpu_hour": usd} for day, usd in sorted(found.items())]


def _found(slug: str) -> tuple[GpuFamily, Gpu | None]:
    """A slug that both have means the family: it is of that one model."""
    families = GpuFamily.objects.prefetch_related("models__family")
    family = families.filter(slug=slug).first()
    if family is not None:
        return family, None
    family = families.filter(models__slug=slug).first()
    if family is None:
        raise Http404
    return family, next(model for model in family.models.all() if model.slug == slug)


def _sources() -> dict[str, str]:
    return {row.slug: row.basis for row in gpu_rows()}


def _family(family: GpuFamily, sources: dict[str, str]) -> dict[str, Any]:
    return {
        "slug": family.slug,
        "name": family.name,
        "vendor": family.vendor,
        "models": [_model(model, sources) for model in models_in_order(family)],
        "url": f"/gpus/{family.slug}/",
    }


def _model(model: Gpu, sources: dict[str, str]) -> dict[str, Any]:
    plain = [name for name in Model.model_fields if name != "source"]
    return {name: getattr(model, name) for name in plain} | {"source": sources.get(model.slug, "")}
