"""What workers do. Thin: each task names the service that does it."""

from __future__ import annotations

import random
from typing import Any

from celery import Task
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from gpucompare.celery import app
from providers.models import Outcome, SourceState
from providers.refresh.enabled import enabled, source
from providers.refresh.rates import ECB_URL, fetch_rates
from providers.refresh.run import AlreadyRunningError, refresh
from providers.sources import SOURCES
from providers.sources.base import TemporarySourceError
from providers.sources.http import HttpClient

# Worth another try: the provider was away, or the database was.
_TEMPORARY = (Outcome.UNREACHABLE, Outcome.THROTTLED)
_RETRIES = 3
_FIRST_PAUSE_S = 60


def _pause(task: Task[..., Any]) -> int:
    """Seconds until the next try: longer each time, and not the same for all."""
    longest = _FIRST_PAUSE_S * 2**task.request.retries
    return random.randint(longest // 2, longest)  # noqa: S311 -- no secret depends on it


@app.task(bind=True, max_retries=_RETRIES)
def refresh_source(self: Task[..., Any], slug: str) -> str:
    """Refresh one source; its outcome. Temporary failures are tried again later."""
    try:
        run = refresh(source(slug), HttpClient.of(SOURCES[slug]))
    except AlreadyRunningError:
        return "already running"
    except (OperationalError, InterfaceError) as fault:
        raise self.retry(exc=fault, countdown=_pause(self)) from fault
    if run.outcome in _TEMPORARY and self.request.retries < _RETRIES:
        raise self.retry(countdown=_pause(self))
    return str(run.outcome)


@app.task(bind=True, max_retries=_RETRIES)
def refresh_rates(self: Task[..., Any]) -> int:
    """Fetch the day's exchange rates; how many are new."""
    try:
        return fetch_rates(HttpClient(ECB_URL))
    except (TemporarySourceError, OperationalError, InterfaceError) as fault:
        raise self.retry(exc=fault, countdown=_pause(self)) from fault


def enqueue_due() -> list[str]:
    """Queue the sources that have no good run within their interval; beat does the rest."""
    states = dict(SourceState.objects.values_list("slug", "good_at"))
    now = timezone.now()
    due = [
        slug
        for slug in enabled()
        if not (good_at := states.get(slug)) or now - good_at > SOURCES[slug].interval
    ]
    for slug in due:
        refresh_source.delay(slug)
    refresh_rates.delay()
    return due
