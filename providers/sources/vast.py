"""Vast.ai: offers of a marketplace, one row for each machine and share of it.

https://docs.vast.ai/api-reference/search/search-offers: no key, no pages, only a limit below
which the server may cut without saying so. Offers are therefore asked for in the order of their
ids, each call beyond the last id seen. Left out as Vast's own search does: hosts that are not
verified, and (by the default of `cpu_arch`) ARM hosts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal

from gpucompare.cuda.drivers import credible_cuda
from providers.sources.base import (
    Answer,
    BadRow,
    Http,
    ListingRecord,
    MalformedError,
    Page,
    Rows,
    Source,
    StockLevel,
    price,
    read_rows,
)
from providers.sources.reading import Amount, GpuCount, figures

DOCKER, VMS = "vast-ai/docker-instances", "vast-ai/vm-instances"
PATH = "/api/v0/bundles/"
FILTERS = {"type": "ondemand", "verified": {"eq": True}, "rentable": {"eq": True}}
LIMIT = 1000
MOST_PAGES = 60
TIERS: Mapping[int | None, str] = {0: "community", 1: "datacenter"}


class Identified(Answer):
    id: int


class Offer(Answer):
    machine_id: int
    gpu_name: str
    gpu_ram: Decimal  # MiB of one GPU, as nvidia-smi measures it
    num_gpus: GpuCount
    dph_base: Amount  # USD an hour for all GPUs of the offer, without disk
    min_bid: Amount = None
    rentable: bool | None = None
    rented: bool | None = None
    verification: str | None = None
    hosting_type: int | None = None
    vms_enabled: bool | None = None
    geolocation: str | None = None  # "Bulgaria, BG", ", US"
    driver_version: str | None = None
    cuda_max_good: Decimal | None = None
    disk_space: Decimal | None = None
    storage_cost: Decimal | None = None
    inet_down: Decimal | None = None
    inet_up: Decimal | None = None
    inet_down_cost: Decimal | None = None
    inet_up_cost: Decimal | None = None

    @property
    def listed(self) -> bool:
        """Checked again: the server sends rows that break the filters of the call."""
        free = self.rentable is not False and not self.rented
        return free and self.num_gpus > 0 and self.verification in {None, "verified"}


class Vast(Source):
    slug = "vast"
    base_url = "https://console.vast.ai"
    offerings = (DOCKER, VMS)

    def fetch(self, http: Http) -> Iterator[Page]:
        last, headers = 0, {"Authorization": f"Bearer {self.key}"} if self.key else {}
        for number in range(MOST_PAGES):
            query = FILTERS | {"limit": LIMIT, "order": [["id", "asc"]], "id": {"gt": last}}
            page = Page(f"offers-{number + 1}", http.post(PATH, json=query, headers=headers))
            if (newest := max(_ids(page), default=0)) <= last and number:
                return
            yield page
            last = newest
        raise MalformedError(f"more than {MOST_PAGES} pages")

    def parse(self, pages: Iterable[Page]) -> Rows:
        cheapest: dict[tuple[str, str], ListingRecord] = {}
        for page in pages:
            for _at, row in read_rows(Offer, page.at("offers"), f"{page.name}.offers"):
                if isinstance(row, BadRow):
                    yield row
                elif row.listed:
                    for record in _records(row):
                        _keep_cheaper(cheapest, record)
        yield from cheapest.values()


def _ids(page: Page) -> list[int]:
    """Raises MalformedError: a page that cannot be read must not pass for the last one."""
    rows = [row for _at, row in read_rows(Identified, page.at("offers"), page.name)]
    ids = [row.id for row in rows if isinstance(row, Identified)]
    if rows and not ids:
        raise MalformedError(f"{page.name}: no offer has an id")
    return ids


def _records(row: Offer) -> Iterator[ListingRecord]:
    bid = price(row.min_bid)
    record = ListingRecord(
        offering=DOCKER,
        # An offer's id changes whenever its host lists the machine again.
        key=f"{row.machine_id}/{row.num_gpus}x {row.gpu_name}",
        gpu_name=row.gpu_name,
        gpu_count=row.num_gpus,
        price=price(row.dph_base),
        spot_price=bid,
        spot=True if bid else None,
        vram_gb=round(row.gpu_ram / 1024) or None,
        region=_country(row.geolocation),
        tier=TIERS.get(row.hosting_type, ""),
        stock=StockLevel.AVAILABLE,
        driver=row.driver_version or "",
        cuda=credible_cuda(row.cuda_max_good, row.driver_version or ""),
        extras=figures(
            disk_gb=row.disk_space,
            disk_usd_gb_month=row.storage_cost,
            inet_down_mbps=row.inet_down,
            inet_up_mbps=row.inet_up,
            inet_down_usd_gb=row.inet_down_cost,
            inet_up_usd_gb=row.inet_up_cost,
        ),
    )
    yield record
    if row.vms_enabled:
        # It has the driver of its image, not that of the host; bids are documented for Docker.
        yield replace(record, offering=VMS, spot_price=None, spot=None, driver="", cuda="")


def _country(place: str | None) -> str:
    code = (place or "").rpartition(",")[2].strip()
    return code if len(code) == 2 else ""


def _keep_cheaper(found: dict[tuple[str, str], ListingRecord], record: ListingRecord) -> None:
    """The same share of a machine can stand in several offers: any of them is that listing."""
    known = found.setdefault((record.offering, record.key), record)
    if record.price and (known.price is None or record.price.amount < known.price.amount):
        found[record.offering, record.key] = record
