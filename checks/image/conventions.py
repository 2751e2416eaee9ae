"""What the names of well-known images promise: `tables/images.csv`, one tag pattern a row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from gpucompare.csv_rows import FaultyFilesError, Line, read_rows
from gpucompare.cuda.tables import Basis
from gpucompare.cuda.versions import releases_span

IMAGES_FILE = Path(__file__).resolve().parent / "tables" / "images.csv"

_PLACES = {
    "release": r"\d+(?:\.\d+){1,3}(?:(?:a|b|rc|\.post|\.dev)\d+)?",
    "cuda": r"\d+\.\d+(?:\.\d+){0,2}",
    "framework_cuda": r"\d+\.\d+(?:\.\d+)?",
    "cudnn": r"\d+",
    "rocm": r"\d+\.\d+(?:\.\d+)?",
    "base": "base|runtime|devel",
    "any": r"[\w.-]+",
}
_PLACE = re.compile(r"\{(\w+)\}")
_VERSION = r"^(\d+(\.\d+){1,3})?$"


class ImageRow(BaseModel):
    """One pattern of tags. A cell says what every such image holds; a place, what its tag says."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    repository: str = Field(pattern=r"^[a-z0-9.-]+(:\d+)?(/[a-z0-9._-]+)+$")
    tag: str  # "{release}-cuda{framework_cuda}-{base}"
    releases: str = ""  # ">=0.15.0": only for those of `{release}`
    software: Literal["", "cuda", "rocm", "cpu"] = ""
    framework: str = Field(default="", pattern=r"^[a-z0-9-]*$")
    release: str = ""
    cuda: str = Field(default="", pattern=_VERSION)
    framework_cuda: str = Field(default="", pattern=_VERSION)
    compat_driver: str = Field(default="", pattern=_VERSION)
    compat_forced: Literal["", "yes"] = ""
    # none: neither NVIDIA_REQUIRE_* nor CUDA_VERSION is set; empty: not known
    gate: Literal["", "none"] = ""
    basis: Basis
    source: str = Field(min_length=1)
    note: str = ""

    @field_validator("tag")
    @classmethod
    def _places_are_known(cls, tag: str) -> str:
        places = _PLACE.findall(tag)
        if unknown := sorted(set(places) - set(_PLACES)):
            raise ValueError(f"no such place: {', '.join(unknown)}; there are {', '.join(_PLACES)}")
        if len(places) != len(set(places)):
            raise ValueError("a place may stand only once")
        if re.search(r"[^\w.{}-]", tag):
            raise ValueError("a tag holds letters, digits, points, dashes and underscores")
        return tag

    @field_validator("releases")
    @classmethod
    def _releases_can_be_compared(cls, releases: str) -> str:
        if releases_span(releases) is None:
            raise ValueError("must be like 0.15.0, 2.5-2.11, <2.7 or >=0.15.0")
        return releases

    @model_validator(mode="after")
    def _fits_its_pattern(self) -> ImageRow:
        places = set(_PLACE.findall(self.tag))
        if self.releases and "release" not in places:
            raise ValueError("releases needs {release} in the tag")
        about_framework = {"framework_cuda"} & places or self.release or self.framework_cuda
        if about_framework and not self.framework:
            raise ValueError("a framework's release or CUDA needs the framework's name")
        if both := sorted(place for place in places if getattr(self, place, "")):
            raise ValueError(f"{', '.join(both)} stands both in the tag and in a cell")
        return self

    @property
    def pattern(self) -> re.Pattern[str]:
        """The tag as a regular expression with a group a place."""
        parts = _PLACE.split(self.tag)
        return re.compile(
            "".join(
                f"(?P<{part}>{_PLACES[part]})" if at % 2 else re.escape(part)
                for at, part in enumerate(parts)
            )
        )


@dataclass(frozen=True)
class Promise:
    """What one row says of one tag: values read in the tag, values of the row."""

    row: ImageRow
    in_tag: dict[str, str]


@dataclass(frozen=True)
class Conventions:
    """The table, ready for looking up."""

    rows: dict[str, tuple[tuple[re.Pattern[str], ImageRow], ...]]  # by repository

    @classmethod
    def of(cls, rows: Sequence[ImageRow]) -> Conventions:
        found: dict[str, list[tuple[re.Pattern[str], ImageRow]]] = {}
        for row in rows:
            found.setdefault(row.repository, []).append((row.pattern, row))
        return cls({name: tuple(patterns) for name, patterns in found.items()})

    def promises(self, repository: str, tag: str) -> tuple[Promise, ...]:
        """What is known of `repository:tag` by its name alone, in the table's order."""
        return tuple(self._promises(repository, tag))

    def _promises(self, repository: str, tag: str) -> Iterator[Promise]:
        for pattern, row in self.rows.get(repository, ()):
            match = pattern.fullmatch(tag)
            if match and _covers(row.releases, match.groupdict().get("release")):
                yield Promise(row, match.groupdict())


def _covers(releases: str, release: str | None) -> bool:
    if not releases:
        return True
    wanted, found = releases_span(releases), releases_span(release or "")
    return bool(release and wanted and found and found.within(wanted))


def read_conventions(path: Path = IMAGES_FILE) -> Conventions:
    """The table of `path`. Raises FaultyFilesError with all faults."""
    lines, faults = read_rows(path, ImageRow)
    faults += list(_twice(lines))
    if faults:
        raise FaultyFilesError(faults)
    return Conventions.of([line.row for line in lines])


@cache
def conventions() -> Conventions:
    """The project's own table, read once. Raises FaultyFilesError."""
    return read_conventions()


def _twice(lines: Sequence[Line[ImageRow]]) -> Iterator[str]:
    seen: dict[tuple[str, str, str], str] = {}
    for line in lines:
        key = (line.row.repository, line.row.tag, line.row.releases)
        if key in seen:
            yield f"{line.at}: {line.row.repository}:{line.row.tag} stands at {seen[key]} already"
        seen.setdefault(key, line.at)
