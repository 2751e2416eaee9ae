"""What workers do. Thin: each task names the service that does it."""

from __future__ import annotations

import math
import os
import random
from typing import Any

from celery import Task
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from gpucompare.celery import app
from providers.models import Outcome, RefreshRun, SourceState
from providers.refresh.enabled import enabled, source
from providers.refresh.network import client, rates_client
from providers.refresh.rates import fetch_rates
from providers.refresh.run import AlreadyRunningError, refresh
from providers.refresh.schedule import interval
from providers.sources.base import TemporarySourceError

# Worth another try: the provider was away, or the database was.
_TEMPORARY = (Outcome.UNREACHABLE, Outcome.THROTTLED)
_DATABASE_AWAY = (OperationalError, InterfaceError)
_RETRIES = 3
_FIRST_PAUSE_S = 60
# A task that waits is handed out again after the queue's visibility time-out: stay well below.
_LONGEST_PAUSE_S = 30 * 60


def _pause(task: Task[..., Any], asked: float | None) -> int:
    """Seconds until the next try: longer each time, not the same for all, and as `asked`."""
    longest = _FIRST_PAUSE_S * 2**task.request.retries
    own = random.randint(longest // 2, longest)  # noqa: S311 -- no secret depends on it
    return min(max(own, math.ceil(asked or 0)), _LONGEST_PAUSE_S)


def _is_temporary(run: RefreshRun) -> bool:
    """Also where the database went away and was back in time to hear of it."""
    away = run.error_class in {fault.__name__ for fault in _DATABASE_AWAY}
    return run.outcome in _TEMPORARY or (run.outcome == Outcome.FAILED and away)


@app.task(bind=True, max_retries=_RETRIES)
def refresh_source(self: Task[..., Any], slug: str) -> str:
    """Refresh one source; its outcome. Temporary failures are tried again later."""
    try:
        run = refresh(source(slug), client(slug))
    except AlreadyRunningError:
        return "already running"
    except _DATABASE_AWAY as fault:
        raise self.retry(exc=fault, countdown=_pause(self, None)) from fault
    if _is_temporary(run) and self.request.retries < _RETRIES:
        raise self.retry(countdown=_pause(self, run.retry_after))
    return str(run.outcome)


@app.task(bind=True, max_retries=_RETRIES)
def refresh_rates(self: Task[..., Any]) -> int:
    """Fetch the day's exchange rates; how many are new."""
    try:
        return fetch_rates(rates_client())
    except TemporarySourceError as fault:
        raise self.retry(exc=fault, countdown=_pause(self, fault.retry_after)) from fault
    except _DATABASE_AWAY as fault:
        raise self.retry(exc=fault, countdown=_pause(self, None)) from fault


def enqueue_due() -> list[str]:
    """Queue the sources that have no good run within their interval; beat does the rest."""
    states = dict(SourceState.objects.values_list("slug", "good_at"))
    now = timezone.now()
    due = [
        slug
        for slug in enabled()
        if not (good_at := states.get(slug)) or now - good_at > interval(slug, os.environ)
    ]
    for slug in due:
        refresh_source.delay(slug)
    refresh_rates.delay()
    return due
