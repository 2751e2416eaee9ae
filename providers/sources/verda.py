"""Verda (DataCrunch until 2025): instance types, the same price in every location.

https://api.verda.com/v1/docs: types need no key, stock does (`client id:client secret`). Stock
is a list of types that can be had, by location; a row is a type, so that it stays the same row
with and without it. Prices of serverless containers stand beside those of the types, but what
they are for is not documented: left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import Field

from providers.gpus import Spelling
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
from providers.sources.reading import Amount, GpuCount, figures

GRANT = {"grant_type": "client_credentials"}

_TIMES = re.compile(r"^\d+ ?x ")


class Gpu(Answer):
    description: str = ""  # "2x RTX A6000 48GB"
    number: GpuCount = Field(alias="number_of_gpus")


class Size(Answer):
    gigabytes: int | None = Field(default=None, alias="size_in_gigabytes", ge=0)


class InstanceType(Answer):
    instance_type: str
    name: str | None = None  # "RTX A6000 48GB"; of a node without GPUs, its processor
    gpu: Gpu
    gpu_memory: Size | None = None  # of all GPUs, as far as recorded
    price_per_hour: Amount
    spot_price: Amount = None
    currency: str
    storage: Size | None = None

    @property
    def gpu_name(self) -> str:
        return self.name or _TIMES.sub("", self.gpu.description)

    @property
    def vram_gb(self) -> int | None:
        """Of one GPU: the name states it; the memory beside it is not always the total."""
        total = self.gpu_memory.gigabytes if self.gpu_memory else None
        return Spelling.of(self.gpu_name).vram_gb or (round((total or 0) / self.gpu.number) or None)


class Location(Answer):
    location_code: str
    availabilities: list[str]


class Verda(Source):
    slug = "verda"
    base_url = "https://api.verda.com"
    offerings = ("verda/instances",)

    def fetch(self, http: Http) -> Iterator[Page]:
        yield Page("types", http.get("/v1/instance-types", params={"currency": "usd"}))
        if self.key:
            try:
                yield self._availability(http)
            except SourceError:
                return  # stock stays unknown

    def _availability(self, http: Http) -> Page:
        identity, _colon, secret = self.key.partition(":")
        grant = {"client_id": identity, "client_secret": secret}
        answer = Page("token", http.post("/v1/oauth2/token", json=GRANT | grant))
        headers = {"Authorization": f"Bearer {answer.at('access_token')}"}
        params = {"is_spot": "false"}
        path = "/v1/instance-availability"
        page = Page("availability", http.get(path, params=params, headers=headers))
        list(_places(page))  # raises MalformedError here, where stock may still stay unknown
        return page

    def parse(self, pages: Iterable[Page]) -> Rows:
        found = {page.name: page for page in pages}
        if "types" not in found:
            raise MalformedError("no answer for types")
        free: set[str] | None = None
        if "availability" in found:
            free = set()
            for place in _places(found["availability"]):
                if isinstance(place, BadRow):
                    yield place
                else:
                    free.update(place.availabilities)
        yield from _types(found["types"].list_at(), free)


def _places(page: Page) -> Iterator[Location | BadRow]:
    return (place for _at, place in read_rows(Location, page.json(), page.name))


def _types(items: Any, free: set[str] | None) -> Rows:
    seen: set[str] = set()
    for _at, row in read_rows(InstanceType, items, "types"):
        if isinstance(row, BadRow):
            yield row
        elif row.gpu.number > 0 and row.instance_type not in seen:
            seen.add(row.instance_type)
            yield _record(row, free)


def _record(row: InstanceType, free: set[str] | None) -> ListingRecord:
    currency = row.currency.upper()
    spot = price(row.spot_price, currency=currency)
    disk = row.storage.gigabytes if row.storage else None
    return ListingRecord(
        offering="verda/instances",
        key=row.instance_type,
        gpu_name=row.gpu_name,
        gpu_count=row.gpu.number,
        price=price(row.price_per_hour, currency=currency),
        spot_price=spot,
        spot=True if spot else None,
        vram_gb=row.vram_gb,
        stock=_stock(row.instance_type, free),
        extras=figures(disk_gb=disk or None),
    )


def _stock(name: str, free: set[str] | None) -> StockLevel:
    if free is None:
        return StockLevel.UNKNOWN
    return StockLevel.AVAILABLE if name in free else StockLevel.NONE
