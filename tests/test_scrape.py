"""The metrics, for whoever holds the token: what was counted, and what is read for them alone."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from gpucompare import metrics, metrics_folder
from providers.models import Outcome, RefreshRun, SourceState
from providers.refresh.enabled import enabled
from providers.refresh.schedule import interval
from providers.sources import SOURCES
from tests.fleet import REDIS, Redis
from tests.processes import free_port
from tests.test_settings import refusal

TOKEN = "a-token-for-these-tests"

needs_redis = pytest.mark.skipif(REDIS is None, reason="redis-server is not installed")


@pytest.fixture(autouse=True)
def _alone(settings: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A token, no Redis, and a folder in which nobody has counted yet."""
    settings.METRICS_TOKEN, settings.REDIS_URL = TOKEN, ""
    monkeypatch.setattr(metrics.FOLDER, "path", tmp_path / "metrics")
    monkeypatch.setattr(metrics.FOLDER, "_pid", None)
    monkeypatch.setattr(metrics.FOLDER, "_lock", None)


def ask(authorization: str = f"Bearer {TOKEN}") -> Any:
    return Client().get("/metrics", headers={"Authorization": authorization})


def told() -> Mapping[str, Mapping[str, float]]:
    """Values by name, and by labels in the order of their names: {"gpucompare_…": {"vast": 7}}."""
    answer = ask()
    assert answer.status_code == 200
    found: dict[str, dict[str, float]] = {}
    for family in text_string_to_metric_families(answer.content.decode()):
        for sample in family.samples:
            labels = " ".join(value for _name, value in sorted(sample.labels.items()))
            found.setdefault(sample.name, {})[labels] = sample.value
    return found


# --- Who may ask -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer ", TOKEN, f"Basic {TOKEN}", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}"],
)
def test_without_the_token_there_is_nothing_here(authorization: str) -> None:
    answer = ask(authorization)
    assert (answer.status_code, answer.content) == (404, b"not found\n")


def test_letters_of_any_kind_are_no_token() -> None:
    assert ask("Bearer é").status_code == 404


@pytest.mark.parametrize("authorization", ["Bearer ", "Bearer None", ""])
def test_where_no_token_is_set_nobody_may_ask(settings: Any, authorization: str) -> None:
    settings.METRICS_TOKEN = ""
    assert ask(authorization).status_code == 404


def test_a_token_that_is_easy_to_guess_is_refused_in_one_line(tmp_path: Any) -> None:
    assert "give 16 characters" in refusal(tmp_path, GPUCOMPARE_METRICS_TOKEN="short")


# --- What was counted ----------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_what_was_counted_is_told_in_prometheus_own_words() -> None:
    for _ in range(2):
        Client().get("/healthz")
    answer = ask()
    assert answer["Content-Type"].startswith("text/plain; version=")
    found = told()
    assert found["gpucompare_requests_total"]["GET healthz 2xx"] == 2
    assert found["gpucompare_request_seconds_count"]["healthz"] == 2
    assert found["gpucompare_requests_in_progress"]["GET"] == 1


@pytest.mark.django_db(transaction=True)
def test_every_metric_that_is_told_is_declared_with_its_labels() -> None:
    SourceState.objects.create(slug="vast", good_at=timezone.now())
    Client().get("/healthz")
    declared = {each.name: set(each.labels) for each in metrics.declared()}
    for family in text_string_to_metric_families(ask().content.decode()):
        name = f"{family.name}_total" if family.type == "counter" else family.name
        labels = {label for sample in family.samples for label in sample.labels} - {"le"}
        assert declared[name] == labels


@pytest.mark.django_db(transaction=True)
def test_a_folder_that_is_held_is_503_and_soon(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    ask()
    monkeypatch.setattr(metrics_folder, "PATIENCE_S", 0.2)
    with (tmp_path / "metrics" / "door").open("w") as door:
        fcntl.flock(door, fcntl.LOCK_EX)
        begun = time.monotonic()
        assert ask().status_code == 503
        assert time.monotonic() - begun < 2
    assert ask().status_code == 200


# --- What the database knows ---------------------------------------------------------------------


def state(slug: str, *, good: timedelta | None, began: timedelta = timedelta()) -> None:
    now = timezone.now()
    run = RefreshRun.objects.create(source=slug, started_at=now - began, outcome=Outcome.MERGED)
    SourceState.objects.create(slug=slug, good_at=now - good if good else None, current_run=run)


@pytest.mark.django_db(transaction=True)
def test_the_age_of_a_source_is_that_of_its_last_good_run() -> None:
    state("vast", good=timedelta(hours=2))
    state("runpod", good=None)
    ages = told()["gpucompare_refresh_age_seconds"]
    assert set(ages) == {"vast"}
    assert 7200 <= ages["vast"] < 7260


@pytest.mark.django_db(transaction=True)
def test_each_source_that_is_read_tells_how_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUCOMPARE_SOURCE_VAST_MINUTES", "7")
    every = told()["gpucompare_refresh_interval_seconds"]
    assert set(every) == set(enabled())
    assert every["vast"] == 7 * 60
    assert every["runpod"] == interval("runpod", {}).total_seconds()


@pytest.mark.django_db(transaction=True)
def test_a_source_that_only_workers_have_a_key_for_is_told_as_long_as_it_runs() -> None:
    needs_key = next(slug for slug, kind in SOURCES.items() if kind.needs_key)
    gone = next(slug for slug, kind in SOURCES.items() if kind.needs_key and slug != needs_key)
    state(needs_key, good=timedelta(days=9), began=timedelta(days=6))
    state(gone, good=timedelta(days=9), began=timedelta(days=8))
    state("never-heard-of", good=timedelta(hours=1))
    found = told()
    assert set(found["gpucompare_refresh_age_seconds"]) == {needs_key}
    assert needs_key in found["gpucompare_refresh_interval_seconds"]


@pytest.mark.django_db(transaction=True)
def test_without_the_database_the_rest_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = {"host": "127.0.0.1", "port": free_port()}
    monkeypatch.setattr(connection, "get_connection_params", lambda: dict(nowhere))
    found = told()
    assert found["gpucompare_reachable"] == {"database": 0}
    assert "gpucompare_refresh_age_seconds" not in found
    assert found["gpucompare_requests_in_progress"]["GET"] == 1


@pytest.mark.django_db(transaction=True)
def test_a_database_that_answers_is_reachable() -> None:
    assert told()["gpucompare_reachable"] == {"database": 1}


# --- What Redis knows ----------------------------------------------------------------------------


@needs_redis
@pytest.mark.django_db(transaction=True)
def test_the_queues_are_as_long_as_they_are_and_a_redis_that_is_away_is_told(
    settings: Any, tmp_path: Any
) -> None:
    server = Redis(tmp_path / "redis")
    settings.REDIS_URL = server.url
    try:
        server.asked.rpush("refresh", "a", "b")
        server.asked.hset("unacked", "tag", "c")
        found = told()
        assert found["gpucompare_queue_depth"] == {"refresh": 2, "default": 0, "unacked": 1}
        assert found["gpucompare_reachable"] == {"database": 1, "redis": 1}
    finally:
        server.stop()
    found = told()
    assert "gpucompare_queue_depth" not in found
    assert found["gpucompare_reachable"] == {"database": 1, "redis": 0}


@pytest.mark.django_db(transaction=True)
def test_without_a_redis_there_is_none_to_be_away() -> None:
    assert "redis" not in told()["gpucompare_reachable"]
