"""What coverage is computed from, as the database has it, or as a page has read it already."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from providers.browse.world import is_closed
from providers.coverage import Cell, Coverage, CoverageFacts, Decided, Rented, coverage
from providers.dimensions import MAIN
from providers.models import Claim, Offering, Provider, SourceKind, rented

# Offering, dimension, source kind, day.
_Row = tuple[int, str, str, date | None]
_CLAIM = ("offering_id", "dimension", "source_kind", "read_on")
_OFFERING = ("slug", "name", "status", "contradicted", *(d.key for d in MAIN))
_PROVIDER = ("provider__slug", "provider__name", "provider__status")


def coverage_facts(provider: str = "") -> CoverageFacts:
    """All that can be rented, or what one provider rents out. Two queries, whatever the data."""
    offerings = Offering.objects.filter(rented()).select_related("provider")
    claims = Claim.objects.filter(rented("offering__"), decides=True).order_by()
    if provider:
        offerings = offerings.filter(provider__slug=provider)
        claims = claims.filter(offering__provider__slug=provider)
    return _facts(offerings.only(*_OFFERING, *_PROVIDER), claims.values_list(*_CLAIM))


def provider_coverage(slug: str, today: date) -> tuple[Provider, Coverage] | None:
    """A provider with its figures; None when there is none. Three queries."""
    provider = Provider.objects.filter(slug=slug).first()
    return (provider, coverage(coverage_facts(slug), today)) if provider else None


def facts_read(offerings: Iterable[Offering], claims: Iterable[Claim]) -> CoverageFacts:
    """The same from what a page has read: offerings with all their claims."""
    rented = [offering for offering in offerings if not is_closed(offering)]
    deciding = (claim for claim in claims if claim.decides)
    return _facts(
        rented, ((c.offering_id, c.dimension, c.source_kind, c.read_on) for c in deciding)
    )


def _facts(offerings: Iterable[Offering], claims: Iterable[_Row]) -> CoverageFacts:
    rented = {offering.pk: _offering(offering) for offering in offerings}
    return CoverageFacts(
        list(rented.values()),
        [
            Decided(Cell(rented[pk], dimension), kind == SourceKind.PROVIDER, read_on)
            for pk, dimension, kind, read_on in claims
            if pk in rented
        ],
    )


def _offering(offering: Offering) -> Rented:
    return Rented(
        offering.provider.slug,
        offering.slug,
        offering.provider.name,
        offering.name,
        sum(offering.answer(d.key) is not None for d in MAIN),
        tuple(offering.contradicted),
    )
