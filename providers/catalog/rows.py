"""Rows of the database ⇄ catalog documents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.db.models import QuerySet

from providers.catalog.merge import ClaimKey, in_order, keyed
from providers.catalog.schema import (
    KEY_ABOVE,
    ClaimDocument,
    OfferingDocument,
    PricingApi,
    ProviderDocument,
)
from providers.models import Claim, MadeAt, Offering, Provider, Status

Row = TypeVar("Row", Provider, Offering, Claim)

_PROVIDER_FIELDS = ("slug", "name", "kind", "website", "status")
_OFFERING_FIELDS = ("slug", "name", "status", "summary", "docs", "access_modes")
_CLAIM_FIELDS = ("value", "basis", "source", "source_kind", "read_on")


@dataclass
class ProviderRows:
    """A provider with its offerings and their claims, each in the order that pages show."""

    provider: Provider
    offerings: list[Offering] = field(default_factory=list)
    claims: dict[int, list[Claim]] = field(default_factory=dict)


def read_rows(slugs: Iterable[str] | None = None, *, lock: bool = False) -> dict[str, ProviderRows]:
    """The rows of these providers (None: of all), in three queries; `lock` holds them."""
    providers = _held(Provider.objects.order_by("slug"), lock=lock)
    offerings = _held(Offering.objects.order_by("position", "slug"), lock=lock)
    claims = _held(Claim.objects.order_by("offering_id", "dimension", "position", "pk"), lock=lock)
    if slugs is not None:
        providers = providers.filter(slug__in=list(slugs))
    found = {provider.pk: ProviderRows(provider) for provider in providers}
    owner: dict[int, ProviderRows] = {}
    for offering in offerings.filter(provider__in=list(found)):
        owner[offering.pk] = found[offering.provider_id]
        owner[offering.pk].offerings.append(offering)
        owner[offering.pk].claims[offering.pk] = []
    for claim in claims.filter(offering__in=list(owner)):
        owner[claim.offering_id].claims[claim.offering_id].append(claim)
    return {rows.provider.slug: rows for rows in found.values()}


def _held(rows: QuerySet[Row], *, lock: bool) -> QuerySet[Row]:
    # No key: a refresh that adds listings to these offerings must not have to wait.
    return rows.select_for_update(of=("self",), no_key=True) if lock else rows


def document_of(rows: ProviderRows, base: ProviderDocument | None) -> ProviderDocument | None:
    """The document that `rows` stand for, given the file as last loaded; None when it has left.

    An offering that came from a file, left it and was closed for that is kept for
    its history, but it belongs to no document any more; nor does a provider that
    came from a file, left with it and has nothing open.
    """
    named = {offering.slug for offering in base.offerings} if base else set()
    stays = [o for o in rows.offerings if o.slug in named or not _has_left(o)]
    if base is None and not stays and rows.provider.made_at == MadeAt.CATALOG:
        return None
    provider = rows.provider
    return ProviderDocument.model_construct(
        **{key: getattr(provider, key) for key in _PROVIDER_FIELDS},
        headquarters=provider.headquarters or None,
        status_note=provider.status_note or None,
        pricing_api=_pricing_api(provider),
        offerings=[_offering_document(o, rows.claims[o.pk]) for o in stays],
    )


def _has_left(offering: Offering) -> bool:
    return offering.made_at == MadeAt.CATALOG and offering.status == Status.CLOSED


def _pricing_api(provider: Provider) -> PricingApi | None:
    public, docs = provider.pricing_api_public, provider.pricing_api_docs or None
    if public is None and docs is None:
        return None
    return PricingApi.model_construct(public=public, docs=docs)


def _offering_document(offering: Offering, claims: Iterable[Claim]) -> OfferingDocument:
    by_dimension: dict[str, list[ClaimDocument]] = defaultdict(list)
    for claim in claims:
        by_dimension[claim.dimension].append(_claim_document(claim))
    return OfferingDocument.model_construct(
        **{key: getattr(offering, key) for key in _OFFERING_FIELDS},
        status_note=offering.status_note or None,
        gpus=offering.gpu_names,
        claims=in_order(by_dimension),
    )


def _claim_document(claim: Claim) -> ClaimDocument:
    fields = {key: getattr(claim, key) for key in _CLAIM_FIELDS}
    return ClaimDocument.model_construct(
        **{KEY_ABOVE: claim.dimension, **fields, "note": claim.note or None}
    )


def provider_columns(document: ProviderDocument) -> dict[str, Any]:
    api = document.pricing_api or PricingApi.model_construct()
    return {
        **{key: getattr(document, key) for key in _PROVIDER_FIELDS},
        "headquarters": document.headquarters or "",
        "status_note": document.status_note or "",
        "pricing_api_public": api.public,
        "pricing_api_docs": api.docs or "",
    }


def offering_columns(document: OfferingDocument) -> dict[str, Any]:
    return {
        **{key: getattr(document, key) for key in _OFFERING_FIELDS},
        "status_note": document.status_note or "",
        "gpu_names": document.gpus,
    }


def claim_columns(document: OfferingDocument) -> dict[ClaimKey, dict[str, Any]]:
    """The columns of every claim of an offering, by the key that finds its row."""
    claims = list(document.all_claims())
    keys = keyed((claim.dimension, claim.source) for claim in claims)
    place = {id(c): n for several in document.claims.values() for n, c in enumerate(several)}
    columns = (
        {
            "dimension": claim.dimension,
            **{key: getattr(claim, key) for key in _CLAIM_FIELDS},
            "note": claim.note or "",
            "position": place[id(claim)],
        }
        for claim in claims
    )
    return dict(zip(keys, columns, strict=True))


def by_key(claims: Iterable[Claim]) -> dict[ClaimKey, Claim]:
    rows = list(claims)
    return dict(zip(keyed((c.dimension, c.source) for c in rows), rows, strict=True))


def assign(row: Provider | Offering | Claim, columns: Mapping[str, Any]) -> list[str]:
    """Set `columns` on `row`; returns the names of those that changed."""
    changed = [key for key, value in columns.items() if getattr(row, key) != value]
    for key in changed:
        setattr(row, key, columns[key])
    return changed
