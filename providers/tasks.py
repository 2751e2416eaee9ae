"""What workers do. Thin: each task names the service that does it."""

from __future__ import annotations

import math
import os
import random
from datetime import datetime, timedelta
from typing import Any

from celery import Task
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from gpucompare.celery import app
from providers.corrections import store
from providers.models import Outcome, RefreshRun, SourceState
from providers.price_roll_up import AlreadyRollingError, roll_up
from providers.refresh.enabled import enabled, source
from providers.refresh.network import client, rates_client
from providers.refresh.rates import fetch_rates
from providers.refresh.run import AlreadyRunningError, refresh
from providers.refresh.schedule import interval
from providers.sources.base import TemporarySourceError
from providers.watch.fetch import visitor
from providers.watch.round import AlreadyWatchingError, Chosen, watch

# Worth another try: the provider was away, or the database was.
_TEMPORARY = (Outcome.UNREACHABLE, Outcome.THROTTLED)
_DATABASE_AWAY = (OperationalError, InterfaceError)
_RETRIES = 3
_FIRST_PAUSE_S = 60
# A task that waits is handed out again after the queue's visibility time-out: stay well below.
_LONGEST_PAUSE_S = 30 * 60
# How long one task looks at sources, or rolls up prices, before it makes way.
_WATCH_S = _ROLL_UP_S = 4 * 60
# What is later than that by ours was written by a clock that was put back since.
_CLOCKS_DIFFER = timedelta(minutes=1)


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


@app.task
def forget_notes() -> int:
    """Empty the notes of corrections that are older than they may be; how many were."""
    return store.forget_notes(timezone.now())


@app.task
def roll_up_prices() -> str:
    """Roll up the prices that grew old; it ends after some minutes and queues the rest."""
    try:
        found = roll_up(timezone.now(), within_s=_ROLL_UP_S)
    except AlreadyRollingError:
        return "already running"
    if found.left:
        roll_up_prices.delay()
    return f"{found.total()} taken away"


@app.task
def watch_sources(since: str = "", failing: bool = False) -> str:
    """Look at the sources that claims cite and that were not looked at `since`, an ISO moment.

    It ends after some minutes and queues the rest, so that refreshes get their turn.
    """
    begun = datetime.fromisoformat(since) if since else timezone.now()
    chosen = Chosen(before=begun, failing=failing, within_s=_WATCH_S)
    try:
        told = watch(visitor(), chosen)
    except AlreadyWatchingError:
        return "already running"
    if told.left:
        watch_sources.delay(begun.isoformat(), failing)
    return f"{told.looks.total()} looked at, {told.left} left"


def enqueue_due() -> list[str]:
    """Queue the sources that have no good run within their interval; beat does the rest."""
    states = dict(SourceState.objects.values_list("slug", "good_at"))
    now = timezone.now()
    due = [
        slug
        for slug in enabled()
        if not (good_at := states.get(slug))
        or now - good_at > interval(slug, os.environ)
        or good_at - now > _CLOCKS_DIFFER
    ]
    for slug in due:
        refresh_source.delay(slug)
    refresh_rates.delay()
    return due
