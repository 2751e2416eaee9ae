"""What NVIDIA's drivers report: gpucompare.cuda.drivers."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpucompare.csv_rows import FaultyFilesError
from gpucompare.cuda.drivers import driver_branches, max_cuda, read_driver_branches, version

HEADING = "branch,max_cuda,basis,source,seen\n"


def written(folder: Path, *rows: str) -> Path:
    path = folder / "driver_branches.csv"
    path.write_text(HEADING + "".join(f"{row}\n" for row in rows))
    return path


@pytest.mark.parametrize(
    ("driver", "cuda"),
    [
        ("570.124.04", (12, 8)),
        ("570", (12, 8)),
        ("535.183.01", (12, 2)),
        ("580.95.05", (13, 0)),
        ("470.256.02", (11, 4)),
    ],
)
def test_a_driver_reports_the_cuda_of_its_branch(driver: str, cuda: tuple[int, int]) -> None:
    assert max_cuda(driver) == cuda


@pytest.mark.parametrize("driver", ["", "6.3.6", "r570", "9999.1", "soon"])
def test_a_driver_of_an_unknown_branch_promises_nothing(driver: str) -> None:
    assert max_cuda(driver) is None


def test_later_branches_never_report_less() -> None:
    rows = [driver_branches()[branch] for branch in sorted(driver_branches())]
    reported = [version(row.max_cuda) for row in rows]
    assert reported == sorted(set(reported))


def test_every_branch_has_a_source_and_is_more_than_a_memory() -> None:
    for row in driver_branches().values():
        assert row.source.startswith("https://")
        assert row.basis != "memory"


def test_what_nvidia_smi_was_seen_to_report_is_what_the_branch_reports() -> None:
    seen = [row for row in driver_branches().values() if row.seen]
    assert len(seen) > 10
    assert all(row.seen.endswith(f"= {row.max_cuda}") for row in seen)


def test_faults_of_the_table_are_named_with_their_lines(tmp_path: Path) -> None:
    rows = ["570,12.8,derived,https://a", "570,12.9,derived,https://a", "580,13,guess,https://a"]
    with pytest.raises(FaultyFilesError) as caught:
        read_driver_branches(written(tmp_path, *(f"{row}," for row in rows)))
    told = "\n".join(caught.value.faults)
    assert "driver_branches.csv:3: branch 570 stands there already" in told
    assert "driver_branches.csv:4: max_cuda" in told
    assert "driver_branches.csv:4: basis" in told


def test_versions_compare_as_numbers() -> None:
    assert version("12.11") > version("12.2")
