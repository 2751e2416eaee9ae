"""Docker Compose speaks to a daemon."""

from collections.abc import Iterator
from datetime import date

from providers.catalog.rule import Finding, Severity, about_offerings, answer, found
from providers.catalog.schema import OfferingDocument


@about_offerings(
    "compose-without-daemon", Severity.ERROR, "compose, although there is no daemon to run it"
)
def compose_needs_a_daemon(offering: OfferingDocument, today: date) -> Iterator[Finding]:
    compose = answer(offering, "multi_container") == "compose"
    if compose and answer(offering, "docker_daemon") == "none":
        yield found("claims", "multi_container")
