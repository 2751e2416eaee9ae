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

    def place(self, origin: Origin) -> str:
        """Where it was sighted, in the words of the queue."""
        room: int = UnknownGpuName._meta.get_field("seen_at").max_length
        return f"{origin}:{self.provider}"[:room]

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
        _key(row): row for row in UnknownGpuName.objects.filter(seen_at__startswith=f"{origin}:")
    }
    rows = [
        UnknownGpuName(
            name=sighting.name,
            seen_at=sighting.place(origin),
            vram_gb=sighting.vram_gb,
            count=count,
            first_seen=now,
            last_seen=now,
        )
        for sighting, count in counted.items()
    ]
    _write([row for row in rows if row.count != _count(kept.get(_key(row)))])
    _drop_explained(kept.values(), origin)


def _key(row: UnknownGpuName) -> tuple[str, str, int | None]:
    return row.seen_at, row.name, row.vram_gb


def _count(row: UnknownGpuName | None) -> int:
    return row.count if row else 0


def _write(rows: list[UnknownGpuName]) -> None:
    UnknownGpuName.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["name", "seen_at", "vram_gb"],
        update_fields=["count", "last_seen"],
    )


def _drop_explained(kept: Iterable[UnknownGpuName], origin: Origin) -> None:
    explained = [
        row.pk
        for row in kept
        if not SightedName(
            row.seen_at.removeprefix(f"{origin}:"), row.name, row.vram_gb
        ).unexplained
    ]
    if explained:
        UnknownGpuName.objects.filter(pk__in=explained).delete()
