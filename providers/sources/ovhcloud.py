"""OVHcloud: the public order catalog, one large answer for one subsidiary and its currency.

https://eu.api.ovh.com/console/: no key. Prices are in 1e-8 of the currency, without tax, for a
flavor in any region; stock needs an account. A flavor stands there by the hour, by the month and
with Windows: only the first is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

from providers.sources.base import (
    BadRow,
    Http,
    ListingRecord,
    Page,
    Rows,
    Source,
    price,
    read_rows,
)
from providers.sources.ovhcloud_addons import BY_THE_HOUR, Addon, objects
from providers.sources.reading import figures

PATH = "/v1/order/catalog/public/cloud"
SUBSIDIARY = "IE"  # euros, prices in English
UNIT = Decimal("1e-8")


class OvhCloud(Source):
    slug = "ovhcloud"
    base_url = "https://eu.api.ovh.com"
    offerings = ("ovhcloud/gpu-instances",)
    interval = timedelta(days=1)

    def fetch(self, http: Http) -> Iterator[Page]:
        yield Page("catalog", http.get(PATH, params={"ovhSubsidiary": SUBSIDIARY}))

    def parse(self, pages: Iterable[Page]) -> Rows:
        for page in pages:
            currency = str(page.at("locale", "currencyCode"))
            catalog = page.json()
            seen: set[str] = set()
            for _at, row in read_rows(Addon, _flavors(page.at("addons"), catalog), "addons"):
                if isinstance(row, BadRow):
                    yield row
                elif row.flavor not in seen and (record := _record(row, currency)):
                    seen.add(row.flavor)
                    yield record


def _flavors(addons: Any, catalog: Mapping[str, Any]) -> Any:
    """The instances by the hour, with their places; what is no list of addons as it is."""
    if not isinstance(addons, list):
        return addons
    # Some answers hold the addons where others only name them.
    nested = [
        addon
        for plan in objects(catalog.get("plans"))
        for family in objects(plan.get("addonFamilies"))
        for addon in objects(family.get("addons"))
    ]
    return {
        place: addon
        for place, addon in enumerate([*objects(addons), *nested])
        if addon.get("product") == "publiccloud-instance"
        and str(addon.get("planCode")).endswith(BY_THE_HOUR)
        and not str(addon.get("planCode")).startswith("win-")
    }


def _record(addon: Addon, currency: str) -> ListingRecord | None:
    """None for what is no listing: without a GPU, with Windows, without a price by the hour."""
    technical = addon.technical
    gpu = addon.gpu()
    hourly = [each.amount for each in addon.pricings if each.unit == "hour"]
    if gpu is None or not hourly or (technical.os and technical.os.family == "windows"):
        return None
    name, count, vram = gpu
    disks = technical.storage.disks if technical.storage else []
    return ListingRecord(
        offering="ovhcloud/gpu-instances",
        key=addon.flavor,
        gpu_name=name,
        gpu_count=count,
        price=price(hourly[0], currency=currency, unit=UNIT),
        spot=False,  # OVHcloud has none
        vram_gb=vram,
        extras=figures(
            disk_gb=sum(disk.capacity * disk.number for disk in disks) or None,
            inet_mbps=technical.bandwidth.level if technical.bandwidth else None,
        ),
    )
