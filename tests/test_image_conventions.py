"""The table of well-known images: what their names promise."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from checks.image.conventions import IMAGES_FILE, ImageRow, conventions, read_conventions
from checks.image.reference import parse
from checks.image.steps import FRAMEWORKS
from gpucompare.csv_rows import FaultyFilesError

ROW = {
    "repository": "docker.io/some/image",
    "tag": "{release}-cuda{framework_cuda}",
    "framework": "torch",
    "basis": "documented",
    "source": "https://docs.example",
}


def promised(reference: str) -> dict[str, str]:
    image = parse(reference)
    found: dict[str, str] = {}
    for promise in conventions().promises(image.name, image.tag):
        row = {name: value for name, value in promise.row.model_dump().items() if value}
        found |= {**row, **promise.in_tag}
    return found


@pytest.mark.parametrize(
    ("reference", "facts"),
    [
        (
            "pytorch/pytorch:2.8.0-cuda12.8-cudnn9-devel",
            {"release": "2.8.0", "framework_cuda": "12.8", "cudnn": "9", "base": "devel"},
        ),
        ("nvidia/cuda:12.8.1-base-ubuntu22.04", {"cuda": "12.8.1", "base": "base"}),
        ("nvidia/cuda:12.8.1-cudnn-devel-ubi9", {"cuda": "12.8.1", "base": "devel"}),
        ("nvidia/cuda:11.8.0-cudnn8-runtime-rockylinux8", {"cudnn": "8", "base": "runtime"}),
        ("nvcr.io/nvidia/pytorch:25.01-py3", {"cuda": "12.8.0.038", "compat_driver": "570.86.10"}),
        ("tensorflow/tensorflow:2.15.0-gpu", {"framework": "tensorflow", "software": "cuda"}),
        ("tensorflow/tensorflow:2.15.0", {"framework": "tensorflow", "software": "cpu"}),
        ("vllm/vllm-openai:v0.8.5", {"framework": "vllm", "release": "0.8.5", "cuda": "12.4"}),
        ("vllm/vllm-openai:v0.16.0rc1", {"compat_forced": "yes"}),
        ("rocm/pytorch:latest", {"software": "rocm"}),
        ("pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime", {"gate": "none"}),
        ("ghcr.io/huggingface/text-generation-inference:1.2", {"release": "2.1.1", "cuda": "12.1"}),
    ],
)
def test_a_name_of_ours_promises(reference: str, facts: dict[str, str]) -> None:
    assert facts.items() <= promised(reference).items()


@pytest.mark.parametrize(
    "reference",
    [
        "nvidia/cuda:latest",
        "nvidia/cuda:12.8.1",
        "someone/cuda:12.8.1-base-ubuntu22.04",
        "pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime-mine",
        "nvcr.io/nvidia/pytorch:25.01",
        "nvcr.io/nvidia/pytorch:99.01-py3",
    ],
)
def test_other_names_promise_nothing(reference: str) -> None:
    assert promised(reference) == {}


def test_a_release_outside_a_rows_range_is_not_covered() -> None:
    assert "compat_forced" not in promised("vllm/vllm-openai:v0.14.9")
    assert promised("vllm/vllm-openai:v0.15.0")["compat_forced"] == "yes"


def test_every_framework_of_the_table_is_one_that_verdicts_know() -> None:
    rows = [row for rows in conventions().rows.values() for _pattern, row in rows]
    assert {row.framework for row in rows} - {""} <= set(FRAMEWORKS)
    assert all(row.source for row in rows)


def test_every_repository_of_the_table_is_in_its_canonical_form() -> None:
    for repository in conventions().rows:
        assert parse(repository).name == repository


def written(folder: Path, *rows: dict[str, Any], heading: list[str] | None = None) -> Path:
    path = folder / "images.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, heading or list(ImageRow.model_fields))
        writer.writeheader()
        writer.writerows(rows)
    return path


def faults(folder: Path, *rows: dict[str, Any]) -> list[str]:
    with pytest.raises(FaultyFilesError) as caught:
        read_conventions(written(folder, *rows))
    return caught.value.faults


def test_a_good_row_is_found_by_its_repository(tmp_path: Path) -> None:
    table = read_conventions(written(tmp_path, ROW))
    [promise] = table.promises("docker.io/some/image", "2.8.0-cuda12.8")
    assert promise.in_tag == {"release": "2.8.0", "framework_cuda": "12.8"}
    assert promise.row.framework == "torch"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"tag": "{version}"}, "no such place: version; there are release, cuda"),
        ({"tag": "{any}-{any}"}, "a place may stand only once"),
        ({"tag": "a b"}, "a tag holds letters"),
        ({"releases": "new"}, "must be like 0.15.0, 2.5-2.11"),
        ({"tag": "latest", "releases": ">=1"}, "releases needs {release} in the tag"),
        ({"framework": ""}, "needs the framework's name"),
        ({"framework_cuda": "12.8"}, "framework_cuda stands both in the tag and in a cell"),
        ({"cuda": "twelve"}, "cuda: String should match pattern"),
        ({"repository": "Some/Image"}, "repository: String should match pattern"),
        ({"basis": "rumour"}, "basis: Input should be"),
        ({"source": ""}, "source: Field required"),
        ({"compat_forced": "no"}, "compat_forced: Input should be"),
        ({"gate": "open"}, "gate: Input should be"),
    ],
)
def test_a_row_that_makes_no_sense_is_refused(
    tmp_path: Path, change: dict[str, str], told: str
) -> None:
    found = faults(tmp_path, ROW | change)
    assert len(found) == 1
    assert told in found[0]


def test_all_faults_are_told_at_once_with_their_lines(tmp_path: Path) -> None:
    told = faults(tmp_path, ROW, ROW, ROW | {"tag": "{x}"}, ROW | {"basis": "guess"})
    assert [fault.partition(": ")[0] for fault in told] == [
        "images.csv:4",
        "images.csv:5",
        "images.csv:3",
    ]
    assert "docker.io/some/image:{release}-cuda{framework_cuda} stands at images.csv:2" in told[-1]


def test_other_columns_are_refused_with_those_expected(tmp_path: Path) -> None:
    path = written(tmp_path, {"image": "x"}, heading=["image"])
    with pytest.raises(FaultyFilesError, match="the columns are image; expected repository,tag"):
        read_conventions(path)


def test_the_file_keeps_one_order_of_columns_and_ends_its_lines_as_git_does() -> None:
    text = IMAGES_FILE.read_bytes()
    assert text.splitlines()[0].decode() == ",".join(ImageRow.model_fields)
    assert b"\r" not in text
