"""What is assumed where nobody tells: `tables/assumptions.csv`, and a reader's own figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from checks.coldstart.numbers import LIMIT, Case, Number, Range, number
from gpucompare.csv_rows import FaultyFilesError, Line, read_rows

ASSUMPTIONS_FILE: Final = Path(__file__).resolve().parent / "tables" / "assumptions.csv"

Unit = Literal["s", "MB/s", "Mbit/s", "count", "share", "ratio"]
# The figures that an assumption of the unit may have; rates and counts are divisors.
BOUNDS: Final[Mapping[Unit, tuple[Decimal, Decimal]]] = MappingProxyType(
    {
        "s": (Decimal(0), LIMIT),
        "MB/s": (Decimal("0.001"), LIMIT),
        "Mbit/s": (Decimal("0.001"), LIMIT),
        "count": (Decimal(1), LIMIT),
        "share": (Decimal(0), Decimal(1)),
        "ratio": (Decimal(1), Decimal(1000)),
    }
)
_OPPOSITE: Final[Mapping[Case, Case]] = MappingProxyType(
    {"low": "high", "likely": "likely", "high": "low"}
)


class Assumption(BaseModel):
    """One row. A key with a point, `provision_s.vm`, is for that place only."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    key: str = Field(pattern=r"^[a-z_]+(\.[a-z_]+)?$")
    low: Decimal
    likely: Decimal
    high: Decimal
    unit: Unit
    effect: Literal["longer", "shorter"]  # what a higher figure does to a start
    # calibrated: fitted to tables/measurements.csv · judged: nobody measured it, see `why`.
    basis: Literal["measured", "documented", "calibrated", "judged"]
    source: str = ""
    read_on: date | None = None
    why: str

    @model_validator(mode="after")
    def _figures_are_possible(self) -> Assumption:
        if not self.low <= self.likely <= self.high:
            raise ValueError("low, likely and high are not in order")
        least, most = BOUNDS[self.unit]
        if self.low < least or self.high > most:
            raise ValueError(f"{self.unit} goes from {least} to {most:f}")
        if self.basis != "judged" and not self.source:
            raise ValueError(f"{self.basis} needs a source")
        return self

    @property
    def range(self) -> Range:
        return Range(self.low, self.likely, self.high)


Rows = Mapping[str, Assumption]


@dataclass(frozen=True)
class Assumptions:
    """The rows by key, and what the reader put in their place."""

    rows: Rows
    given: Mapping[str, Range] = field(default_factory=dict)

    def range(self, key: str, *places: str) -> Range:
        """The figures of `key` at the first of `places` that has its own row, else in general.

        What the reader gave wins: for the place first, then for the key.
        """
        found = self._ranges.get((key, places))
        if found is None:
            found = self._ranges[key, places] = self._range(key, places)
        return found

    def row(self, key: str, *places: str) -> Assumption:
        """The row whose figures hold where the reader gave none."""
        return self.rows[self._own(key, places)]

    def at(self, case: Case, key: str, *places: str) -> Decimal:
        """The figure that makes a start shortest (low), likely, or longest (high)."""
        shorter = self.rows[key].effect == "shorter"
        return self.range(key, *places)[_OPPOSITE[case] if shorter else case]

    def is_given(self, key: str, *places: str) -> bool:
        return key in self.given or self._own(key, places) in self.given

    # Asked for dozens of times at every place.
    @cached_property
    def _ranges(self) -> dict[tuple[str, tuple[str, ...]], Range]:
        return {}

    def _range(self, key: str, places: tuple[str, ...]) -> Range:
        own = self._own(key, places)
        if own in self.given:
            return self.given[own]
        return self.given.get(key) or self.rows[own].range

    def _own(self, key: str, places: tuple[str, ...]) -> str:
        return next((own for p in places if (own := f"{key}.{p}") in self.rows), key)


def read_assumptions(path: Path = ASSUMPTIONS_FILE) -> Rows:
    """The table of `path` by key. Raises FaultyFilesError with all faults."""
    lines, faults = read_rows(path, Assumption)
    faults += [*_repeated(lines), *_unlike_its_general_row(lines)]
    if faults:
        raise FaultyFilesError(faults)
    return MappingProxyType({line.row.key: line.row for line in lines})


@cache
def assumption_rows() -> Rows:
    """The project's own table, read once. Raises FaultyFilesError."""
    return read_assumptions()


def _repeated(lines: list[Line[Assumption]]) -> Iterator[str]:
    seen: dict[str, str] = {}
    for line in lines:
        if line.row.key in seen:
            yield f"{line.at}: {line.row.key} stands at {seen[line.row.key]} already"
        seen.setdefault(line.row.key, line.at)


def _unlike_its_general_row(lines: list[Line[Assumption]]) -> Iterator[str]:
    rows = {line.row.key: line.row for line in lines}
    for line in lines:
        general = rows.get(line.row.key.partition(".")[0])
        if general is None:
            yield f"{line.at}: {line.row.key} has no general row without a point"
        elif (general.unit, general.effect) != (line.row.unit, line.row.effect):
            yield f"{line.at}: {line.row.key} has another unit or effect than {general.key}"


def assume(given: Mapping[str, Number | Range] | None = None) -> Assumptions:
    """The project's assumptions, with the reader's figures in place of some.

    One number stands for all three cases. Raises ValueError for a key that no row has and for a
    figure that its unit does not allow.
    """
    rows = assumption_rows()
    return Assumptions(rows, {key: _given(rows, key, v) for key, v in (given or {}).items()})


def _given(rows: Rows, key: str, value: Number | Range) -> Range:
    if key not in rows:
        raise ValueError(f"{key!r} is no assumption; there are {', '.join(rows)}")
    found = value if isinstance(value, Range) else Range.exactly(number(value, key))
    least, most = BOUNDS[rows[key].unit]
    if found.low < least or found.high > most:
        raise ValueError(f"{key}: {rows[key].unit} goes from {least} to {most:f}")
    return found
