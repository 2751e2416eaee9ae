"""Criteria as the API takes them: the pages' names, and an error where a page shows a notice."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from django.http import QueryDict

from gpucompare.rest.problem import Fault, fault, unfit
from providers.answers import HOST_RE, VERSION_RE, Kind
from providers.browse.criteria import MAX_VALUES, Criteria, Ignored
from providers.browse.parameters import (
    AFTER_RE,
    LONGEST_REGION,
    LONGEST_SEARCH,
    PARAMETERS,
    Parameter,
    Vocabulary,
)
from providers.dimensions import DIMENSIONS

# Places in a page's rows, and what only a page shows.
OF_PAGES: Final = frozenset({"page", "after", "columns"})


def criteria_of(query: QueryDict, vocabulary: Vocabulary, under: str = "") -> Criteria:
    """The criteria of a query. Raises ProblemError for all that a page would leave out.

    `under` is the place of the criteria in a body: "criteria.".
    """
    criteria, ignored = Criteria.parse(query, vocabulary)
    empty = [name for name, values in query.lists() if not all(v.strip() for v in values)]
    faults = [fault_of(part, under) for part in ignored]
    if faults := [*faults, *(fault(f"{under}{name}", "", "empty") for name in empty)]:
        raise unfit(faults)
    return criteria


def fault_of(part: Ignored, under: str = "") -> Fault:
    return fault(f"{under}{part.name}", part.value, part.reason, part.allowed)


# --- In the OpenAPI document ---------------------------------------------------------------


def documented(without: Collection[str] = OF_PAGES) -> list[dict[str, Any]]:
    """The criteria as parameters of an operation, drawn from their declarations."""
    return [_documented(p) for name, p in PARAMETERS.items() if name not in without]


def text_parameter(
    name: str, told: object, schema: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A parameter of a query that is no criterion."""
    shape = {"type": "string", "minLength": 1, "pattern": r"\S", **(schema or {})}
    return {"in": "query", "name": name, "required": False, "description": told, "schema": shape}


def _documented(parameter: Parameter) -> dict[str, Any]:
    item = _item(parameter)
    schema = item
    if parameter.many:
        schema = {"type": "array", "items": item, "maxItems": MAX_VALUES}
    elif parameter.default:
        schema = {**item, "default": parameter.default[0]}
    found = {
        "in": "query",
        "name": parameter.name,
        "required": False,
        "description": _told(parameter),
        "schema": schema,
    }
    # Keys repeat for several values.
    return found | ({"style": "form", "explode": True} if parameter.many else {})


def _told(parameter: Parameter) -> object:
    dimension = DIMENSIONS.get(parameter.name)
    if dimension is None:
        return _MORE.get(parameter.name, parameter.label)
    return f"{dimension.question} ({dimension.unit})" if dimension.unit else dimension.question


def _item(parameter: Parameter) -> dict[str, Any]:
    allowed = list(parameter.allowed(Vocabulary()))
    if parameter.name in DIMENSIONS and not allowed:
        return _OF_KIND[DIMENSIONS[parameter.name].kind]
    if parameter.name in _SHAPES:
        return _SHAPES[parameter.name]
    return {"type": "string", "enum": allowed or ["1"]}


_VERSION: Final = {"type": "string", "pattern": f"^{VERSION_RE.pattern}$", "examples": ["12.8"]}
_NAME: Final = {"type": "string", "pattern": "^[a-z0-9-]{1,64}$"}
_OF_KIND: Final[Mapping[Kind, dict[str, Any]]] = {
    Kind.VERSION: _VERSION,
    Kind.VERSIONS: _VERSION,
    Kind.NUMBER: {"type": "number", "minimum": 0, "maximum": 10**9 - 1},
    Kind.HOSTS: {"type": "string", "pattern": f"^(?:{HOST_RE.pattern})$", "examples": ["ghcr.io"]},
}
# What no list of values says. Names that only the database knows are answered with all of them
# when they are wrong.
_SHAPES: Final[Mapping[str, dict[str, Any]]] = {
    "q": {"type": "string", "minLength": 1, "maxLength": LONGEST_SEARCH},
    "provider": _NAME,
    "gpu": {**_NAME, "examples": ["h100", "h100-sxm"]},
    "gpu_count": {"type": "integer", "minimum": 1, "maximum": 1024},
    "min_vram": {"type": "integer", "minimum": 1, "maximum": 4096},
    "region": {"type": "string", "minLength": 1, "maxLength": LONGEST_REGION},
    "min_driver": _VERSION,
    "min_cuda": _VERSION,
    "max_price": {"type": "number", "minimum": 0.000001, "maximum": 10**7},
    "verdict": {"type": "string", "enum": ["runs", "condition", "unknown", "fails"]},
    "currency": {"type": "string", "pattern": "^[A-Za-z]{3}$", "default": "USD"},
    "page": {"type": "integer", "minimum": 1, "maximum": 100_000},
    "after": {"type": "string", "pattern": f"^{AFTER_RE.pattern}$"},
}
_MORE: Final[Mapping[str, str]] = {
    "gpu": "A family, such as h100, or a model, such as h100-sxm",
    "max_price": "Price at most, in the units of `per`, `period` and `currency`",
    "min_vram": "VRAM of one GPU at least, in GB",
    "after": "Where the next part begins: taken from `next`",
}


def query_of(values: Mapping[str, Any]) -> QueryDict:
    """Criteria of a JSON body as the query string that says the same."""
    query = QueryDict(mutable=True)
    for name, value in values.items():
        several = value if isinstance(value, list) else [value]
        query.setlist(name, [_spelled(one) for one in several])
    return query


def _spelled(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    return str(value)


def only(names: Iterable[str]) -> frozenset[str]:
    """Everything but these, for `documented`."""
    return frozenset(PARAMETERS) - frozenset(names)
