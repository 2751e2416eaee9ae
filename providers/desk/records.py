"""Directories of files that hold what the desk edits. Each app says which are its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest

from gpucompare.roles import LOAD_FILES
from providers.catalog import store
from providers.catalog.merge import Conflict, Loaded, Take, Waiting
from providers.desk.places import Places, catalog_places


@dataclass(frozen=True)
class Records:
    """The files of one directory: how they are loaded, and what a dump would write."""

    title: str
    setting: str  # the setting that names their directory
    look: tuple[str, ...]  # permissions of which one is enough to see them
    settle: str  # the permission to load them
    waiting: Callable[[Path], Waiting]
    load: Callable[[Path, Take], Loaded]
    loaded: Callable[[], Mapping[str, str]]  # as they were last loaded
    texts: Callable[[], Mapping[str, tuple[str, bool]]]
    places: Callable[[Mapping[str, Sequence[Conflict]]], Places]

    @property
    def directory(self) -> Path:
        found: Path = getattr(settings, self.setting)
        return found

    def shown_to(self, request: HttpRequest) -> bool:
        return any(request.user.has_perm(each) for each in self.look)

    def settled_by(self, request: HttpRequest) -> bool:
        return request.user.has_perm(self.settle)


def _load(directory: Path, take: Take) -> Loaded:
    return store.load(directory, take=take)


CATALOG = Records(
    title="Catalog",
    setting="CATALOG_DIR",
    look=("providers.view_catalogfile", LOAD_FILES),
    settle=LOAD_FILES,
    waiting=store.waiting,
    load=_load,
    loaded=store.loaded_texts,
    texts=store.dump_texts,
    places=catalog_places,
)

_all: list[Records] = []


def register(records: Records) -> None:
    _all.append(records)


def shown_records(request: HttpRequest) -> list[Records]:
    """Those whose files who asks may see."""
    return [records for records in _all if records.shown_to(request)]
