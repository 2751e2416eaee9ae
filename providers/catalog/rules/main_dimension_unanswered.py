"""The main questions are why the catalog exists; an open one is worth a look at the docs."""

from collections.abc import Iterator
from datetime import date

from providers.catalog.rule import Finding, Severity, about_offerings, found
from providers.catalog.schema import OfferingDocument
from providers.dimensions import MAIN


@about_offerings("main-dimension-unanswered", Severity.WARNING, "no claim on {dimension}")
def every_main_question_has_a_claim(offering: OfferingDocument, today: date) -> Iterator[Finding]:
    for dimension in MAIN:
        if dimension.key not in offering.claims:
            yield found("claims", dimension=dimension.key)
