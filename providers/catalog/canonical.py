"""The one form of a catalog file: keys in declared order, a claim a line, quotes only if needed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal
from typing import Any

import yaml

from providers.catalog.files import CoreLoader
from providers.catalog.schema import ClaimDocument, OfferingDocument, ProviderDocument
from providers.dimensions import CLAIMED

# What ends a text without quotes too early: anywhere, and inside brackets.
_UNSAFE = re.compile(r": |:$| #")
_UNSAFE_IN_BRACKETS = re.compile(r": |:$| #|[,\[\]{}]")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_DIMENSION_ORDER = {d.key: index for index, d in enumerate(CLAIMED)}


def text_of(provider: ProviderDocument) -> str:
    """The file of `provider`; ends in a line break. Reading it gives `provider` again."""
    return "".join(f"{line}\n" for line in _provider_lines(provider))


def _provider_lines(provider: ProviderDocument) -> Iterator[str]:
    for key in ("slug", "name", "kind", "website", "headquarters", "status", "status_note"):
        yield from _line(key, getattr(provider, key))
    if provider.pricing_api:
        api = provider.pricing_api
        yield f"pricing_api: {_mapping([('public', api.public), ('docs', api.docs)])}"
    if not provider.offerings:
        yield "offerings: []"
        return
    yield "offerings:"
    for offering in provider.offerings:
        lines = list(_offering_lines(offering))
        yield f"  - {lines[0]}"
        yield from (f"    {line}" for line in lines[1:])


def _offering_lines(offering: OfferingDocument) -> Iterator[str]:
    for key in ("slug", "name", "status", "status_note", "summary", "docs", "access_modes", "gpus"):
        yield from _line(key, getattr(offering, key))
    if offering.claims:
        yield "claims:"
    for key in sorted(offering.claims, key=lambda k: (_DIMENSION_ORDER.get(k, 999), k)):
        yield from (f"  {line}" for line in _claim_lines(key, offering.claims[key]))


def _claim_lines(key: str, claims: list[ClaimDocument]) -> Iterator[str]:
    if len(claims) == 1:
        yield f"{key}: {_claim(claims[0])}"
        return
    yield f"{key}:"
    yield from (f"  - {_claim(claim)}" for claim in claims)


def _claim(claim: ClaimDocument) -> str:
    keys = ("value", "basis", "source", "source_kind", "read_on", "note")
    pairs = [(key, getattr(claim, key)) for key in keys]
    return _mapping(pairs, always=("read_on",))


def _mapping(pairs: Iterable[tuple[str, Any]], always: tuple[str, ...] = ()) -> str:
    given = [(key, value) for key, value in pairs if value is not None or key in always]
    return "{" + ", ".join(f"{key}: {scalar(value)}" for key, value in given) + "}"


def _line(key: str, value: Any) -> Iterator[str]:
    if value is not None:
        yield f"{key}: {scalar(value, flow=False)}"


def scalar(value: Any, *, flow: bool = True) -> str:
    """`value` as one piece of YAML; `flow` says that it stands inside brackets."""
    if isinstance(value, list):
        return "[" + ", ".join(scalar(item) for item in value) + "]"
    if isinstance(value, str):
        return _text(value, flow=flow)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float):
        return f"{Decimal(repr(value)):f}"
    # null, true, false and whole numbers are written as in JSON.
    return json.dumps(value)


def _text(text: str, *, flow: bool) -> str:
    if not text.isprintable():
        return _double_quoted(text)
    return text if _is_plain(text, flow=flow) else "'" + text.replace("'", "''") + "'"


def _is_plain(text: str, *, flow: bool) -> bool:
    """Whether `text` without quotes is that text, to a reader of YAML 1.1 as well as of 1.2."""
    if not text or not (text[0].isalnum() or ord(text[0]) > 127) or text != text.strip():
        return False
    if (_UNSAFE_IN_BRACKETS if flow else _UNSAFE).search(text):
        return False
    # A day is a day to every reader, with quotes or without.
    return bool(_DAY.fullmatch(text)) or _is_text_to(text, CoreLoader, yaml.CSafeLoader)


def _is_text_to(text: str, *loaders: Any) -> bool:
    return not any(
        pattern.match(text)
        for loader in loaders
        for _tag, pattern in loader.yaml_implicit_resolvers.get(text[0], ())
    )


def _double_quoted(text: str) -> str:
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
