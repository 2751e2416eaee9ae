"""A plan of Vultr, and which GPUs it has.

Plans on dedicated hardware say nothing about their GPUs: they stand in tables/vultr.csv, and a
plan that is newer than it has them in its id. An id can be wrong: that of the MI325X plan gives
the memory of six, but it is the server that the MI355X plan has, with eight.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from providers.gpus import vram_of
from providers.sources.base import Answer
from providers.sources.reading import Amount
from providers.sources.tables import HardwareRow, read_table

# "vcg-a40-24c-120g-48vram": the card, and the GB of all cards of the plan.
_ID = re.compile(r"^vcg-(?P<gpu>[a-z0-9]+)-\d+c-\d+gb?-(?P<vram>\d+)vram$")


class RegionCost(Answer):
    hourly_cost: Amount = None
    hourly_cost_preemptible: Amount = None


class Plan(Answer):
    id: str
    hourly_cost: Amount
    hourly_cost_preemptible: Amount = None
    location_cost: Mapping[str, RegionCost] | list[Any] = {}  # an empty list when it is empty
    locations: list[str]
    deploy_ondemand: bool = True
    deploy_preemptible: bool = False
    gpu_brand: str | None = None
    gpu_type: str | None = None  # "NVIDIA_A100_PCIE"
    gpu_vram_gb: int | None = None  # of all cards
    gpu_count: int | str | None = None
    disk: int | None = None  # GB
    disk_count: int | None = None
    bandwidth: int | None = None  # GB a month

    @property
    def has_gpu(self) -> bool:
        return self.gpu_brand not in {None, "", "none"} and "/" not in str(self.gpu_count)

    @property
    def regions(self) -> list[str]:
        return sorted({place for place in self.locations if place})

    def gpu(self) -> tuple[str, int, int | None] | None:
        """Their name, their number, the GB of one; None when the number is not told."""
        if self.gpu_type and str(self.gpu_count).isdecimal() and int(str(self.gpu_count)) > 0:
            count = int(str(self.gpu_count))
            return self.gpu_type, count, round((self.gpu_vram_gb or 0) / count) or None
        if known := _table().get(self.id):
            return known.gpu, known.gpu_count or 1, known.vram_gb
        told = _ID.match(self.id)
        each = vram_of(told["gpu"], "vultr") if told else None
        if not told or not each or int(told["vram"]) % each:
            return None
        return told["gpu"], int(told["vram"]) // each, each


@cache
def _table() -> Mapping[str, HardwareRow]:
    return read_table("vultr", HardwareRow)
