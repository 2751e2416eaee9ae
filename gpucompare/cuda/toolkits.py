"""CUDA toolkits: the driver each came with, and the floor of its family.

`tables/toolkits.csv`, from the tables of NVIDIA's release notes. From CUDA 11 on a driver at the
floor runs every minor version of its family; before that a toolkit needs its own driver.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from gpucompare.csv_rows import FaultyFilesError, Line, read_rows
from gpucompare.cuda.tables import Basis
from gpucompare.cuda.versions import Numbers, numbers

TOOLKITS_FILE = Path(__file__).resolve().parent / "tables" / "toolkits.csv"
FIRST_FAMILY = 11  # the first with minor-version compatibility


class ToolkitRow(BaseModel):
    """One release. `unknown`: it exists, and nobody has found which driver it came with."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    version: str = Field(pattern=r"^\d+\.\d+(\.\d+)*$")
    driver: str = Field(default="", pattern=r"^(\d+(\.\d+)+)?$")  # Linux, x86-64
    branch: str = Field(default="", pattern=r"^\d*$")
    floor: str = Field(default="", pattern=r"^(\d+(\.\d+)*)?$")
    released: str = Field(default="", pattern=r"^(\d{4}-\d\d(-\d\d)?)?$")
    released_source: str = ""
    basis: Basis | Literal["unknown"]
    source: str = Field(pattern=r"^https://")
    note: str = ""

    @model_validator(mode="after")
    def _driver_is_of_its_branch(self) -> ToolkitRow:
        if self.driver and self.driver.partition(".")[0] != self.branch:
            raise ValueError(f"driver {self.driver} is not of branch {self.branch or 'nothing'}")
        if self.basis == "documented" and not self.driver:
            raise ValueError("a documented toolkit names its driver")
        if (self.family >= FIRST_FAMILY) != bool(self.floor):
            raise ValueError(f"families from CUDA {FIRST_FAMILY} on have a floor, earlier ones not")
        return self

    @property
    def family(self) -> int:
        return int(self.version.partition(".")[0])

    @property
    def minor(self) -> str:
        return ".".join(self.version.split(".")[:2])


@dataclass(frozen=True)
class Toolkits:
    rows: Mapping[str, ToolkitRow]  # by version, in order
    minors: Mapping[str, ToolkitRow]  # the first release of each minor version
    floors: Mapping[int, Numbers]  # by family

    @classmethod
    def of(cls, rows: Sequence[ToolkitRow]) -> Toolkits:
        return cls(
            {row.version: row for row in rows},
            {row.minor: row for row in reversed(rows)},
            {row.family: numbers(row.floor) or () for row in rows if row.floor},
        )

    def find(self, cuda: str) -> ToolkitRow | None:
        """The release, or the first of its minor version: 12.8.0 for 12.8 and for 12.8.0.038."""
        parts = cuda.split(".")
        return self.rows.get(".".join(parts[:3])) or self.minors.get(".".join(parts[:2]))

    def driver(self, cuda: str) -> Numbers | None:
        """The driver that a toolkit came with; None where no table says it."""
        row = self.find(cuda)
        return numbers(row.driver) if row and row.driver and row.basis != "memory" else None


def read_toolkits(path: Path = TOOLKITS_FILE) -> Toolkits:
    """The table of `path`. Raises FaultyFilesError with all faults."""
    lines, faults = read_rows(path, ToolkitRow)
    faults += [fault for rule in (_out_of_order, _floors_differ) for fault in rule(lines)]
    if faults:
        raise FaultyFilesError(faults)
    return Toolkits.of([line.row for line in lines])


@cache
def toolkits() -> Toolkits:
    """The project's own table, read once. Raises FaultyFilesError."""
    return read_toolkits()


def _out_of_order(lines: Iterable[Line[ToolkitRow]]) -> Iterator[str]:
    for earlier, later in pairwise(lines):
        versions = [tuple(map(int, line.row.version.split("."))) for line in (earlier, later)]
        drivers = [numbers(line.row.driver) for line in (earlier, later)]
        if versions[0] >= versions[1]:
            yield f"{later.at}: {later.row.version} stands after {earlier.row.version}"
        elif drivers[0] and drivers[1] and drivers[0] > drivers[1]:
            yield f"{later.at}: an older driver than that of {earlier.row.version}"


def _floors_differ(lines: Iterable[Line[ToolkitRow]]) -> Iterator[str]:
    floors: dict[int, str] = {}
    for line in lines:
        if floors.setdefault(line.row.family, line.row.floor) != line.row.floor:
            yield f"{line.at}: CUDA {line.row.family} has the floor {floors[line.row.family]}"
