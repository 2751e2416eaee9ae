"""What of the texts waits for curators, and their files, for the desk's front page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from django.db.models import Count, Min
from django.urls import reverse

from checks.content import store
from checks.content.standing import wanting
from checks.models import ContentEntry
from providers.catalog.merge import Conflict, Loaded, Take
from providers.desk.backlog import conflict_piles
from providers.desk.places import Place, Places, field_words
from providers.desk.records import Records
from providers.desk.records import register as register_records
from providers.desk.work import Pile, Work, register

_LIST = "admin:checks_contententry_changelist"


def _texts(_now: datetime) -> Iterator[Pile]:
    found = wanting(ContentEntry.objects.order_by()).aggregate(
        number=Count("pk"), since=Min("edited_at")
    )
    url = f"{reverse(_LIST)}?standing=wanting"
    label = "Texts to translate"
    note = "a translation is missing or outdated"
    yield Pile("texts", label, found["number"], url, found["since"], note)


def _places(conflicts: Mapping[str, Sequence[Conflict]]) -> Places:
    """The places of conflicts in files of texts; one query for all of them."""
    rows = ContentEntry.objects.all() if conflicts else ()
    pages = {
        (f"{row.language}/{row.kind}", row.key): reverse(
            "admin:checks_contententry_change", args=[row.pk]
        )
        for row in rows
    }

    def place(name: str, conflict: Conflict) -> Place:
        words = " › ".join([name, *map(field_words, conflict.path)])
        key = conflict.path[0] if conflict.path else ""
        return Place(words, pages.get((name, str(key)), ""))

    return place


def _load(directory: Path, take: Take) -> Loaded:
    return store.load(directory, take=take)


CONTENT = Records(
    title="Texts",
    setting="CONTENT_DIR",
    look=("checks.view_contententry", "checks.change_contententry"),
    settle="checks.change_contententry",
    waiting=store.waiting,
    load=_load,
    loaded=store.loaded_texts,
    texts=store.dump_texts,
    places=_places,
)

_WORK = (
    Work(key="texts", place=9, look=CONTENT.look, piles=_texts),
    Work(
        key="text-conflicts",
        place=11,
        look=CONTENT.look,
        piles=lambda _now: conflict_piles(CONTENT),
    ),
)


def register_desk() -> None:
    register_records(CONTENT)
    for work in _WORK:
        register(work)
