"""DigitalOcean: droplet sizes; those with a GPU are few and stand at the end of the list.

https://docs.digitalocean.com/reference/api/digitalocean/#tag/Sizes: a token is needed; prices are
per droplet. `vram.amount` is the memory of all GPUs, whatever its description suggests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

from pydantic import Field

from providers.sources.base import (
    Answer,
    BadRow,
    Http,
    ListingRecord,
    MalformedError,
    Page,
    Rows,
    Source,
    StockLevel,
    price,
    read_rows,
)
from providers.sources.reading import Amount, figures

PER_PAGE = 200
MOST_PAGES = 20


class Vram(Answer):
    amount: int = Field(ge=0)


class GpuInfo(Answer):
    count: int = Field(ge=1)
    model: str  # "nvidia_h100"
    vram: Vram | None = None


class Identified(Answer):
    slug: str


class Size(Identified):
    available: bool
    regions: list[str]
    price_hourly: Amount
    gpu_info: GpuInfo | None = None
    disk: int | None = None
    transfer: Decimal | None = None  # TB a month, included
    networking_throughput: int | None = None


class DigitalOcean(Source):
    slug = "digitalocean"
    base_url = "https://api.digitalocean.com"
    offerings = ("digitalocean/gpu-droplets",)
    needs_key = True

    def fetch(self, http: Http) -> Iterator[Page]:
        headers, seen = {"Authorization": f"Bearer {self.key}"}, set[str]()
        for number in range(1, MOST_PAGES + 1):
            params = {"per_page": PER_PAGE, "page": number}
            page = Page(f"sizes-{number}", http.get("/v2/sizes", params=params, headers=headers))
            slugs = _slugs(page)
            if number > 1 and slugs <= seen:
                return
            yield page
            seen |= slugs
            if not _has_next(page.json()):
                return
        raise MalformedError(f"more than {MOST_PAGES} pages")

    def parse(self, pages: Iterable[Page]) -> Rows:
        seen: set[str] = set()
        for page in pages:
            for _at, row in read_rows(Size, page.at("sizes"), f"{page.name}.sizes"):
                if isinstance(row, BadRow):
                    yield row
                elif row.gpu_info and row.slug not in seen:
                    seen.add(row.slug)
                    yield from _regions(row, row.gpu_info)


def _slugs(page: Page) -> set[str]:
    """Raises MalformedError: a page that cannot be read must not pass for the last one."""
    rows = [row for _at, row in read_rows(Identified, page.at("sizes"), page.name)]
    return {row.slug for row in rows if isinstance(row, Identified)}


def _has_next(body: Any) -> bool:
    """Whether `links` names a further page; its address is absolute, so it is not followed."""
    links = body.get("links")
    pages = links.get("pages") if isinstance(links, dict) else None
    return isinstance(pages, dict) and bool(pages.get("next"))


def _regions(size: Size, gpus: GpuInfo) -> Iterator[ListingRecord]:
    for region in size.regions or [""]:
        yield ListingRecord(
            offering="digitalocean/gpu-droplets",
            key=f"{size.slug}/{region}",
            gpu_name=gpus.model,
            gpu_count=gpus.count,
            price=price(size.price_hourly),
            vram_gb=round(gpus.vram.amount / gpus.count) or None if gpus.vram else None,
            region=region,
            stock=StockLevel.AVAILABLE if size.available and region else StockLevel.NONE,
            extras=figures(
                disk_gb=size.disk,
                transfer_tb_month=size.transfer,
                inet_mbps=size.networking_throughput,
            ),
        )
