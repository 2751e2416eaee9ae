"""Akamai (Linode): GPU types, with a price of their own in the dear regions.

https://techdocs.akamai.com/linode-api/reference/get-linode-types: no key. The GPU stands in a
type's id and label alone (linode_types.py). Stock comes from a second list, under other names
for some types. A row is a type at one price, so that it stays the same row when that list fails:
all regions of the standard price are one row, each region with its own price is another. Types
of class "accelerated" hold video encoders: left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from providers.sources.base import (
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
from providers.sources.linode_types import Free, Type
from providers.sources.reading import figures

PER_PAGE = 500
MOST_PAGES = 40
STANDARD = ""  # the place of every region without a price of its own


class Linode(Source):
    slug = "linode"
    base_url = "https://api.linode.com"
    offerings = ("linode/gpu-linodes",)

    def fetch(self, http: Http) -> Iterator[Page]:
        yield from _pages(http, "/v4/linode/types", "types")
        try:
            yield from _pages(http, "/v4/regions/availability", "availability")
        except SourceError:
            return  # what was read of it stands, the rest is unknown

    def parse(self, pages: Iterable[Page]) -> Rows:
        types: dict[str, Type] = {}
        stock: dict[str, dict[str, bool]] = defaultdict(dict)
        for page in pages:
            model: type[Type | Free] = Type if page.name.startswith("types") else Free
            for _at, row in read_rows(model, page.at("data"), page.name):
                if isinstance(row, BadRow):
                    yield row
                elif isinstance(row, Free):
                    stock[row.type_id][row.region] = row.available
                elif isinstance(row, Type) and row.gpus > 0:
                    types.setdefault(row.id, row)
        for row in types.values():
            yield from _records(row, stock.get(row.id, {}))


def _pages(http: Http, path: str, name: str) -> Iterator[Page]:
    before: Any = None
    for number in range(1, MOST_PAGES + 1):
        body = http.get(path, params={"page": number, "page_size": PER_PAGE})
        page = Page(f"{name}:{number}", body)
        rows = page.list_at("data")
        if rows == before:
            return
        yield page
        before, last = rows, page.json().get("pages")
        if not isinstance(last, int) or number >= last:
            return
    raise MalformedError(f"{name}: more than {MOST_PAGES} pages")


def _records(row: Type, stock: Mapping[str, bool]) -> Iterator[ListingRecord]:
    name, vram = row.gpu()
    dear = {each.id: each for each in row.region_prices}
    free = {region: had for region, had in stock.items() if region not in dear}
    for region, cost in {STANDARD: row.price, **dear}.items():
        told = free.values() if region == STANDARD else [stock[region]] if region in stock else []
        yield ListingRecord(
            offering="linode/gpu-linodes",
            key=f"{row.id}/{region}",
            gpu_name=name,
            gpu_count=row.gpus,
            price=price(cost.hourly),
            spot=False,  # Akamai has none
            vram_gb=vram,
            region=region,
            stock=_level(told),
            extras=figures(
                disk_gb=row.disk // 1024 if row.disk else None,
                transfer_gb_month=row.transfer or None,
                inet_up_mbps=row.network_out,
            ),
        )


def _level(told: Iterable[bool]) -> StockLevel:
    answers = list(told)
    if not answers:
        return StockLevel.UNKNOWN
    return StockLevel.AVAILABLE if any(answers) else StockLevel.NONE
