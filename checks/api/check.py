"""POST and GET /api/v1/check: one image against all offerings, as the page shows it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from ninja import Query, Router, Status

from checks import told_address
from checks.api import asked
from checks.api.answer import Answered, answer
from checks.api.asked import CheckBody
from checks.api.host import GivenHost, HostQuery, host_verdict
from checks.api.schemas import CheckAnswer, PendingAnswer
from checks.image import manual
from checks.image.reading import Reading, look
from checks.image.reasons import Reason
from checks.image.texts import PHASES, REASONS
from checks.unread import ASK_AGAIN_S, retry_headers, status_of
from checks.verdicts import check
from gpucompare.clients import client_of
from gpucompare.cuda.answer import Standing
from gpucompare.rest.problem import Fault, ProblemError, encoded, fault
from gpucompare.snapshot import one_snapshot
from providers.api.asked import documented, text_parameter
from providers.browse.world import World

router = Router(tags=["check"])

PATH: Final = "/api/v1/check"

_TOLD: Final[Mapping[str, str]] = {
    "image": "Its name at a registry, such as pytorch/pytorch:latest",
    "cuda": "CUDA in the image, where it has no name: 12.8",
    "framework": "torch, tensorflow, jax, vllm …",
    "release": "Of the framework: 2.8.0",
}
_OWN: Final = [
    text_parameter("image", _TOLD["image"], {"maxLength": 800}),
    *(text_parameter(name, _TOLD[name], {"maxLength": 40}) for name in manual.PARAMETERS),
    *(
        {
            **text_parameter(name, "A fact of a pasted image, as `address` holds it"),
            "schema": {"type": "array", "items": {"type": "string", "minLength": 1}},
        }
        for name in told_address.SHAPES
    ),
]
_RESPONSES: Final[Any] = {200: CheckAnswer, 202: PendingAnswer}


@router.get(
    "/check",
    response=_RESPONSES,
    operation_id="check",
    openapi_extra={
        "parameters": [*_OWN, *documented()],
        "x-example": f"{PATH}?cuda=12.8&framework=torch&release=2.8.0",
    },
)
def check_image(request: HttpRequest, response: HttpResponse, host: Query[HostQuery]) -> Any:
    """Will the image run, where, and what is to be done?

    202 while the registry is being read: ask again at `Location`.
    """
    world = judging_world()
    query = request.GET.copy()
    for name in (*HostQuery.model_fields, "lang"):
        query.pop(name, None)
    found = asked.of_query(query, world.vocabulary)
    return _answer(_Check(request, response, found, host.host, world, "host_{}"))


@router.post("/check", response=_RESPONSES, operation_id="check_post")
def check_posted(request: HttpRequest, response: HttpResponse, body: CheckBody) -> Any:
    """The same for an image by name, for facts of it, or for a pasted text.

    202 while the registry is being read: ask again at `Location`.
    """
    world = judging_world()
    found = asked.of_body(body, world.vocabulary)
    return _answer(_Check(request, response, found, body.host, world, "host.{}"))


@dataclass(frozen=True)
class _Check:
    """One request with all that it takes to answer it."""

    request: HttpRequest
    response: HttpResponse  # takes headers
    asked: asked.Request
    host: GivenHost
    world: World
    names: str  # how the parameters of the host are called


def _answer(this: _Check) -> Status[Any]:
    reference, reading = this.asked.reference, None
    if reference:
        reading = look(reference, client_of(this.request))
        if reading.record is None:
            if reading.state == "pending":
                return _pending(this, reading)
            raise unread(reading.reason or Reason.OUR_FAULT, reading)
    # All of it of one moment, which is not before that at which the image was looked up.
    with one_snapshot():
        return _judged(replace(this, world=judging_world()), reading)


def _judged(this: _Check, reading: Reading | None) -> Status[Any]:
    subject = asked.subject(this.asked, reading)
    host = host_verdict(subject.facts.image, this.host, this.world, this.names)
    now = timezone.now()
    result = check(subject, this.asked.criteria, this.world, now)
    found = CheckAnswer.model_validate(answer(Answered(subject, result, reading, host), now))
    this.response["ETag"] = _etag(found)
    return Status(200, found)


def judging_world() -> World:
    """The world with verdicts to filter by."""
    world = World.read()
    vocabulary = replace(world.vocabulary, verdicts=tuple(s.value for s in Standing))
    return replace(world, vocabulary=vocabulary)


def _etag(found: CheckAnswer) -> str:
    """Weak: it says when it was computed, and is otherwise the same until a fact changes."""
    content = encoded(found.model_dump(exclude={"computed_at"}))
    return f'W/"{hashlib.sha256(content).hexdigest()[:32]}"'


def _pending(this: _Check, reading: Reading) -> Status[Any]:
    location = _location(this)
    this.response["Location"] = location
    this.response["Retry-After"] = str(ASK_AGAIN_S)
    this.response["Cache-Control"] = "no-store"
    text = PHASES[reading.phase] if reading.phase else _("Waiting for its turn")
    return Status(
        202,
        PendingAnswer(phase=reading.phase, text=str(text), since=reading.since, location=location),
    )


def _location(this: _Check) -> str:
    host = [(f"host_{name}", value) for name, value in this.host.model_dump().items() if value]
    language = [("lang", this.request.GET["lang"])] if "lang" in this.request.GET else []
    address = this.asked.criteria.url(PATH)
    more = urlencode([*host, *language])
    return f"{address}&{more}" if more else address


# --- Why an image could not be read ----------------------------------------------------------


def unread(reason: Reason, reading: Reading) -> ProblemError:
    status = status_of(reason)
    kind = {422: "image", 429: "too_many_requests", 500: "our_fault"}.get(status, "registry")
    errors: tuple[Fault, ...] = ()
    if status == 422:
        found = fault("image", reading.reference.familiar, reason)
        errors = (found.model_copy(update={"detail": str(REASONS[reason])}),)
    return ProblemError(status, kind, REASONS[reason], reason.value, errors, retry_headers(reading))
