"""A file of cases: images on hosts, a row each, and the verdict on each row."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

from checks.cases.hosts import hosts_of
from checks.cases.images import image_of
from gpucompare.cuda.answer import Verdict
from gpucompare.cuda.ranges import shared_verdict

LARGEST = 32 * 1024 * 1024
LONGEST_CELL = 128 * 1024  # as long as an environment variable can be
COLUMNS = (
    "image",
    "image_cuda",
    "require_id_or_text",
    "torch_build",
    "host_driver",
    "gpu",
    "compute_capability",
    "container_mode",
)


class CasesError(Exception):
    """A file that is no table of cases."""


class Answer(TypedDict):
    id: str
    start: str
    run: str
    reasons: list[str]
    fixes: list[str]
    missing: list[str]


class Refusal(TypedDict):
    id: str
    error: str


def judged(path: Path) -> Iterator[Answer | Refusal]:
    """One answer a row, in their order; a bad row gets a refusal. Raises CasesError."""
    if not path.is_file():
        raise CasesError(f"{path}: no such file; give the path of a CSV file of cases")
    if path.stat().st_size > LARGEST:
        raise CasesError(f"{path}: larger than {LARGEST >> 20} MB; split it")
    csv.field_size_limit(LARGEST)  # a cell too long is a bad row, and the rest goes on
    try:
        # So are bytes that are no UTF-8, which become surrogates.
        with path.open(newline="", encoding="utf-8-sig", errors="surrogateescape") as file:
            reader = csv.DictReader(file)
            heading = [name.strip().casefold() for name in reader.fieldnames or ()]
            _check_heading(path, heading)
            reader.fieldnames = heading
            for row in reader:
                yield _judged(row, reader.line_num)
    except (OSError, csv.Error) as error:
        raise CasesError(f"{path}: {error}") from error


def _check_heading(path: Path, heading: list[str]) -> None:
    if _is_no_text("".join(heading)):
        raise CasesError(f"{path}: not text in UTF-8; save it as CSV in UTF-8")
    if "id" not in heading or not set(heading) & set(COLUMNS):
        shown = ",".join(heading)[:200]
        wanted = ",".join(("id", *COLUMNS))
        raise CasesError(f"{path}: the first line is {shown!r}; expected the columns {wanted}")


def _judged(row: dict[str, str | None], line: int) -> Answer | Refusal:
    name = (row.get("id") or "").strip()
    if not name:
        return Refusal(id="", error=f"line {line}: the row has no id")
    if None in row:
        return Refusal(
            id=_shown(name), error=f"line {line}: more cells than columns; quote the commas"
        )
    cells = {column: row.get(column) or "" for column in COLUMNS}
    if fault := _fault({"id": name, **cells}):
        return Refusal(id=_shown(name), error=f"line {line}: {fault}")
    try:
        found = case_verdict(cells)
    except ValueError as error:
        return Refusal(id=name, error=f"line {line}: {error}")
    return Answer(
        id=name,
        start=found.start,
        run=found.run,
        reasons=[*found.reasons],
        fixes=[*found.fixes],
        missing=[*found.missing],
    )


def _fault(cells: dict[str, str]) -> str:
    """Why no one can read a row; "" where it can be tried."""
    for column, cell in cells.items():
        if len(cell) > LONGEST_CELL:
            return f"{column} is longer than {LONGEST_CELL >> 10} KB"
        if _is_no_text(cell):
            return f"{column} is not text in UTF-8; save the file as CSV in UTF-8"
    return ""


def _is_no_text(cell: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in cell)


def _shown(name: str) -> str:
    return name[:80].encode("utf-8", "replace").decode()


def case_verdict(cells: dict[str, str]) -> Verdict:
    """Raises ValueError for a cell that cannot be read."""
    image = image_of(
        cells["image"], cells["image_cuda"], cells["require_id_or_text"], cells["torch_build"]
    )
    hosts = hosts_of(
        cells["host_driver"], cells["gpu"], cells["compute_capability"], cells["container_mode"]
    )
    return shared_verdict(image, hosts)
