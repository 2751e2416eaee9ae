"""Errors as RFC 9457 says them (problem+json): what is wrong, where, and what would be right."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from ninja import Schema
from pydantic import Field

Text = str | Promise

MEDIA_TYPE = "application/problem+json"
# What a value that was sent is cut to before it is sent back.
SHOWN = 80

TITLES: Mapping[str, Text] = {
    "bad_request": gettext_lazy("The request cannot be read"),
    "parameter": gettext_lazy("A parameter is not understood"),
    "not_found": gettext_lazy("There is nothing here"),
    "method": gettext_lazy("This address is not for that method"),
    "too_many_requests": gettext_lazy("Too many requests"),
    "our_fault": gettext_lazy("Something went wrong on our side"),
    "unavailable": gettext_lazy("The data cannot be read just now"),
    "image": gettext_lazy("The image cannot be read"),
    "registry": gettext_lazy("The registry cannot be read"),
    "paste": gettext_lazy("The pasted text cannot be read"),
}

REASONS: Mapping[str, Text] = {
    "value": gettext_lazy("It cannot have that value."),
    "parameter": gettext_lazy("There is no such parameter here."),
    "repeated": gettext_lazy("It is given more than once and has one value only."),
    "too_many": gettext_lazy("It is given more often than is read."),
    "empty": gettext_lazy("It is given without a value: leave it out instead."),
    "missing": gettext_lazy("It is needed and was not given."),
    "absent": gettext_lazy("There is no such thing."),
    "twice": gettext_lazy("It names the same thing twice."),
    "surplus": gettext_lazy("It names more than are shown at once."),
    "beside": gettext_lazy("It says nothing beside the other way to ask: leave one of them out."),
}


class Fault(Schema):
    """One parameter that is at fault."""

    parameter: str = Field(description="Its name; of a body, the path to it: facts.cuda")
    value: str = Field("", description=f"As it was sent, cut to {SHOWN} characters")
    reason: str = Field(description="A key: " + ", ".join(REASONS) + ", or one of the endpoint")
    detail: str = Field("", description="The reason in words")
    allowed: list[str] = Field([], description="All values that are allowed, where they are few")


class Problem(Schema):
    """An error. `type` is a link to its explanation and does not change."""

    type: str = Field(description="Address of an explanation of this kind of error")
    title: str
    status: int
    detail: str = ""
    reason: str = Field("", description="A key that says more than the type")
    errors: list[Fault] = Field([], description="The parameters that are at fault")


@dataclass(eq=False)
class ProblemError(Exception):
    """Ends a request with that problem; `headers` go along."""

    status: int
    kind: str  # of TITLES
    detail: Text = ""
    reason: str = ""
    errors: tuple[Fault, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)


def fault(parameter: str, value: object, reason: str, allowed: Iterable[str] = ()) -> Fault:
    return Fault(
        parameter=parameter,
        value=str(value)[:SHOWN],
        reason=reason,
        detail=str(REASONS.get(reason, "")),
        allowed=list(allowed),
    )


def unfit(errors: Iterable[Fault]) -> ProblemError:
    """422: the parameters that are at fault, all at once."""
    listed = tuple(errors)
    names = ", ".join(dict.fromkeys(error.parameter for error in listed))
    detail = _("Correct or leave out: %(names)s.") % {"names": names}
    return ProblemError(422, "parameter", detail, errors=listed)


def problem_response(problem: ProblemError) -> HttpResponse:
    body = Problem(
        type=f"/api/v1/docs#{problem.kind}",
        title=str(TITLES[problem.kind]),
        status=problem.status,
        detail=str(problem.detail),
        reason=problem.reason,
        errors=list(problem.errors),
    )
    response = HttpResponse(
        encoded(body.model_dump()), content_type=MEDIA_TYPE, status=problem.status
    )
    response["Cache-Control"] = "no-store"
    for name, value in problem.headers.items():
        response[name] = value
    return response


def encoded(content: Any) -> bytes:
    """JSON in UTF-8: letters as they are, texts in the language of the request."""
    return json.dumps(content, cls=DjangoJSONEncoder, ensure_ascii=False).encode()
