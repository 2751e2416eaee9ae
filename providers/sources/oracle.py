"""Oracle Cloud: list prices of one GPU, and the shapes of the cost estimator that have them.

https://docs.oracle.com: the price list is documented, the estimator's file of shapes is not.
Prices are the same in every commercial region, so rows name none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from functools import cache
from typing import Any

from pydantic import Field

from providers.sources.base import (
    Answer,
    BadRow,
    Http,
    ListingRecord,
    MalformedError,
    Page,
    Per,
    Rows,
    Source,
    price,
    read_rows,
)
from providers.sources.reading import Amount
from providers.sources.tables import HardwareRow, read_table

PRICES = "/pls/apex/cetools/api/v1/products/"
SHAPES = "/a/ocom/docs/cloudestimator2/data/shapes.json"
PREEMPTIBLE = Decimal("0.5")  # of the price on demand, where a shape allows it at all

# "BM.GPU.A100-v2.8" is of the series GPU.A100-v2; "(NVL72)" is the rack that it stands in.
_SHAPE = re.compile(r"(?P<name>(?:VM|BM)\.(?P<series>GPU.*?)\.\d+)(?: \(NVL72\))?")


class Tier(Answer):
    model: str
    value: Amount


class Localization(Answer):
    currency: str = Field(alias="currencyCode")
    prices: list[Tier]


class Product(Answer):
    part: str = Field(alias="partNumber")
    localizations: list[Localization] = Field(alias="currencyCodeLocalizations")

    @property
    def dollars(self) -> object:
        """The last tier: the first may be a free one."""
        tiers = [
            tier.value
            for each in self.localizations
            if each.currency == "USD"
            for tier in each.prices
            if tier.model == "PAY_AS_YOU_GO"
        ]
        return tiers[-1] if tiers else None


class Kind(Answer):
    value: str | None = None


class Part(Answer):
    part: str = Field(alias="partNumber")
    kind: Kind = Field(alias="type")


class Shape(Answer):
    name: str
    hidden: bool = False
    status: str
    preemptible: bool | None = Field(default=None, alias="allowPreemptible")
    gpus: int = Field(alias="gpuQty", gt=0)
    parts: list[Part] = Field(alias="products")

    @property
    def gpu_part(self) -> str | None:
        """The part of one GPU for an hour: in GPU shapes that is the one called "ocpu"."""
        return next((part.part for part in self.parts if part.kind.value == "ocpu"), None)


class Oracle(Source):
    slug = "oracle"
    base_url = "https://apexapps.oracle.com"
    hosts = ("www.oracle.com",)
    offerings = ("oracle-cloud/compute-gpu",)
    interval = timedelta(days=1)

    def fetch(self, http: Http) -> Iterator[Page]:
        yield Page("products", http.get(PRICES, params={"currencyCode": "USD"}))
        yield Page("shapes", http.get(SHAPES, host="www.oracle.com"))

    def parse(self, pages: Iterable[Page]) -> Rows:
        items = {page.name: page.at("items") for page in pages}
        if missing := {"products", "shapes"} - items.keys():
            raise MalformedError(f"no answer for {', '.join(sorted(missing))}")
        per_gpu: dict[str, object] = {}
        for _at, product in read_rows(Product, items["products"], "products"):
            if isinstance(product, BadRow):
                yield product
            else:
                per_gpu[product.part] = product.dollars
        for at, shape in read_rows(Shape, _gpu_shapes(items["shapes"]), "shapes"):
            row = shape if isinstance(shape, BadRow) else _row(at, shape, per_gpu)
            if row:
                yield row


def _gpu_shapes(items: Any) -> dict[int, Any]:
    """The shapes on sale that have GPUs, by their place. Raises MalformedError."""
    if not isinstance(items, list):
        raise MalformedError(f"shapes: {type(items).__name__} in place of a list")
    return {place: item for place, item in enumerate(items) if _on_sale_with_gpu(item)}


def _on_sale_with_gpu(item: Any) -> bool:
    if not isinstance(item, dict):
        return True  # to be told as a bad row
    kind = item.get("subType")
    return (
        isinstance(kind, dict)
        and kind.get("value") == "gpu"
        and item.get("status") == "ACTIVE"
        and not item.get("hidden")
    )


def _row(at: str, shape: Shape, per_gpu: Mapping[str, object]) -> ListingRecord | BadRow | None:
    """None: left out on purpose."""
    parts = _SHAPE.fullmatch(shape.name)
    hardware = _series().get(parts["series"]) if parts else None
    if parts is None or hardware is None:
        return BadRow(at, f"name: the series of {shape.name} is in no table")
    if hardware.left_out:
        return None
    raw = per_gpu.get(shape.gpu_part or "")
    return ListingRecord(
        offering="oracle-cloud/compute-gpu",
        key=parts["name"],
        gpu_name=hardware.gpu,
        gpu_count=shape.gpus,
        price=price(raw, Per.GPU),
        spot_price=price(raw, Per.GPU, unit=PREEMPTIBLE) if shape.preemptible else None,
        spot=shape.preemptible,
        vram_gb=hardware.vram_gb,
    )


@cache
def _series() -> Mapping[str, HardwareRow]:
    return read_table("oracle", HardwareRow)
