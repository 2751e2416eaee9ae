"""The worker and the clock beside the web process: they work, they stop, they outlive nobody."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from gpucompare.serve import WORKERS
from tests.fleet import addresses
from tests.prepared import prepared
from tests.processes import (
    ROOT,
    Site,
    environment,
    eventually,
    free_port,
    local_folder,
    postmaster,
)
from tests.provider_server import ProviderServer, running

# Starts them, says so, and stops them at the end of its input.
_PARENT = """
import sys, django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from gpucompare import background
children = background.start()
print(*(child.pid for child in children), flush=True)
sys.stdin.read()
background.stop(children)
"""


@pytest.fixture
def provider() -> Iterator[ProviderServer]:
    with running() as server:
        yield server


@pytest.fixture(scope="module")
def local() -> Iterator[Path]:
    with local_folder() as folder:
        prepared(folder)
        yield folder


class Parent:
    """A process that has a worker and a clock."""

    def __init__(self, local: Path, provider: ProviderServer, **extra: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _PARENT],
            cwd=ROOT,
            env=environment(local, **addresses(provider), **extra),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout
        self.children = [psutil.Process(int(pid)) for pid in self.process.stdout.readline().split()]

    def stop(self) -> tuple[str, list[psutil.Process]]:
        """What it said, and which of its children are left."""
        said = self.process.communicate(timeout=60)[1]
        return said, [child for child in self.children if child.is_running()]

    def kill(self) -> list[psutil.Process]:
        """Which of its children outlive it."""
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate(timeout=60)
        return psutil.wait_procs(self.children, timeout=20)[1]


def test_they_read_providers_and_stop_with_nothing_left_behind(
    local: Path, provider: ProviderServer
) -> None:
    parent = Parent(local, provider)
    assert len(parent.children) == 2
    assert eventually(lambda: bool(provider.seen))
    assert eventually(lambda: bool(list(local.glob("beat-schedule*"))))
    said, left = parent.stop()
    assert left == []
    assert "Traceback" not in said
    assert parent.process.returncode == 0
    assert postmaster(local) is None


def test_they_stop_before_they_have_come_to_work(local: Path, provider: ProviderServer) -> None:
    parent = Parent(local, provider)
    assert parent.stop()[1] == []
    assert postmaster(local) is None


def test_they_end_when_their_parent_is_killed_outright(
    local: Path, provider: ProviderServer
) -> None:
    parent = Parent(local, provider)
    assert eventually(lambda: bool(list(local.glob("queue/control/*"))), 60)
    assert parent.kill() == []


def test_a_redis_that_is_away_is_a_warning_and_no_reason_not_to_start(
    local: Path, provider: ProviderServer
) -> None:
    parent = Parent(local, provider, REDIS_URL=f"redis://127.0.0.1:{free_port()}/0")
    assert len(parent.children) == 2
    said, left = parent.stop()
    assert left == []
    assert "the queue does not answer, prices stay as they are" in said


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=str)
def test_beside_the_site_they_end_with_it(
    local: Path, provider: ProviderServer, how: signal.Signals
) -> None:
    site = Site(local, **{"GPUCOMPARE_REFRESH": "1", **addresses(provider)})
    site.wait_until_it_answers()
    assert eventually(lambda: len(site.processes()) >= 1 + WORKERS + 2)
    started = site.processes()
    site.end(how)
    assert psutil.wait_procs(started, timeout=20)[1] == []
