"""Images that people name, and the requirements of NVIDIA's own.

`tables/known_images.csv` holds what the name of an image alone gives away;
`tables/require_strings.csv` the texts of NVIDIA_REQUIRE_CUDA as they stand in images.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from gpucompare.csv_rows import FaultyFilesError, Line, read_rows
from gpucompare.cuda.image import Software
from gpucompare.cuda.requirement import Fault, parse
from gpucompare.cuda.tables import Basis

TABLES = Path(__file__).resolve().parent / "tables"
KNOWN_IMAGES_FILE = TABLES / "known_images.csv"
REQUIRE_STRINGS_FILE = TABLES / "require_strings.csv"


def _parts(text: object) -> object:
    return tuple(filter(None, text.split("|"))) if isinstance(text, str) else text


Parts = Annotated[tuple[str, ...], BeforeValidator(_parts)]


class KnownImage(BaseModel):
    """What holds for all images whose name has `name` in it, of those releases."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=3)
    releases: str = ""
    platforms: Parts = ()
    software: Software = ""
    builds: Parts = ()
    compat: Literal["", "bundled", "forced"] = ""
    basis: Basis
    source: str = Field(pattern=r"^https://")
    note: str = ""


class RequireString(BaseModel):
    """`derived`: parts of the text were completed by its pattern."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    id: str
    image: str
    cuda: str = Field(pattern=r"^\d+\.\d+$")
    text: str
    basis: Basis
    source: str
    note: str = ""


def read_known_images(path: Path = KNOWN_IMAGES_FILE) -> tuple[KnownImage, ...]:
    """The table of `path`. Raises FaultyFilesError with all faults."""
    lines, faults = read_rows(path, KnownImage)
    if faults:
        raise FaultyFilesError(faults)
    return tuple(line.row for line in lines)


def read_require_strings(path: Path = REQUIRE_STRINGS_FILE) -> dict[str, RequireString]:
    """The table of `path` by id. Raises FaultyFilesError with all faults."""
    lines, faults = read_rows(path, RequireString)
    faults += [*_id_twice(lines), *_unreadable(lines)]
    if faults:
        raise FaultyFilesError(faults)
    return {line.row.id: line.row for line in lines}


@cache
def known_images() -> tuple[KnownImage, ...]:
    return read_known_images()


@cache
def require_strings() -> dict[str, RequireString]:
    return read_require_strings()


def _id_twice(lines: Sequence[Line[RequireString]]) -> Iterator[str]:
    seen: dict[str, str] = {}
    for line in lines:
        if line.row.id in seen:
            yield f"{line.at}: {line.row.id!r} stands at {seen[line.row.id]} already"
        seen.setdefault(line.row.id, line.at)


def _unreadable(lines: Sequence[Line[RequireString]]) -> Iterator[str]:
    for line in lines:
        terms = parse(line.row.text).terms
        faults = [factor.text for term in terms for factor in term if isinstance(factor, Fault)]
        if faults or not terms:
            yield f"{line.at}: text: {', '.join(faults) or 'nothing'} is no expression"
