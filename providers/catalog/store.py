"""Loads catalog files into the database and writes the database as catalog files."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import connection, models, transaction
from django.utils import timezone

from providers.catalog import canonical, rows
from providers.catalog.files import parse, read_directory
from providers.catalog.merge import Conflict, Merged, Side, merge
from providers.catalog.schema import OfferingDocument, ProviderDocument
from providers.catalog.validate import documents, trusted
from providers.models import CatalogFile, Claim, MadeAt, Offering, Provider, Status
from providers.refresh.stand_ins import sync_stand_ins
from providers.resolve import resolve_offerings

# Any number that no other part of the program locks by.
_LOAD_LOCK = 7_301_924


class CatalogConflicts(Exception):  # noqa: N818 - it carries many conflicts, not one error
    """Files and desk changed the same things differently; nothing was written."""

    def __init__(self, conflicts: Mapping[str, tuple[Conflict, ...]]) -> None:
        self.conflicts = conflicts
        lines = (f"{slug}.yaml: {c}" for slug, several in conflicts.items() for c in several)
        super().__init__("\n".join(lines))


@dataclass
class LoadReport:
    """What a load did. `counts` is by (table, what was done): ("claims", "new") → 1722."""

    files: int
    changed_files: int = 0
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    resolved: int = 0
    settled: dict[str, tuple[Conflict, ...]] = field(default_factory=dict)


def load(directory: Path, *, take: Side | None = None, check: bool = False) -> LoadReport:
    """Merge the files of `directory` into the database: all of it or nothing.

    Raises CatalogFaults when a file is wrong and CatalogConflicts when both sides
    changed the same thing and `take` does not say whose word stands. With `check`
    everything is tried and nothing is kept.
    """
    files = read_directory(directory)
    found = documents(files)
    texts = {file.name.removesuffix(".yaml"): file.text for file in files}
    report = LoadReport(files=len(files))
    with transaction.atomic():
        _wait_for_other_loads()
        kept = dict(CatalogFile.objects.values_list("slug", "text"))
        changed = sorted(s for s in {*texts, *kept} if texts.get(s) != kept.get(s))
        report.changed_files = len(changed)
        if changed:
            _load_changed(changed, found, kept, take, report)
            _keep_texts(changed, texts)
        # All of them, not only the touched: the rules may be newer than the last load.
        report.resolved = resolve_offerings()
        sync_stand_ins()
        transaction.set_rollback(check)
    return report


def _wait_for_other_loads() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOAD_LOCK])


def _load_changed(
    changed: list[str],
    found: Mapping[str, ProviderDocument],
    kept: Mapping[str, str],
    take: Side | None,
    report: LoadReport,
) -> None:
    standing = rows.read_rows(changed, lock=True)
    results: dict[str, Merged] = {}
    for slug in changed:
        base = base_document(slug, kept.get(slug))
        desk = rows.document_of(standing[slug], base) if slug in standing else None
        results[slug] = merge(base, found.get(slug), desk, take or Side.FILE)
    conflicts = {slug: result.conflicts for slug, result in results.items() if result.conflicts}
    if conflicts and take is None:
        raise CatalogConflicts(conflicts)
    report.settled = conflicts
    writing = _Writing()
    for slug, result in results.items():
        writing.provider(result.document, found.get(slug), standing.get(slug))
    report.counts = writing.write()


def base_document(slug: str, text: str | None) -> ProviderDocument | None:
    """The document of a file as last loaded."""
    return None if text is None else trusted(parse(f"{slug}.yaml", text).data)


def _keep_texts(changed: Iterable[str], texts: Mapping[str, str]) -> None:
    gone = [slug for slug in changed if slug not in texts]
    CatalogFile.objects.filter(slug__in=gone).delete()
    now = timezone.now()
    files = [
        CatalogFile(slug=slug, text=texts[slug], loaded_at=now) for slug in changed if slug in texts
    ]
    CatalogFile.objects.bulk_create(
        files, update_conflicts=True, unique_fields=["slug"], update_fields=["text", "loaded_at"]
    )


class _Writing:
    """Gathers what must change, then writes it table by table in few statements."""

    def __init__(self) -> None:
        self._new: dict[type[models.Model], list[Any]] = defaultdict(list)
        self._changed: dict[type[models.Model], list[Any]] = defaultdict(list)
        self._fields: dict[type[models.Model], set[str]] = defaultdict(set)
        self._dropped: list[int] = []
        self._closed = 0

    def provider(
        self,
        document: ProviderDocument | None,
        file: ProviderDocument | None,
        standing: rows.ProviderRows | None,
    ) -> None:
        """Make one provider's rows say what `document` says."""
        named = {offering.slug for offering in file.offerings} if file else set()
        offerings = {o.slug: o for o in standing.offerings} if standing else {}
        wanted = document.offerings if document else []
        self._close(o for slug, o in offerings.items() if slug not in {w.slug for w in wanted})
        if document is None:
            return
        provider = standing.provider if standing else Provider()
        self._set(provider, {**rows.provider_columns(document), "made_at": _made(file is not None)})
        for position, each in enumerate(wanted):
            offering = offerings.get(each.slug) or Offering(provider=provider)
            columns = {"position": position, "made_at": _made(each.slug in named)}
            self._set(offering, {**rows.offering_columns(each), **columns})
            self._claims(offering, each, standing.claims.get(offering.pk, []) if standing else [])

    def _close(self, left: Iterable[Offering]) -> None:
        for offering in left:
            if offering.made_at == MadeAt.CATALOG and offering.status != Status.CLOSED:
                self._set(offering, {"status": Status.CLOSED.value})
                self._closed += 1

    def _claims(self, offering: Offering, document: OfferingDocument, old: list[Claim]) -> None:
        standing = rows.by_key(old)
        for key, columns in rows.claim_columns(document).items():
            row = standing.pop(key) if key in standing else Claim(offering=offering)
            self._set(row, columns)
        self._dropped += [claim.pk for claim in standing.values()]

    def _set(self, row: Provider | Offering | Claim, columns: Mapping[str, Any]) -> None:
        changed = rows.assign(row, columns)
        if row.pk is None:
            self._new[type(row)].append(row)
        elif changed:
            self._changed[type(row)].append(row)
            self._fields[type(row)].update(changed)

    def write(self) -> Counter[tuple[str, str]]:
        counts: Counter[tuple[str, str]] = Counter()
        if self._dropped:
            Claim.objects.filter(pk__in=self._dropped).delete()
        for model in (Provider, Offering, Claim):
            name = str(model._meta.verbose_name_plural)
            if self._new[model]:
                model._default_manager.bulk_create(self._new[model])
            if self._changed[model]:
                fields = sorted(self._fields[model])
                model._default_manager.bulk_update(self._changed[model], fields, batch_size=500)
            counts[name, "new"] = len(self._new[model])
            counts[name, "changed"] = len(self._changed[model])
        counts["claims", "removed"] = len(self._dropped)
        counts["offerings", "changed"] -= self._closed
        counts["offerings", "closed"] = self._closed
        return +counts


def _made(in_file: bool) -> str:
    return (MadeAt.CATALOG if in_file else MadeAt.DESK).value


def dump(directory: Path) -> dict[str, bool]:
    """Write the database as files; by slug, whether the file differs from the one last loaded.

    What nobody changed is written as it was read, comments and all.
    """
    directory.mkdir(parents=True, exist_ok=True)
    kept = dict(CatalogFile.objects.values_list("slug", "text"))
    written: dict[str, bool] = {}
    for slug, standing in rows.read_rows().items():
        base = base_document(slug, kept.get(slug))
        document = rows.document_of(standing, base)
        if document is None:
            continue
        text = kept[slug] if document == base else canonical.text_of(document)
        (directory / f"{slug}.yaml").write_bytes(text.encode())
        written[slug] = document != base
    return written
