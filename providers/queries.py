"""What the pages of one provider, one cell or one GPU read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from providers.browse.criteria import Criteria
from providers.gpu_links import GpuLinks
from providers.models import Claim, GpuFamily, Listing, Offering, Provider
from providers.prices import GpuPrice, by_offering


@dataclass(frozen=True)
class ProviderFacts:
    """What the page of a provider is made of."""

    provider: Provider
    offerings: Sequence[Offering]  # in the catalog's order
    claims: Sequence[Claim]  # about all of them, the deciding one of each cell first
    prices: Sequence[GpuPrice]
    gpus: GpuLinks


def provider_facts(slug: str, units: Criteria, now: datetime) -> ProviderFacts | None:
    """All about a provider, with prices in `units`; None when there is none. Six queries."""
    provider = Provider.objects.filter(slug=slug).first()
    if provider is None:
        return None
    offerings = list(provider.offerings.select_related("provider").order_by("position", "slug"))
    return ProviderFacts(
        provider,
        offerings,
        claims_about(offerings),
        by_offering(units, [o.pk for o in offerings], now),
        GpuLinks(GpuFamily.objects.prefetch_related("models")),
    )


def provider_answers(
    slug: str,
) -> tuple[Provider, Sequence[Offering], Mapping[int, Mapping[str, date | None]]] | None:
    """A provider, its offerings, and the day of each deciding claim. Three queries."""
    provider = Provider.objects.filter(slug=slug).first()
    if provider is None:
        return None
    offerings = list(provider.offerings.select_related("provider").order_by("position", "slug"))
    days: dict[int, dict[str, date | None]] = {offering.pk: {} for offering in offerings}
    deciding = Claim.objects.filter(offering__in=offerings, decides=True).order_by()
    for pk, dimension, day in deciding.values_list("offering_id", "dimension", "read_on"):
        days[pk][dimension] = day
    return provider, offerings, days


def offering(provider_slug: str, slug: str) -> Offering | None:
    found = Offering.objects.select_related("provider")
    return found.filter(provider__slug=provider_slug, slug=slug).first()


def claims(offering: Offering, dimension: str) -> Sequence[Claim]:
    """The claims of one cell, the deciding one first."""
    found = offering.claims.filter(dimension=dimension)
    return list(found.order_by("-decides", "position", "pk"))


def claims_about(offerings: Sequence[Offering]) -> Sequence[Claim]:
    """All claims about a few offerings, the deciding one of each cell first."""
    found = Claim.objects.filter(offering__in=offerings)
    return list(found.order_by("offering", "dimension", "-decides", "position", "pk"))


def form_open_at(family: GpuFamily) -> set[int]:
    """The offerings that list a family without saying which of its models."""
    found = Listing.objects.filter(withdrawn_at=None, family=family, gpu=None)
    return set(found.values_list("offering_id", flat=True).distinct().order_by())
