"""What the templates follow: `tables/`, one row a template, device, cloud and GPU name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from checks.launch.words import Caution, Device, Kind, Language, Runtime, Way
from gpucompare.csv_rows import FaultyFilesError, Line, read_rows

HERE: Final = Path(__file__).resolve().parent
TEMPLATES: Final = HERE / "templates"
TABLES: Final = HERE / "tables"

Engine = Literal["skypilot", "dstack", "runpod", "vast-ai"]


def _parts(text: object) -> object:
    return text.split("|") if isinstance(text, str) else text


class _Sourced(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class TemplateRow(_Sourced):
    """One template: what it is, where it fits, and what it follows."""

    key: str = Field(pattern=r"^[a-z0-9-]+$")
    kind: Kind
    language: Language
    template: str
    first: str = ""  # shell that a private registry asks for once before
    then: str = ""  # shell that makes use of the file
    # Offerings that it is for; none: every one whose answers allow it.
    offerings: Annotated[frozenset[str], BeforeValidator(_parts)] = frozenset()
    device: Annotated[frozenset[Device], BeforeValidator(_parts)] = frozenset()  # none: any
    runtime: Runtime | None = None  # None: whichever
    # container: on a machine that is there · image: the provider starts it · machine: only that
    starts: Literal["container", "image", "machine"]
    names: Engine | None = None  # whose names of GPUs the template takes
    credential: Way | None = None  # None: no way is documented
    warnings: Annotated[tuple[Caution, ...], BeforeValidator(_parts)] = ()
    source: str = Field(pattern=r"^https://")
    read_on: date | None = None
    basis: Literal["documented", "derived"]

    def text_of(self, part: Literal["template", "first", "then"]) -> str:
        name = getattr(self, part)
        return _text(name) if name else ""

    @property
    def body(self) -> str:
        """The JSON that a call of an API carries; empty when it carries none."""
        name = Path(self.template).with_suffix(".json")
        return _text(str(name)) if (TEMPLATES / name).exists() else ""


@cache
def _text(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


class DeviceRow(_Sourced):
    """An offering whose containers get the GPU in a way of their own."""

    offering: str
    device: Device
    source: str
    read_on: date | None = None
    basis: Literal["documented", "derived"]


class CloudRow(_Sourced):
    """What an engine calls the cloud of an offering."""

    engine: Literal["skypilot", "dstack"]
    offering: str
    name: str
    takes_image: Literal["yes", "no"]  # no: a container is started on its machine instead
    source: str
    read_on: date | None = None
    basis: Literal["documented", "derived"]


class GpuNameRow(_Sourced):
    """What an engine or a command line calls a GPU of ours."""

    engine: Engine
    cloud: str = ""  # by its name there; empty: everywhere else
    gpu: str
    name: str
    memory_gb: int | None = None  # where the name alone stands for several sizes
    names_the_form: Literal["yes", "no"]  # no: it may be another form of the card, SXM or PCIe
    source: str
    read_on: date | None = None
    basis: Literal["documented", "derived"]


Row = TypeVar("Row", bound=BaseModel)


def rows_of(path: Path, kind: type[Row]) -> list[Line[Row]]:
    """The rows of `path`. Raises FaultyFilesError with all faults of it."""
    lines, faults = read_rows(path, kind)
    if faults:
        raise FaultyFilesError(faults)
    return lines


def read_templates(path: Path = TABLES / "launch.csv") -> tuple[TemplateRow, ...]:
    """The templates in their order. Raises FaultyFilesError, also for a file that is not there."""
    lines = rows_of(path, TemplateRow)
    if faults := [fault for line in lines for fault in _not_there(line)]:
        raise FaultyFilesError(faults)
    order = list(Kind)
    return tuple(sorted((line.row for line in lines), key=lambda row: order.index(row.kind)))


def _not_there(line: Line[TemplateRow]) -> Iterator[str]:
    for name in filter(None, (line.row.template, line.row.first, line.row.then)):
        if not (TEMPLATES / name).is_file():
            yield f"{line.at}: there is no templates/{name}"


@dataclass(frozen=True)
class Shelf:
    """The tables, ready for looking up."""

    templates: tuple[TemplateRow, ...]
    devices: Mapping[str, Device]  # by offering
    clouds: Mapping[tuple[str, str], CloudRow]  # by engine and offering
    names: Mapping[tuple[str, str, str], GpuNameRow]  # by engine, cloud and GPU

    def gpu_name(self, engine: str, cloud: str, gpu: str) -> GpuNameRow | None:
        """What `engine` calls the GPU at `cloud`, else in general; None: no name is known."""
        return self.names.get((engine, cloud, gpu)) or self.names.get((engine, "", gpu))


@cache
def shelf() -> Shelf:
    """The project's own tables, read once. Raises FaultyFilesError."""
    devices = [line.row for line in rows_of(TABLES / "devices.csv", DeviceRow)]
    clouds = [line.row for line in rows_of(TABLES / "clouds.csv", CloudRow)]
    names = [line.row for line in rows_of(TABLES / "gpu_names.csv", GpuNameRow)]
    return Shelf(
        read_templates(),
        MappingProxyType({row.offering: row.device for row in devices}),
        MappingProxyType({(row.engine, row.offering): row for row in clouds}),
        MappingProxyType({(row.engine, row.cloud, row.gpu): row for row in names}),
    )
