"""Lium: nodes of a marketplace, each rentable whole and from a stated number of GPUs on.

https://docs.lium.io: a public, keyless list; only a node's id and address are never null.
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
    Per,
    Rows,
    Source,
    price,
    read_rows,
)
from providers.sources.reading import Amount, counted, figures

SPOT = "spot"


class Node(Answer):
    id: str
    gpu_model: str | None
    gpu_count: int | None = Field(ge=0)
    available_gpu_count: int | None = None
    min_rentable_gpu_count: int | None = Field(default=None, ge=0)
    price_per_gpu_hour: Amount
    gpu_memory_gb: int | None = None
    disk_free_gb: int | None = None
    tier: str | None = None  # "secure", or "spot": may be reclaimed
    country_code: str | None = None


class Lium(Source):
    slug = "lium"
    base_url = "https://lium.io"
    offerings = ("lium/pods",)

    def fetch(self, http: Http) -> Iterator[Page]:
        yield Page("nodes", http.get("/api/public/v1/nodes"))

    def parse(self, pages: Iterable[Page]) -> Rows:
        for page in pages:
            for _at, row in read_rows(Node, page.at("nodes"), "nodes"):
                if isinstance(row, BadRow):
                    yield row
                elif row.gpu_model and row.gpu_count:
                    yield from _shares(row, row.gpu_model, row.gpu_count)


def _shares(node: Node, gpu_name: str, whole: int) -> Iterator[ListingRecord]:
    """The smallest share that can be rented, and the whole node."""
    asked = price(node.price_per_gpu_hour, Per.GPU)
    spot = node.tier == SPOT
    for count in sorted({min(node.min_rentable_gpu_count or whole, whole), whole}):
        free = node.available_gpu_count
        free_shares = None if free is None else free // count
        yield ListingRecord(
            offering="lium/pods",
            key=f"{node.id}/{count}x",
            gpu_name=gpu_name,
            gpu_count=count,
            price=None if spot else asked,
            spot_price=asked if spot else None,
            spot=spot if node.tier else None,
            vram_gb=node.gpu_memory_gb,
            region=node.country_code or "",
            tier=node.tier or "",
            stock=counted(free_shares),
            stock_count=free_shares,
            extras=figures(disk_gb=node.disk_free_gb),
        )
