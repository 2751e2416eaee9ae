"""GET /api/v1/providers: the companies that rent GPUs."""

from __future__ import annotations

from typing import Any

from django.db.models import Prefetch
from django.http import Http404, HttpRequest
from ninja import Router, Schema
from pydantic import Field

from providers.api.answers import deciding
from providers.api.offerings import OfferingOut, StatusKey, offering_out
from providers.api.paths import Part, Slug
from providers.models import Offering, Provider, ProviderKind

router = Router(tags=["catalog"])


class ProviderOut(Schema):
    """A company that rents GPUs."""

    slug: str
    name: str
    kind: ProviderKind
    website: str
    headquarters: str | None = Field(description="ISO 3166 code; null: not found")
    status: StatusKey
    status_note: str
    pricing_api_public: bool | None = Field(description="null: not known")
    pricing_api_docs: str
    url: str
    offering_keys: list[str] = Field(description="Its ways of renting, as provider/offering")


class ProviderPart(Part):
    items: list[ProviderOut]


class ProviderDetail(ProviderOut):
    offerings: list[OfferingOut]


@router.get("/providers", response=ProviderPart, operation_id="providers")
def providers(request: HttpRequest) -> dict[str, Any]:
    """All providers by name, closed ones too; all at once."""
    return {"items": [_provider(provider) for provider in _read()], "next": None}


@router.get(
    "/providers/{provider}", response=ProviderDetail, exclude_unset=True, operation_id="provider"
)
def provider(request: HttpRequest, provider: Slug) -> dict[str, Any]:
    """One provider with its offerings and the answer to every dimension."""
    found = _read().filter(slug=provider).first()
    if found is None:
        raise Http404
    offerings = list(found.offerings.all())
    claims = deciding(offerings)
    rows = [offering_out(one, claims.get(one.pk, {})) for one in offerings]
    return _provider(found) | {"offerings": rows}


def _read() -> Any:
    """Two queries; three once offerings are asked for their provider."""
    offerings = Offering.objects.select_related("provider").order_by("position", "slug")
    return Provider.objects.prefetch_related(Prefetch("offerings", offerings))


def _provider(provider: Provider) -> dict[str, Any]:
    return {
        "slug": provider.slug,
        "name": provider.name,
        "kind": provider.kind,
        "website": provider.website,
        "headquarters": provider.headquarters or None,
        "status": provider.status,
        "status_note": provider.status_note,
        "pricing_api_public": provider.pricing_api_public,
        "pricing_api_docs": provider.pricing_api_docs,
        "url": f"/providers/{provider.slug}/",
        "offering_keys": [f"{provider.slug}/{o.slug}" for o in provider.offerings.all()],
    }
