"""The highest CUDA that NVIDIA's drivers report, by branch.

`tables/driver_branches.csv`: mostly derived from the toolkit that shipped with the branch. `seen`
holds what nvidia-smi was seen to report, where somebody showed it.
"""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from gpucompare.csv_rows import FaultyFilesError, read_rows
from gpucompare.cuda.tables import Basis

DRIVER_BRANCHES_FILE = Path(__file__).resolve().parent / "tables" / "driver_branches.csv"


class BranchRow(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    branch: int  # 570 of 570.124.04
    max_cuda: str = Field(pattern=r"^\d+\.\d+$")
    basis: Basis
    source: str
    seen: str = ""


def read_driver_branches(path: Path = DRIVER_BRANCHES_FILE) -> dict[int, BranchRow]:
    """The table of `path` by branch. Raises FaultyFilesError with all faults."""
    lines, faults = read_rows(path, BranchRow)
    found: dict[int, BranchRow] = {}
    for line in lines:
        if line.row.branch in found:
            faults.append(f"{line.at}: branch {line.row.branch} stands there already")
        found[line.row.branch] = line.row
    if faults:
        raise FaultyFilesError(faults)
    return found


@cache
def driver_branches() -> dict[int, BranchRow]:
    """The project's own table, read once. Raises FaultyFilesError."""
    return read_driver_branches()


def max_cuda(driver: str) -> tuple[int, ...] | None:
    """(12, 8) for "570.124.04"; None for a branch that the table does not know."""
    branch = driver.partition(".")[0]
    row = driver_branches().get(int(branch)) if branch.isdigit() else None
    return version(row.max_cuda) if row else None


def credible_cuda(claimed: Decimal | None, driver: str) -> str:
    """The CUDA that a host claims, or what its driver reports where that is less; "" for none.

    Hosts have claimed 12.9 above a driver of 12.8.
    """
    if not claimed:
        return ""
    told = f"{claimed:.1f}"
    reported = max_cuda(driver)
    return told if reported is None else ".".join(map(str, min(version(told), reported)))


def version(text: str) -> tuple[int, ...]:
    """(12, 8) for "12.8". Raises ValueError."""
    return tuple(int(part) for part in text.split("."))
