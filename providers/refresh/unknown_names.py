"""The queue of GPU names that nothing explains: kept and counted until something does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from providers.gpus import GpuMatch, exception, resolve
from providers.models import Origin, UnknownGpuName


@dataclass(frozen=True)
class SightedName:
    """A GPU's name as `provider` (a slug) writes it, with the GB of one GPU where it says."""

    provider: str
    name: str
    vram_gb: int | None = None

    def resolve(self) -> GpuMatch:
        return resolve(self.name, self.vram_gb, self.provider)

    @property
    def unexplained(self) -> bool:
        return self.resolve() == GpuMatch() and exception(self.name, self.provider) is None


def queue_unknown(origin: Origin, sighted: Iterable[SightedName], now: datetime) -> None:
    """Keep the unexplained names of a batch with the number of rows that bear each.

    A name that is explained by now leaves the queue; one that is only gone stays.
    """
    counted = Counter(name for name in sighted if name.unexplained)
    kept = {
        SightedName(row.seen_at.partition(":")[2], row.name, row.vram_gb): row
        for row in UnknownGpuName.objects.filter(seen_at__startswith=f"{origin}:")
    }
    _write(origin, {n: c for n, c in counted.items() if n not in kept or kept[n].count != c}, now)
    explained = [row.pk for name, row in kept.items() if not name.unexplained]
    if explained:
        UnknownGpuName.objects.filter(pk__in=explained).delete()


def _write(origin: Origin, counted: dict[SightedName, int], now: datetime) -> None:
    UnknownGpuName.objects.bulk_create(
        [
            UnknownGpuName(
                name=name.name,
                seen_at=f"{origin}:{name.provider}",
                vram_gb=name.vram_gb,
                count=count,
                first_seen=now,
                last_seen=now,
            )
            for name, count in counted.items()
        ],
        update_conflicts=True,
        unique_fields=["name", "seen_at", "vram_gb"],
        update_fields=["count", "last_seen"],
    )
