"""What a provider file may hold. Strict: an unknown key or a wrong type is a fault."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from datetime import date
from typing import Annotated, Any

from django.core.exceptions import ValidationError as DjangoValidationError
from django.core.validators import URLValidator
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from providers.dimensions import CLAIMED, DIMENSIONS
from providers.models.claim import Basis, SourceKind
from providers.models.provider import ProviderKind, Status

# How a claim is told its dimension: a name that no key of a file can be taken for.
KEY_ABOVE = "(dimension)"

_CLAIMED = {dimension.key: dimension for dimension in CLAIMED}
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_url_fault = URLValidator(schemes=["http", "https"])


def _text(longest: int) -> Callable[[str], str]:
    """A line of text that the database, a table cell and a YAML file can all hold."""

    def check(text: str) -> str:
        if not text or text != text.strip():
            raise ValueError(f"{text!r} is empty or has space around it; write the bare text")
        # Cf stays: Urdu and Persian words need their joiners.
        if any(unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"} for c in text):
            raise ValueError(f"{text!r} has a line break or a control character; write one line")
        if len(text) > longest:
            raise ValueError(f"is {len(text)} characters long; at most {longest} are allowed")
        return text

    return check


def _slug(text: str) -> str:
    if not _SLUG.fullmatch(text) or len(text) > 64:
        raise ValueError(f"{text!r} is not a slug: a-z, 0-9 and single hyphens, at most 64")
    return text


def _address(text: str) -> str:
    try:
        _url_fault(text)
    except DjangoValidationError:
        raise ValueError(f"{text!r} is not an http or https address") from None
    return _text(500)(text)


def _day(text: Any) -> date | None:
    if text is None or isinstance(text, date):
        return text
    if isinstance(text, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        try:
            return date.fromisoformat(text)
        except ValueError:
            pass
    raise ValueError(f"{text!r} is not a day such as 2026-08-20, or null when none is recorded")


def _country(text: str) -> str:
    if not re.fullmatch(r"[A-Z]{2}", text):
        raise ValueError(f"{text!r} is not an ISO 3166 code of two capitals, such as US")
    return text


def _one_of(values: list[str]) -> Callable[[str], str]:
    def check(text: str) -> str:
        if text not in values:
            raise ValueError(f"{text!r} is not one of {', '.join(values)}")
        return text

    return check


def _not_empty(items: list[Any]) -> list[Any]:
    if not items:
        raise ValueError("is empty; leave it out when nothing is known")
    return items


def _no_twins(items: list[str]) -> list[str]:
    twins = sorted({item for item in items if items.count(item) > 1})
    if twins:
        raise ValueError(f"names {', '.join(map(repr, twins))} twice; once is enough")
    return _not_empty(items)


def _access_modes(value: Any) -> Any:
    fault = DIMENSIONS["access_modes"].fault(value)
    if fault:
        raise ValueError(fault)
    return value


Name = Annotated[str, AfterValidator(_text(120))]
Line = Annotated[str, AfterValidator(_text(500))]
Slug = Annotated[str, AfterValidator(_slug)]
Address = Annotated[str, AfterValidator(_address)]


class _Document(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class ClaimDocument(_Document):
    """One answer to `dimension`, which the file gives as the key above it."""

    dimension: str = Field(validation_alias=KEY_ABOVE, exclude=True)
    value: Any
    basis: Annotated[str, AfterValidator(_one_of(Basis.values))]
    source: Address
    source_kind: Annotated[str, AfterValidator(_one_of(SourceKind.values))]
    # Given in every claim; null says that the copy bore no day.
    read_on: Annotated[date | None, BeforeValidator(_day)]
    note: Line | None = None

    @field_validator("value")
    @classmethod
    def _answers_its_dimension(cls, value: Any, info: ValidationInfo) -> Any:
        dimension = _CLAIMED.get(info.data["dimension"])
        # A wrong dimension is a fault of its own, at the key.
        fault = dimension.fault(value) if dimension else None
        if fault:
            raise ValueError(fault)
        for text in _texts(value):
            _text(500)(text)
        return value


def _texts(value: Any) -> Iterator[str]:
    yield from (v for v in (value if isinstance(value, list) else [value]) if isinstance(v, str))


def _claim_dimension(key: str) -> str:
    if key not in _CLAIMED:
        allowed = ", ".join(_CLAIMED)
        raise ValueError(f"is no dimension that claims answer; allowed: {allowed}")
    return key


def claim_lists(claims: Any) -> Any:
    """A lone claim stands without a list in the file; each one is told its dimension."""
    if not isinstance(claims, dict):
        return claims
    lists = {key: each if isinstance(each, list) else [each] for key, each in claims.items()}
    return {
        key: [{**c, KEY_ABOVE: key} if isinstance(c, dict) else c for c in each]
        for key, each in lists.items()
    }


Claims = Annotated[
    dict[
        Annotated[str, AfterValidator(_claim_dimension)],
        Annotated[list[ClaimDocument], AfterValidator(_not_empty)],
    ],
    BeforeValidator(claim_lists),
]


class OfferingDocument(_Document):
    slug: Slug
    name: Name
    status: Annotated[str, AfterValidator(_one_of(Status.values))] = Status.ACTIVE.value
    status_note: Line | None = None
    summary: Line
    docs: Address
    access_modes: Annotated[list[str] | None, BeforeValidator(_access_modes)] = None
    gpus: Annotated[list[Name], AfterValidator(_no_twins)] | None = None
    claims: Claims = {}

    def all_claims(self) -> Iterator[ClaimDocument]:
        for claims in self.claims.values():
            yield from claims


class PricingApi(_Document):
    """At least one of the two is given."""

    public: bool | None = None
    docs: Address | None = None

    @model_validator(mode="after")
    def _says_something(self) -> PricingApi:
        if self.public is None and self.docs is None:
            raise ValueError("says nothing; give public or docs, or leave it out")
        return self


class ProviderDocument(_Document):
    slug: Slug
    name: Name
    kind: Annotated[str, AfterValidator(_one_of(ProviderKind.values))]
    website: Address
    headquarters: Annotated[str, AfterValidator(_country)] | None = None
    status: Annotated[str, AfterValidator(_one_of(Status.values))] = Status.ACTIVE.value
    status_note: Line | None = None
    pricing_api: PricingApi | None = None
    offerings: list[OfferingDocument]
