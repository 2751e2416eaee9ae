"""The WSGI entry point."""

import subprocess
import sys
from pathlib import Path

from tests.processes import ROOT, environment

_ASK = """
import gc
from gpucompare.wsgi import application
print(callable(application), gc.get_freeze_count() > 50_000)
"""


def test_what_is_loaded_at_the_start_is_left_alone_by_the_collector(tmp_path: Path) -> None:
    said = subprocess.run(
        [sys.executable, "-c", _ASK],
        cwd=ROOT,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.split() == ["True", "True"]
