"""Loads files of texts into the database and writes the database as files.

As with the catalog, a load is a three-way merge of the file as last loaded, the file now and the
database: what the desk changed survives, and what both changed stops the load.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from checks.content import canonical
from checks.content.files import ContentFiles, Entries, read_content, trusted
from checks.content.schema import EntryDocument, SourceDocument, digest
from checks.models import ContentEntry, ContentFile
from gpucompare import history
from providers.catalog.files import read_texts
from providers.catalog.merge import (
    MISSING,
    Conflict,
    Conflicts,
    Join,
    Loaded,
    Settle,
    Side,
    Take,
    Tree,
    Waiting,
    left_open,
    of_file,
)

WRITTEN = (
    *("title", "body", "live", "dimension", "sources", "forms", "avoid", "of"),
    *("digest", "position", "edited_at"),
)
# Any number that no other part of the program locks by.
_LOAD_LOCK = 7_301_925


@dataclass
class LoadReport(Loaded):
    """`counts` are of texts, by "new", "changed" and "removed"."""

    counts: Counter[str] = field(default_factory=Counter)


def load(directory: Path, *, take: Side | Take | None = None, check: bool = False) -> LoadReport:
    """Merge the files of `directory` into the database: all of it or nothing.

    Raises CatalogFaults when a file is wrong and Conflicts when both sides changed the
    same thing and `take` does not say whose word stands: one side's for all, or its own
    for each. With `check` nothing is kept.
    """
    files = read_content(directory)
    report = LoadReport(len(files.texts))
    with transaction.atomic():
        _wait_for_other_loads()
        _load(files, take, report)
        transaction.set_rollback(check)
    return report


def _wait_for_other_loads() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOAD_LOCK])


def _load(files: ContentFiles, take: Side | Take | None, report: LoadReport) -> None:
    kept = loaded_texts()
    changed = _changed(files.texts, kept)
    report.changed_files = len(changed)
    standing = _rows(lock=True) if changed else {}
    merged = _merged(changed, files, kept, standing, take)
    report.settled = {name: met for name, (_entries, met) in merged.items() if met}
    if unsettled := left_open(report.settled, take):
        raise Conflicts(unsettled)
    for name, (entries, _met) in merged.items():
        at_desk = {k for k, e in entries.items() if e != files.entries.get(name, {}).get(k)}
        report.counts += _write(name, entries, standing.get(name, ()), at_desk)
    _keep_texts(changed, files.texts)


def waiting(directory: Path) -> Waiting:
    """What a load of `directory` would have to do; only reads, and parses where a file changed.

    Raises CatalogFaults when a file is wrong.
    """
    kept = loaded_texts()
    changed = _changed(read_texts(directory, "*/*.yaml"), kept)
    if not changed:
        return Waiting([], {})
    merged = _merged(changed, read_content(directory), kept, _rows(), None)
    return Waiting(changed, {name: met for name, (_entries, met) in merged.items() if met})


def loaded_texts() -> dict[str, str]:
    """The files as they were last loaded."""
    return dict(ContentFile.objects.values_list("name", "text"))


def _changed(texts: Mapping[str, str], kept: Mapping[str, str]) -> list[str]:
    return sorted(n for n in {*texts, *kept} if texts.get(n) != kept.get(n))


def _merged(
    changed: Iterable[str],
    files: ContentFiles,
    kept: Mapping[str, str],
    standing: Mapping[str, Iterable[ContentEntry]],
    take: Side | Take | None,
) -> dict[str, tuple[Entries, tuple[Conflict, ...]]]:
    merged = {}
    for name in changed:
        base, desk = trusted(name, kept.get(name)), _entries(standing.get(name, ()))
        sides = base, files.entries.get(name, {}), desk
        merged[name] = merge(*sides, of_file(take, name))
    return merged


def merge(
    base: Entries, file: Entries, desk: Entries, take: Side | Settle
) -> tuple[Entries, tuple[Conflict, ...]]:
    """Both sides' changes since `base`; where they conflict the result holds `take`'s side."""
    join = Join(take)
    joined = join((), _tree(base), _tree(file), _tree(desk))
    entries = {key: EntryDocument.model_construct(**fields) for key, fields in joined.items()}
    return entries, tuple(join.conflicts)


def _tree(entries: Entries) -> Tree:
    names = EntryDocument.model_fields
    return {
        key: {name: getattr(entry, name, MISSING) for name in names}
        for key, entry in entries.items()
    }


def _rows(*, lock: bool = False) -> dict[str, list[ContentEntry]]:
    """The rows by the name of their file, in their order."""
    rows: dict[str, list[ContentEntry]] = defaultdict(list)
    found = ContentEntry.objects.order_by("position", "key")
    for row in found.select_for_update() if lock else found:
        rows[f"{row.language}/{row.kind}"].append(row)
    return rows


def _entries(rows: Iterable[ContentEntry]) -> Entries:
    return {row.key: document_of(row) for row in rows}


def document_of(row: ContentEntry) -> EntryDocument:
    """A row as a file would say it: what is empty is left out."""
    names = ("title", "body", "live", "dimension", "forms", "avoid", "of")
    fields: dict[str, Any] = {name: getattr(row, name) or None for name in names}
    sources = [SourceDocument.model_construct(**source) for source in row.sources]
    return EntryDocument.model_construct(**fields, sources=sources or None)


def _columns(entry: EntryDocument) -> dict[str, Any]:
    return {
        "title": entry.title,
        "body": entry.body or "",
        "live": entry.live or "",
        "dimension": entry.dimension or "",
        "sources": [source.model_dump() for source in entry.sources or ()],
        "forms": entry.forms or [],
        "avoid": entry.avoid or [],
        "of": entry.of or "",
        "digest": digest(entry.title, entry.body, entry.live),
    }


def _write(
    name: str, entries: Entries, standing: Iterable[ContentEntry], at_desk: Collection[str]
) -> Counter[str]:
    """Make the rows of one file say what `entries` say."""
    language, _slash, kind = name.partition("/")
    rows = {row.key: row for row in standing}
    new: list[ContentEntry] = []
    changed: list[ContentEntry] = []
    moved: list[ContentEntry] = []  # what they say is as it was
    for position, (key, entry) in enumerate(entries.items()):
        row = rows.pop(key, None)
        if row is None:
            row = ContentEntry(kind=kind, language=language, key=key)
        wanted = {**_columns(entry), "position": position}
        if key not in at_desk:
            wanted["edited_at"] = None  # the file says it now
        others = [column for column, value in wanted.items() if getattr(row, column) != value]
        for column in others:
            setattr(row, column, wanted[column])
        if row.pk is None:
            new.append(row)
        elif others:
            (changed if history.tracked(ContentEntry) & set(others) else moved).append(row)
    for row in rows.values():
        history.because(row, "no longer in its file")
        row.delete()
    why = f"file of texts {name}.yaml"
    history.create(new, why)
    history.update(changed, WRITTEN, why)
    history.move(moved, WRITTEN)
    return +Counter(new=len(new), changed=len(changed) + len(moved), removed=len(rows))


def _keep_texts(changed: Iterable[str], texts: Mapping[str, str]) -> None:
    ContentFile.objects.filter(name__in=[name for name in changed if name not in texts]).delete()
    now = timezone.now()
    ContentFile.objects.bulk_create(
        [ContentFile(name=n, text=texts[n], loaded_at=now) for n in changed if n in texts],
        update_conflicts=True,
        unique_fields=["name"],
        update_fields=["text", "loaded_at"],
    )


def dump(directory: Path) -> dict[str, bool]:
    """Write the database as files; by name, whether the file differs from the one last loaded.

    What nobody changed is written as it was read, comments and all.
    """
    dumped = dump_texts()
    for name, (text, _changed) in dumped.items():
        path = directory / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return {name: changed for name, (_text, changed) in dumped.items()}


def dump_texts() -> dict[str, tuple[str, bool]]:
    """What `dump` writes: by name, the text and whether it differs from the file last loaded."""
    kept = loaded_texts()
    texts: dict[str, tuple[str, bool]] = {}
    for name, rows in _rows().items():
        entries = _entries(rows)
        base = trusted(name, kept.get(name))
        same = list(entries) == list(base) and _tree(entries) == _tree(base)
        texts[name] = (kept[name] if same else canonical.text_of(entries), not same)
    return texts
