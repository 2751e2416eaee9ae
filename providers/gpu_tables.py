"""The list of GPUs as a table for export."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gpucompare.cuda.tables import gpu_arch
from providers.browse.criteria import Criteria
from providers.browse.export import Table, iso
from providers.browse.query import BrowseResult, Cheapest
from providers.browse.tables import in_period, price_column
from providers.browse.world import World
from providers.gpu_links import gpu_url, models_in_order
from providers.models import Gpu, GpuFamily

_ABOUT = ("family", "family_name", "vendor", "gpu", "gpu_name", "segment", "vram_gb")
_BUILT = ("architecture", "compute_capability", "first_cuda", "last_cuda", "source")


def gpus_table(result: BrowseResult, cheapest: Mapping[int, Cheapest], world: World) -> Table:
    """One record a model; who rents it and at what price is told of its family, as on the page.

    `result` is of browse without filters, `cheapest` by id of family.
    """
    price = (price_column(result.criteria), "price_gpu_count", "price_is_spot")
    seen = ("price_origin", "price_seen_at")
    columns = (*_ABOUT, *_BUILT, "family_offerings", *price, *seen, "url")
    return Table("gpus", columns, _records(result, cheapest, world))


def _records(
    result: BrowseResult, cheapest: Mapping[int, Cheapest], world: World
) -> Iterator[tuple[Any, ...]]:
    rented = {count.value: count.match for count in result.facets["gpu"]}
    for family in world.families:
        price = _price(cheapest.get(family.pk), result.criteria)
        for gpu in models_in_order(family):
            offerings = rented.get(family.slug, 0)
            yield (*_about(family, gpu), *_built(gpu), offerings, *price, gpu_url(gpu.slug))


def _about(family: GpuFamily, gpu: Gpu) -> tuple[Any, ...]:
    said = (gpu.slug, gpu.name, gpu.segment, gpu.vram_gb)
    return (family.slug, family.name, family.vendor, *said)


def _built(gpu: Gpu) -> tuple[Any, ...]:
    """What its compute capability implies, and who says so."""
    found = gpu_arch().architectures.get(gpu.compute_capability)
    toolkits = (found.first_cuda, found.last_cuda, found.source) if found else (None, None, None)
    return (gpu.architecture, gpu.compute_capability, *toolkits)


def _price(found: Cheapest | None, units: Criteria) -> tuple[Any, ...]:
    if found is None:
        return (None,) * 5
    shown = in_period(found.shown, units)
    return (shown, found.gpu_count, found.spot, found.origin, iso(found.seen_at))
