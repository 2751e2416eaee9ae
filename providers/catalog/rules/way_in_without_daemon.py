"""An offering whose way in is a daemon cannot be one without a daemon."""

from collections.abc import Iterator
from datetime import date

from providers.catalog.rule import Finding, Severity, about_offerings, answer, found
from providers.catalog.schema import OfferingDocument


@about_offerings(
    "way-in-without-daemon",
    Severity.ERROR,
    "docker_daemon is named as a way in, but the claims say that there is none",
)
def a_daemon_as_way_in_is_a_daemon_in_the_claims(
    offering: OfferingDocument, today: date
) -> Iterator[Finding]:
    named = "docker_daemon" in (offering.access_modes or ())
    if named and answer(offering, "docker_daemon") == "none":
        yield found("access_modes")
