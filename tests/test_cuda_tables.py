"""The table of architectures: right about our own GPUs, and loud about every fault at once."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from gpucompare.csv_rows import FaultyFilesError
from gpucompare.cuda.tables import GPU_ARCH_FILE, CardRow, gpu_arch, read_gpu_arch
from providers.gpu_file import GpuRow, read_gpus

GPUS = {row.slug: row for row in read_gpus()}
NVIDIA = [row for row in GPUS.values() if row.vendor == "NVIDIA"]
T4 = {
    "gpus": "t4",
    "model": "Tesla T4",
    "vendor": "NVIDIA",
    "platform": "cuda",
    "architecture": "Turing",
    "compute_capability": "7.5",
    "first_cuda": "10.0",
    "newest_cuda": "13.5",
    "cuda_basis": "documented",
    "cuda_source": "https://docs.example",
}


@pytest.mark.parametrize("gpu", NVIDIA, ids=lambda gpu: gpu.slug)
def test_every_nvidia_gpu_of_ours_finds_its_architecture(gpu: GpuRow) -> None:
    architecture = gpu_arch().architectures[gpu.compute_capability]
    # Blackwell Ultra is a Blackwell, with a capability of its own.
    assert gpu.architecture.startswith(architecture.name)


def test_every_card_of_the_table_is_a_gpu_of_ours_with_the_same_capability() -> None:
    for slug, card in gpu_arch().cards.items():
        assert card.compute_capability == GPUS[slug].compute_capability, slug
        assert card.vendor == GPUS[slug].vendor


def test_every_vendor_of_ours_has_a_platform() -> None:
    assert {row.vendor for row in GPUS.values()} <= set(gpu_arch().platforms)
    assert gpu_arch().platforms["AMD"] == "rocm"


def test_the_hosts_that_are_arm_are_those_our_gpu_table_calls_so() -> None:
    arm = {slug for slug, card in gpu_arch().cards.items() if card.host_arch == "arm64"}
    assert arm == {"gh200", "gb200", "gb300", "gb10", "t4g"}
    assert arm == {row.slug for row in NVIDIA if "ARM" in row.notes}


def test_old_architectures_end_and_new_ones_go_on() -> None:
    known = gpu_arch().architectures
    assert (known["3.7"].last_cuda, known["3.7"].last_driver) == ("11.x", "470")
    assert (known["7.0"].last_cuda, known["7.0"].last_driver) == ("12.x", "580")
    assert (known["12.0"].first_cuda, known["12.0"].last_cuda) == ("12.8", "")
    assert known["12.0"].newest_cuda == "13.5"


def test_what_is_not_confirmed_says_so() -> None:
    rows = gpu_arch().cards.values()
    assert {row.min_driver_basis for row in rows if row.min_driver} >= {"memory", "documented"}
    assert all(row.min_driver_basis for row in rows if row.min_driver)
    assert all(row.host_basis for row in rows if row.host_arch)


def written(folder: Path, *rows: dict[str, Any], heading: list[str] | None = None) -> Path:
    path = folder / "gpu_arch.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, heading or list(CardRow.model_fields))
        writer.writeheader()
        writer.writerows(rows)
    return path


def faults(folder: Path, *rows: dict[str, Any]) -> list[str]:
    with pytest.raises(FaultyFilesError) as caught:
        read_gpu_arch(written(folder, *rows))
    return caught.value.faults


def test_a_good_row_is_found_by_its_gpus_and_its_capability(tmp_path: Path) -> None:
    table = read_gpu_arch(written(tmp_path, T4 | {"gpus": "t4|t4g"}))
    assert table.cards["t4"] is table.cards["t4g"]
    assert table.architectures["7.5"].name == "Turing"
    assert table.platforms == {"NVIDIA": "cuda"}


def test_all_faults_are_told_at_once_with_their_lines(tmp_path: Path) -> None:
    told = faults(
        tmp_path,
        T4,
        T4 | {"first_cuda": "10.1"},
        T4 | {"gpus": "l4", "compute_capability": "ada", "cuda_basis": "rumour"},
        T4 | {"gpus": "a2", "cuda_source": ""},
    )
    assert [fault.partition(": ")[0] for fault in told] == [
        "gpu_arch.csv:4",
        "gpu_arch.csv:4",
        "gpu_arch.csv:3",
        "gpu_arch.csv:3",
        "gpu_arch.csv:5",
        "gpu_arch.csv:5",
    ]
    text = "\n".join(told)
    assert "compute_capability" in text
    assert "'rumour'" in text
    assert "'t4' is a card of gpu_arch.csv:2 already" in text
    assert "gpu_arch.csv:3: differs from gpu_arch.csv:2" in text
    assert "gpu_arch.csv:5: cuda_basis is documented, but cuda_source is empty" in text


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"first_cuda": ""}, "needs compute_capability, first_cuda and cuda_basis"),
        ({"cuda_basis": ""}, "needs compute_capability, first_cuda and cuda_basis"),
        ({"last_cuda": "12.x"}, "either last_cuda or newest_cuda"),
        ({"newest_cuda": ""}, "either last_cuda or newest_cuda"),
        ({"platform": "rocm"}, "a card of rocm has no CUDA versions"),
        ({"host_arch": "amd64"}, "host_arch: Input should be '' or 'arm64'"),
        ({"min_driver": "R470"}, "min_driver"),
    ],
)
def test_a_row_that_makes_no_sense_is_refused(
    tmp_path: Path, change: dict[str, str], told: str
) -> None:
    found = faults(tmp_path, T4 | change)
    assert len(found) == 1
    assert told in found[0]


def test_a_vendor_has_one_platform(tmp_path: Path) -> None:
    odd = {"gpus": "mi1", "model": "MI1", "vendor": "NVIDIA", "platform": "rocm"}
    found = faults(tmp_path, T4, odd | {"architecture": "CDNA"})
    assert found == ["gpu_arch.csv:3: NVIDIA is cuda at gpu_arch.csv:2"]


def test_other_columns_are_refused_with_those_expected(tmp_path: Path) -> None:
    path = written(tmp_path, {"gpu": "t4"}, heading=["gpu"])
    with pytest.raises(FaultyFilesError, match=r"the columns are gpu; expected gpus,model"):
        read_gpu_arch(path)


def test_the_file_keeps_one_order_of_columns_and_ends_its_lines_as_git_does() -> None:
    text = GPU_ARCH_FILE.read_bytes()
    assert text.splitlines()[0].decode() == ",".join(CardRow.model_fields)
    assert b"\r" not in text
