"""The tasks: what they tell, when they try again and how long they wait; what is queued when."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from celery import Task
from celery.exceptions import Retry
from django.db import InterfaceError, OperationalError, connection
from django.utils import timezone
from kombu.simple import SimpleQueue

from gpucompare.celery import app
from providers.models import ExchangeRate, Outcome, RefreshRun, SourceState
from providers.refresh.enabled import enabled, key_variable
from providers.refresh.run import _LOCKS, _lock_number
from providers.refresh.schedule import SPREAD, beat_schedule, interval, interval_variable
from providers.sources import SOURCES
from providers.sources.base import RefusedError
from providers.sources.http import Bounds, HttpClient
from providers.tasks import (
    enqueue_due,
    forget_notes,
    refresh_rates,
    refresh_source,
    roll_up_prices,
)
from tests.fleet import addresses
from tests.provider_server import ProviderServer, body, html, running, sample, status, throttled

pytestmark = pytest.mark.django_db

RATES = b"<Cube time='2026-11-30'><Cube currency='USD' rate='1.25'/></Cube>"
LONGEST_S = 30 * 60


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[ProviderServer]:
    """Plays every provider; a client tries its call only once, so that no test waits."""
    with running() as server:
        for variable, address in addresses(server).items():
            monkeypatch.setenv(variable, address)
        defaults = HttpClient.__init__.__kwdefaults__
        assert defaults
        monkeypatch.setitem(defaults, "bounds", Bounds(tries=1))
        yield server


@pytest.fixture(autouse=True)
def queued(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, SimpleQueue]]:
    """The queues, in this process's memory instead of the checkout's own files."""
    monkeypatch.setitem(app.conf, "broker_url", "memory://")
    monkeypatch.setitem(app.conf, "broker_transport_options", {})
    app._after_fork()  # type: ignore[attr-defined]  # lets go of what led to the other broker
    with app.connection_for_write() as broker:
        queues = {name: broker.SimpleQueue(name) for name in ("refresh", "default")}
        for queue in queues.values():
            queue.clear()
        yield queues
    app._after_fork()  # type: ignore[attr-defined]


def taken(queue: SimpleQueue) -> list[Any]:
    """The messages of a queue, which is empty then."""
    return [queue.get_nowait() for _ in range(queue.qsize())]


def ran(task: Task[..., Any], *args: str, retries: int = 0) -> Any:
    """What a worker would get of it. Raises Retry where it is to run again."""
    task.push_request(
        id="this", args=args, kwargs={}, retries=retries, called_directly=False, is_eager=False
    )
    try:
        return task.run(*args)
    finally:
        task.pop_request()


def pause(task: Task[..., Any], *args: str, retries: int = 0) -> float:
    """Seconds until it is to run again."""
    with pytest.raises(Retry) as asked:
        ran(task, *args, retries=retries)
    when = asked.value.when
    assert isinstance(when, int | float)
    return when


# --- One refresh ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [(status(401), "refused"), (html, "malformed"), (sample, "rejected")],
    ids=["refused", "malformed", "rejected"],
)
def test_what_more_tries_would_not_change_is_not_tried_again(
    provider: ProviderServer, queued: dict[str, SimpleQueue], answer: Any, outcome: str
) -> None:
    provider.always = answer
    assert ran(refresh_source, "akash") == outcome
    assert taken(queued["refresh"]) == []


@pytest.mark.parametrize(
    ("answer", "outcome"), [(status(503), "unreachable"), (throttled(), "throttled")]
)
def test_what_may_pass_is_queued_again_on_the_queue_of_refreshes(
    provider: ProviderServer, queued: dict[str, SimpleQueue], answer: Any, outcome: str
) -> None:
    provider.always = answer
    assert pause(refresh_source, "akash") > 0
    assert RefreshRun.objects.get().outcome == outcome
    (again,) = taken(queued["refresh"])
    assert (again.headers["retries"], again.headers["argsrepr"]) == (1, "('akash',)")
    assert again.headers["eta"] is not None


def test_after_three_more_tries_the_outcome_stands(
    provider: ProviderServer, queued: dict[str, SimpleQueue]
) -> None:
    provider.always = status(503)
    assert pause(refresh_source, "akash", retries=2)
    taken(queued["refresh"])
    assert ran(refresh_source, "akash", retries=3) == "unreachable"
    assert taken(queued["refresh"]) == []


def test_the_pause_doubles_and_differs_within_bounds(provider: ProviderServer) -> None:
    provider.always = status(503)
    for retries, longest in enumerate((60, 120, 240)):
        pauses = {pause(refresh_source, "akash", retries=retries) for _ in range(8)}
        assert longest / 2 <= min(pauses)
        assert max(pauses) <= longest
        assert len(pauses) > 1


@pytest.mark.parametrize(
    ("asked", "least", "most"),
    [("600", 600, 600), ("1", 30, 60), ("999999999", LONGEST_S, LONGEST_S), ("soon", 30, 60)],
)
def test_the_provider_is_given_the_time_it_asks_for_within_bounds(
    provider: ProviderServer, asked: str, least: float, most: float
) -> None:
    provider.always = throttled(asked)
    assert least <= pause(refresh_source, "akash") <= most


@contextmanager
def refreshed_elsewhere(slug: str) -> Iterator[None]:
    known = connection.get_connection_params()
    parameters = {name: known[name] for name in ("host", "port", "user", "dbname") if name in known}
    with psycopg.connect(**parameters) as other:
        other.execute("SELECT pg_advisory_lock(%s, %s)", [_LOCKS, _lock_number(slug)])
        yield


def test_a_source_that_is_refreshed_elsewhere_is_told_so_and_not_asked(
    provider: ProviderServer, queued: dict[str, SimpleQueue]
) -> None:
    with refreshed_elsewhere("akash"):
        assert ran(refresh_source, "akash") == "already running"
    assert (provider.seen, taken(queued["refresh"])) == ([], [])


@pytest.mark.parametrize("fault", [OperationalError("gone"), InterfaceError("closed")], ids=repr)
def test_a_database_that_is_away_is_waited_for(provider: ProviderServer, fault: Exception) -> None:
    def away(*_args: Any) -> None:
        raise fault

    with connection.execute_wrapper(away):
        assert 30 <= pause(refresh_source, "akash") <= 60
        with pytest.raises(type(fault)):
            ran(refresh_source, "akash", retries=3)


def test_a_database_that_was_away_in_the_middle_is_tried_again(provider: ProviderServer) -> None:
    def away_for_offerings(execute: Any, sql: str, *rest: Any) -> Any:
        if "providers_offering" in sql:
            raise OperationalError("terminating connection due to administrator command")
        return execute(sql, *rest)

    with connection.execute_wrapper(away_for_offerings):
        assert 30 <= pause(refresh_source, "akash") <= 60
    assert RefreshRun.objects.get().outcome == Outcome.FAILED


def test_a_mistake_of_ours_is_not_tried_again(provider: ProviderServer) -> None:
    def mistaken(execute: Any, sql: str, *rest: Any) -> Any:
        if "providers_offering" in sql:
            raise ZeroDivisionError
        return execute(sql, *rest)

    with connection.execute_wrapper(mistaken):
        assert ran(refresh_source, "akash") == "failed"


# --- Exchange rates ------------------------------------------------------------------


def test_rates_are_stored_once(provider: ProviderServer) -> None:
    provider.always = body(RATES)
    assert (ran(refresh_rates), ran(refresh_rates)) == (1, 0)
    assert ExchangeRate.objects.get().currency == "EUR"
    assert {seen.path for seen in provider.seen} == {"/ecb/stats/eurofxref/eurofxref-daily.xml"}


def test_rates_are_asked_for_again_only_where_that_may_help(provider: ProviderServer) -> None:
    provider.always = throttled("600")
    assert pause(refresh_rates) == 600
    provider.always = status(403)
    with pytest.raises(RefusedError):
        ran(refresh_rates)


# --- What is due ---------------------------------------------------------------------


def test_at_first_all_that_need_no_key_are_due_and_the_rates_too(
    queued: dict[str, SimpleQueue],
) -> None:
    due = enqueue_due()
    assert due == enabled()
    refreshes = taken(queued["refresh"])
    tasks = [message.headers["task"] for message in refreshes]
    assert tasks == ["providers.tasks.refresh_source"] * len(due) + [
        "providers.tasks.refresh_rates"
    ]
    assert [message.payload[0][0] for message in refreshes[:-1]] == due
    assert taken(queued["default"]) == []


def test_a_source_is_due_when_its_last_good_run_is_older_than_its_interval() -> None:
    first, second, third = enabled()[:3]
    now, margin = timezone.now(), timedelta(minutes=1)
    SourceState.objects.create(slug=first, good_at=now - SOURCES[first].interval + margin)
    SourceState.objects.create(slug=second, good_at=now - SOURCES[second].interval - margin)
    SourceState.objects.create(slug=third, good_at=None)
    due = enqueue_due()
    assert first not in due
    assert {second, third} <= set(due)


def test_a_good_run_that_is_yet_to_come_keeps_no_source_from_being_read() -> None:
    first, second = enabled()[:2]
    SourceState.objects.create(slug=first, good_at=timezone.now() + timedelta(hours=20))
    SourceState.objects.create(slug=second, good_at=timezone.now() + timedelta(seconds=20))
    due = enqueue_due()
    assert first in due
    assert second not in due  # another machine's clock is a little ahead


def test_a_source_with_an_interval_of_its_own_is_due_by_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slug = enabled()[0]
    SourceState.objects.create(slug=slug, good_at=timezone.now() - timedelta(minutes=10))
    assert slug not in enqueue_due()
    monkeypatch.setenv(interval_variable(slug), "5")
    assert slug in enqueue_due()


# --- The clock -----------------------------------------------------------------------


def test_the_clock_knows_every_source_that_can_run_and_the_rates() -> None:
    planned = beat_schedule({})
    refreshes = [entry for entry in planned.values() if entry["task"] == refresh_source.name]
    assert [entry["args"] for entry in refreshes] == [[slug] for slug in enabled({})]
    assert {entry["task"] for entry in planned.values()} >= {
        refresh_source.name,
        refresh_rates.name,
        forget_notes.name,
        roll_up_prices.name,
    }
    assert {entry["task"] for entry in planned.values()} <= set(app.tasks)


def test_a_key_puts_a_source_on_the_clock() -> None:
    slug = next(slug for slug, kind in SOURCES.items() if kind.needs_key)
    assert f"refresh {slug}" not in beat_schedule({})
    assert f"refresh {slug}" in beat_schedule({key_variable(slug): "secret"})
    assert "secret" not in str(beat_schedule({key_variable(slug): "secret"}))


def test_no_two_sources_start_together() -> None:
    planned = beat_schedule({}).values()
    refreshes = [entry for entry in planned if entry["task"] == refresh_source.name]
    waits = [entry["options"]["countdown"] for entry in refreshes]
    assert len(set(waits)) == len(waits) == len(enabled({}))
    assert min(waits) == 0
    assert max(waits) < SPREAD.total_seconds()


def test_a_refresh_that_nobody_came_to_is_dropped_when_the_next_is_queued() -> None:
    for entry in beat_schedule({}).values():
        wait = entry["options"].get("countdown", 0)
        every = entry["schedule"].total_seconds()
        assert every <= entry["options"]["expires"] <= every + SPREAD.total_seconds()
        assert wait < entry["options"]["expires"]


@pytest.mark.parametrize("minutes", ["1", "90", "10080"])
def test_the_interval_comes_from_the_environment(minutes: str) -> None:
    slug = enabled({})[0]
    environ = {interval_variable(slug): minutes}
    assert interval(slug, environ) == timedelta(minutes=int(minutes))
    assert beat_schedule(environ)[f"refresh {slug}"]["schedule"] == timedelta(minutes=int(minutes))
    assert interval(slug, {}) == interval(slug, {interval_variable(slug): ""})
    assert interval(slug, {}) == SOURCES[slug].interval


@pytest.mark.parametrize("minutes", ["0", "10081", "-5", "1.5", "hourly", "²", " 5", "9" * 30])
def test_an_interval_that_is_none_is_refused_with_its_variable(minutes: str) -> None:
    with pytest.raises(ValueError, match=r"GPUCOMPARE_SOURCE_VAST_MINUTES=.*: give minutes"):
        beat_schedule({"GPUCOMPARE_SOURCE_VAST_MINUTES": minutes})
