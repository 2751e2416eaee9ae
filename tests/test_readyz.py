"""Whether the site has all that it needs; it says what is missing, soon, and no more than that."""

from __future__ import annotations

import json
import logging
import signal
import socket
import time
from collections.abc import Iterator
from threading import Thread
from typing import Any

import psutil
import psycopg
import pytest
from django.db import connection
from django.test import Client
from redis import Redis as RedisClient

from checks.models import ContentEntry
from gpucompare import reach, readiness
from tests.factories import make_offering
from tests.fleet import REDIS, Redis
from tests.processes import free_port
from tests.query_counts import queries_of

PATH = "/readyz"
# What a probe waits, and a little for a busy machine.
SOON_S = 8.0

needs_redis = pytest.mark.skipif(REDIS is None, reason="redis-server is not installed")


@pytest.fixture(autouse=True)
def _anew(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """No Redis, and no answer of a test before."""
    settings.REDIS_URL = ""
    monkeypatch.setattr(readiness, "GOOD_FOR_S", -1.0)


@pytest.fixture
def filled() -> None:
    """The least of a catalog and of texts."""
    make_offering()
    ContentEntry.objects.create(kind="faq", key="a", language="en", title="A", position=1)


def asked() -> tuple[int, dict[str, Any]]:
    answer = Client().get(PATH)
    return answer.status_code, json.loads(answer.content)


def parts() -> dict[str, str]:
    found: dict[str, str] = asked()[1]["parts"]
    return found


# --- What stands and what is missing -----------------------------------------------------------


@pytest.mark.usefixtures("filled")
@pytest.mark.django_db(transaction=True)
def test_with_all_that_it_needs_it_is_ready() -> None:
    assert asked() == (
        200,
        {
            "ready": True,
            "missing": [],
            "parts": {
                "database": "ok",
                "migrations": "ok",
                "catalog": "ok",
                "content": "ok",
                "redis": "not configured",
            },
        },
    )


@pytest.mark.django_db(transaction=True)
def test_without_catalog_and_texts_it_says_so() -> None:
    status, told = asked()
    assert (status, told["ready"], told["missing"]) == (503, False, ["catalog", "content"])
    assert told["parts"]["catalog"] == "empty"


@pytest.mark.usefixtures("filled")
@pytest.mark.django_db(transaction=True)
def test_a_migration_that_is_not_applied_is_missing() -> None:
    name = "0001_initial"
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'checks' AND name = %s", [name])
        try:
            status, told = asked()
        finally:
            cursor.execute(
                "INSERT INTO django_migrations (app, name, applied) VALUES ('checks', %s, now())",
                [name],
            )
    assert (status, told["missing"]) == (503, ["migrations"])
    assert told["parts"]["migrations"] == "1 not applied"
    assert parts()["migrations"] == "ok"


@pytest.mark.usefixtures("filled")
@pytest.mark.django_db(transaction=True)
def test_an_older_program_on_a_newer_database_is_ready() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('x', 'y', now())"
        )
        try:
            assert asked()[0] == 200
        finally:
            cursor.execute("DELETE FROM django_migrations WHERE app = 'x'")


@pytest.mark.django_db(transaction=True)
def test_a_database_that_was_never_migrated_lacks_everything() -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE nothing_in_it")
    before = connection.settings_dict["NAME"]
    connection.settings_dict["NAME"] = "nothing_in_it"
    try:
        found = parts()
    finally:
        connection.settings_dict["NAME"] = before
        with connection.cursor() as cursor:
            cursor.execute("DROP DATABASE nothing_in_it")
    assert found["database"] == "ok"
    assert found["migrations"] == f"{len(readiness.migrations())} not applied"
    assert (found["catalog"], found["content"]) == ("not known", "not known")


@needs_redis
@pytest.mark.usefixtures("filled")
@pytest.mark.django_db(transaction=True)
def test_redis_counts_where_it_is_named(settings: Any, tmp_path: Any) -> None:
    server = Redis(tmp_path)
    settings.REDIS_URL = server.url
    assert parts()["redis"] == "ok"
    server.stop()
    status, told = asked()
    assert (status, told["missing"]) == (503, ["redis"])
    assert told["parts"]["redis"] == "does not answer"


# --- Whoever hangs ---------------------------------------------------------------------------


@pytest.fixture
def silent() -> Iterator[int]:
    """The port of somebody who takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def in_time(work: Any, soon_s: float = SOON_S) -> Any:
    begun = time.monotonic()
    found = work()
    assert time.monotonic() - begun < soon_s
    return found


@pytest.mark.usefixtures("filled")
@pytest.mark.django_db(transaction=True)
def test_a_redis_that_hangs_is_not_waited_for(settings: Any, silent: int) -> None:
    settings.REDIS_URL = f"redis://:hush@127.0.0.1:{silent}/0"
    found = in_time(parts)
    assert (found["redis"], found["database"]) == ("does not answer", "ok")


def elsewhere(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    """The site's database is at that port."""
    asked = {"host": "127.0.0.1", "port": port, "user": "me", "password": "hush", "dbname": "gpu"}
    monkeypatch.setattr(connection, "get_connection_params", lambda: dict(asked))


@pytest.mark.django_db(transaction=True)
def test_a_database_that_hangs_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, silent: int
) -> None:
    elsewhere(monkeypatch, silent)
    found = in_time(parts)
    assert found["database"] == "does not answer"
    assert {found[part] for part in ("migrations", "catalog", "content")} == {"not known"}


@pytest.mark.django_db(transaction=True)
def test_nothing_of_where_things_are_is_told(
    monkeypatch: pytest.MonkeyPatch, settings: Any, silent: int
) -> None:
    elsewhere(monkeypatch, free_port())
    settings.REDIS_URL = f"redis://:hush@127.0.0.1:{free_port()}/0"
    told = Client().get(PATH).content.decode()
    assert json.loads(told)["missing"] == ["database", "migrations", "catalog", "content", "redis"]
    assert not [word for word in ("hush", "127.0.0.1", "gpu", "postgres") if word in told]


@pytest.mark.django_db(transaction=True)
def test_a_database_that_stops_in_the_middle_of_an_answer_is_cut() -> None:
    def ask() -> None:
        with reach.database() as session:
            backend = psutil.Process(session.info.backend_pid)
            backend.send_signal(signal.SIGSTOP)
            try:
                session.execute("SELECT 1")
            finally:
                backend.send_signal(signal.SIGCONT)

    begun = time.monotonic()
    with pytest.raises(psycopg.OperationalError):
        ask()
    assert time.monotonic() - begun < SOON_S


@pytest.mark.django_db(transaction=True)
def test_a_query_that_is_answered_in_time_is_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach, "QUERY_S", 0.3)
    with reach.database() as session:
        assert session.execute("SELECT 1").fetchone() == (1,)
    time.sleep(0.5)  # a cut that comes late finds nothing to cut
    with reach.database() as session:
        assert session.execute("SELECT 2").fetchone() == (2,)
        with pytest.raises(psycopg.OperationalError):
            session.execute("SELECT pg_sleep(5)")


@needs_redis
def test_a_redis_that_stops_in_the_middle_is_given_up(settings: Any, tmp_path: Any) -> None:
    server = Redis(tmp_path)
    settings.REDIS_URL = server.url
    process = psutil.Process(server._process.pid)
    with reach.redis_server() as asked:
        assert isinstance(asked, RedisClient)
        process.send_signal(signal.SIGSTOP)
        try:
            assert in_time(readiness._of_redis, 4.0) == "does not answer"
        finally:
            process.send_signal(signal.SIGCONT)
            server.stop()


# --- Being asked -------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_a_flood_of_probes_costs_one_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "GOOD_FOR_S", 60.0)
    monkeypatch.setattr(readiness, "_last", (float("-inf"), {}))
    made: list[int] = []
    really = readiness._of_database

    def counted() -> dict[str, str]:
        made.append(1)
        return really()

    monkeypatch.setattr(readiness, "_of_database", counted)
    threads = [Thread(target=readiness.readiness) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1


@pytest.mark.django_db(transaction=True)
def test_the_connection_of_readers_is_left_alone() -> None:
    assert queries_of(lambda: Client().get(PATH)) == 0


@pytest.mark.django_db(transaction=True)
def test_the_log_tells_of_a_change_and_not_of_every_probe(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(readiness, "_last", (float("-inf"), {}))
    with caplog.at_level(logging.INFO, "gpucompare.readiness"):
        for _ in range(3):
            parts()
        make_offering()
        parts()
    assert [record.getMessage() for record in caplog.records] == [
        "not ready: catalog empty, content empty",
        "not ready: content empty",
    ]


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
@pytest.mark.django_db(transaction=True)
def test_operators_addresses_set_no_cookie_are_kept_by_nobody_and_only_read(path: str) -> None:
    answer = Client().get(path)
    assert dict(answer.cookies) == {}
    assert answer["Cache-Control"] == "no-store"
    assert "Vary" not in answer
    assert Client().post(path).status_code == 405
    assert b"".join(Client().head(path)) == b""


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
@pytest.mark.django_db(transaction=True)
def test_probes_come_to_any_host_and_without_tls(path: str, settings: Any) -> None:
    settings.ALLOWED_HOSTS, settings.SECURE_SSL_REDIRECT = ["gpus.example"], True
    assert Client(SERVER_NAME="10.1.2.3").get(path).status_code in (200, 503, 404)
    assert Client(SERVER_NAME="10.1.2.3").get("/").status_code in (400, 301)


def test_the_process_alone_needs_no_database(monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere(monkeypatch, free_port())
    answer = Client().get("/healthz")
    assert (answer.status_code, answer.content) == (200, b"ok\n")
