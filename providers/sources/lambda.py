# ruff: noqa: N999 - a source has the name of its slug, which only import machinery spells
"""Lambda: instance types with the regions that have room for one now.

https://docs.lambda.ai/api/cloud: a key is needed; prices are in cents an hour for the instance;
the GPU and its memory are told in text alone, and an empty list of regions is "sold out".
"""

from __future__ import annotations

import re
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
from providers.sources.reading import CENT, Amount, figures

# "8x H100 (80 GB SXM5)"; the GPU's own description lacks the count.
_DESCRIPTION = re.compile(r"(?:(?P<count>\d+)x )?(?P<gpu>.+ \((?P<vram>\d+) GB[^)]*\))")


class Specs(Answer):
    gpus: int | None = Field(default=None, ge=0)
    storage_gib: int | None = None


class InstanceType(Answer):
    name: str
    description: str
    gpu_description: str | None = None
    price_cents_per_hour: Amount
    specs: Specs = Specs()


class Region(Answer):
    name: str


class Entry(Answer):
    instance_type: InstanceType
    regions_with_capacity_available: list[Region]


class Lambda(Source):
    slug = "lambda"
    base_url = "https://cloud.lambda.ai"
    hosts = ("cloud.lambdalabs.com",)  # its former name
    offerings = ("lambda/on-demand",)
    needs_key = True

    def fetch(self, http: Http) -> Iterator[Page]:
        headers = {"Authorization": f"Bearer {self.key}"}
        yield Page("instance-types", http.get("/api/v1/instance-types", headers=headers))

    def parse(self, pages: Iterable[Page]) -> Rows:
        for page in pages:
            for at, row in read_rows(Entry, page.at("data"), "data"):
                if isinstance(row, BadRow):
                    yield row
                else:
                    yield from _regions(row, at)


def _regions(entry: Entry, at: str) -> Rows:
    kind = entry.instance_type
    told = _DESCRIPTION.fullmatch(kind.gpu_description or "") or _DESCRIPTION.fullmatch(
        kind.description
    )
    count = _count(kind)
    if count == 0:
        return
    if told is None or count is None:
        yield BadRow(at, f"description: no GPU to be read in {kind.description!r}")
        return
    for region in [place.name for place in entry.regions_with_capacity_available] or [""]:
        yield ListingRecord(
            offering="lambda/on-demand",
            key=f"{kind.name}/{region}",
            gpu_name=told["gpu"],
            gpu_count=count,
            price=price(kind.price_cents_per_hour, unit=CENT),
            vram_gb=int(told["vram"]),
            region=region,
            stock=StockLevel.AVAILABLE if region else StockLevel.NONE,
            extras=figures(disk_gb=kind.specs.storage_gib),
        )


def _count(kind: InstanceType) -> int | None:
    """GPUs of the instance; older answers tell them in the description alone."""
    if kind.specs.gpus is not None:
        return kind.specs.gpus
    told = _DESCRIPTION.fullmatch(kind.description)
    return int(told["count"]) if told and told["count"] else None
