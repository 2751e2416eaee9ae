"""Two processes that load the catalog at once, and one that is killed half way."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from providers.catalog.store import _LOAD_LOCK
from tests.operating import Server
from tests.processes import eventually, local_folder

FILES = sorted(Path(settings.CATALOG_DIR).glob("*.yaml"))
WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with local_folder() as top:
        made = Server(top)
        made.manage("gpucompare", "migrate", "--verbosity=0")
        yield made
        made.stop()


def waiting(server: Server, count: int) -> bool:
    return eventually(lambda: server.rows("gpucompare", WAITING) == [(count,)])


def rows(server: Server, table: str) -> int:
    ((found,),) = server.rows("gpucompare", f"SELECT count(*) FROM {table}")  # noqa: S608
    return int(str(found))


def kill_half_way(server: Server) -> None:
    """A load that has written providers and offerings, and dies before it comes to claims."""
    with server.session("gpucompare") as holder:
        holder.execute("BEGIN")
        holder.execute("LOCK TABLE providers_claim IN SHARE MODE")
        load = server.start("gpucompare", "load_catalog")
        assert waiting(server, 1)
        load.send_signal(signal.SIGKILL)
        load.communicate()
        holder.execute("ROLLBACK")
    alone = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    assert eventually(lambda: server.rows("gpucompare", alone) == [(1,)])


def two_at_once(server: Server) -> list[str]:
    """What two loads say that have to end well."""
    with server.session("gpucompare") as holder:
        # Neither begins before both have come to the door.
        holder.execute("SELECT pg_advisory_lock(%s)", [_LOAD_LOCK])
        loads = [server.start("gpucompare", "load_catalog") for _ in range(2)]
        assert waiting(server, 2)
        holder.execute("SELECT pg_advisory_unlock(%s)", [_LOAD_LOCK])
        said = [load.communicate(timeout=120)[0] for load in loads]
    assert [load.returncode for load in loads] == [0, 0], said
    return said


@pytest.mark.soak
def test_a_killed_load_leaves_nothing_and_two_at_once_load_everything_once(
    server: Server, tmp_path: Path
) -> None:
    kill_half_way(server)
    for table in ("providers_provider", "providers_offering", "providers_catalogfile"):
        assert rows(server, table) == 0

    said = two_at_once(server)
    # The one that came second found nothing to do.
    assert sorted("provider" in words for words in said) == [False, True], said
    assert rows(server, "providers_provider") == len(FILES)
    server.manage("gpucompare", "dump_catalog", str(tmp_path), "--verbosity=0")
    dumped = {path.name: path.read_text() for path in tmp_path.glob("*.yaml")}
    assert dumped == {path.name: path.read_text() for path in FILES}
