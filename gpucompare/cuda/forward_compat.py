"""Which driver branches the cuda-compat package lifts to a newer CUDA.

`tables/forward_compat.csv`: one row a source and CUDA version. NVIDIA's own texts differ (images of
one tag were rebuilt with other lists, release notes deny what an image allows), so all rows are
kept and a branch that they argue about is neither allowed nor refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from gpucompare.csv_rows import FaultyFilesError, Line, read_rows
from gpucompare.cuda.tables import Basis

FORWARD_COMPAT_FILE = Path(__file__).resolve().parent / "tables" / "forward_compat.csv"


def _branches(text: object) -> object:
    return tuple(filter(None, text.split("|"))) if isinstance(text, str) else text


Branches = Annotated[tuple[int, ...], BeforeValidator(_branches)]


class CompatRow(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    cuda: str = Field(pattern=r"^\d+\.\d+$")
    compat_branch: int  # the driver whose libcuda the package holds
    host_branches: Branches = ()
    refused_branches: Branches = ()
    # elf_note: a list inside the library itself, which the toolkit's hook reads
    evidence: Literal["elf_note", "image_requirement", "release_notes"]
    basis: Basis
    source: str
    note: str = ""


@dataclass(frozen=True)
class ForwardCompat:
    """What the rows of one CUDA version say together."""

    cuda: str
    branch: int
    allowed: frozenset[int]
    refused: frozenset[int]
    has_note: bool

    def lifts(self, branch: int) -> bool | None:
        """Whether it runs on that branch of the host; None where the sources disagree."""
        if branch in self.allowed:
            return None if branch in self.refused else True
        return False


def read_forward_compat(path: Path = FORWARD_COMPAT_FILE) -> dict[str, ForwardCompat]:
    """The table of `path` by CUDA version. Raises FaultyFilesError with all faults."""
    lines, faults = read_rows(path, CompatRow)
    faults += [*_branches_differ(lines), *_lists_nothing(lines)]
    if faults:
        raise FaultyFilesError(faults)
    return {
        cuda: _joined([line.row for line in lines if line.row.cuda == cuda])
        for cuda in dict.fromkeys(line.row.cuda for line in lines)
    }


def _joined(rows: list[CompatRow]) -> ForwardCompat:
    return ForwardCompat(
        rows[0].cuda,
        rows[0].compat_branch,
        frozenset(branch for row in rows for branch in row.host_branches),
        frozenset(branch for row in rows for branch in row.refused_branches),
        any(row.evidence == "elf_note" for row in rows),
    )


@cache
def forward_compat() -> dict[str, ForwardCompat]:
    """The project's own table, read once. Raises FaultyFilesError."""
    return read_forward_compat()


def _branches_differ(lines: Iterable[Line[CompatRow]]) -> Iterator[str]:
    first: dict[str, int] = {}
    for line in lines:
        branch = first.setdefault(line.row.cuda, line.row.compat_branch)
        if branch != line.row.compat_branch:
            yield f"{line.at}: the package of CUDA {line.row.cuda} is of branch {branch} above"
        if any(host > branch for host in line.row.host_branches):
            yield f"{line.at}: a package of branch {branch} lifts no newer driver"


def _lists_nothing(lines: Iterable[Line[CompatRow]]) -> Iterator[str]:
    for line in lines:
        if not (line.row.host_branches or line.row.refused_branches):
            yield f"{line.at}: neither allows nor refuses a branch"
