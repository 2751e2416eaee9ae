"""The task that watches sources: weekly, in slices that make way for refreshes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import override_settings
from kombu.simple import SimpleQueue

from gpucompare.celery import app
from providers import tasks
from providers.models import SourcePage
from providers.refresh.schedule import beat_schedule
from tests.factories import make_offering
from tests.watching import Site, html, played

pytestmark = pytest.mark.django_db
site = pytest.fixture(played)


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleQueue]:
    """In this process's memory instead of the checkout's own files."""
    monkeypatch.setitem(app.conf, "broker_url", "memory://")
    monkeypatch.setitem(app.conf, "broker_transport_options", {})
    app._after_fork()  # type: ignore[attr-defined]  # lets go of what led to the other broker
    with app.connection_for_write() as broker:
        found = broker.SimpleQueue("default")
        found.clear()
        yield found
    app._after_fork()  # type: ignore[attr-defined]


def ran(site: Site, *args: Any) -> str:
    with override_settings(WATCH_ALLOW=[site.host], WATCH_PAUSE_S=0):
        told: str = tasks.watch_sources.run(*args)
    return told


def two_pages(site: Site) -> None:
    offering = make_offering()
    for path in ("/a", "/b"):
        site.pages[path] = html()
        site.claim(offering, path)


def test_a_round_that_ends_leaves_nothing_in_the_queue(site: Site, queue: SimpleQueue) -> None:
    two_pages(site)
    assert ran(site) == "2 looked at, 0 left"
    assert queue.qsize() == 0


def test_a_round_that_takes_long_queues_what_is_left_of_it(
    site: Site, queue: SimpleQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    two_pages(site)
    monkeypatch.setattr(tasks, "_WATCH_S", 0)
    assert ran(site) == "0 looked at, 2 left"
    (since, failing), _named, _chain = queue.get_nowait().payload
    assert datetime.fromisoformat(since).tzinfo
    assert failing is False
    monkeypatch.undo()
    assert ran(site, since, failing) == "2 looked at, 0 left"
    assert ran(site, since, failing) == "0 looked at, 0 left"
    assert SourcePage.objects.count() == 2


def test_sources_are_looked_at_weekly_and_those_that_failed_daily() -> None:
    entries = [
        (each["schedule"], each.get("kwargs", {}))
        for each in beat_schedule({}).values()
        if each["task"] == tasks.watch_sources.name
    ]
    assert entries == [(timedelta(days=7), {}), (timedelta(days=1), {"failing": True})]
