"""A note is read in a cell: a long one hides a second claim or belongs in the guide."""

from collections.abc import Iterator
from datetime import date

from providers.catalog.rule import Finding, Severity, about_claims, found
from providers.catalog.schema import ClaimDocument

MOST_WORDS = 30


@about_claims("note-too-long", Severity.ERROR, "the note has {words} words; at most {most}")
def no_note_is_longer_than_thirty_words(claim: ClaimDocument, today: date) -> Iterator[Finding]:
    words = len((claim.note or "").split())
    if words > MOST_WORDS:
        yield found("note", words=words, most=MOST_WORDS)
