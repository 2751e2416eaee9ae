"""How Azure's retail prices are asked for, and walked through page by page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl

from providers.sources.base import Http, MalformedError, Page

PATH = "/api/retail/prices"
MAX_PAGES = 40  # of one region; a thousand items each
# What makes an item the same item when it turns up on two pages.
IDENTITY = ("meterId", "skuId", "type", "reservationTerm", "tierMinimumUnits")


def walk(http: Http, region: str, *, narrow: bool) -> Iterator[Page]:
    """The pages of a region. Raises MalformedError when they do not end."""
    params: Mapping[str, str | int] = _query(region, narrow=narrow)
    seen: set[tuple[str, ...]] = set()
    for number in range(1, MAX_PAGES + 1):
        page = Page(f"{region}:{number}", http.get(PATH, params=params))
        yield page
        items, link = page.at("Items"), page.json().get("NextPageLink")
        new = {_identity(item) for item in items} - seen if isinstance(items, list) else set()
        if not link or not new:
            return
        seen |= new
        # Only its query is taken: the next page comes from the same host, whatever the link says.
        params = dict(parse_qsl(str(link).partition("?")[2]))
    raise MalformedError(f"{region}: more than {MAX_PAGES} pages")


def _query(region: str, *, narrow: bool) -> dict[str, str | int]:
    wanted = [
        "serviceName eq 'Virtual Machines'",
        f"armRegionName eq '{region}'",
        "priceType eq 'Consumption'",
    ]
    if narrow:
        wanted.append("contains(armSkuName,'Standard_N')")
    return {
        "api-version": "2023-01-01-preview",
        "currencyCode": "'USD'",
        "meterRegion": "'primary'",
        "$filter": " and ".join(wanted),
    }


def _identity(item: Any) -> tuple[str, ...]:
    return tuple(str(item.get(field)) for field in IDENTITY) if isinstance(item, dict) else ()
