"""A GPU's many names → one model, or its family where the name leaves the form open.

A name is looked up first among the words of its own source, then among everybody's:
"A100" is the 40 GB SXM card to SkyPilot and any A100 to most others. Where several
models answer to a name, the memory of one GPU decides between them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from providers.gpu_file import ANYWHERE, ExceptionRow, GpuRow, read_exceptions, read_gpus

# Measured and marketed memory of the same card differ by up to this share: 262 for 288 GB.
TOLERANCE = 0.10
# At most half of the card's memory is a slice of it, and slices stand apart.
SLICE = 0.5

_NOISE = frozenset(
    {"nvidia", "amd", "tesla", "geforce", "instinct", "radeon", "generation", "edition"}
)
# "80GB", "80 GiB", "80G" as a word of its own; not the "24gb" of a MIG profile "1g.24gb".
_VRAM = re.compile(r"(?<![a-z0-9.])(?:(\d{1,3}) ?gi?b|(\d{2,3})g)(?![a-z0-9.])")
_WORD = re.compile(r"[a-z0-9]+")
_SOCKET = re.compile(r"sxm\d")


@dataclass(frozen=True)
class GpuMatch:
    """What a name means: a model with its family, only a family, or nothing known."""

    family: str | None = None
    gpu: str | None = None


@dataclass(frozen=True)
class Spelling:
    """What counts in a name: its letters and digits, and the GB that it states."""

    stem: str
    vram_gb: int | None

    @classmethod
    def of(cls, name: str) -> Spelling:
        text = name.lower().replace("_", " ").replace("-", " ")
        stated = _VRAM.search(text)
        words = _WORD.findall(_VRAM.sub(" ", text))
        kept = ["sxm" if _SOCKET.fullmatch(word) else word for word in words if word not in _NOISE]
        vram = int(stated[1] or stated[2]) if stated else None
        return cls("".join(kept), vram)


@dataclass(frozen=True)
class Meaning:
    """The models that a name may mean; `model_open` when their memory is another."""

    models: list[GpuRow]
    model_open: bool = False

    def match(self) -> GpuMatch:
        families = {row.family for row in self.models}
        if len(families) != 1:
            return GpuMatch()
        alone = len(self.models) == 1 and not self.model_open
        return GpuMatch(families.pop(), self.models[0].slug if alone else None)


class GpuNames:
    """All names of a GPU table, ready for looking up."""

    def __init__(self, rows: Iterable[GpuRow]) -> None:
        # source → stem → (GB that the alias states, the model).
        self._known: dict[str, dict[str, list[tuple[int | None, GpuRow]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for row in rows:
            for name in (row.name, row.family_name, f"{row.name} {row.variant}"):
                self._learn(ANYWHERE, name, row)
            for source, alias in row.sourced_aliases:
                self._learn(source, alias, row)
                self._learn(ANYWHERE, alias, row)

    def _learn(self, source: str, name: str, row: GpuRow) -> None:
        spelling = Spelling.of(name)
        entries = self._known[source][spelling.stem]
        if (spelling.vram_gb, row) not in entries:
            entries.append((spelling.vram_gb, row))

    def meaning(self, name: str, vram_gb: float | None = None, source: str = "") -> Meaning:
        spelling = Spelling.of(name)
        candidates: list[GpuRow] = []
        for candidates, vram in self._readings(spelling, vram_gb, source):
            fitting = _fitting(candidates, vram)
            if fitting:
                return Meaning(fitting)
        return Meaning(_enlarged(candidates, vram_gb or spelling.vram_gb), model_open=True)

    def _readings(
        self, spelling: Spelling, vram_gb: float | None, source: str
    ) -> Iterator[tuple[list[GpuRow], float | None]]:
        """Candidates with the memory to choose by, the most telling reading first."""
        own = self._known[source].get(spelling.stem, []) if source in self._known else []
        exact = [row for stated, row in own if stated == spelling.vram_gb]
        if exact:
            # The stated GB is part of the source's own word: only a measured GB may overrule it.
            yield exact, vram_gb
        stated_or_measured = vram_gb or spelling.vram_gb
        if own:
            yield _rows(own), stated_or_measured
        everywhere = self._known[ANYWHERE].get(spelling.stem, [])
        if everywhere:
            yield _rows(everywhere), stated_or_measured


def _rows(entries: Iterable[tuple[int | None, GpuRow]]) -> list[GpuRow]:
    return list({row.slug: row for _stated, row in entries}.values())


def _fitting(rows: Sequence[GpuRow], vram_gb: float | None) -> list[GpuRow]:
    """The rows whose memory comes nearest to `vram_gb`, within the tolerance."""
    if vram_gb is None:
        return list(rows)
    off = {row: abs(vram_gb / row.vram_gb - 1) if row.vram_gb else 0.0 for row in rows}
    nearest = min(off.values(), default=0.0)
    return [row for row in rows if off[row] == nearest <= TOLERANCE]


def _enlarged(rows: Sequence[GpuRow], vram_gb: float | None) -> list[GpuRow]:
    """The rows again when memory fits none of them: a modified board, or a misread number.

    None when it is a slice of even the smallest.
    """
    smallest = min((row.vram_gb for row in rows if row.vram_gb), default=None)
    if vram_gb is None or smallest is None:
        return []
    return list(rows) if vram_gb > smallest * SLICE * (1 + TOLERANCE) else []


@cache
def gpu_rows() -> tuple[GpuRow, ...]:
    """The project's own table, read once. Raises FaultyFilesError."""
    return tuple(read_gpus())


@cache
def _names() -> GpuNames:
    return GpuNames(gpu_rows())


@cache
def _exceptions() -> dict[tuple[str, str], ExceptionRow]:
    return {(row.source, row.name.casefold()): row for row in read_exceptions()}


def resolve(name: str, vram_gb: float | None = None, source: str = "") -> GpuMatch:
    """The model or family that `name` means at `source`, given the GB of one GPU.

    `source` is a provider's slug, or a tool's name as in the aliases of the GPU table; one
    that the table does not know counts as none.
    """
    return _names().meaning(name, vram_gb, source).match()


def vram_of(name: str, source: str = "") -> int | None:
    """GB of one GPU: what `name` states, or what all models that it may mean have."""
    stated = Spelling.of(name).vram_gb
    meaning = _names().meaning(name, source=source)
    memories = {row.vram_gb for row in meaning.models}
    if meaning.model_open or meaning.match() == GpuMatch() or len(memories) != 1:
        return stated
    return memories.pop()


def exception(name: str, source: str) -> ExceptionRow | None:
    """Why `name` is known to mean no model and no family at `source`; None when it is not."""
    return _exceptions().get((source, name.strip().casefold()))
