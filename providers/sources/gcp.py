"""Google Cloud: whole machines, summed up from the parts that the billing catalog prices.

https://cloud.google.com/billing/docs/reference/rest/v1/services.skus. The catalog knows GPUs,
cores, memory and local SSD; tables tell which machine is made of what, and which parts make none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

from pydantic import Field

from providers.sources.base import (
    Answer,
    BadRow,
    Http,
    MalformedError,
    Page,
    Rows,
    Source,
    read_rows,
)
from providers.sources.gcp_machines import Prices, Where, left_out, machines, parts, records

PATH = "/v1/services/6F81-5844-456A/skus"  # Compute Engine
MAX_PAGES = 50  # of five thousand parts
HOURS_OF_A_MONTH = 730

# Other terms of sale than by the hour for whoever asks.
_OTHER_TERMS = re.compile(
    r"Commitment|Sole Tenancy|Reserved|Premium|Custom|suspended|DWS|Calendar Mode|Flex Start"
)
_PART = re.compile(
    r"(?P<spot>Spot Preemptible )?(?P<part>.+?)"
    r"(?P<spot_vms> attached to Spot Preemptible VMs)?(?: (?:running )?in .+)?"
)
_SLICE = re.compile(r"\(1/\d+ gpu slice\)")


class UnitPrice(Answer):
    currency: str = Field(alias="currencyCode")
    units: int = 0  # comes as text, or not at all
    nanos: int = 0


class Rate(Answer):
    unit_price: UnitPrice = Field(alias="unitPrice")


class Expression(Answer):
    unit: str = Field(alias="usageUnit")
    rates: list[Rate] = Field(alias="tieredRates", min_length=1)


class Pricing(Answer):
    expression: Expression = Field(alias="pricingExpression")


class Category(Answer):
    group: str = Field(alias="resourceGroup")
    usage: str = Field(alias="usageType")


class Sku(Answer):
    description: str
    category: Category
    regions: list[str] = Field(alias="serviceRegions")
    pricing: list[Pricing] = Field(alias="pricingInfo", min_length=1)

    def per_hour(self) -> Decimal:
        """Of one unit. The last tier counts: the first may be a free one."""
        expression = self.pricing[0].expression
        told = expression.rates[-1].unit_price
        hours = HOURS_OF_A_MONTH if expression.unit.endswith(".mo") else 1
        return (told.units + Decimal(told.nanos).scaleb(-9)) / hours


class Gcp(Source):
    slug = "gcp"
    base_url = "https://cloudbilling.googleapis.com"
    offerings = ("google-cloud/compute-engine",)
    needs_key = True
    interval = timedelta(days=1)

    def fetch(self, http: Http) -> Iterator[Page]:
        params: dict[str, str | int] = {"pageSize": 5000, "currencyCode": "USD"}
        headers = {"X-Goog-Api-Key": self.key}
        asked: set[str] = set()
        for number in range(1, MAX_PAGES + 1):
            page = Page(f"skus:{number}", http.get(PATH, params=params, headers=headers))
            yield page
            brought = page.at("skus")
            token = str(page.json().get("nextPageToken") or "")
            if not brought or not token or token in asked:
                return
            asked.add(token)
            params["pageToken"] = token
        raise MalformedError(f"more than {MAX_PAGES} pages")

    def parse(self, pages: Iterable[Page]) -> Rows:
        prices: Prices = {part: {} for part in parts()}
        told: set[str] = set()  # a GPU that no table knows is one fact, in however many regions
        for page in pages:
            for at, sku in read_rows(Sku, _of_interest(page), page.name):
                if isinstance(sku, BadRow):
                    yield sku
                elif (fault := _take(sku, prices)) and fault not in told:
                    told.add(fault)
                    yield BadRow(at, fault)
        for machine in machines().values():
            yield from records(machine, prices)


def _of_interest(page: Page) -> dict[int, Any]:
    """Parts of our machines and all other GPUs, by their place. Raises MalformedError."""
    items = page.at("skus")
    if not isinstance(items, list):
        raise MalformedError(f"{page.name}: {type(items).__name__} in place of a list")
    return {place: item for place, item in enumerate(items) if _matters(item)}


def _matters(item: Any) -> bool:
    if not isinstance(item, dict) or not isinstance(item.get("description"), str):
        return True  # to be told as a bad row
    category = item.get("category")
    is_gpu = isinstance(category, dict) and category.get("resourceGroup") == "GPU"
    return not _OTHER_TERMS.search(item["description"]) and (
        is_gpu or _part(item["description"])[0] in parts()
    )


def _part(description: str) -> tuple[str, bool]:
    """(what is priced, whether the text calls it spot); the place at the end is dropped."""
    found = _PART.fullmatch(description)
    if not found:
        return description, False
    return found["part"], bool(found["spot"] or found["spot_vms"])


def _take(sku: Sku, prices: Prices) -> str:
    """Adds the part to the prices if machines are made of it; why it should be and cannot."""
    part, called_spot = _part(sku.description)
    if sku.category.usage not in ("OnDemand", "Preemptible"):
        return ""
    if part not in prices:
        known = part in left_out() or _SLICE.search(part)
        return "" if known else f"description: {part!r} is a GPU that is in no table"
    # Some spot parts are filed as on demand, and only their text tells.
    spot = called_spot or sku.category.usage == "Preemptible"
    for region in sku.regions:
        prices[part].setdefault(Where(region, spot), sku.per_hour())
    return ""
