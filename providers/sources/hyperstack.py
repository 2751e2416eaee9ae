"""Hyperstack: flavors by region, joined with the price book and the stock by the GPU's name.

https://docs.hyperstack.cloud/docs/api-reference: a key is needed, in a header of its own. The
price book knows prices per GPU; spot is a GPU of its own, whose name ends in "-spot".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

from pydantic import Field

from providers.sources.base import (
    Answer,
    BadRow,
    Http,
    ListingRecord,
    MalformedError,
    Page,
    Per,
    Price,
    Rows,
    Source,
    SourceError,
    price,
    read_rows,
)
from providers.sources.reading import Amount, GpuCount, Whole, counted, figures, needed

SPOT = "-spot"
Stock = dict[tuple[str, str, int], int | None]  # by region, GPU and count of an instance


class Group(Answer):
    flavors: list[object]


class Flavor(Answer):
    name: str
    region_name: str
    gpu: str  # "" without one
    gpu_count: GpuCount
    stock_available: bool | None = None
    disk: int | None = None
    ephemeral: int | None = None


class PriceRow(Answer):
    name: str
    value: Amount


class StockedModel(Answer):
    model: str
    configurations: dict[str, Whole] = Field(default_factory=dict)  # {"8x": 3}


class StockedRegion(Answer):
    region: str
    models: list[StockedModel]


class Hyperstack(Source):
    slug = "hyperstack"
    base_url = "https://infrahub-api.nexgencloud.com/v1"
    offerings = ("hyperstack/vms",)
    needs_key = True

    def fetch(self, http: Http) -> Iterator[Page]:
        headers = {"api_key": self.key}
        yield Page("flavors", http.get("/core/flavors", headers=headers))
        yield Page("pricebook", http.get("/pricebook", headers=headers))
        with suppress(SourceError):  # the flavors say at least whether there is any
            yield Page("stocks", http.get("/core/stocks", headers=headers))

    def parse(self, pages: Iterable[Page]) -> Rows:
        by_name = {page.name: page for page in pages}
        prices: dict[str, Price | None] = {}
        for _at, row in read_rows(PriceRow, needed(by_name, "pricebook").json(), "pricebook"):
            if isinstance(row, BadRow):
                yield row
            else:
                prices[row.name.casefold()] = price(row.value, Per.GPU)
        stock = _stock(by_name.get("stocks"))
        for at, group in read_rows(Group, needed(by_name, "flavors").at("data"), "flavors"):
            if isinstance(group, BadRow):
                yield group
            else:
                yield from _flavors(group, at, prices, stock)


def _stock(page: Page | None) -> Stock:
    """Instances that can be started now; nothing where the answer did not come or makes no sense.

    The counts of one GPU overlap: they are ways of using the same cards.
    """
    found: Stock = {}
    if page is None:
        return found
    with suppress(MalformedError):
        for _at, row in read_rows(StockedRegion, page.at("stocks"), "stocks"):
            if isinstance(row, StockedRegion):
                for model in row.models:
                    for size, count in model.configurations.items():
                        gpus = int(size.rstrip("x")) if size.rstrip("x").isdigit() else 0
                        found[row.region, model.model.casefold(), gpus] = count
    return found


def _flavors(group: Group, at: str, prices: Mapping[str, Price | None], stock: Stock) -> Rows:
    for _at, row in read_rows(Flavor, group.flavors, f"{at}.flavors"):
        if isinstance(row, BadRow):
            yield row
        elif row.gpu and row.gpu_count:
            yield _record(row, prices.get(row.gpu.casefold()), stock)


def _record(row: Flavor, asked: Price | None, stock: Stock) -> ListingRecord:
    spot = row.gpu.casefold().endswith(SPOT)
    count = stock.get((row.region_name, row.gpu.casefold(), row.gpu_count))
    any_left = None if row.stock_available is None else int(row.stock_available)
    return ListingRecord(
        offering="hyperstack/vms",
        key=f"{row.name}/{row.region_name}",
        gpu_name=row.gpu[: -len(SPOT)] if spot else row.gpu,
        gpu_count=row.gpu_count,
        price=None if spot else asked,
        spot_price=asked if spot else None,
        spot=spot,
        region=row.region_name,
        stock=counted(any_left if count is None else count),
        stock_count=count,
        extras=figures(disk_gb=row.disk, local_disk_gb=row.ephemeral),
    )
