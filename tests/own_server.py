"""Gives each worker of pytest-xdist a PostgreSQL of its own.

Named in pyproject.toml, so that it is loaded before Django's settings are. Snapshots are numbered
by the whole server: beside a worker that writes, what a test kept would soon be out of date.
"""

import os
from pathlib import Path

WORKER = os.environ.get("PYTEST_XDIST_WORKER")
ROOT = Path(__file__).parent.parent

if WORKER:
    local = Path(os.environ.get("GPUCOMPARE_LOCAL_DIR") or ROOT / ".local")
    os.environ["GPUCOMPARE_LOCAL_DIR"] = str(local / "tests" / WORKER)
