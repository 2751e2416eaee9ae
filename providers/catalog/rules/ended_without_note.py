"""What has ended says since when, and what came after it."""

from collections.abc import Iterator
from datetime import date

from providers.catalog.rule import Finding, Severity, about_providers, found
from providers.catalog.schema import ProviderDocument
from providers.models.provider import Status


@about_providers("ended-without-note", Severity.ERROR, "is {status} without a status_note")
def what_has_ended_says_how(provider: ProviderDocument, today: date) -> Iterator[Finding]:
    if provider.status != Status.ACTIVE and not provider.status_note:
        yield found("status", status=provider.status)
    for index, offering in enumerate(provider.offerings):
        # Where the whole provider has ended, its own note speaks for its offerings.
        open_provider = provider.status == Status.ACTIVE
        if offering.status != Status.ACTIVE and open_provider and not offering.status_note:
            yield found("offerings", index, "status", status=offering.status)
