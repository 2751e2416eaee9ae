"""Facts that the answers of some providers leave unsaid: which GPUs an instance of a name has.

One CSV a table; every row says where it was read, at an address or in the project's own GPU
table, and that copy's day where it bore one. Names that give no listing say why.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from gpucompare.csv_rows import FaultyFilesError, read_rows

FOLDER = Path(__file__).resolve().parent

OWN_TABLE = "fixtures/gpus.csv"
_Origin = Annotated[str, StringConstraints(pattern=rf"^(https://\S+|{re.escape(OWN_TABLE)})$")]


class TableRow(BaseModel):
    """A name as the provider's answers have it, and where what follows was read."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    name: str
    left_out: str = ""  # why this name gives no listing, on purpose
    source: _Origin
    read_on: date | None = None


class HardwareRow(TableRow):
    """The GPUs of an instance family, a size, a shape or a machine type."""

    gpu: str = ""  # a name that the GPU table knows
    gpu_count: int | None = Field(default=None, gt=0)  # None: the answer itself tells
    vram_gb: int | None = Field(default=None, gt=0)  # of one GPU

    @model_validator(mode="after")
    def _either_known_or_left_out(self) -> Self:
        if bool(self.left_out) == bool(self.gpu):
            raise ValueError("a row has either a GPU or a reason to be left out")
        if bool(self.gpu) != bool(self.vram_gb):
            raise ValueError("a GPU is told with its memory")
        return self


Row = TypeVar("Row", bound=TableRow)


def read_table(name: str, kind: type[Row], folder: Path = FOLDER) -> Mapping[str, Row]:
    """The rows of `<name>.csv` by their names. Raises FaultyFilesError with all faults."""
    lines, faults = read_rows(folder / f"{name}.csv", kind)
    rows: dict[str, Row] = {}
    for line in lines:
        if line.row.name in rows:
            faults.append(f"{line.at}: {line.row.name!r} stands twice")
        rows[line.row.name] = line.row
    if faults:
        raise FaultyFilesError(faults)
    return rows
