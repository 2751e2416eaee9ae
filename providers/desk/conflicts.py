"""What files and desk changed differently, and a load that settles each as a curator chose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from django.db import transaction

from providers.catalog.faults import CatalogFaults
from providers.catalog.merge import Conflict, Conflicts, Loaded, Side
from providers.desk.places import Place, side_lines
from providers.desk.records import Records

_SIDES = frozenset(side.value for side in Side)


@dataclass(frozen=True)
class Shown:
    """A conflict as a curator sees it. Its id is another when any of its sides changes."""

    id: str
    file_name: str
    place: Place
    base: Sequence[str]
    file: Sequence[str]
    desk: Sequence[str]
    chosen: str = ""
    fresh: bool = False  # not as it was shown before, or not shown at all


@dataclass(frozen=True)
class Screen:
    """The conflicts of one directory, and the files that a load would take up."""

    records: Records
    conflicts: Sequence[Shown] = ()
    files: Sequence[str] = ()
    faults: Sequence[str] = ()
    gone: Sequence[str] = ()  # places of conflicts that were shown and are none any more

    @property
    def changed(self) -> bool:
        return bool(self.gone) or any(each.fresh for each in self.conflicts)


@dataclass(frozen=True)
class Choices:
    """What a form says: the conflicts that it showed, in words by id, and a side for each."""

    seen: Mapping[str, str] = field(default_factory=dict)
    sides: Mapping[str, Side] = field(default_factory=dict)
    others: Side | None = None

    def of(self, conflict: str) -> Side | None:
        return self.sides.get(conflict, self.others) if conflict in self.seen else None


class ChangedSinceShownError(Exception):
    """Something that the curator decided on is not as it was shown."""


def screen(records: Records, choices: Choices | None = None) -> Screen:
    """How files and desk stand now; beside what was chosen, with what changed since."""
    try:
        waiting = records.waiting(records.directory)
    except CatalogFaults as wrong:
        return Screen(records, faults=[str(fault) for fault in wrong.faults])
    places = records.places(waiting.conflicts)
    told = choices or Choices()
    shown = []
    for name, conflicts in waiting.conflicts.items():
        for conflict in conflicts:
            key = identity(name, conflict)
            fresh = choices is not None and key not in told.seen
            side = told.sides.get(key, "")
            place = places(name, conflict)
            lines = side_lines(conflict)
            shown.append(Shown(key, f"{name}.yaml", place, *lines, chosen=side, fresh=fresh))
    now = {each.id for each in shown}
    gone = [words for key, words in told.seen.items() if key not in now]
    return Screen(records, shown, waiting.files, gone=gone)


def settle(records: Records, choices: Choices) -> Loaded:
    """Load the files with these choices: all of it, or nothing.

    Raises ChangedSinceShownError when a conflict is not as it was shown or is none any more,
    Conflicts when one has no choice, and CatalogFaults when a file is wrong.
    """
    met: set[str] = set()

    def take(name: str, conflict: Conflict) -> Side | None:
        key = identity(name, conflict)
        met.add(key)
        return choices.of(key)

    with transaction.atomic():
        try:
            loaded = records.load(records.directory, take)
        except Conflicts:
            if met != choices.seen.keys():
                raise ChangedSinceShownError from None
            raise
        # In the transaction of the load: what it wrote goes, too.
        if met != choices.seen.keys():
            raise ChangedSinceShownError
    return loaded


def identity(name: str, conflict: Conflict) -> str:
    """Stands for a conflict with all that its sides say."""
    said = repr((name, conflict.path, conflict.base, conflict.file, conflict.desk))
    return sha256(said.encode()).hexdigest()[:24]


def read_choices(seen: str, sides: Iterable[tuple[str, str]], others: str) -> Choices:
    """What a form sent; `seen` has a line for each conflict: its id, and its place in words."""
    lines = (line.partition(" ") for line in seen.splitlines() if line.strip())
    known = {key: words for key, _space, words in lines}
    chosen = {key: Side(side) for key, side in sides if key in known and side in _SIDES}
    return Choices(known, chosen, Side(others) if others in _SIDES else None)


def seen_text(shown: Sequence[Shown]) -> str:
    """What a form sends back of the conflicts that it showed."""
    return "\n".join(f"{each.id} {each.place.words}" for each in shown)
