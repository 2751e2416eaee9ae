"""Azure: retail prices of N-series sizes, region by region.

https://learn.microsoft.com/rest/api/cost-management/retail-prices/azure-retail-prices. The answer
tells no GPU: a table of sizes does. Being listed means being sold there, not being in stock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from functools import cache

from pydantic import Field

from providers.sources.azure_pages import walk
from providers.sources.base import (
    Answer,
    BadRow,
    Http,
    ListingRecord,
    Page,
    Price,
    RefusedError,
    Rows,
    Source,
    price,
    read_rows,
)
from providers.sources.reading import Amount
from providers.sources.tables import HardwareRow, TableRow, read_table


class Item(Answer):
    size: str | None = Field(alias="armSkuName")
    region: str | None = Field(alias="armRegionName")
    product: str | None = Field(alias="productName")
    meter: str = Field(alias="meterName")
    kind: str = Field(alias="type")
    unit: str = Field(alias="unitOfMeasure")
    amount: Amount = Field(alias="retailPrice")
    currency: str = Field(alias="currencyCode")
    since: str = Field(alias="effectiveStartDate")  # ISO 8601 in UTC: sorts as text
    tier: Decimal = Field(default=Decimal(0), alias="tierMinimumUnits")

    @property
    def spot(self) -> bool:
        return self.meter.endswith(" Spot")

    @property
    def rented_by_the_hour(self) -> bool:
        """Neither a reservation, nor Windows, nor a service on top, nor the old Batch product."""
        product = self.product or ""
        return (
            self.kind == "Consumption"
            and self.tier == 0
            and not self.meter.endswith(" Low Priority")
            and not product.endswith(("Windows", " Win"))
            and "Cloud Services" not in product
        )


Offers = dict[tuple[str, str], dict[bool, Item]]  # (region, size) → by being spot


class Azure(Source):
    slug = "azure"
    base_url = "https://prices.azure.com"
    offerings = ("azure/vm-n-series",)
    interval = timedelta(hours=6)

    def fetch(self, http: Http) -> Iterator[Page]:
        """One walk for each region: a long one loses items that move between pages."""
        narrow = True
        for region in _regions():
            try:
                yield from walk(http, region, narrow=narrow)
            except RefusedError:
                if not narrow:
                    raise
                # Only `contains` is in doubt; without it a region has all its sizes.
                narrow = False
                yield from walk(http, region, narrow=narrow)

    def parse(self, pages: Iterable[Page]) -> Rows:
        offers: Offers = {}
        told: set[str] = set()  # a size that no table knows is one fact, in however many regions
        for page in pages:
            for at, item in read_rows(Item, page.at("Items"), f"{page.name}.Items"):
                if isinstance(item, BadRow):
                    yield item
                elif (fault := _take(item, offers)) and fault not in told:
                    told.add(fault)
                    yield BadRow(at, fault)
        for (region, size), found in offers.items():
            yield _record(region, size, found)


def _take(item: Item, offers: Offers) -> str:
    """Adds the item to the offers if it is one of them; why it should be one and cannot."""
    size, region = item.size or "", (item.region or "").lower()
    if not size.startswith("Standard_N") or not region or not item.rented_by_the_hour:
        return ""
    hardware = _sizes().get(size)
    if hardware is None:
        return f"armSkuName: {size} is in no table of sizes"
    if item.unit != "1 Hour":
        return f"unitOfMeasure: {item.unit!r} in place of '1 Hour' for {size}"
    if not hardware.left_out:
        found = offers.setdefault((region, size), {})
        known = found.get(item.spot)
        if known is None or known.since < item.since:
            found[item.spot] = item
    return ""


def _record(region: str, size: str, found: Mapping[bool, Item]) -> ListingRecord:
    hardware = _sizes()[size]
    return ListingRecord(
        offering="azure/vm-n-series",
        key=f"{region}/{size}",
        gpu_name=hardware.gpu,
        gpu_count=hardware.gpu_count or 1,
        price=_price(found.get(False)),
        spot_price=_price(found.get(True)),
        spot=True in found,
        vram_gb=hardware.vram_gb,
        region=region,
    )


def _price(item: Item | None) -> Price | None:
    return price(item.amount, currency=item.currency) if item else None


@cache
def _sizes() -> Mapping[str, HardwareRow]:
    return read_table("azure", HardwareRow)


@cache
def _regions() -> tuple[str, ...]:
    rows = read_table("azure_regions", TableRow)
    return tuple(name for name, row in rows.items() if not row.left_out)
