"""Jarvislabs: pools of GPUs by region, each listed once for containers and once for VMs.

GET /misc/server_meta, as the company's own client calls it: a key is needed; prices are per GPU.
A pool without a workload type is an older one that starts VMs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from providers.sources.base import (
    Answer,
    BadRow,
    Http,
    ListingRecord,
    Page,
    Per,
    Rows,
    Source,
    StockLevel,
    price,
    read_rows,
)
from providers.sources.reading import Amount, Whole, counted, sizes

CONTAINERS, VMS = "jarvislabs/containers", "jarvislabs/vms"
OFFERINGS = {"container": CONTAINERS, "vm": VMS, None: VMS}


class Pool(Answer):
    gpu_type: str
    region: str
    price_per_hour: Amount
    spot_price: Amount = None
    num_free_devices: Whole = None
    effective_num_free_devices: Whole = None
    vram: Whole = None  # "24", "141 GB"
    num_gpus: Whole = None  # the most in one machine
    workload_type: str | None

    @property
    def free(self) -> int | None:
        """GPUs, not instances."""
        effective = self.effective_num_free_devices
        return self.num_free_devices if effective is None else effective


class Jarvislabs(Source):
    slug = "jarvislabs"
    base_url = "https://backendn.jarvislabs.net"
    hosts = ("backendprod.jarvislabs.net", "backendc.jarvislabs.net", "backendeu.jarvislabs.net")
    offerings = (CONTAINERS, VMS)
    needs_key = True

    def fetch(self, http: Http) -> Iterator[Page]:
        headers = {"Authorization": f"Bearer {self.key}"}
        yield Page("server-meta", http.get("/misc/server_meta", headers=headers))

    def parse(self, pages: Iterable[Page]) -> Rows:
        for page in pages:
            for at, row in read_rows(Pool, page.at("server_meta"), "server_meta"):
                if isinstance(row, BadRow):
                    yield row
                elif row.workload_type not in OFFERINGS:
                    yield BadRow(at, f"workload_type: {row.workload_type!r} is not known")
                else:
                    yield from _counts(row, OFFERINGS[row.workload_type])


def _counts(pool: Pool, offering: str) -> Iterator[ListingRecord]:
    # Only containers can be had as spot.
    spot_price = price(pool.spot_price, Per.GPU) if offering == CONTAINERS else None
    for count in sizes(pool.num_gpus or 1):
        yield ListingRecord(
            offering=offering,
            key=f"{pool.gpu_type}/{count}x/{pool.region}",
            gpu_name=pool.gpu_type,
            gpu_count=count,
            price=price(pool.price_per_hour, Per.GPU),
            spot_price=spot_price,
            spot=spot_price is not None,
            vram_gb=pool.vram or None,
            region=pool.region,
            stock=_stock(pool.free, count),
            stock_count=pool.free if count == 1 else None,
        )


def _stock(free: int | None, count: int) -> StockLevel:
    """Enough free GPUs may still stand in several machines: then nothing is known."""
    if free is None or count == 1 or free < count:
        return counted(None if free is None else free // count)
    return StockLevel.UNKNOWN
