"""What the pages of corrections show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from gpucompare import spoken
from providers.admin_forms import read_answer
from providers.answers import Dimension, Kind, Text
from providers.claim_views import cell_url, offering_url
from providers.corrections.stamp import stamped
from providers.corrections.store import KEPT_FOR
from providers.corrections.typed import OTHER, Typed, longest
from providers.corrections.wording import hint
from providers.dimensions import DIMENSIONS
from providers.models import Correction, CorrectionState, Offering
from providers.wording import answer_text, cell_state, cell_text, text_language

# The mark of each state, as answers have them.
_MARKS = {
    CorrectionState.OPEN: "clock",
    CorrectionState.TAKEN: "yes",
    CorrectionState.DECLINED: "no",
}


@dataclass(frozen=True)
class Cell:
    """The answer that a correction is about, as it stands now."""

    offering: str
    offering_url: str
    dimension: Text
    question: Text
    url: str
    state: str
    answer: Text
    language: str  # of `answer`, where it is free text


@dataclass(frozen=True)
class Option:
    key: str
    label: Text
    help: Text
    state: str
    chosen: bool


@dataclass(frozen=True)
class Refusal:
    """Why the form is shown again; a stamp is that of the form that came too quickly."""

    problem: Text = ""
    faults: Mapping[str, Text] = field(default_factory=dict)
    stamp: str = ""


@dataclass(frozen=True)
class CorrectPage:
    """The form, with what was typed into it before and what was wrong with that."""

    cell: Cell
    several: bool  # whether more than one answer may be true
    options: tuple[Option, ...]
    other: str
    other_chosen: bool
    hint: Text
    typed: Typed
    stamp: str
    problem: Text
    faults: Mapping[str, Text]
    longest: Mapping[str, int]
    kept_days: str


@dataclass(frozen=True)
class CorrectionPage:
    """What became of a correction."""

    cell: Cell
    address: str
    value: str
    source: str
    note: str
    sent: str
    state: str
    state_text: Text
    mark: str
    settled: str
    reply: str
    kept_days: str


def cell_key(offering: Offering, dimension: Dimension) -> str:
    return f"{offering.provider.slug}/{offering.slug}/{dimension.key}"


def cell_now(offering: Offering, dimension: Dimension) -> Cell:
    return Cell(
        offering=str(offering),
        offering_url=offering_url(offering),
        dimension=dimension.label,
        question=dimension.question,
        url=cell_url(offering, dimension),
        state=cell_state(offering, dimension),
        answer=cell_text(offering, dimension),
        language=text_language(offering, dimension),
    )


def correct_page(
    offering: Offering, dimension: Dimension, typed: Typed, now: datetime, refusal: Refusal
) -> CorrectPage:
    options = (
        Option(v.key, v.label, v.help, v.grade.value, v.key in typed.chosen)
        for v in dimension.values
    )
    return CorrectPage(
        cell=cell_now(offering, dimension),
        several=dimension.kind is Kind.SET,
        options=tuple(options),
        other=OTHER,
        other_chosen=OTHER in typed.chosen,
        hint=hint(dimension),
        typed=typed,
        stamp=refusal.stamp or stamped(cell_key(offering, dimension), now),
        problem=refusal.problem,
        faults=refusal.faults,
        longest={name: longest(name) for name in ("value", "source", "note")},
        kept_days=spoken.number(KEPT_FOR.days),
    )


def correction_page(correction: Correction, address: str) -> CorrectionPage:
    dimension = DIMENSIONS[correction.dimension]
    state = CorrectionState(correction.state)
    return CorrectionPage(
        cell=cell_now(correction.offering, dimension),
        address=address,
        value=value_text(correction),
        source=correction.source,
        note=correction.note,
        sent=spoken.day(correction.made_at),
        state=state.value,
        state_text=state.label,
        mark=_MARKS[state],
        settled=spoken.day(correction.settled_at) if correction.settled_at else "",
        reply=correction.reply,
        kept_days=spoken.number(KEPT_FOR.days),
    )


def value_text(correction: Correction) -> str:
    """What was sent as the answer, in words where it is one that its dimension allows."""
    dimension = DIMENSIONS[correction.dimension]
    answer = read_answer(dimension, correction.value)
    if dimension.fault(answer) is not None:
        return correction.value
    return answer_text(dimension, answer)
