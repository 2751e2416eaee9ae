"""Akash: what providers bid for one GPU of each model, summed up by the console.

GET /v1/gpu-prices (https://console-api.akash.network/v1/swagger): no single offers. The listing's
price is the lowest bid; median and highest stand in its extras.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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
from providers.sources.reading import Amount, Whole, counted, with_socket


class Availability(Answer):
    available: int


class Bids(Answer):
    currency: str = "USD"
    min: Amount = None
    med: Amount = None
    max: Amount = None


class Model(Answer):
    vendor: str
    model: str  # "rtx4090"
    ram: Whole = None  # "80Gi"
    interface: str | None = None  # "SXM5"
    availability: Availability | None = None
    price: Bids | None


class Akash(Source):
    slug = "akash"
    base_url = "https://console-api.akash.network"
    offerings = ("akash/deployments",)

    def fetch(self, http: Http) -> Iterator[Page]:
        yield Page("gpu-prices", http.get("/v1/gpu-prices"))

    def parse(self, pages: Iterable[Page]) -> Rows:
        for page in pages:
            for _at, row in read_rows(Model, page.at("models"), "models"):
                yield row if isinstance(row, BadRow) else _record(row)


def _record(row: Model) -> ListingRecord:
    bids = row.price or Bids()
    free = row.availability.available if row.availability else None
    further = {"median": price(bids.med), "highest": price(bids.max)}
    known = {f"{name}_usd_gpu_hour": bid.amount for name, bid in further.items() if bid}
    return ListingRecord(
        offering="akash/deployments",
        key=f"{row.vendor}/{row.model}/{row.ram or '?'}/{row.interface or '?'}",
        gpu_name=with_socket(row.model, row.interface, row.ram, "akash"),
        gpu_count=1,
        price=price(bids.min, Per.GPU, currency=bids.currency),
        vram_gb=row.ram or None,
        stock=counted(free),
        stock_count=free,
        extras=known if bids.currency == "USD" else {},
    )
