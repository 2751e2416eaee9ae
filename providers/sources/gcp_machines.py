"""Which parts Google's machines are made of, and what a machine costs by its parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from providers.sources.base import ListingRecord, Price, price
from providers.sources.tables import HardwareRow, TableRow, read_table

LOCAL_SSD = "SSD backed Local Storage"


class MachineRow(HardwareRow):
    """A machine type. Without cores of its own, the part of its GPU is of the whole machine."""

    vcpus: int = 0
    memory_gb: int = 0
    ssd_gib: int = 0
    spot_only: bool = False
    gpu_part: str = ""  # the names that the part has had, with | between them
    core_part: str = ""
    ram_part: str = ""


@dataclass(frozen=True)
class Where:
    region: str
    spot: bool


Prices = dict[str, dict[Where, Decimal]]  # part → where → USD an hour of one unit


def records(machine: MachineRow, prices: Prices) -> Iterator[ListingRecord]:
    """The machine in each region whose GPU has a part there."""
    names = machine.gpu_part.split("|")
    places = {where for name in names for where in prices[name]}
    regions = {where.region for where in places if where.spot or not machine.spot_only}
    for region in sorted(regions):
        on_demand = None if machine.spot_only else _sum(machine, prices, Where(region, False))
        spot = _sum(machine, prices, Where(region, True))
        yield ListingRecord(
            offering="google-cloud/compute-engine",
            key=f"{region}/{machine.name}",
            gpu_name=machine.gpu,
            gpu_count=machine.gpu_count or 1,
            price=on_demand,
            spot_price=spot,
            spot=True if spot else None,
            vram_gb=machine.vram_gb,
            region=region,
        )


def _sum(machine: MachineRow, prices: Prices, where: Where) -> Price | None:
    """None unless every part has a price: a sum without one of them would be too good."""
    needed = [
        (machine.gpu_count or 1, machine.gpu_part),
        (machine.vcpus, machine.core_part),
        (machine.memory_gb, machine.ram_part),
        (machine.ssd_gib, LOCAL_SSD),
    ]
    total, terms = Decimal(0), []
    for count, names in needed:
        if not count:
            continue
        known = (prices[name].get(where) for name in names.split("|"))
        each = next(filter(None, known), Decimal(0))
        if each <= 0:
            return None
        total += count * each
        terms.append(f"{count}*{round(each, 9).normalize():f}")
    found = price(round(total, 9))
    return found and Price(" + ".join(terms), found.amount)


@cache
def machines() -> Mapping[str, MachineRow]:
    return read_table("gcp", MachineRow)


@cache
def left_out() -> Mapping[str, TableRow]:
    return read_table("gcp_parts", TableRow)


@cache
def parts() -> frozenset[str]:
    rows = machines().values()
    told = {name for row in rows for name in (row.gpu_part, row.core_part, row.ram_part) if name}
    return frozenset({LOCAL_SSD} | {name for names in told for name in names.split("|")})
