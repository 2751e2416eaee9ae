"""A source's records → rows of the database: one currency, one divisor, one name for each GPU."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache

from providers.gpus import GpuMatch, gpu_rows, vram_of
from providers.refresh.facts import Key, ListingFacts
from providers.refresh.gpu_table import GpuIds
from providers.refresh.unknown_names import SightedName
from providers.sources.base import BadRow, Found, ListingRecord, Per, Period, Price, Untold

HOURS = {Period.HOUR: 1, Period.DAY: 24, Period.MONTH: 730}
# Above this nobody rents a machine; below, nobody sells one. Either is a mistake in the answer.
CEILING_USD = Decimal(10_000)
FLOOR_USD = Decimal("0.001")


@dataclass(frozen=True)
class Kept:
    """A row kept out, with the reason. Its `key`, where it has one, keeps its listing alive."""

    place: str
    reason: str
    key: Key | None = None


@dataclass
class Batch:
    """All that one run of one source brought, ready for the guards."""

    rows: dict[Key, ListingFacts] = field(default_factory=dict)
    quarantined: list[Kept] = field(default_factory=list)
    # Of rows left open, what their keys begin with.
    untold: set[Key] = field(default_factory=set)
    sighted: list[SightedName] = field(default_factory=list)
    duplicates: int = 0
    unknown_names: int = 0

    @property
    def fetched(self) -> int:
        return len(self.rows) + len(self.quarantined) + self.duplicates


@dataclass(frozen=True)
class World:
    """What normalising looks things up in."""

    offerings: Mapping[str, int]  # "<provider>/<offering>" → id
    gpus: GpuIds
    usd: Mapping[str, Decimal]  # what one unit of a currency is worth


def normalise(source: str, found: Iterable[Found], world: World) -> Batch:
    """Rows by key, with what could not be taken beside them."""
    batch = Batch()
    for record in found:
        if isinstance(record, BadRow):
            batch.quarantined.append(Kept(record.where, record.reason))
        elif isinstance(record, Untold):
            if record.offering in world.offerings:
                batch.untold.add((world.offerings[record.offering], f"{source}:{record.start}"))
        else:
            _take(batch, source, record, world)
    return batch


def _take(batch: Batch, source: str, record: ListingRecord, world: World) -> None:
    place = f"{record.offering} {record.key}"
    offering = world.offerings.get(record.offering)
    if offering is None:
        batch.quarantined.append(Kept(place, f"the catalog has no offering {record.offering}"))
        return
    # Keys of different sources never meet, whatever the providers call their rows.
    key = (offering, f"{source}:{record.key}")
    if key in batch.rows:
        batch.duplicates += 1
        return
    reason = _absurd(record, world)
    if reason:
        batch.quarantined.append(Kept(place, reason, key))
        return
    name = SightedName(record.offering.partition("/")[0], record.gpu_name, record.vram_gb)
    batch.sighted.append(name)
    batch.unknown_names += name.unexplained
    batch.rows[key] = _facts(record, name, world)


def _absurd(record: ListingRecord, world: World) -> str:
    if record.gpu_count < 1:
        return f"gpu_count: {record.gpu_count} is no number of GPUs"
    for price in (record.price, record.spot_price):
        usd = usd_per_hour(price, record.gpu_count, world.usd)
        if usd is not None and price is not None and not FLOOR_USD <= usd <= CEILING_USD:
            return f"price: {price.raw} makes {usd:f} USD an hour"
    return ""


def usd_per_hour(price: Price | None, gpu_count: int, usd: Mapping[str, Decimal]) -> Decimal | None:
    """USD an hour for the whole instance; None without a price or without a rate."""
    if price is None or price.currency not in usd:
        return None
    instance = price.amount * (gpu_count if price.per is Per.GPU else 1)
    return round(instance / HOURS[price.period] * usd[price.currency], 6)


def _stated(price: Price | None) -> str:
    """The raw text, cut to what its column holds: a sum of parts may be long."""
    return price.raw[:64] if price else ""


def _vram_gb(record: ListingRecord, name: SightedName, match: GpuMatch) -> int | None:
    """GB of one GPU as marketed: hosts report a little less (an L4 22 of 24)."""
    if match.gpu:
        return _vram_by_gpu()[match.gpu] or record.vram_gb
    return record.vram_gb or vram_of(record.gpu_name, name.provider)


@cache
def _vram_by_gpu() -> dict[str, int | None]:
    return {row.slug: row.vram_gb for row in gpu_rows()}


def _facts(record: ListingRecord, name: SightedName, world: World) -> ListingFacts:
    match = name.resolve()
    family_id, gpu_id = world.gpus.of(match)
    stated = record.price or record.spot_price
    return ListingFacts(
        gpu_name=record.gpu_name,
        family_id=family_id,
        gpu_id=gpu_id,
        gpu_count=record.gpu_count,
        vram_gb=_vram_gb(record, name, match),
        region=record.region,
        usd_per_hour=usd_per_hour(record.price, record.gpu_count, world.usd),
        spot_usd_per_hour=usd_per_hour(record.spot_price, record.gpu_count, world.usd),
        stated_price=_stated(record.price),
        stated_spot_price=_stated(record.spot_price),
        stated_unit=f"{stated.currency} / {stated.per} / {stated.period}" if stated else "",
        spot=True if record.spot_price else record.spot,
        stock=record.stock.value,
        stock_count=record.stock_count,
        driver=record.driver,
        cuda=record.cuda,
        tier=record.tier,
        extras={name: f"{figure:f}" for name, figure in record.extras.items()},
    )
