"""manage.py verdicts: a file in, one JSON object a line out, whatever the file holds."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from checks.cases.judge import COLUMNS, LARGEST
from gpucompare.cuda.answer import Run, Start
from tests.test_cuda_cases import CASES, CASES_FILE

GOOD = {
    "id": "one",
    "image_cuda": "12.8",
    "require_id_or_text": "cuda>=12.8",
    "host_driver": "570.124.06",
    "gpu": "H100",
    "container_mode": "legacy",
}


def printed(path: Path) -> list[dict[str, Any]]:
    out = StringIO()
    call_command("verdicts", str(path), stdout=out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def written(folder: Path, *rows: dict[str, str], heading: tuple[str, ...] = COLUMNS) -> Path:
    path = folder / "cases.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, ("id", *heading))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_every_row_gets_a_line_in_its_order() -> None:
    answers = printed(CASES_FILE)
    assert [answer["id"] for answer in answers] == [case["id"] for case in CASES]
    keys = {"id", "start", "run", "reasons", "fixes", "missing"}
    assert all(set(answer) == keys for answer in answers)
    assert {answer["run"] for answer in answers} <= set(Run)
    assert {answer["start"] for answer in answers} <= set(Start)


def test_a_bad_row_says_so_and_the_rest_goes_on(tmp_path: Path) -> None:
    bad = {**GOOD, "id": "two", "image_cuda": "soon"}
    first, second, third = printed(written(tmp_path, GOOD, bad, {**GOOD, "id": "three"}))
    assert first == {
        "id": "one",
        "start": "passes",
        "run": "runs",
        "reasons": [],
        "fixes": [],
        "missing": [],
    }
    assert second["id"] == "two"
    assert second["error"].startswith("line 3: image_cuda 'soon': write a version")
    assert third["run"] == "runs"


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ({"require_id_or_text": "99.9"}, "write an id (9.0-style, "),
        ({"require_id_or_text": "99.9-style", "image_cuda": ""}, "no requirement of that name"),
        ({"compute_capability": "new"}, "write it as 8.6"),
        ({"container_mode": "podman"}, "write legacy, cdi or csv"),
    ],
)
def test_a_cell_that_cannot_be_read_names_itself(
    tmp_path: Path, cells: dict[str, str], told: str
) -> None:
    (answer,) = printed(written(tmp_path, GOOD | cells))
    assert next(iter(cells)) in answer["error"]
    assert told in answer["error"]


def test_rows_of_the_wrong_length_are_bad_rows_or_open_questions(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    path.write_text("id,image_cuda\n,12.8\nlong,12.8,and,more\nshort\n")
    nameless, long, short = printed(path)
    assert "no id" in nameless["error"]
    assert (long["id"], "more cells" in long["error"]) == ("long", True)
    assert (short["run"], short["missing"][0]) == ("unknown", "image.requirements")


def test_columns_may_be_fewer_others_may_be_more(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    path.write_text("remark,id,host_driver,image_cuda\nhello,a,580.95.05,12.8\n")
    (answer,) = printed(path)
    assert (answer["id"], answer["run"], answer["start"]) == ("a", "runs", "passes")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "expected the columns id,image"),
        (b"{}", "expected the columns id,image"),
        (b"name,colour\nx,red\n", "the first line is 'name,colour'"),
        ("id,image_cuda\na,12.8\n".encode("utf-16"), "save it as CSV in UTF-8"),
    ],
)
def test_a_file_that_is_no_table_of_cases_is_refused(
    tmp_path: Path, content: bytes, told: str
) -> None:
    path = tmp_path / "cases.csv"
    path.write_bytes(content)
    with pytest.raises(CommandError, match=r"cases\.csv: ") as caught:
        printed(path)
    assert told in str(caught.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no such file; give the path"):
        printed(tmp_path / "none.csv")
    with pytest.raises(CommandError, match="no such file"):
        printed(tmp_path)


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    with path.open("r+b") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(CommandError, match="larger than 32 MB; split it"):
        printed(path)


def test_it_does_not_matter_how_spreadsheets_save_it(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert printed(path)[0]["run"] == "runs"


def test_bytes_that_are_no_text_and_endless_cells_spoil_their_row_only(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    path.write_bytes(
        b"id,image_cuda,gpu,note\n"
        b"gpu,12.8,H100 \xe9,\n"
        b"\xff\xfe,12.8,H100,\n"
        b"long,12.8," + b"x" * 200_000 + b",\n"
        b"note,12.8,H100,caf\xe9\n"
    )
    gpu, name, long, note = printed(path)
    assert gpu == {
        "id": "gpu",
        "error": "line 2: gpu is not text in UTF-8; save the file as CSV in UTF-8",
    }
    assert (name["id"], "id is not text" in name["error"]) == ("??", True)
    assert long["error"] == "line 4: gpu is longer than 128 KB"
    assert note["run"] == "runs"  # nobody reads that column


def test_columns_are_known_by_their_names_however_they_are_typed(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    path.write_text("ID, Image_CUDA ,HOST_DRIVER\na,12.8,580.95.05\n")
    assert printed(path)[0]["run"] == "runs"
