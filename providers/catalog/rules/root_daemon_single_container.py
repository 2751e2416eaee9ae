"""Root on a daemon starts as many containers as you like: "single" beside it needs a reason."""

from collections.abc import Iterator
from datetime import date

from providers.catalog.rule import Finding, Severity, about_offerings, answer, found
from providers.catalog.schema import OfferingDocument


@about_offerings(
    "root-daemon-single-container",
    Severity.ERROR,
    "single, although the daemon is yours as root; say why in a note, or correct one of them",
)
def a_root_daemon_with_a_single_container_is_explained(
    offering: OfferingDocument, today: date
) -> Iterator[Finding]:
    if answer(offering, "docker_daemon") != "root":
        return
    for index, claim in enumerate(offering.claims.get("multi_container", ())):
        if claim.value == "single" and not claim.note:
            yield found("claims", "multi_container", index)
