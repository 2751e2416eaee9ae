"""A slow statement and a database that is away end in a 503 that says so, and pass."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.test import Client
from django.urls import resolve

from gpucompare.refusals import RETRY_S
from gpucompare.rest.problem import TITLES
from providers.models import Provider
from tests.connections import bound_statements
from tests.counting import Counted
from tests.fleet import Database
from tests.processes import ROOT, environment, eventually

HEADING = str(TITLES["unavailable"])


# --- A statement that takes too long -------------------------------------------------------


@contextmanager
def locked(table: str) -> Iterator[None]:
    """While somebody else, as a migration does, lets nobody read that table."""
    taken, done = Event(), Event()

    def hold() -> None:
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
                taken.set()
                done.wait(30)
        finally:
            connection.close()

    holder = Thread(target=hold)
    holder.start()
    try:
        assert taken.wait(30)
        yield
    finally:
        done.set()
        holder.join()


@pytest.fixture
def as_in_a_web_process(settings: Any) -> Iterator[None]:
    settings.STATEMENT_TIMEOUT_S = 0.2
    with bound_statements():
        yield


@pytest.fixture
def asking(client: Client) -> Client:
    client.raise_request_exception = False
    return client


def limit() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        return str(cursor.fetchone()[0])


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("as_in_a_web_process")
def test_a_slow_page_is_cut_and_says_when_to_come_back(
    asking: Client, caplog: pytest.LogCaptureFixture
) -> None:
    cut = Counted("gpucompare_statement_timeouts_total", route="browse")
    with locked("providers_offering"):
        response = asking.get("/")
        page = response.content.decode()
    assert (response.status_code, response["Retry-After"]) == (503, str(RETRY_S))
    assert response["Cache-Control"] == "no-store"
    assert HEADING in page
    assert f"Wait {RETRY_S} seconds, then ask again." in page
    assert [record.getMessage() for record in caplog.records] == [
        "/ was not answered: canceling statement due to statement timeout"
    ]
    assert caplog.records[0].exc_info is None
    assert asking.get("/").status_code == 200
    assert cut.more == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("as_in_a_web_process")
def test_the_api_says_it_as_a_problem(asking: Client) -> None:
    cut = Counted(
        "gpucompare_statement_timeouts_total", route=resolve("/api/v1/offerings").view_name
    )
    with locked("providers_offering"):
        response = asking.get("/api/v1/offerings")
    assert cut.more == 1
    told = response.json()
    assert (response.status_code, response["Retry-After"]) == (503, str(RETRY_S))
    assert (told["status"], told["type"]) == (503, "/api/v1/docs#unavailable")
    assert told["title"] == HEADING


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("as_in_a_web_process")
def test_a_fragment_says_it_in_a_line_and_another_language_in_its_words(asking: Client) -> None:
    with locked("providers_offering"):
        part = asking.get("/", headers={"HX-Request": "true"})
        turkish = asking.get("/tr/")
    assert (part.status_code, part.content.decode()) == (
        503,
        f"Wait {RETRY_S} seconds, then ask again.",
    )
    assert "Veriler şu anda okunamıyor" in turkish.content.decode()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("as_in_a_web_process")
def test_a_write_that_waits_too_long_is_cut_too(asking: Client) -> None:
    with locked("providers_provider"), pytest.raises(OperationalError, match="timeout"):
        Provider.objects.create(slug="late", name="Late")
    assert not Provider.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("as_in_a_web_process")
def test_each_new_connection_has_the_limit_and_others_have_none(settings: Any) -> None:
    assert limit() == "200ms"
    connection.close()
    assert limit() == "200ms"
    settings.STATEMENT_TIMEOUT_S = 0
    connection.close()
    assert limit() == "0"


@pytest.mark.django_db(transaction=True)
def test_whoever_is_no_web_process_has_no_limit() -> None:
    connection.close()
    assert limit() == "0"


def test_another_fault_is_told_as_one_of_ours(asking: Client, monkeypatch: Any) -> None:
    def fails(*args: object, **kwargs: object) -> None:
        raise RuntimeError("the inside")

    monkeypatch.setattr("gpucompare.api.documentation.page", fails)
    response = asking.get("/api/v1/docs")
    assert response.status_code == 500
    assert b"the inside" not in response.content


# --- A database that is away -----------------------------------------------------------------

_WEB = """
import json, sys
from gpucompare.wsgi import application
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import resolve
call_command("migrate", verbosity=0)
client = Client(raise_request_exception=False)
for path in map(str.strip, sys.stdin):
    if path == "limit":
        with connection.cursor() as cursor:
            cursor.execute("SHOW statement_timeout")
            told = cursor.fetchone()
    else:
        response = client.get(path)
        told = response.status_code, response.get("Retry-After"), response.content.decode()
    print(json.dumps(told), flush=True)
"""


class Web:
    """A process that has loaded what the server serves, and answers in it."""

    def __init__(self, local: Path, database: Database) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _WEB],
            cwd=ROOT,
            env=environment(
                local, DATABASE_URL=database.url, GPUCOMPARE_ALLOWED_HOSTS="testserver"
            ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, path: str) -> list[Any]:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{path}\n")
        self.process.stdin.flush()
        told: list[Any] = json.loads(self.process.stdout.readline())
        return told


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    made = Database(tmp_path_factory.mktemp("away"))
    yield made
    made.stop()


@pytest.fixture(scope="module")
def web(database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    made = Web(tmp_path_factory.mktemp("web"), database)
    yield made
    made.process.communicate(timeout=30)


def test_a_web_process_bounds_its_statements(web: Web) -> None:
    assert web.ask("limit") == ["10s"]


def test_while_the_database_is_away_the_site_says_so_and_answers_what_it_can(
    web: Web, database: Database
) -> None:
    assert web.ask("/")[0] == 200
    database.stop()
    try:
        for path in ("/", "/guide/", "/ar/listings/", "/api/v1/offerings", "/check/"):
            status, retry, body = web.ask(path)
            assert (status, retry) == (503, str(RETRY_S)), path
            assert "Traceback" not in body
        assert HEADING in web.ask("/")[2]
        for path in ("/healthz", "/robots.txt", "/api/v1/docs", "/data-licence.md"):
            assert web.ask(path)[0] == 200, path
    finally:
        database.start()
    assert eventually(lambda: web.ask("/")[0] == 200)
