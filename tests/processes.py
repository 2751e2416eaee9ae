"""Real processes for tests: users of the embedded server, and the site as `make run` starts it."""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil

ROOT = Path(__file__).parent.parent

# Connects once, and again for every line it is sent; ends with its input.
_USER = """
import json, sys
from gpucompare import embedded
print(json.dumps(embedded.connection()), flush=True)
for line in sys.stdin:
    print(json.dumps(embedded.connection()), flush=True)
"""


# A child has a database and a port of its own, and no event loop of Playwright's in its thread.
NOT_THEIRS = frozenset(("DATABASE_URL", "PORT", "DJANGO_ALLOW_ASYNC_UNSAFE"))


def environment(local: Path, **extra: str) -> dict[str, str]:
    """A child's environment, with its own LOCAL_DIR and no DATABASE_URL unless given."""
    ours = {key: value for key, value in os.environ.items() if key not in NOT_THEIRS}
    return {
        **ours,
        "DJANGO_SETTINGS_MODULE": "gpucompare.settings",
        "GPUCOMPARE_LOCAL_DIR": str(local),
        # Tests ask no provider.
        "GPUCOMPARE_REFRESH": "0",
        **extra,
    }


class ClusterUser:
    """A process that uses the embedded server under `local`, as root's `runner` if one is given."""

    def __init__(self, local: Path, script: str = _USER, runner: Sequence[str] = ()) -> None:
        self.process = subprocess.Popen(
            [*runner, sys.executable, "-c", script],
            cwd=ROOT,
            env=environment(local),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def address(self) -> dict[str, str]:
        """Waits until it has connected."""
        assert self.process.stdout
        answer: dict[str, str] = json.loads(self.process.stdout.readline())
        return answer

    def connect_again(self) -> dict[str, str]:
        assert self.process.stdin
        self.process.stdin.write("again\n")
        self.process.stdin.flush()
        return self.address()

    def leave(self) -> None:
        """Ends it in good order."""
        self.process.communicate(timeout=60)
        assert self.process.returncode == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


class Site:
    """The site as `make run` starts it, or as `command` does."""

    def __init__(self, local: Path, command: Sequence[str] = (), **extra: str) -> None:
        self.port = int(extra.setdefault("PORT", str(free_port())))
        self.process = subprocess.Popen(
            command or [sys.executable, "-m", "gpucompare.serve"],
            cwd=ROOT,
            env=environment(local, **extra),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.said = ""

    def wait_until_it_answers(self) -> None:
        assert self.process.stdout
        announced = f"http://127.0.0.1:{self.port}/"
        while announced not in self.said:
            line = self.process.stdout.readline()
            assert line, f"it ended without an answer: {self.said}"
            self.said += line

    def get(self, path: str, **headers: str) -> tuple[int, str]:
        """Status and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def processes(self) -> list[psutil.Process]:
        """It and its workers; PostgreSQL, which may be its child, is not among them."""
        supervisor = psutil.Process(self.process.pid)
        children = supervisor.children()
        return [supervisor, *(child for child in children if child.name() != "postgres")]

    def processor_seconds(self) -> float:
        """What it and its workers have worked so far, whatever else the machine did."""
        return sum(one.cpu_times().user + one.cpu_times().system for one in self.processes())

    def end(self, how: signal.Signals) -> int:
        """Its status after that signal, with the rest of its words in `said`."""
        self.process.send_signal(how)
        return self.wait()

    def wait(self) -> int:
        self.said += self.process.communicate(timeout=60)[0]
        return self.process.returncode


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def postmaster(local: Path) -> int | None:
    """The pid of the server that runs under `local`."""
    for process in psutil.process_iter(["cmdline"]):
        # What is ending has no command line any more.
        if f"{local}/postgres" in (process.info["cmdline"] or ()):
            return process.pid
    return None


@contextmanager
def local_folder(name: str = "local") -> Iterator[Path]:
    """A LOCAL_DIR that is gone afterwards, with the server that a failed test left in it."""
    top = Path(tempfile.mkdtemp(prefix="gpucompare-test-")).resolve()
    local = top / name
    try:
        yield local
    finally:
        if pid := postmaster(local):
            os.kill(pid, signal.SIGQUIT)
            eventually(lambda: postmaster(local) is None)
        shutil.rmtree(top, ignore_errors=True)


def eventually(holds: Callable[[], bool], seconds: float = 60) -> bool:
    """Whether it comes to hold within that time."""
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.05)
    return holds()
