"""The first page of the desk: what waits, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from django.contrib import admin
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils import timezone

from gpucompare import spoken
from providers.desk import records, work
from providers.desk.work import Pile, Task


@dataclass(frozen=True)
class Counted:
    pile: Pile
    age: str


@dataclass(frozen=True)
class Proposed:
    task: Task
    age: str


def front(request: HttpRequest) -> TemplateResponse:
    """Django's own index below the work."""
    response = admin.site.index(request, _context(request))
    response.template_name = "admin/desk/front.html"
    return response


def _context(request: HttpRequest) -> dict[str, object]:
    now = timezone.now()
    piles = [Counted(pile, _age(pile.since, now)) for pile in work.piles(request, now)]
    return {
        "title": "What waits",
        "piles": piles,
        "tasks": [Proposed(t, _age(t.since, now)) for t in work.next_tasks(request, now)],
        "order": [each.why for each in work.turns(request)],
        "may_dump": bool(records.shown_records(request)),
    }


def _age(since: date | datetime | None, now: datetime) -> str:
    """How long ago, in days where it is one at least; nothing where no day is known."""
    if since is None:
        return ""
    days = (now - since).days if isinstance(since, datetime) else (now.date() - since).days
    if days > 0:
        return f"{days} day{'' if days == 1 else 's'} ago"
    return spoken.ago(since, now) if isinstance(since, datetime) else "today"
