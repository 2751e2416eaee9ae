"""What the list of GPUs shows: every family by vendor and kind, with who rents it at what price."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from django.urls import reverse
from django.utils.translation import gettext as _

from gpucompare import spoken
from gpucompare.cuda.tables import gpu_arch
from providers.answers import Text
from providers.browse import links
from providers.browse.criteria import Criteria
from providers.browse.frame import snapshot_day
from providers.browse.page import Choice, PriceCell
from providers.browse.present import price_cell
from providers.browse.query import BrowseResult, Cheapest
from providers.browse.world import World
from providers.gpu_facts import PLATFORMS, memory_text
from providers.gpu_links import SEGMENTS, gpu_order, gpu_url, models_in_order
from providers.gpu_pages import Named
from providers.models import Gpu, GpuFamily


@dataclass(frozen=True)
class FamilyRow:
    name: str
    url: str
    models: tuple[Named, ...]  # of a family of several
    memory: Text
    architecture: str
    capability: str
    cuda: Text  # from the first to the last toolkit, or what it needs instead
    rented: int
    rented_url: str  # browse, filtered
    price: PriceCell
    listings_url: str


@dataclass(frozen=True)
class FamilyGroup:
    id: str
    vendor: str
    segment: Text
    rows: tuple[FamilyRow, ...]


@dataclass(frozen=True)
class GpuIndex:
    groups: tuple[FamilyGroup, ...]
    families: int
    models: int
    price_unit: Text
    units: tuple[Choice, ...]
    exports: tuple[Choice, ...]
    snapshot_day: Text


def gpu_index(
    result: BrowseResult, cheapest: Mapping[int, Cheapest], world: World, now: datetime
) -> GpuIndex:
    """Every family; `result` is of browse without filters, `cheapest` by id of family."""
    units = result.criteria
    rented = {count.value: count.match for count in result.facets["gpu"]}
    rows = []
    for family in world.families:
        if models := models_in_order(family):
            price = price_cell(cheapest.get(family.pk), units, now)
            row = _row(family, models, rented.get(family.slug, 0), price, units)
            rows.append((models[0], row))
    return GpuIndex(
        groups=tuple(_groups(rows)),
        families=len(rows),
        models=sum(len(family.models.all()) for family in world.families),
        price_unit=links.price_unit(units),
        units=links.units(units, reverse("gpus")),
        exports=links.exports(units, reverse("gpus")),
        snapshot_day=snapshot_day((c.origin, c.seen_at) for c in cheapest.values()),
    )


def _groups(rows: Iterable[tuple[Gpu, FamilyRow]]) -> Iterable[FamilyGroup]:
    ordered = sorted(rows, key=lambda pair: gpu_order(pair[0]))
    for (vendor, segment), members in groupby(
        ordered, key=lambda pair: (pair[0].family.vendor, pair[0].segment)
    ):
        found = tuple(row for _gpu, row in members)
        label = SEGMENTS.get(segment, segment)
        yield FamilyGroup(f"{vendor}-{segment}".lower(), vendor, label, found)


def _row(
    family: GpuFamily, models: list[Gpu], rented: int, price: PriceCell, units: Criteria
) -> FamilyRow:
    asked = units.put("gpu", family.slug)
    several = models if len(models) > 1 else []
    return FamilyRow(
        family.name,
        gpu_url(family.slug),
        tuple(Named(gpu.name, gpu_url(gpu.slug)) for gpu in several),
        memory_text(models),
        _each(gpu.architecture for gpu in models),
        _each(gpu.compute_capability for gpu in models),
        _cuda(models[0]),
        rented,
        asked.url(reverse("browse")),
        price,
        asked.put("sort", "price").url(reverse("listings")),
    )


def _each(values: Iterable[str]) -> str:
    return spoken.joined(dict.fromkeys(value for value in values if value))


def _cuda(gpu: Gpu) -> Text:
    """`from 11.8` while toolkits go on building for it, `8.0–12.x` when they have stopped."""
    tables = gpu_arch()
    architecture = tables.architectures.get(gpu.compute_capability)
    if architecture is not None and architecture.last_cuda:
        return f"{architecture.first_cuda}–{architecture.last_cuda}"
    if architecture is not None:
        return _("from %(first)s") % {"first": architecture.first_cuda}
    platform = tables.platforms.get(gpu.family.vendor)
    return PLATFORMS[platform] if platform else ""
