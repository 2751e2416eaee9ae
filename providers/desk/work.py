"""What waits for curators. Each app says what of its own does, and its front page counts it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from django.http import HttpRequest

# How many things the front page proposes to do next.
NEXT: Final = 5


@dataclass(frozen=True)
class Pile:
    """So many of a kind, with the list that holds them and no others."""

    key: str
    label: str
    number: int
    url: str
    since: date | datetime | None = None  # of the oldest; None where no day is known
    note: str = ""
    waits: bool = True  # whether somebody has to do something about it


@dataclass(frozen=True)
class Task:
    """One thing to do, with the page where it is done."""

    words: str
    url: str
    since: date | datetime | None = None


def _none(_now: datetime, _most: int) -> Sequence[Task]:
    return ()


@dataclass(frozen=True)
class Work:
    """A kind of work. `turn` is where its tasks come among those of others, first at 1."""

    key: str
    place: int  # among the counts
    look: tuple[str, ...]  # permissions of which one is enough to see the counts
    piles: Callable[[datetime], Iterable[Pile]]
    turn: int = 0
    do: str = ""  # the permission to do it
    why: str = ""  # why it has its turn
    tasks: Callable[[datetime, int], Sequence[Task]] = _none


_registered: dict[str, Work] = {}


def register(work: Work) -> None:
    _registered[work.key] = work


def piles(request: HttpRequest, now: datetime) -> list[Pile]:
    """What who asks may see of what waits."""
    found = sorted(_registered.values(), key=lambda work: work.place)
    seen = (work for work in found if any(map(request.user.has_perm, work.look)))
    return [pile for work in seen for pile in work.piles(now)]


def turns(request: HttpRequest) -> list[Work]:
    """The kinds of work that who asks may do, in the order in which they are best done."""
    able = (w for w in _registered.values() if w.turn and request.user.has_perm(w.do))
    return sorted(able, key=lambda work: work.turn)


def next_tasks(request: HttpRequest, now: datetime) -> list[Task]:
    """The first few things to do; what comes later is asked for only where there is room."""
    tasks: list[Task] = []
    for work in turns(request):
        if len(tasks) < NEXT:
            tasks += work.tasks(now, NEXT - len(tasks))
    return tasks
