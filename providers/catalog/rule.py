"""What a rule about curated data is. The rules themselves stand one a file in `rules/`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Any, Generic, TypeVar

from providers.catalog.faults import Path
from providers.catalog.schema import ClaimDocument, OfferingDocument, ProviderDocument
from providers.dimensions import DIMENSIONS
from providers.resolve import Resolution, resolve

Subject = TypeVar("Subject", ClaimDocument, OfferingDocument, ProviderDocument)
Check = Callable[[Subject, date], "Iterator[Finding]"]


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True)
class Finding:
    """One thing a rule found: what its sentence needs to know, and where below the subject."""

    parameters: Mapping[str, Any] = field(default_factory=dict)
    at: Path = ()


def found(*at: str | int, **parameters: Any) -> Finding:
    """A finding at the path `at` below the rule's subject."""
    return Finding(parameters, at)


@dataclass(frozen=True)
class Rule(Generic[Subject]):
    """A rule about claims, offerings or providers; `message` takes a finding's parameters."""

    key: str
    severity: Severity
    message: str
    subject: type[Subject]
    check: Check[Subject]

    def __call__(self, subject: Subject, today: date) -> list[Finding]:
        return list(self.check(subject, today))


def about_claims(
    key: str, severity: Severity, message: str
) -> Callable[[Check[ClaimDocument]], Rule[ClaimDocument]]:
    return lambda check: Rule(key, severity, message, ClaimDocument, check)


def about_offerings(
    key: str, severity: Severity, message: str
) -> Callable[[Check[OfferingDocument]], Rule[OfferingDocument]]:
    return lambda check: Rule(key, severity, message, OfferingDocument, check)


def about_providers(
    key: str, severity: Severity, message: str
) -> Callable[[Check[ProviderDocument]], Rule[ProviderDocument]]:
    return lambda check: Rule(key, severity, message, ProviderDocument, check)


def resolution(offering: OfferingDocument, key: str) -> Resolution:
    return resolve(DIMENSIONS[key], offering.claims.get(key, ()))


def answer(offering: OfferingDocument, key: str) -> Any:
    """The resolved answer, as the offering's column will hold it; None when unknown."""
    return resolution(offering, key).value
