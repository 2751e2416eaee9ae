"""Scaleway: server types of each zone, with an ordinal stock from a second call.

https://www.scaleway.com/en/developers/api/instance/instance-types: no key; the body holds no
total, so pages are read until one is short. Prices are in euros, memory in bytes. Types at the
end of their service are listed on, but cannot be started: left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal

from providers.sources.base import (
    Answer,
    BadRow,
    Http,
    ListingRecord,
    MalformedError,
    Page,
    Rows,
    Source,
    SourceError,
    StockLevel,
    price,
    read_rows,
)
from providers.sources.reading import Amount, GpuCount, figures, gigabytes

ZONES = tuple(f"{city}-{n}" for city in ("fr-par", "nl-ams", "pl-waw") for n in (1, 2, 3))
PER_PAGE = 100
MOST_PAGES = 20

_LEVELS: Mapping[str | None, StockLevel] = {
    "available": StockLevel.AVAILABLE,
    "scarce": StockLevel.SCARCE,
    "shortage": StockLevel.NONE,
}
# "H100-SXM-8-80G" is an H100-SXM, "GPU-3070-S" an RTX 3070.
_SHAPE = re.compile(r"-\d+-\d+G$|-[SML]$")


class GpuInfo(Answer):
    gpu_name: str
    gpu_memory: int | None = None  # bytes of one GPU


class Network(Answer):
    sum_internet_bandwidth: int | None = None  # bits a second


class Server(Answer):
    hourly_price: Amount
    gpu: GpuCount | None = None
    gpu_info: GpuInfo | None = None
    end_of_service: bool = False
    scratch_storage_max_size: int | None = None  # bytes
    network: Network | None = None


class Free(Answer):
    availability: str | None = None


class Scaleway(Source):
    slug = "scaleway"
    base_url = "https://api.scaleway.com"
    offerings = ("scaleway/gpu-instances",)

    def fetch(self, http: Http) -> Iterator[Page]:
        """A zone whose types fail ends the run: read without it, its rows would look gone."""
        stock_answers = True
        for zone in ZONES:
            path = f"/instance/v1/zones/{zone}/products/servers"
            yield from _pages(http, path, f"servers:{zone}")
            if stock_answers:
                try:
                    yield from _pages(http, f"{path}/availability", f"stock:{zone}")
                except SourceError:
                    stock_answers = False  # the other zones are not worth the wait

    def parse(self, pages: Iterable[Page]) -> Rows:
        rows: dict[tuple[str, str], Server] = {}
        stock: dict[tuple[str, str], StockLevel] = {}
        for page in pages:
            kind, zone = page.name.split(":")[:2]
            model: type[Server | Free] = Server if kind == "servers" else Free
            for at, row in read_rows(model, page.at("servers"), page.name):
                name = at.removeprefix(f"{page.name}[").removesuffix("]")
                if isinstance(row, BadRow):
                    yield row
                elif isinstance(row, Free):
                    stock[name, zone] = _LEVELS.get(row.availability, StockLevel.UNKNOWN)
                elif isinstance(row, Server):
                    rows.setdefault((name, zone), row)
        for place, row in rows.items():
            if row.gpu and not row.end_of_service:
                yield _record(place, row, row.gpu, stock.get(place, StockLevel.UNKNOWN))


def _pages(http: Http, path: str, name: str) -> Iterator[Page]:
    seen: set[str] = set()
    for number in range(1, MOST_PAGES + 1):
        body = http.get(path, params={"per_page": PER_PAGE, "page": number})
        page = Page(f"{name}:{number}", body)
        servers = page.at("servers")
        if not isinstance(servers, dict) and servers != []:
            raise MalformedError(f"{page.name}: {type(servers).__name__} in place of an object")
        fresh = set(servers) - seen
        if number > 1 and not fresh:
            return
        yield page
        if len(fresh) < PER_PAGE:
            return
        seen |= fresh
    raise MalformedError(f"{name}: more than {MOST_PAGES} pages")


def _record(place: tuple[str, str], server: Server, count: int, stock: StockLevel) -> ListingRecord:
    name, zone = place
    info, network = server.gpu_info, server.network
    scratch = server.scratch_storage_max_size
    bits = network.sum_internet_bandwidth if network else None
    return ListingRecord(
        offering="scaleway/gpu-instances",
        key=f"{name}/{zone}",
        gpu_name=info.gpu_name if info else _SHAPE.sub("", name).replace("GPU-", "RTX "),
        gpu_count=count,
        price=price(server.hourly_price, currency="EUR"),
        spot=False,  # Scaleway has none
        vram_gb=gigabytes(info.gpu_memory) if info and info.gpu_memory else None,
        region=zone,
        stock=stock,
        extras=figures(
            disk_gb=Decimal(scratch) / 10**9 if scratch else None,
            inet_mbps=Decimal(bits) / 10**6 if bits else None,
        ),
    )
