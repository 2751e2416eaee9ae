"""A weaker claim that disagrees is kept and shown, but somebody should look at it again."""

from collections.abc import Iterator
from datetime import date

from providers.catalog.rule import Finding, Severity, about_offerings, found
from providers.catalog.schema import ClaimDocument, OfferingDocument
from providers.dimensions import DIMENSIONS
from providers.resolve import agree, strength


@about_offerings(
    "weaker-contradicts-stronger",
    Severity.WARNING,
    "{value} by a weaker claim than {stronger} ({basis}, {source_kind}, {day})",
)
def no_weaker_claim_contradicts_a_stronger_one(
    offering: OfferingDocument, today: date
) -> Iterator[Finding]:
    for key, claims in offering.claims.items():
        best = max(claims, key=strength)
        for index, claim in enumerate(claims):
            if strength(claim) < strength(best) and not agree(
                DIMENSIONS[key], claim.value, best.value
            ):
                yield found("claims", key, index, value=claim.value, **_named(best))


def _named(best: ClaimDocument) -> dict[str, object]:
    return {
        "stronger": best.value,
        "basis": best.basis,
        "source_kind": best.source_kind,
        "day": best.read_on or "day not recorded",
    }
