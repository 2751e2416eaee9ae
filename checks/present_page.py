"""The parts of the page of a check round its matrix: the box, what was learnt, why not."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import reverse
from django.utils.translation import gettext as _

from checks import wording_image
from checks.image.advice import advice
from checks.image.fact import Fact, ImageFacts, Key
from checks.image.paste import PasteError
from checks.image.reading import Reading
from checks.image.record import ImageRecord
from checks.image.reference import BadReferenceError
from checks.image.steps import FRAMEWORKS
from checks.image.texts import FAULTS, PHASES, REASONS
from checks.page import Asking, FactLine, Failure, Learnt, NamedLink, Pending
from checks.question import Question
from gpucompare import spoken
from providers.answers import Text
from providers.browse.criteria import Criteria
from providers.browse.links import hidden

# What decides most, for the line that stands for all facts.
_GIST = (Key.CUDA, Key.FRAMEWORK, Key.FRAMEWORK_CUDA, Key.ROCM, Key.PLATFORM, Key.SIZE, Key.BASE)
_LONGEST_GIST = 6
_COMMANDS = (
    "docker image inspect NAME",
    "docker buildx imagetools inspect NAME --format '{{json .}}'",
    "skopeo inspect --config docker://NAME",
)


def asking(
    question: Question,
    criteria: Criteria,
    *,
    failed: bool = False,
    fault: PasteError | None = None,
) -> Asking:
    """The box. What failed leaves the other ways open."""
    path = reverse("check")
    own = [name for name, _value in question.pairs]
    by_hand = question.kind == "hand"
    return Asking(
        path=path,
        image=question.typed,
        title=title_of(question),
        cuda=question.value("cuda"),
        framework=question.value("framework"),
        release=question.value("release"),
        frameworks=tuple(sorted(FRAMEWORKS)),
        hidden=hidden(criteria, *own),
        by_hand_open=failed or (by_hand and question.facts is None),
        paste_open=failed or fault is not None,
        example="pytorch/pytorch:latest",
        commands="\n".join(_COMMANDS),
        paste_fault=wording_image.paste_text(fault) if fault else "",
    )


def title_of(question: Question) -> str:
    if question.reference:
        return question.reference.familiar
    if question.kind == "hand" and question.facts:
        framework = " ".join(filter(None, (question.value("framework"), question.value("release"))))
        cuda = question.value("cuda")
        return spoken.joined(filter(None, (framework, f"CUDA {cuda}" if cuda else "")))
    return _("the pasted image") if question.kind == "told" else ""


def learnt(
    facts: ImageFacts, record: ImageRecord | None, stale: bool, criteria: Criteria
) -> Learnt:
    return Learnt(
        facts=tuple(_fact_lines(facts)),
        gist=tuple(_gist(facts))[:_LONGEST_GIST],
        advice=tuple(wording_image.advice_text(one) for one in advice(facts)),
        base=_base(facts, criteria),
        read=spoken.moment(record.read_at) if record else "",
        pinned=facts.pinned,
        stale=stale,
    )


def _fact_lines(facts: ImageFacts) -> Iterator[FactLine]:
    doubtful = {fact for group in facts.disagreements for fact in group}
    for fact in facts.facts:
        yield FactLine(
            wording_image.FACTS[fact.key],
            wording_image.value_text(fact),
            wording_image.source_text(fact),
            fact in doubtful,
        )


def _gist(facts: ImageFacts) -> Iterator[Text]:
    seen: set[tuple[Key, str]] = set()
    for key in _GIST:
        for fact in facts.facts:
            many = key is Key.PLATFORM
            if fact.key is key and (many or (key, fact.about) not in seen):
                seen.add((key, fact.about))
                yield _named(fact)


def _named(fact: Fact) -> Text:
    """A fact that stands without its label."""
    value = wording_image.value_text(fact)
    if fact.key is Key.FRAMEWORK_CUDA and "." in str(fact.value):
        about = {"framework": fact.about, "cuda": fact.value}
        return _("%(framework)s for CUDA %(cuda)s") % about
    return f"CUDA {value}" if fact.key is Key.CUDA else value


def _base(facts: ImageFacts, criteria: Criteria) -> NamedLink | None:
    """A Dockerfile's base, to be asked for in its place under the same criteria."""
    if not facts.base:
        return None
    asked = Criteria(criteria.values, criteria.usd_per_unit, (("image", facts.base),))
    return NamedLink(facts.base, asked.url(reverse("check")))


# --- Why there is no result -------------------------------------------------------------


def fault_of_name(fault: BadReferenceError) -> Failure:
    return Failure(FAULTS[fault.fault], part=fault.part[:80])


def failure_of(reading: Reading) -> Failure:
    text = REASONS[reading.reason] if reading.reason else ""
    return Failure(text, spoken.moment(reading.retry_at) if reading.retry_at else "")


def pending_of(reading: Reading, criteria: Criteria) -> Pending:
    phase = PHASES[reading.phase] if reading.phase else _("Waiting for its turn")
    return Pending(phase, spoken.moment(reading.since), criteria.url(reverse("check")))
