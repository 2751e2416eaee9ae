"""AWS: the bulk price list of EC2, streamed region by region and thinned out while it is read.

https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/using-the-aws-price-list-bulk-api.html.
A region's file has hundreds of MB; a page holds its GPU instances, in the file's own shape. The
list tells no GPU model: a table of instance families does. Spot prices need an account.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from datetime import timedelta
from decimal import Decimal
from functools import cache
from typing import Any

from pydantic import Field, TypeAdapter, ValidationError

from providers.sources.base import (
    Answer,
    BadRow,
    Http,
    ListingRecord,
    MalformedError,
    Page,
    Price,
    Rows,
    Source,
    Untold,
    price,
    read_rows,
    reason_of,
)
from providers.sources.price_list import thinned
from providers.sources.tables import HardwareRow, read_table

INDEX = "/offers/v1.0/aws/AmazonEC2/current/region_index.json"
# What an ordinary Linux instance of one's own says. The other rows double it: reserved capacity,
# dedicated hosts, Windows, databases installed.
ORDINARY = {
    "operatingSystem": "Linux",
    "tenancy": "Shared",
    "capacitystatus": "Used",
    "preInstalledSw": "NA",
    "licenseModel": "No License required",
    "marketoption": "OnDemand",
}


class Attributes(Answer):
    instance_type: str = Field(alias="instanceType")
    region: str = Field(alias="regionCode")
    gpus: Decimal = Field(alias="gpu", gt=0)

    @property
    def family(self) -> str:
        return self.instance_type.partition(".")[0]


class Product(Answer):
    sku: str
    attributes: Attributes


class Dimension(Answer):
    unit: str
    per_unit: dict[str, str] = Field(alias="pricePerUnit")


class Term(Answer):
    dimensions: dict[str, Dimension] = Field(alias="priceDimensions")


TERMS = TypeAdapter(dict[str, Term])


class Aws(Source):
    slug = "aws"
    base_url = "https://pricing.us-east-1.amazonaws.com"
    offerings = ("aws/ec2-dlami",)
    interval = timedelta(days=1)

    def fetch(self, http: Http) -> Iterator[Page]:
        regions = Page("regions", http.get(INDEX)).at("regions")
        for region, path in _files(regions):
            with closing(http.stream(path)) as chunks:
                kept = thinned(chunks, region, _wanted)
            yield Page(region, json.dumps(kept, default=str).encode())

    def parse(self, pages: Iterable[Page]) -> Rows:
        told: set[str] = set()  # keys; and families that no table knows, in whatever region
        for page in pages:
            products, terms = page.at("products"), page.at("terms", "OnDemand")
            if not isinstance(products, dict) or not isinstance(terms, dict):
                raise MalformedError(f"{page.name}: products and terms are no objects")
            wanted = {sku: product for sku, product in products.items() if _wanted(product)}
            if not wanted:  # no GPU there, or a list that is not filled yet
                yield Untold("aws/ec2-dlami", f"{page.name}/")
            for at, product in read_rows(Product, wanted, f"{page.name}.products"):
                row = product if isinstance(product, BadRow) else _row(at, product, terms, told)
                if row:
                    yield row


def _files(regions: Any) -> Iterator[tuple[str, str]]:
    """(region, path of its price list)."""
    if not isinstance(regions, dict):
        raise MalformedError("regions: no object")
    for region, entry in regions.items():
        path = entry.get("currentVersionUrl") if isinstance(entry, dict) else None
        if not isinstance(path, str) or not path.startswith("/offers/"):
            raise MalformedError(f"regions[{region}].currentVersionUrl: {path!r} is no path")
        yield region, path


def _wanted(product: Any) -> bool:
    """Whether a product is an ordinary instance with a GPU, or of a family that has them."""
    told = product.get("attributes") if isinstance(product, dict) else None
    if not isinstance(told, dict) or product.get("productFamily") != "Compute Instance":
        return False
    if any(told.get(name, meant) != meant for name, meant in ORDINARY.items()):
        return False
    family = str(told.get("instanceType", "")).partition(".")[0]
    return told.get("locationType") != "AWS Outposts" and (
        family in _families() or told.get("gpu", "0") not in ("0", "", "NA")
    )


def _row(
    at: str, product: Product, terms: Mapping[str, Any], told: set[str]
) -> ListingRecord | BadRow | None:
    """None: left out on purpose, or told already."""
    of = product.attributes
    hardware = _families().get(of.family)
    # A fraction is a slice of a card, whatever its family: slices stand apart.
    if of.gpus % 1 or (hardware and hardware.left_out) or of.family in told:
        return None
    if hardware is None:
        told.add(of.family)
        return BadRow(at, f"instanceType: the family of {of.instance_type} is in no table")
    key = f"{of.region}/{of.instance_type}"
    if key in told:
        return BadRow(at, f"instanceType: {key} stands twice")
    try:
        asked = _price(TERMS.validate_python(terms.get(product.sku, {})))
    except ValidationError as fault:
        return BadRow(at, f"terms: {reason_of(fault)}")
    told.add(key)
    return ListingRecord(
        offering="aws/ec2-dlami",
        key=key,
        gpu_name=hardware.gpu,
        gpu_count=int(of.gpus),
        price=asked,
        vram_gb=hardware.vram_gb,
        region=of.region,
    )


def _price(terms: Mapping[str, Term]) -> Price | None:
    dimensions = (each for term in terms.values() for each in term.dimensions.values())
    hourly = (each.per_unit.get("USD") for each in dimensions if each.unit == "Hrs")
    return next(filter(None, map(price, hourly)), None)


@cache
def _families() -> Mapping[str, HardwareRow]:
    return read_table("aws", HardwareRow)
