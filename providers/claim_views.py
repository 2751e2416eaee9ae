"""Claims in words, and what the page of one cell shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from urllib.parse import urlsplit

from django.urls import reverse
from django.utils.translation import gettext as _

from gpucompare import spoken
from providers.answers import Dimension, Look, Text, query_form
from providers.dimensions import DIMENSIONS
from providers.freshness import claim_band
from providers.models import Claim, Offering
from providers.wording import (
    answer_text,
    cell_state,
    cell_text,
    free_language,
    spelled,
    text_language,
)


@dataclass(frozen=True)
class ClaimView:
    """One claim: what it says, on what basis, who says so and when it was read."""

    answer: Text
    state: str
    basis: Text
    basis_key: str
    source_url: str
    source_host: str
    source_kind: Text
    read_on: Text
    day: date | None  # the same; None: not recorded
    age: str  # current | ageing | due, as providers.freshness names them
    note: str
    decides: bool
    language: str = ""  # of `answer`, where it is free text


@dataclass(frozen=True)
class AllowedValue:
    key: str
    label: Text
    help: Text
    state: str
    chosen: bool


@dataclass(frozen=True)
class CellPage:
    """One cell, opened."""

    provider: str
    title: str  # the offering's name
    offering_url: str
    dimension: Text
    question: Text
    state: str
    answer: Text
    answer_help: Text
    contradicted: bool
    deciding: ClaimView | None
    others: tuple[ClaimView, ...]
    allowed: tuple[AllowedValue, ...]
    details: tuple[tuple[Text, Text], ...]  # known facts of related dimensions
    docs: str  # where to look when nobody has answered
    settled_by: Look | None  # what anyone could do, while the answer is open
    back_url: str
    language: str  # of `answer`, where it is free text
    correct_url: str  # where readers say what is wrong


def claim_view(claim: Claim, today: date) -> ClaimView:
    dimension = DIMENSIONS[claim.dimension]
    grade = dimension.grade_of(claim.value)
    # A value that a dimension gave up stands as it was written, and decides nothing.
    given_up = dimension.fault(claim.value) is not None
    return ClaimView(
        spelled(claim.value) if given_up else answer_text(dimension, claim.value),
        grade.value if grade else "fact",
        claim.get_basis_display(),
        claim.basis,
        claim.source,
        urlsplit(claim.source).hostname or claim.source,
        claim.get_source_kind_display(),
        spoken.day(claim.read_on) if claim.read_on else _("day not recorded"),
        claim.read_on,
        claim_band(claim.read_on, today).value,
        claim.note,
        claim.decides,
        free_language(dimension),
    )


def offering_url(offering: Offering) -> str:
    return f"{reverse('provider', args=[offering.provider.slug])}#{offering.slug}"


def cell_url(offering: Offering, dimension: Dimension) -> str:
    return reverse("cell", args=[offering.provider.slug, offering.slug, dimension.key])


def correct_url(offering: Offering, dimension: Dimension) -> str:
    """The form for readers; nothing where the catalog's answer is no claim with a source."""
    if dimension.on_offering:
        return ""
    return reverse("correct", args=[offering.provider.slug, offering.slug, dimension.key])


def cell_page(
    offering: Offering, dimension: Dimension, claims: Sequence[Claim], today: date
) -> CellPage:
    """One cell from its claims, the deciding one first."""
    views = [claim_view(claim, today) for claim in claims]
    return CellPage(
        provider=offering.provider.name,
        title=offering.name,
        offering_url=offering_url(offering),
        dimension=dimension.label,
        question=dimension.question,
        state=cell_state(offering, dimension),
        answer=cell_text(offering, dimension),
        answer_help=_help(offering, dimension),
        contradicted=dimension.key in offering.contradicted,
        deciding=next((view for view in views if view.decides), None),
        others=tuple(view for view in views if not view.decides),
        allowed=_allowed(offering, dimension),
        details=_details(offering, dimension),
        docs=offering.docs,
        settled_by=dimension.settled_by if offering.answer(dimension.key) is None else None,
        back_url=reverse("browse"),
        language=text_language(offering, dimension),
        correct_url=correct_url(offering, dimension),
    )


def _chosen(offering: Offering, dimension: Dimension) -> list[str]:
    answer = offering.answer(dimension.key)
    if answer is None:
        return []
    return list(map(query_form, answer if isinstance(answer, list) else [answer]))


def _help(offering: Offering, dimension: Dimension) -> Text:
    chosen = _chosen(offering, dimension)
    helps = [str(value.help) for key, value in dimension.by_key.items() if key in chosen]
    return " ".join(help for help in helps if help)


def _allowed(offering: Offering, dimension: Dimension) -> tuple[AllowedValue, ...]:
    chosen = _chosen(offering, dimension)
    return tuple(
        AllowedValue(v.key, v.label, v.help, v.grade.value, v.key in chosen)
        for v in dimension.values
    )


def _details(offering: Offering, dimension: Dimension) -> tuple[tuple[Text, Text], ...]:
    related = (DIMENSIONS[key] for key in dimension.details)
    return tuple(
        (d.label, answer_text(d, offering.answer(d.key)))
        for d in related
        if offering.answer(d.key) is not None
    )
