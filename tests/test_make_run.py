"""`make run`, as real processes: it answers, it stops, it keeps the data, it says what is wrong."""

import os
import re
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import psutil
import psycopg
import pytest

from gpucompare.serve import HEAD_BYTES, WORKERS, StartError, address
from tests.prepared import prepared
from tests.processes import (
    ROOT,
    ClusterUser,
    Site,
    eventually,
    is_free,
    local_folder,
    postmaster,
)


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    """A folder in which the site was served before, with a mark in its database."""
    with local_folder() as local:
        prepared(local)
        before = ClusterUser(local)
        before.address()
        with database(local) as connection:
            connection.execute("CREATE TABLE mark ()")
        before.leave()
        yield local


@pytest.fixture
def serve() -> Iterator[Callable[..., Site]]:
    """Starts sites; one that a failed test leaves is stopped."""
    sites: list[Site] = []

    def start(local: Path, **extra: str) -> Site:
        sites.append(Site(local, **extra))
        return sites[-1]

    yield start
    for site in sites:
        if site.process.poll() is None:
            site.end(signal.SIGTERM)


@pytest.fixture
def other_user(made: Path) -> Iterator[ClusterUser]:
    """Somebody else who uses the server under `made`."""
    with_it = ClusterUser(made)
    yield with_it
    with_it.process.communicate()


def database(local: Path) -> psycopg.Connection:
    return psycopg.connect(host=f"{local}/postgres", user="postgres", dbname="gpucompare")


def refusal(local: Path, **extra: str) -> str:
    """The one line with which it declines to start."""
    site = Site(local, **extra)
    assert site.wait() == 1
    assert len(site.said.splitlines()) == 1, site.said
    return site.said.strip()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=str)
def test_a_signal_to_the_supervisor_alone_stops_all_that_it_started(
    made: Path, serve: Callable[..., Site], how: signal.Signals
) -> None:
    site = serve(made)
    site.wait_until_it_answers()
    assert site.get("/healthz") == (200, "ok\n")
    started = site.processes()
    assert postmaster(made)
    assert site.end(how) == 0
    assert not [process for process in started if process.is_running()]
    assert postmaster(made) is None
    assert is_free(site.port)
    assert "Traceback" not in site.said
    assert "ERROR" not in site.said


def test_the_head_of_a_request_has_a_bound(made: Path, serve: Callable[..., Site]) -> None:
    site = serve(made)
    site.wait_until_it_answers()
    too_much = "a" * HEAD_BYTES
    assert site.get("/healthz", Padding=too_much[:30_000])[0] == 200
    assert site.get("/healthz", Padding=too_much)[0] == 431
    assert site.get(f"/?q={too_much[:30_000]}")[0] == 414


def test_ctrl_c_in_a_terminal_reaches_the_supervisor_and_spares_its_workers(
    made: Path, serve: Callable[..., Site]
) -> None:
    site = serve(made)
    site.wait_until_it_answers()
    assert eventually(lambda: len(site.processes()) == 1 + WORKERS)
    groups = [os.getpgid(process.pid) for process in site.processes()]
    assert groups.count(site.process.pid) == 1
    os.killpg(site.process.pid, signal.SIGINT)
    assert site.wait() == 0
    assert postmaster(made) is None


def test_a_second_start_is_quick_and_keeps_the_data(made: Path, serve: Callable[..., Site]) -> None:
    site = serve(made)
    site.wait_until_it_answers()
    worked = site.processor_seconds()
    with database(made) as connection:
        assert connection.execute("SELECT count(*) FROM mark").fetchone() == (0,)
        found = connection.execute("SELECT count(*) FROM providers_provider").fetchone()
    assert found == (len(list((ROOT / "fixtures" / "catalog").glob("*.yaml"))),)
    # Three seconds on a machine that does nothing else; a busy one counts up to twice as many.
    assert worked < 7


def test_a_conflict_with_the_desk_is_told_and_the_site_starts_with_what_stood(
    made: Path, serve: Callable[..., Site], other_user: ClusterUser
) -> None:
    def name(at_desk: str, as_loaded: str, before: str) -> None:
        with database(made) as connection:
            desk = "UPDATE providers_provider SET name = %s WHERE slug = 'lambda'"
            base = "UPDATE providers_catalogfile SET text = replace(text, %s, %s)"
            connection.execute(desk, [at_desk])
            connection.execute(
                f"{base} WHERE slug = 'lambda'", [f"name: {before}\n", f"name: {as_loaded}\n"]
            )

    other_user.address()
    name("Lambda of the desk", "Lamb", "Lambda")
    site = serve(made)
    site.wait_until_it_answers()
    assert "lambda.yaml: name (was 'Lamb'): the file has 'Lambda'" in site.said
    assert "settle them at /admin/catalog/conflicts/" in site.said
    assert "the site starts with what stood before" in site.said
    assert "Lambda of the desk" in site.get("/providers/lambda/")[1]
    name("Lambda", "Lambda", "Lamb")


def test_after_a_kill_nothing_holds_the_port_and_the_next_start_adopts_the_database(
    made: Path, serve: Callable[..., Site]
) -> None:
    site = serve(made)
    site.wait_until_it_answers()
    started, server = site.processes(), postmaster(made)
    site.end(signal.SIGKILL)
    assert eventually(lambda: is_free(site.port))
    _, alive = psutil.wait_procs(started, timeout=20)
    assert not alive
    heir = serve(made, PORT=str(site.port))
    heir.wait_until_it_answers()
    assert postmaster(made) == server
    heir.end(signal.SIGTERM)
    assert postmaster(made) is None


def test_a_worker_that_dies_is_replaced(made: Path, serve: Callable[..., Site]) -> None:
    site = serve(made)
    site.wait_until_it_answers()

    def workers() -> set[int]:
        return {one.pid for one in site.processes()} - {site.process.pid}

    assert eventually(lambda: len(workers()) == WORKERS)
    victim = workers().pop()
    os.kill(victim, signal.SIGKILL)
    assert eventually(lambda: victim not in workers() and len(workers()) == WORKERS)
    site.wait_until_it_answers()  # the other one may not have listened yet


def test_it_stops_while_it_is_still_starting(serve: Callable[..., Site]) -> None:
    with local_folder() as local:
        site = serve(local)
        assert eventually(lambda: postmaster(local) is not None)
        assert site.end(signal.SIGTERM) == 130
        assert postmaster(local) is None
        assert "Traceback" not in site.said


def test_another_user_of_the_database_keeps_it(
    made: Path, serve: Callable[..., Site], other_user: ClusterUser
) -> None:
    site = serve(made)
    other_user.address()
    site.wait_until_it_answers()
    site.end(signal.SIGTERM)
    assert postmaster(made)
    other_user.leave()
    assert postmaster(made) is None


def test_the_database_of_database_url_is_used_and_none_is_started(
    made: Path, serve: Callable[..., Site], other_user: ClusterUser
) -> None:
    host = other_user.address()["HOST"]
    with local_folder() as local:
        site = serve(local, DATABASE_URL=f"postgres://postgres@/gpucompare?host={quote(host)}")
        site.wait_until_it_answers()
        assert "nothing changed" in site.said
        assert site.end(signal.SIGTERM) == 0
        assert not (local / "postgres").exists()
    assert postmaster(made)


def test_a_database_url_that_leads_nowhere_is_one_line(made: Path) -> None:
    line = refusal(made, DATABASE_URL="postgres://nobody@127.0.0.1:1/none")
    assert "the database does not answer: " in line


def test_a_busy_port_is_named_with_a_way_out(made: Path) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        line = refusal(made, PORT=str(port))
    assert f"127.0.0.1:{port} cannot be used (Address already in use)" in line
    assert f"`PORT={port + 1} make run`" in line


def test_a_folder_that_cannot_be_written_is_one_line() -> None:
    assert "/dev/null/local" in refusal(Path("/dev/null/local"))


@pytest.mark.parametrize("port", ["eighty", "0", "65536", "-1", "8000.5", "²"])
def test_a_port_that_is_none_is_refused(port: str) -> None:
    with pytest.raises(StartError, match="PORT is a number from 1 to 65535, not"):
        address({"PORT": port})


def test_the_address_is_local_unless_asked_otherwise() -> None:
    assert address({}) == ("127.0.0.1", 8000)
    assert address({"HOST": "", "PORT": ""}) == ("127.0.0.1", 8000)
    assert address({"HOST": "192.0.2.7", "PORT": "80"}) == ("192.0.2.7", 80)
    assert address({"HOST": "::1"}) == ("::1", 8000)


def test_a_host_that_is_not_found_is_refused() -> None:
    with pytest.raises(StartError, match=re.escape("HOST=no such host")):
        address({"HOST": "no such host"})
