"""Numbers with a low, a likely and a high case, exact in Decimal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Final, Literal, Self

Case = Literal["low", "likely", "high"]
CASES: Final[tuple[Case, ...]] = ("low", "likely", "high")

# Above every real figure.
LIMIT: Final = Decimal(10**9)
# Below every real figure that is not 0: what is divided by less has more digits than are kept.
LEAST: Final = Decimal("1e-9")
# Rounding must not fail on what the limits of all inputs together make.
WIDE: Final = Context(prec=60)

Number = Decimal | int | float | str


def number(value: Number, name: str, *, limit: Decimal = LIMIT) -> Decimal:
    """`value` as Decimal, from 0 to `limit`. Raises ValueError that names what is wrong."""
    try:
        exact = Decimal(str(value).strip())
    except ArithmeticError:
        raise ValueError(f"{name}: {value!r} is not a number") from None
    if not exact.is_finite():
        raise ValueError(f"{name}: {value!r} is not a number")
    if not 0 <= exact <= limit:
        raise ValueError(f"{name}: {value} is not between 0 and {limit:f}")
    if 0 < exact < LEAST:
        raise ValueError(f"{name}: {value} is neither 0 nor at least {LEAST:f}")
    return exact


def milliseconds(seconds: Decimal) -> Decimal:
    """To a thousandth."""
    return seconds.quantize(Decimal("0.001"), ROUND_HALF_EVEN, WIDE)


def microdollars(usd: Decimal) -> Decimal:
    """To a millionth, which is what the prices of listings are kept to."""
    return usd.quantize(Decimal("0.000001"), ROUND_HALF_EVEN, WIDE)


@dataclass(frozen=True)
class Cases:
    """A figure in each case. Parts of a sum may be smaller in a worse case; sums are not."""

    low: Decimal
    likely: Decimal
    high: Decimal

    @classmethod
    def each(cls, figure: Callable[[Case], Decimal]) -> Self:
        """The figure of each case."""
        return cls(*map(figure, CASES))

    def __getitem__(self, case: Case) -> Decimal:
        value: Decimal = getattr(self, case)
        return value


@dataclass(frozen=True)
class Range(Cases):
    """Three figures in order: low ≤ likely ≤ high, none negative. Raises ValueError else."""

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.likely <= self.high:
            raise ValueError(f"not in order: {self.low}, {self.likely}, {self.high}")

    @classmethod
    def exactly(cls, value: Decimal) -> Range:
        return cls(value, value, value)

    def __add__(self, other: Range) -> Range:
        return Range.each(lambda case: self[case] + other[case])


NOTHING: Final = Range.exactly(Decimal(0))
