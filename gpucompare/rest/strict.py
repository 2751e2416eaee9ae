"""What the OpenAPI document does not name is refused: it is the one list of what may be asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, wraps
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation

from gpucompare.rest.problem import (
    MEDIA_TYPE,
    Fault,
    Problem,
    ProblemError,
    fault,
    problem_response,
    unfit,
)

Run = Callable[..., HttpResponse]
# By parameter: whether it may be given more than once.
Named = Mapping[str, bool]


class StrictApi(NinjaAPI):
    """An API whose errors are problems and whose operations take what they document, only that."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._drawn: dict[str | None, OpenAPISchema] = {}
        self.add_decorator(self._strict, mode="view")
        for kind, handler in _HANDLERS.items():
            self.add_exception_handler(kind, handler)

    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        """Drawn once; its texts are put into words whenever it is sent."""
        prefix = options.get("path_prefix")
        if prefix not in self._drawn:
            self._drawn[prefix] = self._draw(super().get_openapi_schema(**options))
        return self._drawn[prefix]

    @staticmethod
    def _draw(schema: OpenAPISchema) -> OpenAPISchema:
        problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        schema["components"]["schemas"] |= problem.pop("$defs", {}) | {"Problem": problem}
        for path, operations in schema["paths"].items():
            for operation in operations.values():
                operation["parameters"].append(_LANGUAGE)
                operation["responses"].update(_errors("{" in path))
        return schema

    @cached_property
    def _named(self) -> Mapping[str, Named]:
        """By id of the operation."""
        paths = self.get_openapi_schema()["paths"]
        return {
            operation["operationId"]: {
                p["name"]: p["schema"].get("type") == "array"
                for p in operation["parameters"]
                if p["in"] == "query"
            }
            for operations in paths.values()
            for operation in operations.values()
        }

    def _strict(self, run: Run) -> Run:
        operation: Operation = run.__self__  # type: ignore[attr-defined]

        @wraps(run)
        def strictly(request: HttpRequest, **path: Any) -> HttpResponse:
            own = operation.operation_id or self.get_openapi_operation_id(operation)
            named = self._named[own]
            faults = list(_faults(request, named))
            return problem_response(unfit(faults)) if faults else run(request, **path)

        return strictly


def _faults(request: HttpRequest, named: Named) -> Iterator[Fault]:
    for name, values in request.GET.lists():
        if name not in named:
            yield fault(name[:80], values[-1], "parameter", named)
        elif len(values) > 1 and not named[name]:
            yield fault(name, values[-1], "repeated")
        elif not all(value.strip() for value in values):
            yield fault(name, "", "empty")


# --- Errors as problems ------------------------------------------------------------------


def _of_problem(request: HttpRequest, problem: ProblemError) -> HttpResponse:
    return problem_response(problem)


def _of_http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    return problem_response(ProblemError(error.status_code, "bad_request", str(error)))


def _of_missing(request: HttpRequest, error: Http404) -> HttpResponse:
    return problem_response(ProblemError(404, "not_found"))


def _of_validation(request: HttpRequest, error: ValidationError) -> HttpResponse:
    return problem_response(unfit(map(_fault_of, error.errors)))


_HANDLERS: Mapping[type[Exception], Callable[..., HttpResponse]] = {
    ProblemError: _of_problem,
    ValidationError: _of_validation,
    HttpError: _of_http_error,
    Http404: _of_missing,
}


def _fault_of(error: Mapping[str, Any]) -> Fault:
    """As pydantic tells it; its words are English."""
    reason = {"missing": "missing", "extra_forbidden": "parameter"}.get(error["type"], "value")
    # "'0', '1' or '2'": the values of a choice, which pydantic tells in this form only.
    allowed = _QUOTED.findall(error["ctx"]["expected"]) if error["type"] == "literal_error" else ()
    found = fault(_parameter(error["loc"]), error.get("input", ""), reason, allowed)
    return found if reason != "value" else found.model_copy(update={"detail": error["msg"]})


_QUOTED = re.compile(r"'([^']*)'")


def _parameter(place: Sequence[str | int]) -> str:
    """Without the names of arguments, which nobody outside knows."""
    where, *path = place
    if where == "body":
        return ".".join(map(str, path[1:])) or "body"
    return [part for part in path if isinstance(part, str)][-1]


# --- In the document ---------------------------------------------------------------------

_LANGUAGE = {
    "in": "query",
    "name": "lang",
    "required": False,
    "description": "The language of texts; values are the same in every language",
    "schema": {"type": "string", "enum": [code for code, _ in settings.LANGUAGES]},
}
_TOLD = {
    400: "The request cannot be read",
    404: "There is nothing here",
    413: "More was sent than is read",
    414: "The address is longer than is read",
    422: "A parameter is not understood; `errors` names it and what is allowed",
    429: "Too many requests; Retry-After says how long to wait",
    500: "Something went wrong on our side",
    503: "The data cannot be read just now; Retry-After says how long to wait",
}


def _errors(has_path_parameters: bool) -> dict[int, dict[str, Any]]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        status: {"description": told, "content": {MEDIA_TYPE: {"schema": schema}}}
        for status, told in _TOLD.items()
        if status != 404 or has_path_parameters
    }
