"""`fixtures/gpus.csv`, one row a GPU model, and the names that are known to mean none."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from gpucompare.csv_rows import FaultyFilesError, Line, read_rows

_FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
GPUS_FILE = _FIXTURES / "gpus.csv"
EXCEPTIONS_FILE = _FIXTURES / "gpu_exceptions.csv"

# The source of an alias that is no provider's own word: trade names that all use.
ANYWHERE = "any"

_Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]
_Alias = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+:\S.*$", max_length=120)]


def _parts(text: object) -> object:
    return text.split("|") if isinstance(text, str) else text


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class GpuRow(_Row):
    """One model. `vram_gb` is marketed, `smi_mib` is what nvidia-smi shows of one GPU."""

    slug: _Slug
    name: str = Field(max_length=80)
    family: _Slug
    family_name: str = Field(max_length=80)
    vendor: str = Field(max_length=32)
    segment: str = Field(pattern=r"^(datacenter|workstation|consumer|edge)$")
    vram_gb: int | None = Field(default=None, gt=0)
    architecture: str = Field(max_length=64)
    compute_capability: str = Field(default="", pattern=r"^(\d+\.\d|gfx[0-9a-f]+)?$")
    variant: str = Field(default="", max_length=64)
    smi_mib: int | None = Field(default=None, gt=0)
    # `source:alias`, as the source writes it; the source is a provider's slug or a tool.
    aliases: Annotated[tuple[_Alias, ...], BeforeValidator(_parts)] = ()
    notes: str = Field(default="", max_length=500)
    # Whose table the compute capability and the architecture are from.
    basis: str

    @property
    def sourced_aliases(self) -> list[tuple[str, str]]:
        """The aliases as (source, name)."""
        pairs = (alias.partition(":") for alias in self.aliases)
        return [(source, name) for source, _colon, name in pairs]


class ExceptionKind(StrEnum):
    SLICE = "slice"  # part of a card
    UNCLEAR = "unclear"  # the provider does not say which card
    NOT_A_GPU = "not_a_gpu"


class ExceptionRow(_Row):
    """A name that is known to mean no model and no family, and why."""

    source: _Slug
    name: str = Field(max_length=120)
    kind: ExceptionKind
    reason: str


def read_gpus(path: Path = GPUS_FILE) -> list[GpuRow]:
    """Every model, in the file's order. Raises FaultyFilesError with all faults."""
    lines, faults = read_rows(path, GpuRow)
    faults += [fault for rule in _RULES for fault in rule(lines)]
    if faults:
        raise FaultyFilesError(faults)
    return [line.row for line in lines]


def read_exceptions(path: Path = EXCEPTIONS_FILE) -> list[ExceptionRow]:
    """Every exception. Raises FaultyFilesError with all faults."""
    lines, faults = read_rows(path, ExceptionRow)
    if faults:
        raise FaultyFilesError(faults)
    return [line.row for line in lines]


Lines = Sequence[Line[GpuRow]]


def _told_twice(lines: Lines) -> Iterator[str]:
    for field in ("slug", "name"):
        seen: dict[str, str] = {}
        for line in lines:
            value = getattr(line.row, field)
            if value in seen:
                yield f"{line.at}: {field} {value!r} stands at {seen[value]} already"
            seen.setdefault(value, line.at)


def _families_disagree(lines: Lines) -> Iterator[str]:
    """A family has one name and one vendor."""
    for members in _by_family(lines).values():
        first = members[0]
        for line in members[1:]:
            for field in ("family_name", "vendor"):
                told, said = getattr(line.row, field), getattr(first.row, field)
                if told != said:
                    yield f"{line.at}: {field} is {told!r}, but {said!r} at {first.at}"


def _family_slugs_misleading(lines: Lines) -> Iterator[str]:
    """A family of one shares its model's slug; otherwise a family's slug is no model's."""
    families = _by_family(lines)
    for line in lines:
        row, alone = line.row, len(families[line.row.family]) == 1
        if alone and row.slug != row.family:
            yield f"{line.at}: {row.slug!r} is alone in family {row.family!r}: give both one slug"
        if row.slug in families and not (alone and row.slug == row.family):
            yield f"{line.at}: slug {row.slug!r} is the slug of a family of several"


def _aliases_twice(lines: Lines) -> Iterator[str]:
    for line in lines:
        for alias, times in Counter(line.row.aliases).items():
            if times > 1:
                yield f"{line.at}: alias {alias!r} stands twice"


def _memory_disagrees(lines: Lines) -> Iterator[str]:
    """nvidia-smi shows up to a tenth less than is marketed, never half or double."""
    for line in lines:
        marketed, shown = line.row.vram_gb, line.row.smi_mib
        if marketed and shown and not 0.85 <= shown / 1024 / marketed <= 1.05:
            yield f"{line.at}: smi_mib {shown} does not fit vram_gb {marketed}"


_RULES: tuple[Callable[[Lines], Iterable[str]], ...] = (
    _told_twice,
    _families_disagree,
    _family_slugs_misleading,
    _aliases_twice,
    _memory_disagrees,
)


def _by_family(lines: Lines) -> dict[str, list[Line[GpuRow]]]:
    families = defaultdict(list)
    for line in lines:
        families[line.row.family].append(line)
    return dict(families)
