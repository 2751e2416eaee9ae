"""What a request asks: an image by name, facts of it, or a pasted text; under which criteria."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from django.http import QueryDict
from pydantic import BaseModel, Field

from checks import told_address, wording_image
from checks.api.host import GivenHost
from checks.conditions import Asked
from checks.image import manual
from checks.image.facts import facts_of
from checks.image.manual import NoticeKey
from checks.image.paste import PasteError, read_paste
from checks.image.reading import Reading
from checks.image.reference import Reference
from checks.image.texts import FAULTS
from checks.question import Question, read_question
from gpucompare.rest.problem import Fault, ProblemError, fault, unfit
from providers.api.asked import criteria_of, fault_of, query_of
from providers.browse.criteria import Criteria
from providers.browse.parameters import Vocabulary

Version = Annotated[str, Field(max_length=40)]
Bytes = Annotated[int, Field(ge=0, lt=10**13)]
Scalar = str | int | float | bool


class FactsBody(BaseModel, extra="forbid"):
    """Facts of an image, by hand. What is left out is not known."""

    cuda: Version = Field("", description="CUDA in the image: 12.8", examples=["12.8"])
    framework: Version = Field("", description="torch, tensorflow, jax, vllm …")
    release: Version = Field("", description="Of the framework: 2.8.0")
    requires: list[Annotated[str, Field(max_length=4000)]] | None = Field(
        None, max_length=16, description="NVIDIA_REQUIRE_*; an empty list: it asks nothing"
    )
    platforms: list[Literal["amd64", "arm64"]] = Field([], max_length=2)
    compressed_bytes: Bytes | None = Field(None, description="Bytes to pull")
    unpacked_bytes: Bytes | None = Field(None, description="Bytes on disk")
    user: Literal["root", "other"] | None = Field(None, description="As whom it starts")


class CheckBody(BaseModel, extra="forbid"):
    """Exactly one of image, facts and paste."""

    image: str | None = Field(None, max_length=800, description="pytorch/pytorch:latest")
    facts: FactsBody | None = None
    paste: str | None = Field(
        None,
        max_length=1024 * 1024,
        description="What docker image inspect, buildx imagetools inspect or skopeo inspect prints,"
        " or a Dockerfile. It is neither stored nor logged",
    )
    criteria: dict[str, Scalar | list[Scalar]] = Field(
        {}, description="The criteria of the pages by their names", examples=[{"gpu": ["h100"]}]
    )
    host: GivenHost = Field(GivenHost(), description="A host to judge beside all offerings")


@dataclass(frozen=True)
class Request:
    """A question with its criteria; `own` is how a fault of the question names its parameter."""

    question: Question
    criteria: Criteria
    own: str = "{}"

    @property
    def reference(self) -> Reference | None:
        return self.question.reference


def of_query(query: QueryDict, vocabulary: Vocabulary) -> Request:
    """Raises ProblemError for all that the page would leave out."""
    question, criteria, ignored = read_question(query, vocabulary)
    refused = [fault_of(part) for part in ignored]
    if refused := [*refused, *_of_question(question, "{}")]:
        raise unfit(refused)
    return Request(question, criteria)


def of_body(body: CheckBody, vocabulary: Vocabulary) -> Request:
    """The same from a JSON body."""
    ways = [name for name in ("image", "facts", "paste") if getattr(body, name) is not None]
    if len(ways) != 1:
        raise unfit(fault(name, "", "beside") for name in ways) if ways else _nothing()
    criteria = criteria_of(query_of(body.criteria), vocabulary, "criteria.")
    own = "facts.{}" if body.facts else "{}"
    question = _by_paste(body.paste) if body.paste is not None else _by_body(body, vocabulary)
    if refused := list(_of_question(question, own)):
        raise unfit(refused)
    return Request(question, replace(criteria, beside=question.pairs), own)


def subject(request: Request, reading: Reading | None) -> Asked:
    """What the verdicts are about. What anybody may read needs no credentials."""
    if reading and reading.record and request.reference:
        return Asked(facts_of(reading.record), request.reference.host, private=False)
    facts = request.question.facts
    if facts is None:
        raise ValueError("a question without facts was let through")
    return Asked(facts)


# --- Ways to ask -----------------------------------------------------------------------------


def _by_body(body: CheckBody, vocabulary: Vocabulary) -> Question:
    query = QueryDict(mutable=True)
    pairs = [("image", body.image)] if body.image is not None else _pairs(body.facts or FactsBody())
    for name, value in pairs:
        query.appendlist(name, value or "")
    question, _criteria, _ignored = read_question(query, vocabulary)
    return question


def _by_paste(text: str) -> Question:
    try:
        facts = facts_of(read_paste(text))
    except PasteError as error:
        told = wording_image.paste_text(error)
        raise ProblemError(422, "paste", told, reason=error.fault.value) from None
    return Question("told", told_address.pairs_of(facts), facts=facts)


def _pairs(facts: FactsBody) -> list[tuple[str, str]]:
    """By hand; once there is more than fits a form, as the facts of a paste would stand."""
    hand = [(name, getattr(facts, name)) for name in manual.PARAMETERS if getattr(facts, name)]
    more = list(_more(facts))
    found = manual.facts_by_hand(dict(hand))
    if not more or found.notices:
        return hand
    told = told_address.pairs_of(found.facts) if found.facts else (("software", "unknown"),)
    return [*told, *more]


def _more(facts: FactsBody) -> Iterator[tuple[str, str]]:
    if facts.requires is not None:
        yield from (("require", text) for text in facts.requires or ["none"])
    yield from (("cpu", cpu) for cpu in facts.platforms)
    for name, value in (("size", facts.compressed_bytes), ("unpacked", facts.unpacked_bytes)):
        if value is not None:
            yield name, str(value)
    if facts.user:
        yield "user", facts.user


# --- Faults ------------------------------------------------------------------------------------


def _of_question(question: Question, own: str) -> Iterator[Fault]:
    if found := question.fault:
        text = str(FAULTS[found.fault])
        yield _worded(fault("image", found.part or question.typed, found.fault), text)
        return
    for notice in question.notices:
        name = own.format(_NOTICED[notice.key])
        yield _worded(fault(name, notice.value, notice.key), wording_image.notice_text(notice))
    if question.kind == "nothing" or (question.facts is None and question.reference is None):
        yield from () if question.notices else _nothing().errors


_NOTICED = {
    NoticeKey.CUDA_MALFORMED: "cuda",
    NoticeKey.FRAMEWORK_UNKNOWN: "framework",
    NoticeKey.RELEASE_MALFORMED: "release",
    NoticeKey.RELEASE_WITHOUT_FRAMEWORK: "release",
}


def _nothing() -> ProblemError:
    return unfit([fault("image", "", "missing")])


def _worded(found: Fault, text: str) -> Fault:
    return found.model_copy(update={"detail": text})
