"""The highest CUDA that NVIDIA's drivers report, by branch.

`tables/driver_branches.csv`: mostly derived from the toolkit that shipped with the branch. `seen`
holds what nvidia-smi was seen to report, where somebody showed it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache, lru_cache
from itertools import pairwise
from math import inf
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from gpucompare.csv_rows import FaultyFilesError, read_rows
from gpucompare.cuda.tables import Basis
from gpucompare.cuda.versions import Span, driver_span, numbers

# Windows drivers of branch 550 are called 551 to 553; the next branch is at least five away.
BRANCH_WIDTH = 5
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
    faults += _gaps(found, path.name)
    if faults:
        raise FaultyFilesError(faults)
    return found


@cache
def driver_branches() -> dict[int, BranchRow]:
    """The project's own table, read once. Raises FaultyFilesError."""
    return read_driver_branches()


def _gaps(rows: Mapping[int, BranchRow], name: str) -> Iterator[str]:
    """Branches and CUDA rise together, one minor version or one family at a time."""
    for earlier, later in pairwise(rows[branch] for branch in sorted(rows)):
        old, new = version(earlier.max_cuda), version(later.max_cuda)
        if new not in ((old[0], old[1] + 1), (old[0] + 1, 0)):
            told = f"{later.max_cuda} of branch {later.branch}"
            yield f"{name}: {told} does not follow {earlier.max_cuda} of {earlier.branch}"


@cache
def branches() -> tuple[int, ...]:
    """All branches of the table, oldest first."""
    return tuple(sorted(driver_branches()))


@lru_cache(maxsize=4096)
def branch_of(driver: str) -> int | None:
    """The branch a driver belongs to: 550 for the Windows driver 551.78; None before the first."""
    span = driver_span(driver)
    at = bisect_right(branches(), span.low[0]) if span else 0
    return branches()[at - 1] if at else None


@lru_cache(maxsize=4096)
def reported_cuda(driver: str) -> Span | None:
    """The CUDA that a driver reports, as far as its branch tells; None for no driver at all."""
    span = driver_span(driver)
    if span is None:
        return None
    branch = branch_of(driver)
    if branch is None:
        first = version(driver_branches()[branches()[0]].max_cuda)
        return Span((), (first[0] - 1, inf))
    told = numbers(driver_branches()[branch].max_cuda) or ()
    # A branch newer than the table reports at least as much as the newest one there.
    return Span(told, (inf,)) if _beyond(span) else Span.exactly(told)


def _beyond(span: Span) -> bool:
    return span.low[0] >= branches()[-1] + BRANCH_WIDTH


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
