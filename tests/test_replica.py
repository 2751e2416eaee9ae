"""Web processes on a streaming replica of PostgreSQL: readers see what the primary says."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from difflib import unified_diff
from pathlib import Path
from typing import Any

import psycopg
import pytest

from gpucompare.embedded_db.cluster import SOCKET, Cluster, programs
from tests.fleet import Database, url_of
from tests.prepared import prepared
from tests.processes import ROOT, Site, environment, eventually, local_folder
from tests.served import PATHS, WEB, run

SHARED = """
import django
django.setup()
from django.test import Client
reader = Client(headers={"Sec-Fetch-Site": "same-origin"})
assert reader.post("/s/", {"kind": "browse", "address": "/?q=runpod"}).status_code == 303
"""
# The name of what a web process sees, a line for each that it is asked with.
NAMES = """
import sys
import django
django.setup()
from gpucompare.snapshot import one_snapshot
for _line in sys.stdin:
    with one_snapshot() as name:
        print(name, flush=True)
"""


def replica_of(primary: Database, data: Path) -> Cluster:
    """A running copy that follows it."""
    data.mkdir(parents=True, mode=0o700)
    owner = primary.cluster.data.stat()
    account: dict[str, Any] = {}
    os.chown(data, owner.st_uid, owner.st_gid)
    if os.geteuid() == 0:
        account = {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []}
    address = primary.cluster.address()
    target = ["--host", address["HOST"], "--username", address["USER"]]
    how = ["--write-recovery-conf", "--checkpoint=fast", "--no-sync"]
    command: list[Path | str] = [programs() / "pg_basebackup", "--pgdata", data, *target, *how]
    subprocess.run(command, cwd="/", check=True, stderr=subprocess.DEVNULL, **account)
    (data / f"{SOCKET}.lock").unlink()  # the primary's, which lies among its files
    made = Cluster(data)
    made.ensure_running()
    return made


@pytest.fixture(scope="module")
def both() -> Iterator[tuple[Database, Cluster]]:
    with local_folder() as top, ExitStack() as stack:
        prepared(top)
        primary = Database(top)
        stack.callback(primary.stop)
        run(SHARED, top, DATABASE_URL=primary.url, GPUCOMPARE_ALLOWED_HOSTS="testserver")
        replica = replica_of(primary, top / "replica" / "postgres")
        stack.callback(replica.stop)
        yield primary, replica


OF_THE_MOMENT = "|".join(
    (
        r"\b\d+\s(?:seconds?|minutes?) ago\b",
        r"\bComputed on [^.<]+ UTC\b",
        r"\b2\d{3}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)",
    )
)
NEW_NAME = "Renamed while it is read"
Told = dict[str, tuple[int, str]]


class Reading:
    """A web process over a database."""

    def __init__(self, top: Path, url: str) -> None:
        key = {"GPUCOMPARE_SECRET_KEY": "k" * 50, "GPUCOMPARE_API_RATE": "9999/minute"}
        self.site = Site(top, WEB, DATABASE_URL=url, **key)
        self.site.wait_until_it_answers()

    def pages(self, *paths: str) -> Told:
        return {path: self._told(*self.site.get(path)) for path in paths}

    def _told(self, status: int, body: str) -> tuple[int, str]:
        """Whatever process and moment it is of."""
        here = body.replace(f"127.0.0.1:{self.site.port}", "here")
        return status, re.sub(OF_THE_MOMENT, "", here)

    def end(self) -> None:
        self.site.end(signal.SIGTERM)


def shares(database: Database) -> tuple[str, ...]:
    return tuple(f"/s/{key}/" for (key,) in database.rows("SELECT id FROM providers_share"))


@pytest.fixture(scope="module")
def webs(both: tuple[Database, Cluster], tmp_path_factory: Any) -> Iterator[tuple[Reading, ...]]:
    with ExitStack() as stack:
        made = []
        for name, url in (("primary", both[0].url), ("replica", url_of(both[1]))):
            one = Reading(tmp_path_factory.mktemp(name), url)
            stack.callback(one.end)
            made.append(one)
        yield tuple(made)


def differing(one: str, other: str) -> list[str]:
    return [*unified_diff(one.splitlines(), other.splitlines(), n=0)][:9]


def test_readers_of_a_replica_see_what_readers_of_the_primary_see(
    both: tuple[Database, Cluster], webs: tuple[Reading, ...]
) -> None:
    on_primary, on_replica = webs
    paths = (*PATHS, *shares(both[0]), "/readyz")
    expected = on_primary.pages(*paths)
    assert {path for path, (status, _body) in expected.items() if status != 200} == set()
    found = on_replica.pages(*paths)
    others = [path for path in paths if found[path] != expected[path]]
    assert {path: differing(expected[path][1], found[path][1]) for path in others} == {}


def test_what_is_written_to_the_primary_is_seen_by_readers_of_the_replica(
    both: tuple[Database, Cluster], webs: tuple[Reading, ...]
) -> None:
    _on_primary, on_replica = webs
    assert NEW_NAME not in str(on_replica.pages("/providers/runpod/"))
    with both[0].session() as session:
        session.execute("UPDATE providers_provider SET name = %s WHERE slug = 'runpod'", [NEW_NAME])
    assert eventually(lambda: NEW_NAME in str(on_replica.pages("/providers/runpod/")), 10)


# --- The name of what is seen ---------------------------------------------------------------


class Names:
    """A process that tells the name of what it sees at a database."""

    def __init__(self, top: Path, url: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", NAMES],
            cwd=ROOT,
            env=environment(top, DATABASE_URL=url),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self) -> str:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().rstrip()

    def end(self) -> None:
        self._process.communicate(timeout=60)


@pytest.fixture
def names(both: tuple[Database, Cluster], tmp_path: Path) -> Iterator[Names]:
    made = Names(tmp_path, url_of(both[1]))
    yield made
    made.end()


@pytest.fixture
def notes(both: tuple[Database, Cluster]) -> Iterator[None]:
    with both[0].session() as session:
        session.execute("CREATE TABLE notes (note text)")
        yield
        session.execute("DROP TABLE notes")


def begun(database: Database, note: str) -> psycopg.Connection[Any]:
    """A transaction that has written, and is not over."""
    session = database.session()
    session.execute("BEGIN")
    session.execute("INSERT INTO notes VALUES (%s)", [note])
    return session


def seen(replica: Cluster) -> set[str]:
    with psycopg.connect(url_of(replica)) as session:
        return {note for (note,) in session.execute("SELECT note FROM notes")}


@pytest.mark.usefixtures("notes")
def test_a_write_that_ends_between_two_others_changes_the_name_of_what_a_replica_shows(
    both: tuple[Database, Cluster], names: Names
) -> None:
    """The first goes on, the last is over: a snapshot's own name says no more than that."""
    primary, replica = both
    with begun(primary, "first"), begun(primary, "second") as second:
        with begun(primary, "third") as third:
            third.execute("COMMIT")
        assert eventually(lambda: seen(replica) == {"third"}, 10)
        before = names.ask()
        second.execute("COMMIT")
        assert eventually(lambda: seen(replica) == {"second", "third"}, 10)
        assert names.ask() != before


def test_while_nothing_is_written_the_name_of_what_a_replica_shows_stays(names: Names) -> None:
    assert eventually(lambda: names.ask() == names.ask(), 10)
