"""A claim without a source is an opinion."""

from collections.abc import Iterator
from datetime import date
from urllib.parse import urlsplit

from providers.catalog.rule import Finding, Severity, about_claims, found
from providers.catalog.schema import ClaimDocument


@about_claims("source-missing", Severity.ERROR, "no source that can be opened: {source!r}")
def every_claim_names_a_source_that_can_be_opened(
    claim: ClaimDocument, today: date
) -> Iterator[Finding]:
    address = urlsplit(claim.source)
    if address.scheme not in {"http", "https"} or not address.hostname:
        yield found("source", source=claim.source)
