"""What frameworks and extensions were compiled for, by release and CUDA build.

`tables/torch_builds.csv` holds PyTorch's wheels, `tables/framework_limits.csv` what others say of
theirs, `tables/nvcc_defaults.csv` what a compiler builds for when nobody tells it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from gpucompare.csv_rows import FaultyFilesError, Line, read_rows
from gpucompare.cuda.tables import Basis
from gpucompare.cuda.versions import Numbers, Span, numbers, releases_span

TABLES = Path(__file__).resolve().parent / "tables"
TORCH_BUILDS_FILE = TABLES / "torch_builds.csv"
LIMITS_FILE = TABLES / "framework_limits.csv"
DEFAULTS_FILE = TABLES / "nvcc_defaults.csv"


def _capabilities(text: object) -> object:
    return tuple(filter(None, text.split("|"))) if isinstance(text, str) else text


Capability = Annotated[str, Field(pattern=r"^\d+\.\d$")]
Capabilities = Annotated[tuple[Capability, ...], BeforeValidator(_capabilities)]
Cuda = Annotated[str, Field(pattern=r"^(\d+\.\d+)?$")]


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class TorchBuild(_Row):
    """One wheel; an empty list for arm64: none is documented."""

    torch: str = Field(pattern=r"^\d+\.\d+$")
    cuda: Cuda
    cubins: Capabilities
    ptx: Capabilities = ()
    arm64_cubins: Capabilities = ()
    arm64_ptx: Capabilities = ()
    arm64_basis: Basis | None = None
    cudnn: str = ""
    python: str = ""
    released: str = ""
    basis: Basis
    source: str = Field(pattern=r"^https://")
    note: str = ""

    @property
    def releases(self) -> Span:
        return releases_span(self.torch) or Span((), ())


class Limit(_Row):
    """What some releases of one framework or extension need. Empty: not said."""

    name: str
    releases: str = ""
    kind: Literal["framework", "extension"]
    brings_cuda: Cuda = ""  # the CUDA its usual build was made with
    cuda_min: Cuda = ""  # the builds that the row is about
    cuda_max: Cuda = ""
    min_capability: str = Field(default="", pattern=r"^(\d+\.\d)?$")
    cubins: Capabilities = ()
    ptx: Capabilities = ()
    basis: Basis
    source: str = Field(pattern=r"^https://")
    note: str = ""

    @model_validator(mode="after")
    def _releases_can_be_read(self) -> Limit:
        if releases_span(self.releases) is None:
            raise ValueError(f"releases {self.releases!r}: write 2.7, 2.5-2.11, <2.7 or >=0.15")
        return self

    def is_about(self, releases: Span, cuda: Span | None) -> bool:
        mine = releases_span(self.releases)
        return bool(mine and mine.overlaps(releases)) and (
            cuda is None or self.built_with.overlaps(cuda)
        )

    @property
    def built_with(self) -> Span:
        high = numbers(self.cuda_max) or (float("inf"),)
        return Span(numbers(self.cuda_min) or (), (*high, float("inf")))


class CompilerDefault(_Row):
    cuda: int  # the major version
    capability: Capability
    basis: Basis
    source: str = Field(pattern=r"^https://")
    note: str = ""


def read_torch_builds(path: Path = TORCH_BUILDS_FILE) -> tuple[TorchBuild, ...]:
    """The table of `path`, oldest first. Raises FaultyFilesError with all faults."""
    lines, faults = read_rows(path, TorchBuild)
    faults += _build_twice(lines)
    if faults:
        raise FaultyFilesError(faults)
    return tuple(line.row for line in lines)


def read_limits(path: Path = LIMITS_FILE) -> dict[str, tuple[Limit, ...]]:
    """The table of `path` by name. Raises FaultyFilesError with all faults."""
    lines, faults = read_rows(path, Limit)
    faults += _limits_overlap(lines)
    if faults:
        raise FaultyFilesError(faults)
    names = dict.fromkeys(line.row.name for line in lines)
    return {name: tuple(line.row for line in lines if line.row.name == name) for name in names}


def read_defaults(path: Path = DEFAULTS_FILE) -> dict[int, CompilerDefault]:
    """The table of `path` by CUDA family. Raises FaultyFilesError with all faults."""
    lines, faults = read_rows(path, CompilerDefault)
    if faults:
        raise FaultyFilesError(faults)
    return {line.row.cuda: line.row for line in lines}


@cache
def torch_builds() -> tuple[TorchBuild, ...]:
    return read_torch_builds()


def wheels_of(release: str) -> list[str]:
    """The CUDA versions that PyTorch's wheels of a release were built with."""
    wanted = releases_span(release) or Span((), (float("inf"),))
    return list(dict.fromkeys(row.cuda for row in torch_builds() if row.releases.overlaps(wanted)))


@cache
def limits() -> dict[str, tuple[Limit, ...]]:
    return read_limits()


@cache
def compiler_defaults() -> dict[int, Numbers]:
    """The capability that nvcc compiles for by itself, by CUDA family."""
    return {cuda: numbers(row.capability) or () for cuda, row in read_defaults().items()}


def _build_twice(lines: Sequence[Line[TorchBuild]]) -> Iterator[str]:
    seen: dict[tuple[str, str], str] = {}
    last: Numbers = ()
    for line in lines:
        build = (line.row.torch, line.row.cuda)
        if build in seen:
            yield f"{line.at}: torch {build[0]} with CUDA {build[1]} stands at {seen[build]}"
        if (low := line.row.releases.low) < last:
            yield f"{line.at}: torch {line.row.torch} stands after a later release"
        seen[build], last = line.at, low


def _limits_overlap(lines: Iterable[Line[Limit]]) -> Iterator[str]:
    known: list[Line[Limit]] = []
    for line in lines:
        for other in known:
            if other.row.name == line.row.name and line.row.is_about(
                releases_span(other.row.releases) or Span((), ()), other.row.built_with
            ):
                yield f"{line.at}: speaks of the same builds as {other.at}"
        known.append(line)
