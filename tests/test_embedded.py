"""One embedded PostgreSQL for all processes of a checkout, and none left behind."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.processes import ROOT, ClusterUser, environment, eventually, local_folder, postmaster

NOBODY = 65534


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    """A folder in which a cluster was made before; every test leaves it stopped."""
    with local_folder() as local:
        first = ClusterUser(local)
        first.address()
        first.leave()
        yield local


def manage(
    local: Path, *arguments: str, runner: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*runner, sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment(local),
        capture_output=True,
        text=True,
        check=False,
    )


def databases(address: dict[str, str]) -> set[str]:
    target = f"host='{address['HOST']}' port={address['PORT']} user={address['USER']}"
    with psycopg.connect(target + " dbname=postgres") as connection:
        return {name for (name,) in connection.execute("SELECT datname FROM pg_database")}


def as_nobody() -> tuple[str, ...]:
    """How root runs a process as somebody else, who may still read a checkout that is root's."""
    if os.geteuid() != 0:
        return ()
    reading = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
    return ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *reading)


def test_two_processes_share_one_server_and_the_last_to_leave_stops_it(made: Path) -> None:
    first, second = ClusterUser(made), ClusterUser(made)
    assert first.address() == second.address()
    server = postmaster(made)
    first.leave()
    assert server
    assert postmaster(made) == server
    second.leave()
    assert postmaster(made) is None


def test_the_database_is_there_from_the_first_connection_on() -> None:
    with local_folder() as local:
        user = ClusterUser(local)
        assert "gpucompare" in databases(user.address())
        user.leave()


def test_what_a_kill_left_running_is_adopted_and_stopped_at_the_end(made: Path) -> None:
    killed = ClusterUser(made)
    killed.address()
    left = postmaster(made)
    killed.kill()
    assert left
    assert postmaster(made) == left
    heir = ClusterUser(made)
    heir.address()
    assert postmaster(made) == left
    heir.leave()
    assert postmaster(made) is None


def test_a_killed_user_does_not_keep_the_server_running(made: Path) -> None:
    killed, other = ClusterUser(made), ClusterUser(made)
    killed.address()
    other.address()
    killed.kill()
    other.leave()
    assert postmaster(made) is None


@pytest.mark.parametrize(
    "name",
    ["/".join(["deep" * 10] * 4), "with a space, a comma, 'quotes\" and $HOME"],
    ids=["deep", "spaces"],
)
def test_any_path_will_do(name: str) -> None:
    with local_folder(name) as local:
        user = ClusterUser(local)
        assert "gpucompare" in databases(user.address())
        short = Path(user.connect_again()["HOST"])
        assert short.is_symlink()
        user.leave()
        assert postmaster(local) is None
        assert not short.is_symlink()


def test_first_starts_at_once_make_one_server() -> None:
    with local_folder() as local:
        users = [ClusterUser(local) for _ in range(3)]
        addresses = [user.address() for user in users]
        assert all(address == addresses[0] for address in addresses)
        for user in users:
            user.leave()
        assert postmaster(local) is None


def test_a_pid_file_that_names_another_process_is_not_believed(made: Path) -> None:
    user = ClusterUser(made)
    user.address()
    crash(made)
    user.kill()
    pid_file = made / "postgres" / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    pid_file.write_text("\n".join([str(os.getpid()), *lines[1:]]) + "\n")
    heir = ClusterUser(made)
    assert "gpucompare" in databases(heir.address())
    heir.leave()


def test_a_server_that_died_is_brought_back_by_the_next_connection(made: Path) -> None:
    user = ClusterUser(made)
    user.address()
    crash(made)
    assert "gpucompare" in databases(user.connect_again())
    user.leave()
    assert postmaster(made) is None


def crash(local: Path) -> None:
    server = postmaster(local)
    assert server
    os.kill(server, signal.SIGKILL)
    assert eventually(lambda: postmaster(local) is None)


def test_a_forked_child_counts_for_itself(made: Path) -> None:
    forks = """
import os, sys
from gpucompare import embedded
embedded.connection()
if os.fork():
    sys.exit()
embedded.connection()
print("{}", flush=True)
sys.stdin.read()
"""
    family = ClusterUser(made, script=forks)
    family.address()
    family.process.wait()
    assert postmaster(made)
    family.process.communicate()
    assert eventually(lambda: postmaster(made) is None)


def test_a_command_that_needs_no_database_starts_none() -> None:
    with local_folder() as local:
        assert manage(local, "check").returncode == 0
        assert not (local / "postgres").exists()


def test_a_command_that_needs_one_stops_it_at_its_end(made: Path) -> None:
    shown = manage(made, "showmigrations", "providers")
    assert "[ ] 0001_initial" in shown.stdout
    assert postmaster(made) is None


def test_dbshell_brings_its_own_psql(made: Path) -> None:
    shell = manage(made, "dbshell", "--", "-c", "SELECT current_database()")
    assert "gpucompare" in shell.stdout


def test_another_user_has_a_server_of_their_own_at_the_same_time(made: Path) -> None:
    ours = ClusterUser(made)
    ours.address()
    with local_folder() as local:
        local.parent.chmod(0o755)
        local.mkdir()
        if runner := as_nobody():
            os.chown(local, NOBODY, NOBODY)
        theirs = ClusterUser(local, runner=runner)
        assert "gpucompare" in databases(theirs.address())
        server = postmaster(local)
        assert server
        assert server != postmaster(made)
        theirs.leave()
        assert postmaster(local) is None
    ours.leave()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")
def test_another_users_folder_is_refused_in_one_line(made: Path) -> None:
    refused = manage(made, "showmigrations", runner=as_nobody())
    assert refused.returncode == 1
    assert "set GPUCOMPARE_LOCAL_DIR to a folder of your own" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


def test_files_of_another_postgresql_are_refused_in_one_line() -> None:
    with local_folder() as local:
        (local / "postgres").mkdir(parents=True)
        (local / "postgres" / "PG_VERSION").write_text("16\n")
        refused = manage(local, "showmigrations")
        assert "was made by PostgreSQL 16, this is 18: move it away" in refused.stderr
        assert len(refused.stderr.splitlines()) == 1


def test_a_server_that_cannot_start_says_why_in_one_line(made: Path) -> None:
    settings = made / "postgres" / "postgresql.auto.conf"
    before = settings.read_text()
    settings.write_text("shared_buffers = 'plenty'\n")
    try:
        refused = manage(made, "showmigrations")
    finally:
        settings.write_text(before)
    assert "PostgreSQL did not start" in refused.stderr
    assert str(made / "postgres" / "log") in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


@pytest.mark.django_db
def test_case_is_folded_beyond_ascii_whatever_the_machine_speaks() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT lower('ÉÇ'), 'É' ILIKE 'é'")
        assert cursor.fetchone() == ("éç", True)
