"""The bundled snapshot of dated prices → listings of origin `snapshot`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, time
from decimal import Decimal
from pathlib import Path

from django.utils import timezone

from gpucompare.csv_rows import FaultyFilesError
from providers.models import Offering, Origin, Outcome, RefreshRun
from providers.refresh.facts import Key, ListingFacts
from providers.refresh.gpu_table import GpuIds, gpu_ids
from providers.refresh.lock import Table, sole_writer
from providers.refresh.merge import Counts, merge
from providers.refresh.snapshot_file import SnapshotRow, read_snapshot
from providers.refresh.unknown_names import SightedName, queue_unknown

SOURCE = "snapshot"

OfferingIds = Mapping[tuple[str, str], int]


def load_snapshot(directory: Path) -> Counts:
    """Make the snapshot listings those of the files in `directory`, all or nothing.

    Raises FaultyFilesError with every fault. When nothing differs, nothing is written, not
    even a run.
    """
    started = timezone.now()
    with sole_writer(Table.LISTINGS):
        offerings = _offering_ids()
        rows, faults = read_snapshot(directory, offerings, started.date())
        if faults:
            raise FaultyFilesError(faults)
        incoming = _listings(rows, offerings, gpu_ids())
        queue_unknown(Origin.SNAPSHOT, map(_sighted, rows), started)
        counts = merge(Origin.SNAPSHOT, incoming.items(), dated=True, now=started)
        if counts.wrote:
            _record(counts, fetched=len(rows), started=started)
        return counts


def _offering_ids() -> dict[tuple[str, str], int]:
    offerings = Offering.objects.order_by()
    rows = offerings.values_list("provider__slug", "slug", "pk")
    return {(provider, offering): pk for provider, offering, pk in rows}


def _sighted(row: SnapshotRow) -> SightedName:
    return SightedName(row.provider, row.gpu_name, row.vram_gb)


def _listings(
    rows: Iterable[SnapshotRow], offerings: OfferingIds, ids: GpuIds
) -> dict[Key, ListingFacts]:
    return {(offerings[row.provider, row.offering], row.key): _facts(row, ids) for row in rows}


def _facts(row: SnapshotRow, ids: GpuIds) -> ListingFacts:
    family_id, gpu_id = ids.of(_sighted(row).resolve())
    return ListingFacts(
        gpu_name=row.gpu_name,
        family_id=family_id,
        gpu_id=gpu_id,
        gpu_count=row.gpu_count,
        vram_gb=row.vram_gb,
        usd_per_hour=_for_instance(row.usd_per_gpu_hour, row),
        spot_usd_per_hour=_for_instance(row.spot_usd_per_gpu_hour, row),
        # A page without a spot price does not say that there is no spot.
        spot=True if row.spot_usd_per_gpu_hour else None,
        tier=row.tier,
        source_url=row.source,
        seen_at=datetime.combine(row.observed_on, time.min, tzinfo=UTC),
    )


def _for_instance(usd_per_gpu: Decimal | None, row: SnapshotRow) -> Decimal | None:
    return None if usd_per_gpu is None else usd_per_gpu * row.gpu_count


def _record(counts: Counts, *, fetched: int, started: datetime) -> None:
    RefreshRun.objects.create(
        source=SOURCE,
        started_at=started,
        ended_at=timezone.now(),
        outcome=Outcome.MERGED,
        fetched=fetched,
        new=counts.new,
        changed=counts.changed,
        unchanged=counts.unchanged,
        withdrawn=counts.withdrawn,
    )
