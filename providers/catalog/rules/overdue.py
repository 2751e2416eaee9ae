"""Pages change: what was read long ago, or on no recorded day, is due for review."""

from collections.abc import Iterator
from datetime import date

from providers.catalog.rule import Finding, Severity, about_claims, found
from providers.catalog.schema import ClaimDocument

MOST_DAYS = 180


@about_claims("overdue", Severity.WARNING, "due for review: {age}")
def every_source_was_read_lately(claim: ClaimDocument, today: date) -> Iterator[Finding]:
    if claim.read_on is None:
        yield found("read_on", age="day not recorded")
    elif (today - claim.read_on).days > MOST_DAYS:
        yield found("read_on", age=f"read {(today - claim.read_on).days} days ago")
