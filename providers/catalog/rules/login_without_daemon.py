"""`docker login` on your own machine needs a docker of your own."""

from collections.abc import Iterator
from datetime import date

from providers.catalog.rule import Finding, Severity, about_offerings, answer, found
from providers.catalog.schema import OfferingDocument


@about_offerings(
    "login-without-daemon", Severity.ERROR, "docker_login, although there is no daemon to log in"
)
def docker_login_needs_a_daemon(offering: OfferingDocument, today: date) -> Iterator[Finding]:
    auth = answer(offering, "registry_auth") or []
    if "docker_login" in auth and answer(offering, "docker_daemon") == "none":
        yield found("claims", "registry_auth")
