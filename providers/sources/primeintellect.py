"""Prime Intellect: configurations of many clouds behind one API, page by page.

https://docs.primeintellect.ai/api-reference: a key is needed; prices are for the configuration
with all its GPUs. A spot configuration is an item of its own, its price standing as `onDemand`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pydantic import Field

from providers.sources.base import (
    BadRow,
    Http,
    ListingRecord,
    MalformedError,
    Page,
    Price,
    Rows,
    Source,
    price,
    read_rows,
)
from providers.sources.reading import Amount, CamelAnswer, GpuCount, level, with_socket

PATH = "/api/v1/availability/gpus"
PAGE_SIZE = 100
MOST_PAGES = 100


class Prices(CamelAnswer):
    on_demand: Amount
    community_price: Amount = None
    currency: str | None = None


class Item(CamelAnswer):
    cloud_id: str
    gpu_type: str
    gpu_count: GpuCount
    gpu_memory: int | None = Field(default=None, ge=0)  # GB of one GPU
    socket: str | None = None
    provider: str
    region: str | None = None
    data_center: str | None = None
    country: str | None = None
    stock_status: str | None = None
    security: str | None = None  # secure_cloud, community_cloud
    prices: Prices
    is_spot: bool | None = None

    @property
    def key(self) -> str:
        """A cloud's id is shared by all the places, counts and terms that it is sold at."""
        place = self.data_center or self.region or ""
        shape = f"{self.gpu_count}x {self.gpu_type} {self.socket or '?'}"
        terms = "spot" if self.is_spot else self.security or ""
        return f"{self.provider}/{self.cloud_id}/{shape}/{place}/{terms}"


class PrimeIntellect(Source):
    slug = "primeintellect"
    base_url = "https://api.primeintellect.ai"
    offerings = ("prime-intellect/pods",)
    needs_key = True

    def fetch(self, http: Http) -> Iterator[Page]:
        """Pages until one brings nothing new: the total shrinks while one reads."""
        headers, seen = {"Authorization": f"Bearer {self.key}"}, set[str]()
        for number in range(1, MOST_PAGES + 1):
            params = {"page": number, "page_size": PAGE_SIZE}
            page = Page(f"gpus-{number}", http.get(PATH, params=params, headers=headers))
            keys = {row.key for _at, row in _items(page) if isinstance(row, Item)}
            if number > 1 and keys <= seen:
                return
            yield page
            seen |= keys
            if len(page.at("items")) < PAGE_SIZE and len(seen) >= _total(page):
                return
        raise MalformedError(f"more than {MOST_PAGES} pages")

    def parse(self, pages: Iterable[Page]) -> Rows:
        seen: set[str] = set()
        for page in pages:
            for _at, row in _items(page):
                if isinstance(row, BadRow):
                    yield row
                elif row.gpu_count and row.key not in seen:
                    seen.add(row.key)
                    yield _record(row)


def _items(page: Page) -> Iterator[tuple[str, Item | BadRow]]:
    return read_rows(Item, page.at("items"), f"{page.name}.items")


def _total(page: Page) -> int:
    total = page.json().get("totalCount")
    return total if isinstance(total, int) else 0


def _record(row: Item) -> ListingRecord:
    asked = _price(row)
    return ListingRecord(
        offering="prime-intellect/pods",
        key=row.key,
        gpu_name=with_socket(row.gpu_type, row.socket, row.gpu_memory, "prime-intellect"),
        gpu_count=row.gpu_count,
        price=None if row.is_spot else asked,
        spot_price=asked if row.is_spot else None,
        spot=row.is_spot,
        vram_gb=row.gpu_memory or None,
        region=row.data_center or row.country or row.region or "",
        tier=row.security or "",
        stock=level(row.stock_status),
    )


def _price(row: Item) -> Price | None:
    """Community hosts have a price of their own; either of the two may be null."""
    currency = row.prices.currency or "USD"
    asked = price(row.prices.on_demand, currency=currency)
    community = price(row.prices.community_price, currency=currency)
    if row.security == "community_cloud":
        return community or asked
    return asked or community
