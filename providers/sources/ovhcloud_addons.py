"""An addon of OVHcloud's catalog: a flavor at one way of paying, and which GPUs it has.

What the catalog says of GPUs is missing or wrong for many flavors, so tables/ovhcloud.csv goes
first: a flavor's name ends with its memory, and its series has so much memory for each GPU.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import Field

from providers.sources.base import Answer
from providers.sources.reading import Amount, GpuCount
from providers.sources.tables import HardwareRow, read_table

BY_THE_HOUR = ".consumption"

_FLAVOR = re.compile(r"^(?P<series>[a-z0-9]+(?:-le)?)-(?P<memory>\d+)$")


def objects(value: Any) -> list[Mapping[str, Any]]:
    """The objects of a list; none of what is no list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


class Pricing(Answer):
    amount: Amount = Field(alias="price")
    unit: str | None = Field(default=None, alias="intervalUnit")


class GpuMemory(Answer):
    size: int | None = None  # GB of one GPU


class Gpu(Answer):
    model: str
    number: GpuCount
    memory: GpuMemory | None = None


class System(Answer):
    family: str | None = None


class Disk(Answer):
    capacity: int = 0
    number: int = 0


class Storage(Answer):
    disks: list[Disk] = []


class Bandwidth(Answer):
    level: int | None = None  # Mbit/s


class Technical(Answer):
    gpu: Gpu | None = None
    os: System | None = None
    storage: Storage | None = None
    bandwidth: Bandwidth | None = None


class Blobs(Answer):
    technical: Technical | None = None


class Addon(Answer):
    plan_code: str = Field(alias="planCode")
    pricings: list[Pricing]
    blobs: Blobs | None = None

    @property
    def flavor(self) -> str:
        return self.plan_code.removesuffix(BY_THE_HOUR)

    @property
    def technical(self) -> Technical:
        return (self.blobs and self.blobs.technical) or Technical()

    def gpu(self) -> tuple[str, int, int | None] | None:
        """Their name, their number, the GB of one; None for a flavor without."""
        told = _FLAVOR.match(self.flavor)
        known = _series().get(told["series"]) if told else None
        if told and known and (count := int(told["memory"]) // known.memory_gb):
            return known.gpu, count, known.vram_gb
        gpu = self.technical.gpu
        if gpu and gpu.number:
            return gpu.model, gpu.number, gpu.memory.size if gpu.memory else None
        return None


class FlavorRow(HardwareRow):
    memory_gb: int = Field(gt=0)  # of the instance, for each GPU


@cache
def _series() -> Mapping[str, FlavorRow]:
    return read_table("ovhcloud", FlavorRow)
