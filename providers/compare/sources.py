"""Who says what is compared: each source once, with the questions it answers."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from django.utils.translation import gettext as _

from providers.claim_views import ClaimView, claim_view
from providers.compare.comparison import Comparison
from providers.compare.page import SourceGroup, SourceLine
from providers.dimensions import DIMENSIONS
from providers.freshness import ReviewBand
from providers.models import Claim, Offering
from providers.wording import joined


def sources(comparison: Comparison, today: date) -> tuple[SourceGroup, ...]:
    """The sources of the answers that are shown, and of those that contradict each other."""
    shown = {line.key for line in comparison.lines if not comparison.folds(line)}
    found = []
    for offering in comparison.offerings:
        told = (c for c in comparison.claims[offering.pk] if _told(c, offering, shown))
        found.append(SourceGroup(str(offering), _lines(told, today)))
    return tuple(found)


def _told(claim: Claim, offering: Offering, shown: set[str]) -> bool:
    used = claim.decides or claim.dimension in offering.contradicted
    return used and claim.dimension in shown


def _lines(claims: Iterable[Claim], today: date) -> tuple[SourceLine, ...]:
    alike: dict[tuple[str, str, str, date | None], list[Claim]] = {}
    for claim in claims:
        key = (claim.source, claim.basis, claim.source_kind, claim.read_on)
        alike.setdefault(key, []).append(claim)
    return tuple(_line(group, claim_view(group[0], today)) for group in alike.values())


def _line(claims: list[Claim], first: ClaimView) -> SourceLine:
    said = {claim.dimension for claim in claims}
    return SourceLine(
        first.source_url,
        first.source_host,
        _("%(basis)s, said by: %(who)s, read: %(day)s")
        % {"basis": first.basis, "who": first.source_kind, "day": first.read_on},
        first.age == ReviewBand.DUE,
        joined([dimension.label for key, dimension in DIMENSIONS.items() if key in said]),
    )
