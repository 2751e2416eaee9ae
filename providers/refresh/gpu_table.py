"""`fixtures/gpus.csv` → the tables of GPU families and models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from providers.gpu_file import GpuRow
from providers.gpus import GpuMatch, gpu_rows
from providers.models import Gpu, GpuFamily
from providers.refresh.lock import Table, sole_writer
from providers.refresh.merge import Counts

_MODEL_COLUMNS = (
    "name",
    "segment",
    "vram_gb",
    "architecture",
    "compute_capability",
    "variant",
    "notes",
)


@dataclass(frozen=True)
class GpuIds:
    """Primary keys by slug, to turn what a name means into foreign keys."""

    families: Mapping[str, int]
    models: Mapping[str, int]

    def of(self, match: GpuMatch) -> tuple[int | None, int | None]:
        """(family's id, model's id) of `match`."""
        family = self.families[match.family] if match.family else None
        return family, self.models[match.gpu] if match.gpu else None


def gpu_ids() -> GpuIds:
    """The ids of all that a name can mean; fills the tables first where they lag behind."""
    sync_gpus(gpu_rows())
    return GpuIds(
        dict(GpuFamily.objects.order_by().values_list("slug", "pk")),
        dict(Gpu.objects.order_by().values_list("slug", "pk")),
    )


def sync_gpus(rows: Sequence[GpuRow]) -> Counts:
    """Make the tables say what `rows` say; writes nothing where they do already.

    A model that left `rows` is deleted, unless a listing still names it. A model whose
    slug changed but whose name did not stays the same row.
    """
    with sole_writer(Table.GPUS):
        families = _sync_families(rows)
        counts = _sync_models(rows, families)
        _drop_empty_families(families, rows)
    return counts


def _sync_families(rows: Sequence[GpuRow]) -> dict[str, GpuFamily]:
    stored = {family.slug: family for family in GpuFamily.objects.all()}
    told = {row.family: (row.family_name, row.vendor) for row in rows}
    written = [
        GpuFamily(slug=slug, name=name, vendor=vendor)
        for slug, (name, vendor) in told.items()
        if slug not in stored or (stored[slug].name, stored[slug].vendor) != (name, vendor)
    ]
    if not written:
        return stored
    GpuFamily.objects.bulk_create(
        written,
        update_conflicts=True,
        unique_fields=["slug"],
        update_fields=["name", "vendor"],
    )
    return {family.slug: family for family in GpuFamily.objects.all()}


def _sync_models(rows: Sequence[GpuRow], families: Mapping[str, GpuFamily]) -> Counts:
    stored = list(Gpu.objects.all())
    by_slug, by_name = {g.slug: g for g in stored}, {g.name: g for g in stored}
    new, changed, met = [], [], set()
    for row in rows:
        columns = _columns(row, families)
        gpu = by_slug.get(row.slug) or by_name.get(row.name)
        if gpu is None:
            new.append(Gpu(**columns))
            continue
        met.add(gpu.pk)
        if any(getattr(gpu, name) != value for name, value in columns.items()):
            for name, value in columns.items():
                setattr(gpu, name, value)
            changed.append(gpu)
    gone = _drop_models([gpu.pk for gpu in stored if gpu.pk not in met])
    if changed:
        Gpu.objects.bulk_update(changed, list(_columns(rows[0], families)))
    Gpu.objects.bulk_create(new)
    return Counts(len(new), len(changed), len(met) - len(changed), gone)


def _columns(row: GpuRow, families: Mapping[str, GpuFamily]) -> dict[str, Any]:
    return {
        "slug": row.slug,
        "family_id": families[row.family].pk,
        "aliases": list(row.aliases),
        **{name: getattr(row, name) for name in _MODEL_COLUMNS},
    }


def _drop_models(pks: list[int]) -> int:
    if not pks:
        return 0
    return Gpu.objects.filter(pk__in=pks, listing=None).delete()[0]


def _drop_empty_families(families: Mapping[str, GpuFamily], rows: Sequence[GpuRow]) -> None:
    gone = families.keys() - {row.family for row in rows}
    if gone:
        GpuFamily.objects.filter(slug__in=gone, models=None, listing=None).delete()
