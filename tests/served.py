"""The site as it is deployed, for tests of faults: web processes over a database and a Redis that
may go away, filled with the project's own catalog and dated prices."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import requests
from prometheus_client.parser import text_string_to_metric_families

from tests.fleet import Fleet, fleet
from tests.processes import ROOT, Site, environment, eventually, local_folder
from tests.provider_server import running, sample

TOKEN = "a-token-for-these-tests"
# A page of each kind, of the API and of the downloads.
PATHS = (
    *("/", "/?docker_daemon=root", "/ar/?gpu=h100", "/listings/", "/providers/runpod/"),
    *("/gpus/", "/gpus/h100/", "/guide/", "/tr/faq/", "/status/", "/changes/", "/feed.atom"),
    *("/check/?cuda=12.8", "/cold-start/?compressed_gb=8", "/compare/?o=runpod/pods"),
    *("/api/v1/offerings", "/api/v1/listings", "/api/v1/status", "/badge/runpod.svg", "/llms.txt"),
    *("/?format=csv", "/listings/?format=csv", "/listings/?format=json"),
)
_numbers = count(1)
WEB = (sys.executable, "-m", "gpucompare.serve", "web")


class Web:
    """One machine's web processes, with what they wrote to their log."""

    def __init__(self, ours: Fleet, top: Path, script: str = "", **extra: str) -> None:
        self.log = top / f"web-{next(_numbers)}.log"
        told = {
            "GPUCOMPARE_METRICS_TOKEN": TOKEN,
            "GPUCOMPARE_METRICS_DIR": str(self.log.with_suffix(".metrics")),
            "GPUCOMPARE_LOG_FORMAT": "json",
            "GPUCOMPARE_LOG_LEVEL": "INFO",
            "GPUCOMPARE_PROXIES": "127.0.0.0/8",
            **ours.told(),
            **extra,
        }
        to_log = f"exec {shlex.join(WEB)} 2>{shlex.quote(str(self.log))}"
        self.site = Site(top, ["sh", "-c", script or to_log], **told)

    @property
    def port(self) -> int:
        return self.site.port

    def get(self, path: str, **headers: str) -> requests.Response:
        """On a connection of its own: any of the processes may answer."""
        return requests.get(self.url(path), headers=headers, timeout=30)

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def answers(self, path: str = "/healthz") -> bool:
        try:
            return self.get(path).status_code == 200
        except requests.RequestException:
            return False

    def missing(self) -> list[str]:
        """What `/readyz` lacks."""
        found: list[str] = self.get("/readyz").json()["missing"]
        return found

    def share(self, address: str = "/?docker_daemon=root") -> str:
        """The address of a new share of that page."""
        told = {"kind": "browse", "address": address}
        made = requests.post(
            self.url("/s/"),
            told,
            headers={"Sec-Fetch-Site": "same-origin"},
            timeout=30,
            allow_redirects=False,
        )
        assert made.status_code == 303, made.text
        return made.headers["Location"]

    def metrics(self) -> dict[str, dict[str, float]]:
        """By name, and by the values of their labels."""
        answer = self.get("/metrics", Authorization=f"Bearer {TOKEN}")
        assert answer.status_code == 200, answer.text
        found: dict[str, dict[str, float]] = {}
        for family in text_string_to_metric_families(answer.text):
            for one in family.samples:
                labels = " ".join(value for _name, value in sorted(one.labels.items()))
                found.setdefault(one.name, {})[labels] = one.value
        return found

    def lines(self) -> list[dict[str, Any]]:
        """What it wrote; each line must be JSON."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def tracebacks(self) -> list[str]:
        return [line["traceback"] for line in self.lines() if "traceback" in line]

    def end(self) -> None:
        if self.site.process.poll() is None:
            self.site.end(signal.SIGTERM)


@contextmanager
def web(ours: Fleet, top: Path, script: str = "", **extra: str) -> Iterator[Web]:
    made = Web(ours, top, script, **extra)
    try:
        assert eventually(made.answers), made.log.read_text() if made.log.exists() else script
        yield made
    finally:
        made.end()


@contextmanager
def filled() -> Iterator[tuple[Fleet, Path]]:
    """A fleet without a worker, over a site's whole data, and the folder that it is in."""
    with running() as provider, local_folder() as top, fleet(top, provider) as ours:
        provider.always = sample
        yield ours, top


def run(script: str, top: Path, **extra: str) -> None:
    """A script in a process of its own, which has to succeed."""
    command = [sys.executable, "-c", script]
    subprocess.run(command, cwd=ROOT, env=environment(top, **extra), check=True)
