"""Rows of a CSV file as checked objects; every fault of a file is found, with its line."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

Row = TypeVar("Row", bound=BaseModel)


class FaultyFilesError(Exception):
    """Files that cannot be taken. `faults` holds one `file:line: what is wrong` each."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


@dataclass(frozen=True)
class Line(Generic[Row]):
    """A row and where it stands, `gpus.csv:12`."""

    at: str
    row: Row


def read_rows(path: Path, kind: type[Row]) -> tuple[list[Line[Row]], list[str]]:
    """The good rows of `path` and the faults of the others; empty cells take `kind`'s defaults."""
    lines: list[Line[Row]] = []
    faults: list[str] = []
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file, strict=True)
            faults += _heading_faults(path, list(reader.fieldnames or ()), kind)
            for cells in () if faults else reader:
                at = f"{path.name}:{reader.line_num}"
                try:
                    lines.append(Line(at, kind.model_validate(_filled(cells))))
                except ValidationError as error:
                    faults += [f"{at}: {_told(detail)}" for detail in error.errors()]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        faults.append(f"{path.name}: {error}")
    return lines, faults


def _heading_faults(path: Path, found: list[str], kind: type[BaseModel]) -> Iterator[str]:
    wanted = list(kind.model_fields)
    if found != wanted:
        yield f"{path.name}:1: the columns are {','.join(found)}; expected {','.join(wanted)}"


def _filled(cells: dict[str | None, object]) -> dict[str, object]:
    """Only what was written. A row too long or too short becomes a fault of its own."""
    return {name or "(too many cells)": cell for name, cell in cells.items() if cell != ""}


def _told(detail: ErrorDetails) -> str:
    field = ".".join(str(part) for part in detail["loc"])
    given = f", not {detail['input']!r}" if detail["type"] != "missing" else ""
    message = detail["msg"].removeprefix("Value error, ")
    return f"{field}: {message}{given}" if field else message
