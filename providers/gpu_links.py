"""GPUs as other pages name them: a name with its address, in an order that renters think in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from providers.answers import Text, version_key
from providers.models import Gpu, GpuFamily

SEGMENTS: dict[str, Text] = {
    "datacenter": _("Data centre"),
    "workstation": _("Workstation"),
    "consumer": pgettext_lazy("GPUs", "Consumer"),
    "edge": pgettext_lazy("GPUs", "Edge"),
}
# Renters look for NVIDIA first; other vendors follow by name.
FIRST_VENDOR = "NVIDIA"

Order = tuple[Any, ...]


@dataclass(frozen=True)
class GpuLink:
    """A model, a family whose form is open, or a name that no table explains."""

    name: str
    slug: str = ""  # empty: unknown
    url: str = ""
    form_open: bool = False
    order: Order = field(default=(2,), compare=False)


def gpu_order(gpu: Gpu) -> Order:
    """Data centre first, then the largest memory, then the newest architecture."""
    segments = list(SEGMENTS)
    capability = gpu.compute_capability
    # ROCm's names of an architecture (gfx942) are no versions.
    newest = version_key(capability) if capability[:1].isdigit() else ()
    return (
        gpu.family.vendor != FIRST_VENDOR,
        gpu.family.vendor,
        segments.index(gpu.segment) if gpu.segment in segments else len(segments),
        -(gpu.vram_gb or 0),
        tuple(-part for part in newest) or (0,),
        gpu.name,
    )


def gpu_url(slug: str) -> str:
    return reverse("gpu", args=[slug])


def models_in_order(family: GpuFamily) -> list[Gpu]:
    return sorted(family.models.all(), key=gpu_order)


class GpuLinks:
    """Links for what a listing says of its GPU."""

    def __init__(self, families: Iterable[GpuFamily]) -> None:
        self._families: dict[int, GpuLink] = {}
        self._models: dict[int, GpuLink] = {}
        for family in families:
            models = models_in_order(family)
            alone = [gpu.slug for gpu in models] == [family.slug]
            order = (0, *gpu_order(models[0])) if models else (1,)
            self._families[family.pk] = GpuLink(
                family.name, family.slug, gpu_url(family.slug), not alone, order
            )
            for gpu in models:
                link = GpuLink(gpu.name, gpu.slug, gpu_url(gpu.slug), order=(0, *gpu_order(gpu)))
                # A family of one and its model are one thing with one address.
                self._models[gpu.pk] = self._families[family.pk] if alone else link

    def link(self, family: int | None, gpu: int | None, name: str) -> GpuLink:
        if gpu is not None:
            return self._models[gpu]
        return self._families[family] if family is not None else GpuLink(name, order=(2, name))
