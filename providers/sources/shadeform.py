"""Shadeform: instance types of many clouds behind one API, by region.

https://docs.shadeform.ai/api-reference/instances/instances-types: a key is needed; prices are in
cents an hour for the instance. The tier of a listing is the cloud that it is resold from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pydantic import Field

from providers.sources.base import (
    Answer,
    BadRow,
    Http,
    ListingRecord,
    Page,
    Rows,
    Source,
    StockLevel,
    price,
    read_rows,
)
from providers.sources.reading import CENT, Amount, GpuCount, figures


class Configuration(Answer):
    num_gpus: GpuCount
    gpu_type: str  # "A100_80G"
    vram_per_gpu_in_gb: int | None = Field(default=None, ge=0)
    storage_in_gb: int | None = None


class Place(Answer):
    region: str
    available: bool


class InstanceType(Answer):
    cloud: str
    cloud_instance_type: str
    deployment_type: str  # vm, container, baremetal
    configuration: Configuration
    hourly_price: Amount
    availability: list[Place]


class Shadeform(Source):
    slug = "shadeform"
    base_url = "https://api.shadeform.ai"
    offerings = ("shadeform/instances",)
    needs_key = True

    def fetch(self, http: Http) -> Iterator[Page]:
        headers = {"X-API-KEY": self.key}
        yield Page("instance-types", http.get("/v1/instances/types", headers=headers))

    def parse(self, pages: Iterable[Page]) -> Rows:
        for page in pages:
            types = page.at("instance_types")
            for _at, row in read_rows(InstanceType, types, "instance_types"):
                if isinstance(row, BadRow):
                    yield row
                elif row.configuration.num_gpus:
                    yield from _places(row)


def _places(row: InstanceType) -> Iterator[ListingRecord]:
    """One listing a region; a type that names none is on offer somewhere or nowhere."""
    stock = {
        place.region: StockLevel.AVAILABLE if place.available else StockLevel.NONE
        for place in row.availability
    }
    for region, level in (stock or {"": StockLevel.UNKNOWN}).items():
        yield ListingRecord(
            offering="shadeform/instances",
            key=f"{row.cloud}/{row.cloud_instance_type}/{row.deployment_type}/{region}",
            gpu_name=row.configuration.gpu_type,
            gpu_count=row.configuration.num_gpus,
            price=price(row.hourly_price, unit=CENT),
            vram_gb=row.configuration.vram_per_gpu_in_gb or None,
            # RunPod's types are resold for "any" region.
            region="" if region == "any" else region,
            tier=row.cloud,
            stock=level,
            extras=figures(disk_gb=row.configuration.storage_in_gb),
        )
