"""What an answer may look like: kinds, grades, and the check that each kind makes.

The questions themselves stand in :mod:`providers.dimensions`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from django.utils.functional import Promise

Text = str | Promise


class Kind(StrEnum):
    """How a dimension is answered, and so which column and which filter it gets."""

    CHOICE = "choice"  # one of `values`
    SET = "set"  # several of `values`
    HOSTS = "hosts"  # registry host names or suffixes, or `any`
    YES_NO = "yes_no"
    VERSION = "version"  # 12.8
    VERSIONS = "versions"  # 580.126.20, or a range: 535-595
    NUMBER = "number"
    TEXT = "text"


class Grade(StrEnum):
    """How far an answer helps a renter; decides the mark in a cell, never a filter."""

    YES = "yes"
    PARTLY = "partly"
    NO = "no"


@dataclass(frozen=True)
class Value:
    """One possible answer. `label` stands in a cell, `help` explains it in a sentence."""

    key: str
    label: Text
    grade: Grade
    help: Text = ""


@dataclass(frozen=True)
class Look:
    """How anyone could find out an answer: what to do, and the command that shows it if one does.

    Words in capitals in the command stand for the reader's own.
    """

    text: Text
    command: str = ""


@dataclass(frozen=True)
class Dimension:
    """One question about an offering, with its possible answers from best to worst."""

    key: str
    kind: Kind
    group: str
    label: Text
    question: Text
    settled_by: Look
    short: Text = ""
    values: tuple[Value, ...] = ()
    main: bool = False
    unit: Text = ""
    # Dimensions whose known values are shown under this one's answer in its cell.
    details: tuple[str, ...] = ()
    # Answered by the offering's own field in the catalog, not by claims with a source each.
    on_offering: bool = False
    by_key: Mapping[str, Value] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_key", MappingProxyType({v.key: v for v in self.values}))

    @property
    def column_label(self) -> Text:
        return self.short or self.label

    @property
    def filterable(self) -> bool:
        """Free text cannot be a criterion; everything else can."""
        return self.kind is not Kind.TEXT

    @property
    def allowed(self) -> tuple[str, ...]:
        """The keys a query string may give; empty when any well-formed value may stand."""
        return tuple(self.by_key)

    def fault(self, value: Any) -> str | None:
        """Why `value` (as the catalog holds it) is not an answer; None when it is one."""
        return _FAULTS[self.kind](self, value)

    def grade_of(self, value: Any) -> Grade | None:
        """The grade of a known answer; the best member's for a set, None for a bare fact."""
        keys = [value] if not isinstance(value, list | tuple) else value
        grades = [self.by_key[k].grade for k in map(query_form, keys) if k in self.by_key]
        return min(grades, key=list(Grade).index) if grades else None


def query_form(value: Any) -> str:
    """An answer as it stands in a query string: `yes`/`no` for booleans, plain digits."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Decimal | float):
        return f"{Decimal(str(value)).normalize():f}"
    return str(value)


VERSION_RE = re.compile(r"\d{1,5}(\.\d{1,5}){0,3}")
HOST_RE = re.compile(
    r"any|(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+"
)


def version_key(text: str) -> tuple[int, ...]:
    """`580.126.20` → (580, 126, 20), so that versions compare as numbers."""
    return tuple(int(part) for part in text.split("."))


def version_bounds(text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Lowest and highest version of an answer such as `535-595` or `580.126.20`."""
    low, _dash, high = text.partition("-")
    return version_key(low), version_key(high or low)


def _choice_fault(dimension: Dimension, value: Any) -> str | None:
    if isinstance(value, str) and value in dimension.by_key:
        return None
    hint = " (put yes and no in quotes)" if isinstance(value, bool) else ""
    return f"{value!r} is not one of {', '.join(dimension.allowed)}{hint}"


def _members_fault(value: Any, wrong: Iterable[Any], allowed: str) -> str | None:
    if not isinstance(value, list) or not value:
        return f"{value!r} is not a list of {allowed}"
    if len(set(map(str, value))) != len(value):
        return f"{value!r} names a member twice"
    bad = [repr(member) for member in wrong]
    return f"{', '.join(bad)} is not one of {allowed}" if bad else None


def _set_fault(dimension: Dimension, value: Any) -> str | None:
    members = value if isinstance(value, list) else []
    wrong = [m for m in members if not isinstance(m, str) or m not in dimension.by_key]
    fault = _members_fault(value, wrong, ", ".join(dimension.allowed))
    if fault is None and "no" in members and len(members) > 1:
        return "'no' stands alone: nothing else can be true beside it"
    return fault


def _hosts_fault(dimension: Dimension, value: Any) -> str | None:
    members = value if isinstance(value, list) else []
    wrong = [m for m in members if not isinstance(m, str) or not HOST_RE.fullmatch(m)]
    return _members_fault(value, wrong, "registry host names in lower case, or any")


def _yes_no_fault(dimension: Dimension, value: Any) -> str | None:
    return None if isinstance(value, bool) else f"{value!r} is not true or false"


def _version_fault(dimension: Dimension, value: Any) -> str | None:
    if isinstance(value, str) and VERSION_RE.fullmatch(value):
        return None
    return f"{value!r} is not a version in quotes, such as '12.8'"


def _versions_fault(dimension: Dimension, value: Any) -> str | None:
    parts = value.split("-") if isinstance(value, str) else []
    if len(parts) not in (1, 2) or not all(VERSION_RE.fullmatch(part) for part in parts):
        return f"{value!r} is not a version or a range in quotes, such as '535-595'"
    low, high = version_bounds(value)
    return f"{value!r} ends below its start" if high < low else None


def _number_fault(dimension: Dimension, value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return f"{value!r} is not a number"
    number = Decimal(str(value))
    if not number.is_finite() or number < 0 or number >= 10**9:
        return f"{value!r} is not a number from 0 to 999999999"
    return None


def _text_fault(dimension: Dimension, value: Any) -> str | None:
    return None if isinstance(value, str) and value.strip() else f"{value!r} is not a text"


_FAULTS = {
    Kind.CHOICE: _choice_fault,
    Kind.SET: _set_fault,
    Kind.HOSTS: _hosts_fault,
    Kind.YES_NO: _yes_no_fault,
    Kind.VERSION: _version_fault,
    Kind.VERSIONS: _versions_fault,
    Kind.NUMBER: _number_fault,
    Kind.TEXT: _text_fault,
}
