"""What the build steps of an image show of its layers: `tables/layer_marks.csv`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, field_validator

from checks.coldstart.inputs import Image, Layer, Role, Weights
from checks.image.record import HistoryLine, ImageRecord
from gpucompare.csv_rows import FaultyFilesError, read_rows

LAYER_MARKS_FILE: Final = Path(__file__).resolve().parent / "tables" / "layer_marks.csv"


class Mark(BaseModel):
    """A pattern in the text of a build step, and what it makes of that step's layer."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    role: Literal["devel", "weights"]
    pattern: str
    source: str = ""
    why: str

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"not a regular expression: {error}") from None
        return pattern


def read_marks(path: Path = LAYER_MARKS_FILE) -> tuple[Mark, ...]:
    """The table of `path`. Raises FaultyFilesError with all faults."""
    lines, faults = read_rows(path, Mark)
    if faults:
        raise FaultyFilesError(faults)
    return tuple(line.row for line in lines)


@cache
def _marks() -> tuple[tuple[re.Pattern[str], Role], ...]:
    return tuple((re.compile(mark.pattern), mark.role) for mark in read_marks())


def image_of(record: ImageRecord) -> Image:
    """The image to pull that a registry tells of.

    A repeated layer counts once, one from elsewhere not at all. Weights that its layers show are
    taken to be as large as those layers: numbers hardly shrink.
    """
    steps = [step for step in record.config.history if not step.empty_layer]
    # A history that does not fit the layers says nothing of any of them.
    told: Iterable[HistoryLine | None] = (
        steps if len(steps) == len(record.layers) else [None] * len(record.layers)
    )
    layers = {
        layer.digest: Layer(layer.size, layer.compression, role_of(step))
        for layer, step in zip(record.layers, told, strict=True)
        if not layer.is_foreign
    }
    shown = sum(layer.bytes for layer in layers.values() if layer.role == "weights")
    return Image(
        tuple(layers.values()),
        compressed_gb=None if layers else 0,
        weights_gb=Decimal(shown) / 10**9,
        weights=Weights.IMAGE if shown else None,
    )


def role_of(step: HistoryLine | None) -> Role | None:
    """What the text of `step` shows of its layer; None where there is no text."""
    if step is None or not step.created_by:
        return None
    return next((role for found, role in _marks() if found.search(step.created_by)), "")
