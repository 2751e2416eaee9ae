"""PostgreSQL for a first run and for tests, when DATABASE_URL is unset.

Whoever connects joins the users of one server under LOCAL_DIR; the first starts it, or adopts what
a kill left running, and the last to leave stops it. Being a user is a shared lock on a file, which
the kernel drops however a process ends.
"""

import atexit
import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
from django.conf import settings
from psycopg import sql
from psycopg.conninfo import make_conninfo

from gpucompare.embedded_db.cluster import Cluster, ClusterError

DATABASE = "gpucompare"


class Share:
    """This process's part in the server whose files are under `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._cluster = Cluster(self._folder / "postgres")
        self._users: int | None = None

    def join(self) -> dict[str, str]:
        """Become one of the server's users and say where it is; bring it back if it died.

        Raises ClusterError, in one line.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with self._alone():
                if self._users is None:
                    self._enter()
                else:
                    self._cluster.ensure_running()
        except PermissionError as fault:
            raise ClusterError(
                f"{fault.filename} is not for this user: set GPUCOMPARE_LOCAL_DIR to a folder of"
                " your own, or be the user who made it"
            ) from fault
        except OSError as fault:
            raise ClusterError(f"PostgreSQL cannot start: {fault}") from fault
        return self._cluster.address()

    def leave(self) -> None:
        """Stop being one of its users; the last of them stops the server."""
        if self._users is None:
            return
        # Where the folder was removed there is no lock to take, and PostgreSQL gives up by itself.
        with suppress(FileNotFoundError), self._alone():
            self._exit(self._users)

    def drop(self) -> None:
        """In a forked child: the place among the users that it inherited is its parent's."""
        if self._users is not None:
            os.close(self._users)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One process at a time starts, joins, leaves or stops."""
        door = self._open("postgres.door")
        try:
            fcntl.flock(door, fcntl.LOCK_EX)
            yield
        finally:
            os.close(door)

    def _enter(self) -> None:
        users = self._users = self._open("postgres.users")
        fcntl.flock(users, fcntl.LOCK_SH)
        try:
            self._cluster.ensure_running()
            _create_database(self._cluster.address())
        except BaseException:
            self._exit(users)
            raise

    def _exit(self, users: int) -> None:
        try:
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._cluster.stop()
        except BlockingIOError:
            pass  # others use it
        finally:
            os.close(users)
            self._users = None

    def _open(self, name: str) -> int:
        return os.open(self._folder / name, os.O_RDWR | os.O_CREAT, 0o600)


def _create_database(address: dict[str, str]) -> None:
    target = make_conninfo(
        host=address["HOST"], port=address["PORT"], user=address["USER"], dbname="postgres"
    )
    with psycopg.connect(target, autocommit=True) as server:
        known = "SELECT FROM pg_database WHERE datname = %s"
        if server.execute(known, [DATABASE]).fetchone() is None:
            server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))


_share: Share | None = None
_guard = threading.RLock()


def connection() -> dict[str, str]:
    """Django's HOST, PORT and USER of the server, which runs when this returns."""
    global _share  # noqa: PLW0603
    with _guard:
        if _share is None:
            _share = Share(settings.LOCAL_DIR)
        return _share.join()


@atexit.register
def leave() -> None:
    """Give up this process's part in the server; the next `connection` takes it up again."""
    with _guard:
        if _share is not None:
            _share.leave()


def _after_fork() -> None:
    global _guard, _share
    if _share is not None:
        _share.drop()
    _guard, _share = threading.RLock(), None


os.register_at_fork(after_in_child=_after_fork)
