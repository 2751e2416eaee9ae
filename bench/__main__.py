"""All benchmarks of the project, one after the other, with one line at the end.

    python -m bench [NAME …]

Each is a process of its own, so that none finds what another left in memory. Exits with 1 when a
goal is missed or a part could not be run.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time

PARTS = ("merge", "verdicts", "check_page", "export", "price_history", "growth")
_SUMS = re.compile(r"^(\d+) passed, (\d+) failed$")


def part(name: str) -> tuple[int, int]:
    """How many goals of a part were met and missed; one that breaks off has missed one."""
    print(f"--- {name}", flush=True)
    start = time.perf_counter()
    command = [sys.executable, "-m", f"bench.{name}"]
    last = ""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:  # noqa: S603
        for line in running.stdout or ():
            print(f"    {line}", end="", flush=True)
            last = line.strip()
    print(f"    {time.perf_counter() - start:.0f} s", flush=True)
    found = _SUMS.match(last)
    return (int(found[1]), int(found[2])) if found else (0, 1)


def main(names: tuple[str, ...]) -> int:
    start = time.perf_counter()
    sums = [part(name) for name in names]
    passed, failed = sum(met for met, _ in sums), sum(missed for _, missed in sums)
    print(f"{time.perf_counter() - start:.0f} s in all")
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(tuple(sys.argv[1:]) or PARTS))
