"""The queue of GPU names that nothing explains: kept and counted until something does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from providers.gpus import GpuMatch, exception, resolve
from providers.models import Origin, UnknownGpuName

_ROOM = UnknownGpuName._meta.get_field("seen_at").max_length

# Where a name was sighted, the name, GB of one GPU: one entry of the queue.
_Entry = tuple[str, str, int | None]


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
    kept = list(UnknownGpuName.objects.filter(seen_at__startswith=f"{origin}:"))
    counts = {(row.seen_at, row.name, row.vram_gb): row.count for row in kept}
    found = Counter(_entry(origin, name) for name in sighted if name.unexplained)
    _write({entry: count for entry, count in found.items() if count != counts.get(entry)}, now)
    explained = [row.pk for row in kept if not _sighting(row).unexplained]
    if explained:
        UnknownGpuName.objects.filter(pk__in=explained).delete()


def _entry(origin: Origin, name: SightedName) -> _Entry:
    return f"{origin}:{name.provider}"[:_ROOM], name.name, name.vram_gb


def _sighting(row: UnknownGpuName) -> SightedName:
    _origin, _colon, provider = row.seen_at.partition(":")
    return SightedName(provider, row.name, row.vram_gb)


def _write(counts: dict[_Entry, int], now: datetime) -> None:
    UnknownGpuName.objects.bulk_create(
        [
            UnknownGpuName(
                name=name,
                seen_at=place,
                vram_gb=vram_gb,
                count=count,
                first_seen=now,
                last_seen=now,
            )
            for (place, name, vram_gb), count in counts.items()
        ],
        update_conflicts=True,
        unique_fields=["name", "seen_at", "vram_gb"],
        update_fields=["count", "last_seen"],
    )
