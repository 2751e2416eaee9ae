"""A warning before an interruption needs something that can be interrupted."""

from collections.abc import Iterator
from datetime import date

from providers.catalog.rule import Finding, Severity, about_offerings, answer, found
from providers.catalog.schema import OfferingDocument


@about_offerings(
    "spot-notice-without-spot", Severity.WARNING, "a notice before interruption, but {spot}"
)
def a_spot_notice_belongs_to_spot_capacity(
    offering: OfferingDocument, today: date
) -> Iterator[Finding]:
    if "spot_notice_s" in offering.claims and answer(offering, "spot") is not True:
        known = "spot" in offering.claims
        spot = "spot is not answered yes" if known else "no claim on spot"
        yield found("claims", "spot_notice_s", spot=spot)
