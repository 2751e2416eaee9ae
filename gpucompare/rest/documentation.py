"""The OpenAPI document as a page to read: what may be asked, how, and an address to try."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ParameterView:
    name: str
    where: str  # query | path
    required: bool
    told: object
    shape: str  # "a, b", "number 0 – 9"
    default: str
    several: bool  # whether it may be given more than once


@dataclass(frozen=True)
class OperationView:
    id: str
    method: str
    path: str
    summary: object
    description: object
    parameters: tuple[ParameterView, ...]
    body: str  # the name of the shape that it takes; empty for none
    answer: str  # the name of the shape of a good answer
    # An address to try; empty where it needs more than its path.
    example: str


@dataclass(frozen=True)
class FieldView:
    name: str
    shape: str
    told: str


@dataclass(frozen=True)
class ShapeView:
    """An object of the answers, or a set of keys, which then has no fields."""

    name: str
    told: str
    fields: tuple[FieldView, ...]
    keys: str


@dataclass(frozen=True)
class DocsPage:
    title: str
    version: str
    operations: tuple[OperationView, ...]
    shapes: tuple[ShapeView, ...]


def page(schema: Mapping[str, Any]) -> DocsPage:
    info = schema["info"]
    shapes = sorted(schema["components"]["schemas"].items())
    return DocsPage(
        info["title"],
        info["version"],
        tuple(_operations(schema["paths"])),
        tuple(_shape_view(name, shape) for name, shape in shapes),
    )


def _operations(paths: Mapping[str, Any]) -> Iterator[OperationView]:
    for path, operations in paths.items():
        for method, operation in operations.items():
            views = tuple(map(_parameter, operation["parameters"]))
            needs = method != "get" or any(view.required for view in views)
            example = operation.get("x-example", "" if needs else path)
            yield OperationView(
                operation["operationId"],
                method.upper(),
                path,
                operation["summary"],
                operation.get("description", ""),
                views,
                _named(operation.get("requestBody", {})),
                _named(operation["responses"][200]),
                example,
            )


def _parameter(parameter: Mapping[str, Any]) -> ParameterView:
    schema = parameter["schema"]
    default = schema.get("default", "")
    return ParameterView(
        parameter["name"],
        parameter["in"],
        bool(parameter.get("required")),
        parameter.get("description", ""),
        # A parameter that is not known is left out.
        _shapes(schema["items"] if schema.get("type") == "array" else schema).removesuffix(
            " | null"
        ),
        "" if default in ("", []) else str(default),
        schema.get("type") == "array",
    )


def _named(content: Mapping[str, Any]) -> str:
    """The name of the shape of a body."""
    for held in content.get("content", {}).values():
        return _name(held["schema"])
    return ""


def _shape_view(name: str, schema: Mapping[str, Any]) -> ShapeView:
    fields = schema.get("properties", {}).items()
    return ShapeView(
        name,
        schema.get("description", ""),
        tuple(FieldView(key, _shapes(of), of.get("description", "")) for key, of in fields),
        ", ".join(map(str, schema.get("enum", ()))),
    )


def _shapes(schema: Mapping[str, Any]) -> str:
    parts = schema.get("anyOf") or schema.get("allOf") or [schema]
    return " | ".join(filter(None, map(_shape, parts)))


def _name(schema: Mapping[str, Any]) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]


def _shape(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return _name(schema)
    if schema.get("type") == "array":
        return f"[{_shapes(schema['items'])}]"
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    if schema.get("type") == "null":
        return "null"
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum")
    bounds = f" {low} – {high}" if low is not None and high is not None else ""
    return f"{schema.get('type', 'value')}{bounds}"
