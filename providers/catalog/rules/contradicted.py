"""Equally good claims that disagree leave the question open."""

from collections.abc import Iterator
from datetime import date

from providers.catalog.rule import Finding, Severity, about_offerings, found, resolution
from providers.catalog.schema import OfferingDocument


@about_offerings(
    "contradicted", Severity.WARNING, "equally good claims disagree: {values}; find a stronger one"
)
def no_answer_is_contradicted(offering: OfferingDocument, today: date) -> Iterator[Finding]:
    for key, claims in offering.claims.items():
        if resolution(offering, key).contradicted:
            yield found("claims", key, values=" / ".join(str(claim.value) for claim in claims))
