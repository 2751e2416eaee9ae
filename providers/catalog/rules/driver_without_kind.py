"""A driver version means little without who decides on it: exact here is a lowest one there."""

from collections.abc import Iterator
from datetime import date

from providers.catalog.rule import Finding, Severity, about_offerings, found
from providers.catalog.schema import OfferingDocument


@about_offerings(
    "driver-without-kind", Severity.WARNING, "a driver version without any claim on driver_kind"
)
def every_driver_version_says_what_kind_of_promise_it_is(
    offering: OfferingDocument, today: date
) -> Iterator[Finding]:
    if "driver" in offering.claims and "driver_kind" not in offering.claims:
        yield found("claims", "driver")
