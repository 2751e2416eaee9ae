"""Loads catalog files into the database and writes the database as catalog files."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import connection, models, transaction
from django.utils import timezone

from gpucompare import history
from providers.catalog import canonical, rows
from providers.catalog.files import parse, read_directory, read_texts
from providers.catalog.merge import (
    Conflicts,
    Loaded,
    Merged,
    Side,
    Take,
    Waiting,
    left_open,
    merge,
    of_file,
)
from providers.catalog.schema import OfferingDocument, ProviderDocument
from providers.catalog.validate import documents, trusted
from providers.changes.catalog import told
from providers.claims import take_out
from providers.models import CatalogFile, Claim, MadeAt, Offering, Provider, Status, Why
from providers.refresh.stand_ins import sync_stand_ins
from providers.resolve import resolve_offerings

# Any number that no other part of the program locks by.
_LOAD_LOCK = 7_301_924
# Why a row was retired or closed by a load.
_LEFT = "no longer in its file"


@dataclass
class LoadReport(Loaded):
    """`counts` is by (table, what was done): ("claims", "new") → 1722."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    resolved: int = 0


def load(directory: Path, *, take: Side | Take | None = None, check: bool = False) -> LoadReport:
    """Merge the files of `directory` into the database: all of it or nothing.

    Raises CatalogFaults when a file is wrong and Conflicts when both sides
    changed the same thing and `take` does not say whose word stands: one side's for
    all, or its own for each. With `check` everything is tried and nothing is kept.
    """
    files = read_directory(directory)
    found = documents(files)
    texts = {file.name.removesuffix(".yaml"): file.text for file in files}
    report = LoadReport(files=len(files))
    with transaction.atomic():
        _wait_for_other_loads()
        with told(Why.CATALOG):
            _write(found, texts, take, report)
        transaction.set_rollback(check)
    return report


def _write(
    found: Mapping[str, ProviderDocument],
    texts: Mapping[str, str],
    take: Side | Take | None,
    report: LoadReport,
) -> None:
    kept = loaded_texts()
    changed = _changed(texts, kept)
    report.changed_files = len(changed)
    if changed:
        _load_changed(changed, found, kept, take, report)
        _keep_texts(changed, texts)
    # All of them, not only the touched: the rules may be newer than the last load.
    report.resolved = resolve_offerings()
    sync_stand_ins()


def _wait_for_other_loads() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOAD_LOCK])


def _load_changed(
    changed: list[str],
    found: Mapping[str, ProviderDocument],
    kept: Mapping[str, str],
    take: Side | Take | None,
    report: LoadReport,
) -> None:
    standing = rows.read_rows(changed, lock=True)
    results = _merged(changed, found, kept, standing, take)
    report.settled = {s: result.conflicts for s, result in results.items() if result.conflicts}
    if unsettled := left_open(report.settled, take):
        raise Conflicts(unsettled)
    writing = _Writing()
    for slug, result in results.items():
        writing.why = f"catalog file {slug}.yaml"
        writing.provider(result.document, found.get(slug), standing.get(slug))
    report.counts = writing.write()


def _merged(
    changed: Iterable[str],
    found: Mapping[str, ProviderDocument],
    kept: Mapping[str, str],
    standing: Mapping[str, rows.ProviderRows],
    take: Side | Take | None,
) -> dict[str, Merged]:
    results: dict[str, Merged] = {}
    for slug in changed:
        base = base_document(slug, kept.get(slug))
        desk = rows.document_of(standing[slug], base) if slug in standing else None
        results[slug] = merge(base, found.get(slug), desk, of_file(take, slug))
    return results


def waiting(directory: Path) -> Waiting:
    """What a load of `directory` would have to do; only reads, and parses what was changed.

    Raises CatalogFaults when a changed file is wrong.
    """
    texts, kept = read_texts(directory), loaded_texts()
    changed = _changed(texts, kept)
    if not changed:
        return Waiting([], {})
    parsed = (parse(f"{slug}.yaml", texts[slug]) for slug in changed if slug in texts)
    found = documents(parsed)
    results = _merged(changed, found, kept, rows.read_rows(changed), None)
    return Waiting(changed, {s: r.conflicts for s, r in results.items() if r.conflicts})


def loaded_texts() -> dict[str, str]:
    """The files as they were last loaded."""
    return dict(CatalogFile.objects.values_list("slug", "text"))


def _changed(texts: Mapping[str, str], kept: Mapping[str, str]) -> list[str]:
    return sorted(s for s in {*texts, *kept} if texts.get(s) != kept.get(s))


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
        # Rows that only stand elsewhere: their changes are no history.
        self._moved: dict[type[models.Model], list[Any]] = defaultdict(list)
        self._dropped: list[Claim] = []
        self._closed = 0
        self.why = ""  # of what is gathered next

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
                self._set(offering, {"status": Status.CLOSED.value}, _LEFT)
                self._closed += 1

    def _claims(self, offering: Offering, document: OfferingDocument, old: list[Claim]) -> None:
        standing = rows.by_key(old)
        for key, columns in rows.claim_columns(document).items():
            row = standing.pop(key) if key in standing else Claim(offering=offering)
            self._set(row, columns)
        self._dropped += standing.values()

    def _set(
        self, row: Provider | Offering | Claim, columns: Mapping[str, Any], why: str = ""
    ) -> None:
        changed = rows.assign(row, columns)
        history.because(row, why or self.why)
        if row.pk is None:
            self._new[type(row)].append(row)
        elif changed:
            told_of = self._changed if history.tracked(type(row)) & set(changed) else self._moved
            told_of[type(row)].append(row)
            self._fields[type(row)].update(changed)

    def write(self) -> Counter[tuple[str, str]]:
        counts: Counter[tuple[str, str]] = Counter()
        take_out(self._dropped, _LEFT, _LEFT)
        for model in (Provider, Offering, Claim):
            name = str(model._meta.verbose_name_plural)
            history.create(self._new[model], "")
            history.update(self._changed[model], self._fields[model], "")
            history.move(self._moved[model], self._fields[model])
            counts[name, "new"] = len(self._new[model])
            counts[name, "changed"] = len(self._changed[model]) + len(self._moved[model])
        counts["claims", "retired"] = len(self._dropped)
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
    dumped = dump_texts()
    for slug, (text, _changed) in dumped.items():
        (directory / f"{slug}.yaml").write_bytes(text.encode())
    return {slug: changed for slug, (_text, changed) in dumped.items()}


def dump_texts() -> dict[str, tuple[str, bool]]:
    """What `dump` writes: by slug, the text and whether it differs from the file last loaded."""
    kept = loaded_texts()
    texts: dict[str, tuple[str, bool]] = {}
    for slug, standing in rows.read_rows().items():
        base = base_document(slug, kept.get(slug))
        document = rows.document_of(standing, base)
        if document is None:
            continue
        same = document == base
        texts[slug] = (kept[slug] if same else canonical.text_of(document), not same)
    return texts
