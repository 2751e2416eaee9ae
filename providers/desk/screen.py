"""What an offering's screen shows: every dimension in its group, with its claims."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from django.urls import reverse

from providers.answers import Dimension, Text
from providers.claim_views import CellPage, ClaimView, cell_page, cell_url, claim_view
from providers.desk import shown
from providers.desk.deeds import Opened
from providers.desk.standing import as_page, rivals
from providers.dimensions import DIMENSIONS, GROUPS
from providers.freshness import ReviewBand
from providers.models import Claim, Offering
from providers.wording import spelled

# As much of an answer as the reason for retiring its rivals repeats.
_QUOTED = 60


@dataclass(frozen=True)
class Row:
    """One claim. `why` is proposed for retiring the claims that contradict it."""

    pk: int
    view: ClaimView
    written: str
    shown: str
    band: Text
    fault: str  # why it takes no part any more
    today: bool  # whether it was read today already
    rivals: int
    why: str
    history_url: str


@dataclass(frozen=True)
class Question:
    """One dimension: what its page says, and the claims that make it say so."""

    dimension: Dimension
    says: CellPage
    page_url: str
    rows: Sequence[Row]
    shown: str
    opened: Opened | None

    @property
    def claimed(self) -> bool:
        return not self.dimension.on_offering


@dataclass(frozen=True)
class Screen:
    contradicted: Sequence[Question]
    groups: Sequence[tuple[Text, Sequence[Question]]]
    due: int
    unknown: int
    claims: int


def screen(
    offering: Offering, claims: Sequence[Claim], today: date, opened: Opened | None = None
) -> Screen:
    by_key: dict[str, list[Claim]] = defaultdict(list)
    for claim in claims:
        by_key[claim.dimension].append(claim)
    asked = [_question(offering, d, by_key[d.key], today, opened) for d in DIMENSIONS.values()]
    rows = [row for each in asked for row in each.rows]
    return Screen(
        contradicted=[each for each in asked if each.says.contradicted],
        groups=[(label, list(_of(group, asked))) for group, label in GROUPS.items()],
        due=sum(row.view.age == ReviewBand.DUE for row in rows),
        unknown=sum(each.says.state == "unknown" for each in asked),
        claims=len(rows),
    )


def _of(group: str, questions: Sequence[Question]) -> Iterator[Question]:
    return (each for each in questions if each.dimension.group == group)


def _question(
    offering: Offering,
    dimension: Dimension,
    claims: Sequence[Claim],
    today: date,
    opened: Opened | None,
) -> Question:
    says = cell_page if dimension.on_offering else as_page
    return Question(
        dimension,
        says(offering, dimension, claims, today),
        cell_url(offering, dimension),
        [row_of(dimension, claims, claim, today) for claim in claims],
        shown.fingerprint(claims),
        opened if opened and opened.dimension == dimension.key else None,
    )


def row_of(dimension: Dimension, claims: Sequence[Claim], claim: Claim, today: date) -> Row:
    view, wrong = claim_view(claim, today), rivals(dimension, claims, claim)
    written = spelled(claim.value)
    quoted = written if len(written) <= _QUOTED else f"{written[:_QUOTED]}…"
    return Row(
        claim.pk,
        view,
        written,
        shown.fingerprint([claim]),
        ReviewBand(view.age).label,
        dimension.fault(claim.value) or "",
        claim.read_on is not None and claim.read_on >= today,
        len(wrong),
        f"{quoted} is right, as {view.source_host} says; compared on {today.isoformat()}",
        reverse("admin:providers_claim_history", args=[claim.pk]),
    )
