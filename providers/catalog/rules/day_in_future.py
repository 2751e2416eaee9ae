"""Nobody has read a page tomorrow."""

from collections.abc import Iterator
from datetime import date

from providers.catalog.rule import Finding, Severity, about_claims, found
from providers.catalog.schema import ClaimDocument


@about_claims("day-in-future", Severity.ERROR, "read on {day}, which has not come yet")
def no_source_was_read_in_the_future(claim: ClaimDocument, today: date) -> Iterator[Finding]:
    if claim.read_on and claim.read_on > today:
        yield found("read_on", day=claim.read_on)
