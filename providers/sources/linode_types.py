"""A type of Akamai's, which GPU it has, and where it can be had."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from providers.gpus import vram_of
from providers.sources.base import Answer
from providers.sources.reading import Amount, GpuCount
from providers.sources.tables import HardwareRow, TableRow, read_table

_SERIES = re.compile(r"^g\d+-gpu-[a-z]+\d+")
_COUNT = re.compile(r"( GPU)? x\d+.*$")  # "RTX4000 Ada x4 Medium"


class Cost(Answer):
    hourly: Amount


class RegionCost(Cost):
    id: str


class Type(Answer):
    id: str
    label: str
    gpus: GpuCount
    price: Cost
    region_prices: Sequence[RegionCost] = ()
    disk: int | None = None  # MB
    transfer: int | None = None  # GB a month
    network_out: int | None = None  # Mbit/s

    def gpu(self) -> tuple[str, int | None]:
        """The name and GB of one of its GPUs; the label names what the table does not know."""
        series = _SERIES.match(self.id)
        known = _hardware().get(series[0]) if series else None
        if known:
            return known.gpu, known.vram_gb
        name = _COUNT.sub("", self.label.rpartition("+ ")[2])
        return name, vram_of(name, "linode")


class Free(Answer):
    region: str
    plan: str
    available: bool

    @property
    def type_id(self) -> str:
        """Some types have another name in the list of what is free."""
        known = _plans().get(self.plan)
        return known.type_id if known else self.plan


class PlanRow(TableRow):
    type_id: str


@cache
def _hardware() -> Mapping[str, HardwareRow]:
    return read_table("linode", HardwareRow)


@cache
def _plans() -> Mapping[str, PlanRow]:
    return read_table("linode_plans", PlanRow)
