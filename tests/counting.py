"""Processes that count, for tests of what they come to together."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from prometheus_client import CollectorRegistry

from gpucompare import metrics
from gpucompare.metrics_folder import MetricsFolder
from tests.processes import ROOT, environment

# Counts as it is told, a line each: "hits 3" or "busy", and says when it has.
_COUNTER = """
import sys
from gpucompare import metrics
print("ready", flush=True)
for line in sys.stdin:
    word, _, number = line.strip().partition(" ")
    for _ in range(int(number or 1)):
        if word == "hits": metrics.kept("hit")
        if word == "slow": metrics.answered("browse", "GET", 200, 2.0, 4)
        if word == "busy": metrics.began("GET")
    print("done", flush=True)
"""


class CountingProcess:
    def __init__(self, local: Path, script: str = _COUNTER) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", script],
            cwd=ROOT,
            env=environment(local),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._is_ready = False

    def wait(self) -> None:
        """Processes that are started together come up together."""
        if not self._is_ready:
            assert self._word() == "ready"
            self._is_ready = True

    def counts(self, what: str) -> None:
        self.wait()
        assert self.process.stdin
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        assert self._word() == "done"

    def leave(self) -> None:
        self.process.communicate(timeout=60)

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=60)

    def _word(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()


def read(folder: Path) -> dict[tuple[str, str], float]:
    """What stands there, by name and labels: ("gpucompare_x_total", "outcome=hit")."""
    return {
        (
            sample.name,
            ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items())),
        ): (sample.value)
        for metric in MetricsFolder(folder).read()
        for sample in metric.samples
    }


def hits(folder: Path) -> float:
    return read(folder).get(("gpucompare_kept_results_total", "outcome=hit"), 0.0)


def busy(folder: Path) -> float:
    return read(folder).get(("gpucompare_requests_in_progress", "method=GET"), 0.0)


class Counted:
    """How much a counter of this process has grown since."""

    def __init__(self, name: str, **labels: str) -> None:
        self._name, self._labels = name, labels
        self._before = self._now()

    def _now(self) -> float:
        registry: CollectorRegistry = metrics.REGISTRY
        return registry.get_sample_value(self._name, self._labels) or 0.0

    @property
    def more(self) -> float:
        return self._now() - self._before
