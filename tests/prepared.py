"""The data of a whole site, made once for a run of tests and copied to wherever one is wanted.

Migrations and files take a first start several times as long as all that a test wants of it. Who
tests the first start itself begins in an empty folder.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.processes import ROOT, environment

# Where `tests/conftest.py` lets all workers of a run find what one of them made.
SHARED = "GPUCOMPARE_TESTS_SHARED"


def prepared(local: Path) -> None:
    """Put PostgreSQL's files under `local`, at rest, with all that `make run` loads."""
    local.mkdir(parents=True, exist_ok=True)
    # Keeps the files with the user that PostgreSQL runs as.
    subprocess.run(["cp", "-a", _original(), local / "postgres"], check=True)


def _original() -> Path:
    shared = Path(os.environ[SHARED])
    made = shared / "made"
    with (shared / "door").open("w") as one_at_a_time:
        fcntl.flock(one_at_a_time, fcntl.LOCK_EX)
        if not made.exists():
            _make(shared / "unfinished")
            (shared / "unfinished").rename(made)
    return made / "postgres"


def _make(local: Path) -> None:
    command = [sys.executable, "-m", "gpucompare.serve", "prepare"]
    subprocess.run(command, cwd=ROOT, env=environment(local), check=True, capture_output=True)


def shared_folder() -> Path:
    """A new one for this run; who makes it takes it away."""
    made = Path(tempfile.mkdtemp(prefix="gpucompare-tests-"))
    os.environ[SHARED] = str(made)
    return made
