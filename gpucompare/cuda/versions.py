"""Versions that are compared: drivers, CUDA, compute capabilities, releases; known or in a range.

`packaging` reads them. What is compared are the numbers of its release: a range without an end
needs a number above all others, and no version of `packaging` is that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from math import inf

from packaging.version import Version

Numbers = tuple[float, ...]  # without trailing zeros: 12.0 and 12 are one version

_DOTTED = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9}){0,7}")
_RELEASE = re.compile(r"v?([0-9]{1,6}(?:\.[0-9]{1,6}){0,4})(?![0-9])")


@lru_cache(maxsize=4096)
def numbers(text: str) -> Numbers | None:
    """(535, 104, 5) for "535.104.05"; None for anything that is not digits and dots."""
    return _trimmed(text) if _DOTTED.fullmatch(text) else None


def _trimmed(text: str) -> Numbers:
    parts: list[float] = [*Version(text).release]
    while parts and not parts[-1]:
        parts.pop()
    return tuple(parts)


@dataclass(frozen=True)
class Span:
    """All versions from `low` to `high`, both included."""

    low: Numbers
    high: Numbers

    @classmethod
    def exactly(cls, version: Numbers) -> Span:
        return cls(version, version)

    def at_least(self, version: Numbers) -> bool | None:
        """Kleene: None where the span holds both answers."""
        if self.low >= version:
            return True
        return False if self.high < version else None

    def above(self, version: Numbers) -> bool | None:
        if self.low > version:
            return True
        return False if self.high <= version else None

    def equals(self, version: Numbers) -> bool | None:
        if self.low == self.high == version:
            return True
        return None if self.low <= version <= self.high else False

    def overlaps(self, other: Span) -> bool:
        return self.low <= other.high and other.low <= self.high

    def within(self, other: Span) -> bool:
        return other.low <= self.low and self.high <= other.high


ANY = Span((), (inf,))


@lru_cache(maxsize=4096)
def driver_span(driver: str) -> Span | None:
    """The drivers that a text names: one, or all of a branch; None if it names none."""
    found = numbers(driver)
    if not found:
        return None
    return Span(found, (*found, inf)) if "." not in driver else Span.exactly(found)


@lru_cache(maxsize=4096)
def series_span(text: str) -> Span | None:
    """`12.8.1`, "12.8", "12" or "12.x": whatever begins so. None for what is no version."""
    found = _RELEASE.match(text)
    if found is None:
        return None
    return Span(_trimmed(found[1]), (*Version(found[1]).release, inf))


def beginning(text: str) -> str:
    """The digits and dots that a text begins with: 2.11.0 of "v2.11.0a0+a6c236b"; "" for none."""
    found = _RELEASE.match(text)
    return found[1] if found else ""


@lru_cache(maxsize=4096)
def releases_span(text: str) -> Span | None:
    """Releases as people write them: "2.7.1", "2.8-2.10", "<2.7", ">=0.15.0"; "" is any."""
    text = text.replace(" ", "")
    if not text:
        return ANY
    if text.startswith("<"):
        below = series_span(text.lstrip("<="))
        return below and Span((), (*below.low[:-1], below.low[-1] - 1, inf)) if below else None
    if text.startswith(">"):
        above = series_span(text.lstrip(">="))
        return above and Span(above.low, (inf,))
    first, _, last = text.partition("-")
    low, high = series_span(first), series_span(last or first)
    return Span(low.low, high.high) if low and high else None
