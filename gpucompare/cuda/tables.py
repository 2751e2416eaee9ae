"""NVIDIA's hardware as the toolkits see it: what each GPU's code is built by, and where it runs.

`tables/gpu_arch.csv` holds one row a card as NVIDIA names it. What the toolkits promise hangs on
the compute capability alone, so a card without a row of its own still has an architecture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from gpucompare.csv_rows import FaultyFilesError, Line, read_rows

GPU_ARCH_FILE = Path(__file__).resolve().parent / "tables" / "gpu_arch.csv"

# documented: the source says it · derived: follows from documented rows · memory: not confirmed.
Basis = Literal["documented", "derived", "memory"]
Platform = Literal["cuda", "rocm", "synapse"]


def _parts(text: object) -> object:
    return text.split("|") if isinstance(text, str) else text


class CardRow(BaseModel):
    """One card. Whatever has a source of its own has a basis of its own; empty means not found."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    # Slugs of this project's GPU table that are this card.
    gpus: Annotated[tuple[str, ...], BeforeValidator(_parts)]
    model: str
    vendor: str
    platform: Platform  # what software a container needs to use it
    architecture: str
    compute_capability: str = Field(default="", pattern=r"^(\d+\.\d|gfx[0-9a-f]+)?$")
    capability_source: str = ""
    first_cuda: str = Field(default="", pattern=r"^(\d+\.\d)?$")
    last_cuda: str = Field(default="", pattern=r"^(\d+\.(\d|x))?$")  # 12.x: every CUDA 12
    newest_cuda: str = Field(default="", pattern=r"^(\d+\.\d)?$")  # instead of a last one
    last_driver: str = Field(default="", pattern=r"^\d*$")  # a branch; empty: still supported
    cuda_basis: Basis | None = None
    cuda_source: str = ""
    kernel_module: str = ""
    kernel_module_source: str = ""
    # The lowest driver that knows the card; `<410`: some branch older than that.
    min_driver: str = Field(default="", pattern=r"^(<?\d+(\.\d+)*)?$")
    min_driver_basis: Basis | None = None
    min_driver_source: str = ""
    # Whether the cuda-compat package may lift an older driver on it.
    forward_compat: Literal["", "yes", "no", "some_boards"] = ""
    forward_compat_basis: Basis | None = None
    forward_compat_source: str = ""
    # What libnvidia-container calls it in NVIDIA_REQUIRE_CUDA.
    brand: str = ""
    brand_basis: Basis | None = None
    host_arch: Literal["", "arm64"] = ""  # when the card's host is not amd64
    host_basis: Basis | None = None
    host_source: str = ""
    note: str = ""

    @model_validator(mode="after")
    def _cuda_has_a_beginning_and_an_end(self) -> CardRow:
        ends = bool(self.last_cuda) + bool(self.newest_cuda)
        if self.platform == "cuda":
            if not (self.compute_capability and self.first_cuda and self.cuda_basis):
                raise ValueError("a CUDA card needs compute_capability, first_cuda and cuda_basis")
            if ends != 1:
                raise ValueError("a CUDA card has either last_cuda or newest_cuda")
        elif self.first_cuda or ends:
            raise ValueError(f"a card of {self.platform} has no CUDA versions")
        return self


@dataclass(frozen=True)
class Architecture:
    """What all cards of one compute capability share."""

    name: str
    compute_capability: str
    first_cuda: str
    last_cuda: str  # empty while toolkits still build for it: then `newest_cuda` was looked at
    newest_cuda: str
    last_driver: str
    basis: Basis | None
    source: str

    @classmethod
    def of(cls, row: CardRow) -> Architecture:
        return cls(
            row.architecture,
            row.compute_capability,
            row.first_cuda,
            row.last_cuda,
            row.newest_cuda,
            row.last_driver,
            row.cuda_basis,
            row.cuda_source,
        )


@dataclass(frozen=True)
class GpuArch:
    """The table, ready for looking up."""

    cards: Mapping[str, CardRow]  # by slug of the GPU table
    architectures: Mapping[str, Architecture]  # by compute capability
    platforms: Mapping[str, Platform]  # by vendor

    @classmethod
    def of(cls, rows: Sequence[CardRow]) -> GpuArch:
        return cls(
            {slug: row for row in rows for slug in row.gpus},
            {r.compute_capability: Architecture.of(r) for r in rows if r.platform == "cuda"},
            {row.vendor: row.platform for row in rows},
        )


def read_gpu_arch(path: Path = GPU_ARCH_FILE) -> GpuArch:
    """The table of `path`. Raises FaultyFilesError with all faults."""
    lines, faults = read_rows(path, CardRow)
    faults += [fault for rule in _RULES for fault in rule(lines)]
    if faults:
        raise FaultyFilesError(faults)
    return GpuArch.of([line.row for line in lines])


@cache
def gpu_arch() -> GpuArch:
    """The project's own table, read once. Raises FaultyFilesError."""
    return read_gpu_arch()


Lines = Sequence[Line[CardRow]]


def _gpu_twice(lines: Lines) -> Iterator[str]:
    seen: dict[str, str] = {}
    for line in lines:
        for slug in line.row.gpus:
            if slug in seen:
                yield f"{line.at}: {slug!r} is a card of {seen[slug]} already"
            seen.setdefault(slug, line.at)


def _capability_disagrees(lines: Lines) -> Iterator[str]:
    """Toolkits know compute capabilities, not cards: one promise holds for all cards of one."""
    first: dict[str, Line[CardRow]] = {}
    for line in lines:
        if line.row.platform != "cuda":
            continue
        known = first.setdefault(line.row.compute_capability, line)
        if Architecture.of(line.row) != Architecture.of(known.row):
            yield f"{line.at}: differs from {known.at} in what hangs on the compute capability"


def _vendor_with_two_platforms(lines: Lines) -> Iterator[str]:
    platforms: dict[str, Line[CardRow]] = {}
    for line in lines:
        known = platforms.setdefault(line.row.vendor, line)
        if known.row.platform != line.row.platform:
            yield f"{line.at}: {line.row.vendor} is {known.row.platform} at {known.at}"


_SOURCED = (
    ("cuda_basis", "cuda_source"),
    ("forward_compat_basis", "forward_compat_source"),
    ("host_basis", "host_source"),
)


def _documented_without_source(lines: Lines) -> Iterator[str]:
    for line in lines:
        for basis, source in _SOURCED:
            if getattr(line.row, basis) == "documented" and not getattr(line.row, source):
                yield f"{line.at}: {basis} is documented, but {source} is empty"


_RULES: tuple[Callable[[Lines], Iterable[str]], ...] = (
    _gpu_twice,
    _capability_disagrees,
    _vendor_with_two_platforms,
    _documented_without_source,
)
