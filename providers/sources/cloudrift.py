"""CloudRift: virtual machine types with the number of free nodes in each data centre.

POST /api/v1/instance-types/list, as clients of the project call it. Prices are in cents an hour
for the instance; memory is in bytes, some of it decimal and some binary.
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
    price,
    read_rows,
)
from providers.sources.reading import CENT, Amount, GpuCount, counted, figures, gigabytes

QUERY = {
    "version": "2025-03-21",
    "data": {"selector": {"ByServiceAndLocation": {"services": ["vm"]}}},
}


class InstanceType(Answer):
    brand_short: str
    variants: list[object]


class Variant(Answer):
    name: str
    cost_per_hour: Amount
    gpu_count: GpuCount
    vram: int | None = Field(default=None, ge=0)  # bytes of one GPU
    disk: int | None = Field(default=None, ge=0)
    nodes_per_dc: dict[str, int] | None = None  # a data centre that is not named has none


class CloudRift(Source):
    slug = "cloudrift"
    base_url = "https://api.cloudrift.ai"
    offerings = ("cloudrift/virtual-machines",)

    def fetch(self, http: Http) -> Iterator[Page]:
        yield Page("instance-types", http.post("/api/v1/instance-types/list", json=QUERY))

    def parse(self, pages: Iterable[Page]) -> Rows:
        for page in pages:
            types = page.at("data", "instance_types")
            for at, row in read_rows(InstanceType, types, "instance_types"):
                if isinstance(row, BadRow):
                    yield row
                else:
                    yield from _variants(row, at)


def _variants(kind: InstanceType, at: str) -> Rows:
    for _at, row in read_rows(Variant, kind.variants, f"{at}.variants"):
        if isinstance(row, BadRow):
            yield row
        elif row.gpu_count:
            yield from _places(row, kind.brand_short)


def _places(row: Variant, gpu_name: str) -> Iterator[ListingRecord]:
    nodes: dict[str, int | None] = {**row.nodes_per_dc} if row.nodes_per_dc else {}
    if not nodes:
        nodes[""] = None if row.nodes_per_dc is None else 0
    for region, free in nodes.items():
        yield ListingRecord(
            offering="cloudrift/virtual-machines",
            key=f"{row.name}/{region}",
            gpu_name=gpu_name,
            gpu_count=row.gpu_count,
            price=price(row.cost_per_hour, unit=CENT),
            vram_gb=gigabytes(row.vram) if row.vram else None,
            region=region,
            stock=counted(free),
            stock_count=free,
            extras=figures(disk_gb=gigabytes(row.disk) if row.disk else None),
        )
