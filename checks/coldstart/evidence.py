"""What others saw and say: starts that were measured, and numbers that providers document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from checks.coldstart.numbers import LIMIT
from gpucompare.csv_rows import FaultyFilesError, Line, read_rows

_TABLES: Final = Path(__file__).resolve().parent / "tables"
MEASUREMENTS_FILE: Final = _TABLES / "measurements.csv"
DOCUMENTED_FILE: Final = _TABLES / "documented.csv"


class _Seconds(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class Measurement(_Seconds):
    """A start that somebody timed. The model is calibrated against those with a size."""

    what: Literal["start", "copy_to_volume"]
    compressed_gb: Decimal | None = Field(default=None, gt=0)
    state: Literal["cold", "cached"]
    seconds_low: Decimal = Field(gt=0)
    seconds_high: Decimal = Field(gt=0)
    offering: str
    place: str = ""
    read_on: date
    source: str

    @model_validator(mode="after")
    def _in_order(self) -> Measurement:
        if self.seconds_high < self.seconds_low:
            raise ValueError("seconds_high is below seconds_low")
        return self


class Documented(_Seconds):
    """A number in a provider's own text. An end that is not told is empty."""

    offering: str = Field(pattern=r"^[a-z0-9-]+/[a-z0-9-]+$")
    what: Literal["provision_s", "minimum_s"]
    low: Decimal | None = Field(default=None, ge=0, le=LIMIT)
    high: Decimal | None = Field(default=None, ge=0, le=LIMIT)
    source: str
    read_on: date | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Documented:
        if self.low is None and self.high is None:
            raise ValueError("neither low nor high is given")
        if self.low is not None and self.high is not None and self.high < self.low:
            raise ValueError("high is below low")
        return self


@dataclass(frozen=True)
class Bounds:
    """What is told of a time: at least, at most, in seconds. None: that end is not told."""

    low: Decimal | None = None
    high: Decimal | None = None


def read_measurements(path: Path = MEASUREMENTS_FILE) -> tuple[Measurement, ...]:
    """The starts of `path`. Raises FaultyFilesError with all faults."""
    lines, faults = read_rows(path, Measurement)
    if faults:
        raise FaultyFilesError(faults)
    return tuple(line.row for line in lines)


def read_documented(path: Path = DOCUMENTED_FILE) -> Mapping[tuple[str, str], Documented]:
    """The rows of `path` by offering and what. Raises FaultyFilesError with all faults."""
    lines, faults = read_rows(path, Documented)
    faults += _repeated(lines)
    if faults:
        raise FaultyFilesError(faults)
    return MappingProxyType({(line.row.offering, line.row.what): line.row for line in lines})


def _repeated(lines: list[Line[Documented]]) -> Iterator[str]:
    seen: set[tuple[str, str]] = set()
    for line in lines:
        if (line.row.offering, line.row.what) in seen:
            yield f"{line.at}: {line.row.what} of {line.row.offering} stands there already"
        seen.add((line.row.offering, line.row.what))


@cache
def measurements() -> tuple[Measurement, ...]:
    """The project's own measurements, read once. Raises FaultyFilesError."""
    return read_measurements()


@cache
def documented() -> Mapping[tuple[str, str], Documented]:
    """The project's own table, read once. Raises FaultyFilesError."""
    return read_documented()


def provision_of(offering: str) -> Bounds | None:
    """What "<provider>/<offering>" documents of its provisioning; None: no number."""
    row = documented().get((offering, "provision_s"))
    return Bounds(row.low, row.high) if row else None


def minimum_of(offering: str) -> Decimal | None:
    """The shortest time in seconds that the offering bills; None: not known."""
    row = documented().get((offering, "minimum_s"))
    return row.high if row else None
