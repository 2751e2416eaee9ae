"""NVIDIA_REQUIRE_*: what a container demands of a host before it starts.

    requirement := term {" " term}      any of them
    term        := factor {"," factor}  all of them
    factor      := name op value        cuda>=12.8 · driver<536 · arch!=7.0 · brand=tesla

Two programs read it. libnvidia-container (`src/cli/dsl.c`), for the mode called legacy, asks about
each GPU and stops at the first expression it cannot read. The container toolkit's Go code
(`internal/requirements`), for CSV mode on Tegra, knows cuda and arch only and skips names that it
does not know. Both read from the left and stop when the answer is clear, so a fault behind that
point goes unseen. A fact of the host that is missing makes an answer None, in Kleene's sense.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from gpucompare.cuda.versions import Numbers, Span, numbers

Dialect = Literal["legacy", "csv"]
Name = Literal["cuda", "driver", "arch", "brand"]

# The kernel gives one environment variable no more than this (MAX_ARG_STRLEN).
LONGEST = 128 * 1024
# All texts of an image together: NVIDIA's longest has 3 KB, and each host is asked all of them.
MOST_ASKED, MOST_TEXTS = 16 * 1024, 64
_FACTOR = re.compile(r"([^<>=!]+)([<>=!]+)(.+)", re.DOTALL)
_COMPARISONS = {
    ">=": (Span.at_least, True),
    "<": (Span.at_least, False),
    ">": (Span.above, True),
    "<=": (Span.above, False),
    "=": (Span.equals, True),
    "!=": (Span.equals, False),
}
_TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})  # as Go's strconv.ParseBool


class RequirementError(ValueError):
    """A requirement that the program reading it gives up on: the container does not start."""


@dataclass(frozen=True)
class Factor:
    """One comparison. `version` is None for a value that is not a version."""

    name: str
    operator: str
    value: str
    version: Numbers | None


@dataclass(frozen=True)
class Fault:
    """An expression that nobody can read."""

    text: str


Term = tuple[Factor | Fault, ...]


@dataclass(frozen=True)
class Requirement:
    text: str
    terms: tuple[Term, ...]

    @property
    def first_cuda(self) -> str:
        """12.8 of `cuda>=12.8 brand=…`: the CUDA that the image was made with."""
        for factor in (factor for term in self.terms for factor in term):
            if isinstance(factor, Factor) and (factor.name, factor.operator) == ("cuda", ">="):
                return factor.value if factor.version else ""
        return ""

    @property
    def names_branches(self) -> bool:
        """Whether it lets older branches pass, as images do that hold a compat library."""
        return any({"brand", "driver"} <= _names(term) for term in self.terms)


@dataclass(frozen=True)
class Properties:
    """What a host answers; None: not known."""

    cuda: Span | None = None
    driver: Span | None = None
    arch: Span | None = None
    brand: str | None = None


def is_too_much(texts: Sequence[str]) -> bool:
    """Whether nobody asks so much of a host who means it well: it is left unread."""
    return len(texts) > MOST_TEXTS or sum(map(len, texts)) > MOST_ASKED


def _names(term: Term) -> set[str]:
    return {factor.name for factor in term if isinstance(factor, Factor)}


@lru_cache(maxsize=512)
def parse(text: str) -> Requirement:
    """Raises RequirementError for a text longer than an environment variable can be."""
    if len(text) > LONGEST:
        raise RequirementError(f"longer than {LONGEST} characters")
    terms = (tuple(_factors(term)) for term in text.split(" "))
    return Requirement(text, tuple(term for term in terms if term))


def _factors(term: str) -> Iterator[Factor | Fault]:
    for text in filter(None, term.split(",")):
        found = _FACTOR.fullmatch(text)
        if found is None or found[2] not in _COMPARISONS:
            yield Fault(text)
        else:
            yield Factor(found[1].casefold(), found[2], found[3], numbers(found[3]))


def met(requirement: Requirement, host: Properties, dialect: Dialect = "legacy") -> bool | None:
    """Whether the host passes. Raises RequirementError where its reader would give up."""
    holds: bool | None = not requirement.terms
    for term in _not_shut(requirement.text, host.brand, dialect):
        try:
            one = _term(term, host, dialect)
        except RequirementError:
            if holds is None:
                return None  # the reader may have stopped before it
            raise
        if one:
            return True
        holds = None if one is None else holds
    return holds


@lru_cache(maxsize=1024)
def _not_shut(text: str, brand: str | None, dialect: Dialect) -> tuple[Term, ...]:
    """The terms that do not begin with a brand that the GPU has not: most of a long text does."""
    return tuple(term for term in parse(text).terms if not _is_shut(term[0], brand, dialect))


def _is_shut(first: Factor | Fault, brand: str | None, dialect: Dialect) -> bool:
    if isinstance(first, Fault) or first.name != "brand" or first.operator not in ("=", "!="):
        return False
    return _brand(first, brand if dialect == "legacy" else "", dialect) is False


def _term(term: Term, host: Properties, dialect: Dialect) -> bool | None:
    holds: bool | None = True
    for factor in term:
        try:
            one = _factor(factor, host, dialect)
        except RequirementError:
            if holds is None:
                return None  # the reader may have stopped before it
            raise
        if one is False:
            return False
        holds = None if one is None else holds
    return holds


def _factor(factor: Factor | Fault, host: Properties, dialect: Dialect) -> bool | None:
    if isinstance(factor, Fault):
        raise RequirementError(f"invalid expression {factor.text[:80]!r}")
    if factor.name == "brand":
        return _brand(factor, host.brand if dialect == "legacy" else "", dialect)
    if factor.name not in ("cuda", "driver", "arch"):
        if dialect == "csv":
            return True
        raise RequirementError(f"unknown name {factor.name[:80]!r}")
    if dialect == "csv" and factor.name == "driver":
        return False  # that reader never fills it in
    if factor.version is None:
        raise RequirementError(f"not a version: {factor.value[:80]!r}")
    return _compared(factor, getattr(host, factor.name))


def _brand(factor: Factor, brand: str | None, dialect: Dialect) -> bool | None:
    if factor.operator not in ("=", "!="):
        raise RequirementError(f"a brand is never {factor.operator} another")
    if brand is None:
        return None
    same = (
        brand.casefold() == factor.value.casefold()
        if dialect == "legacy"
        else brand == factor.value
    )
    return same == (factor.operator == "=")


def _compared(factor: Factor, span: Span | None) -> bool | None:
    if span is None or factor.version is None:
        return None
    compare, is_positive = _COMPARISONS[factor.operator]
    answer = compare(span, factor.version)
    return answer if is_positive or answer is None else not answer


def requirements_of(environment: Mapping[str, str]) -> tuple[str, ...]:
    """All that an image's environment demands, the implicit one of CUDA_VERSION included."""
    texts = [
        text
        for name, text in environment.items()
        if name.startswith("NVIDIA_REQUIRE_") and not name.startswith("NVIDIA_REQUIRE_JETPACK")
    ]
    cuda = re.match(r"\d+\.\d+", environment.get("CUDA_VERSION", ""))
    if cuda and not environment.get("NVIDIA_REQUIRE_CUDA"):
        texts.append(f"cuda>={cuda[0]}")
    return tuple(text for text in texts if text)


def is_check_disabled(environment: Mapping[str, str]) -> bool:
    return environment.get("NVIDIA_DISABLE_REQUIRE", "") in _TRUE
