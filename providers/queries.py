"""What the pages of one provider or one cell read."""

from __future__ import annotations

from collections.abc import Sequence

from providers.models import Claim, Offering, Provider


def provider(slug: str) -> Provider | None:
    return Provider.objects.filter(slug=slug).first()


def offering(provider_slug: str, slug: str) -> Offering | None:
    found = Offering.objects.select_related("provider")
    return found.filter(provider__slug=provider_slug, slug=slug).first()


def claims(offering: Offering, dimension: str) -> Sequence[Claim]:
    """The claims of one cell, the deciding one first."""
    found = offering.claims.filter(dimension=dimension)
    return list(found.order_by("-decides", "position", "pk"))


def offerings_and_claims(provider: Provider) -> tuple[Sequence[Offering], Sequence[Claim]]:
    """A provider's offerings in the catalog's order, and all claims about them."""
    found = list(provider.offerings.select_related("provider").order_by("position", "slug"))
    about = Claim.objects.filter(offering__in=found).order_by("-decides", "position", "pk")
    return found, list(about)


def claims_about(offerings: Sequence[Offering]) -> Sequence[Claim]:
    """All claims about a few offerings, the deciding one of each cell first."""
    found = Claim.objects.filter(offering__in=offerings)
    return list(found.order_by("offering", "dimension", "-decides", "position", "pk"))
