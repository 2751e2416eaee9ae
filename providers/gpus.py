"""A GPU's many names → one model, or its family where the name leaves the form open."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GpuMatch:
    """What a name means: a model with its family, only a family, or nothing known."""

    family: str | None = None
    gpu: str | None = None


def resolve(name: str, vram_gb: float | None = None, source: str = "") -> GpuMatch:
    """The model or family that `name` means at `source`, given the GB of one GPU."""
    raise NotImplementedError
