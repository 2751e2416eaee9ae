"""What a process has freed leaves it, whatever lies behind it in a heap."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gpucompare.allocator import give_back
from tests.processes import ROOT

pytestmark = pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="this C library has no malloc_trim"
)
MB = 1024 * 1024

# The first arrays that are freed would make the library take the next ones from a heap, where the
# last of them holds all.
LARGE = """
import resource
from pathlib import Path
import numpy as np
from gpucompare.allocator import few_heaps
few_heaps()
def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
for _ in range(2):
    np.ones(8_000_000, np.int8)
held = [np.ones(4_000_000, np.int8) for _ in range(20)]
last, full = held.pop(), resident()
held.clear()
print(full - resident())
"""


def resident_mb() -> float:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def test_what_is_free_between_what_is_not_is_given_back() -> None:
    held = [np.ones(MB // 10, np.int8) for _ in range(1000)]
    held = held[::10]
    before = resident_mb()
    give_back()
    assert resident_mb() < before - 50
    assert len(held) == 100


def test_a_large_array_is_gone_as_soon_as_it_is_freed() -> None:
    told = subprocess.run(
        [sys.executable, "-c", LARGE], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert int(told.stdout) > 50 * MB
