"""A whole site seen from outside: two web workers, a Celery worker, PostgreSQL and Redis, of which
some go away."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import requests
from prometheus_client.parser import text_string_to_metric_families

from gpucompare import context, readiness, task_context  # noqa: F401 -- sends the id
from gpucompare.serve import WORKERS
from tests.fleet import REDIS, Fleet, addresses, fleet
from tests.processes import ROOT, Site, environment, eventually, local_folder
from tests.provider_server import running, sample

if REDIS is None:
    pytest.skip("redis-server is not installed", allow_module_level=True)

TOKEN = "a-token-for-these-tests"

# As `make run`, on a database that is ready.
_SERVE = """
import os, django
django.setup()
from gpucompare import context, readiness, task_context  # noqa: F401 -- sends the id
from gpucompare.serve import serve
serve("127.0.0.1", int(os.environ["PORT"]))
"""
_CELERY = [sys.executable, "-m", "celery", "-q", "-A", "gpucompare", "worker"]

# One text is enough to be ready.
_TEXT = """
INSERT INTO checks_contententry (kind, language, key, position, title, body, live, dimension,
    sources, forms, avoid, of, digest)
VALUES ('faq', 'en', 'a', 1, 'A', '', '', '', '[]', '{}', '{}', '', '')
"""


class Seen:
    """The site, its worker and what both wrote to their logs."""

    def __init__(self, top: Path, ours: Fleet) -> None:
        self.ours, self._log = ours, top / "site.log"
        self.environ = {
            **addresses(ours.provider),
            "DATABASE_URL": ours.database.url,
            "REDIS_URL": ours.redis.url,
            "GPUCOMPARE_METRICS_TOKEN": TOKEN,
            "GPUCOMPARE_LOG_FORMAT": "json",
            "GPUCOMPARE_LOG_LEVEL": "INFO",
        }
        script = f"exec '{sys.executable}' -c '{_SERVE}' 2>'{self._log}'"
        self.site = Site(top, ["sh", "-c", script], **self.environ)
        self.celery_log = top / "celery.log"
        with self.celery_log.open("wb") as said:
            self._celery = subprocess.Popen(
                [*_CELERY, "-c", "2", "-Q", "refresh,default"],
                cwd=ROOT,
                env=environment(top, **self.environ),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def kill_celery(self) -> None:
        """All its processes."""
        if self._celery.poll() is None:
            os.killpg(self._celery.pid, signal.SIGKILL)
            self._celery.wait(timeout=60)

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.site.port}{path}"

    def get(self, path: str, **headers: str) -> requests.Response:
        """On a connection of its own: any of the workers may answer."""
        return requests.get(self.url(path), headers=headers, timeout=30)

    def metrics(self) -> Mapping[str, Mapping[str, float]]:
        answer = self.get("/metrics", Authorization=f"Bearer {TOKEN}")
        assert answer.status_code == 200
        found: dict[str, dict[str, float]] = {}
        for family in text_string_to_metric_families(answer.text):
            for one in family.samples:
                labels = " ".join(value for _name, value in sorted(one.labels.items()))
                found.setdefault(one.name, {})[labels] = one.value
        return found

    def readiness(self) -> tuple[int, list[str]]:
        answer = self.get("/readyz")
        return answer.status_code, answer.json()["missing"]

    def stands_at(self, status: int, *missing: str) -> bool:
        """Whether all workers come to say so; each keeps its answer for a second."""
        begun = since = time.monotonic()
        while (now := time.monotonic()) - begun < 20:
            if self.readiness() != (status, [*missing]):
                since = time.monotonic()
            elif now - since > readiness.GOOD_FOR_S:
                return True
            time.sleep(0.05)
        return False

    def lines(self) -> list[dict[str, Any]]:
        """What the site wrote; each line must be JSON."""
        return [json.loads(line) for line in self._log.read_text().splitlines()]

    def workers(self) -> list[int]:
        return [process.pid for process in self.site.processes()[1:]]


@pytest.fixture(scope="module")
def seen() -> Iterator[Seen]:
    with running() as provider, local_folder() as top, fleet(top, provider) as ours:
        provider.always = sample
        with ours.database.session() as session:
            session.execute(_TEXT)
        made = Seen(top, ours)
        try:
            made.site.wait_until_it_answers()
            yield made
        finally:
            made.kill_celery()
            made.site.end(signal.SIGTERM)


def counting(folder: Path) -> set[int]:
    """The processes that have counted: web workers, and Celery's."""
    return {int(file.stem.split("_")[1].split("-")[0]) for file in folder.glob("counter_*-*.db")}


@contextmanager
def away(part: Any) -> Iterator[None]:
    part.stop()
    try:
        yield
    finally:
        part.start()


def test_what_two_workers_answered_is_one_sum_and_outlives_either(seen: Seen) -> None:
    folder = seen.ours._top / "metrics"
    # Each worker has answered once it has a file.
    assert eventually(lambda: seen.get("/gpus/").ok and {*seen.workers()} <= counting(folder))
    assert len(seen.workers()) == WORKERS
    counted = "gpucompare_requests_total"
    before = seen.metrics()[counted]["GET gpus 2xx"]
    for _ in range(20):
        assert seen.get("/gpus/").status_code == 200
    assert seen.metrics()[counted]["GET gpus 2xx"] == before + 20

    victim, *_ = seen.workers()
    os.kill(victim, signal.SIGKILL)
    assert eventually(lambda: victim not in seen.workers() and len(seen.workers()) == WORKERS)
    after = seen.metrics()
    assert after[counted]["GET gpus 2xx"] == before + 20
    assert after["gpucompare_requests_in_progress"] == {"GET": 1}
    assert after["gpucompare_request_seconds_count"]["gpus"] == before + 20
    assert after["gpucompare_request_queries_sum"]["gpus"] > 0
    assert victim not in counting(folder)


def test_it_is_ready_and_says_so_again_after_redis_and_the_database_were_away(seen: Seen) -> None:
    assert seen.stands_at(200)
    with away(seen.ours.redis):
        assert seen.stands_at(503, "redis")
        assert seen.get("/healthz").status_code == 200
    assert seen.stands_at(200)
    with away(seen.ours.database):
        assert seen.stands_at(503, "database", "migrations", "catalog", "content")
        assert seen.get("/healthz").text == "ok\n"
        assert seen.metrics()["gpucompare_reachable"] == {"database": 0, "redis": 1}
    assert seen.stands_at(200)


def test_a_request_leaves_one_line_with_the_id_that_it_came_with(seen: Seen) -> None:
    answer = seen.get("/gpus/?q=hush-hush", **{"X-Request-ID": "from-the-proxy"})
    assert answer.headers["X-Request-ID"] == "from-the-proxy"
    assert eventually(lambda: "from-the-proxy" in seen._log.read_text())
    (line,) = [one for one in seen.lines() if one.get("request_id") == "from-the-proxy"]
    assert (line["route"], line["status"], line["method"]) == ("gpus", 200, "GET")
    assert {"time", "level", "logger", "message", "ms", "queries"} <= set(line)
    assert "hush-hush" not in seen._log.read_text()
    assert "127.0.0.1" not in json.dumps(line)


def test_a_task_is_done_under_the_id_of_its_request_and_counted(seen: Seen) -> None:
    assert eventually(lambda: " ready." in seen.celery_log.read_text(), 60)
    with context.within(request_id="from-a-page"):
        seen.ours.queue("verda")
    done = "gpucompare_refreshes_total"
    assert eventually(lambda: seen.metrics().get(done, {}).get("merged verda") == 1, 60)
    found = seen.metrics()
    assert found["gpucompare_refresh_age_seconds"]["verda"] < 60
    assert found["gpucompare_queue_depth"]["refresh"] == 0
    assert eventually(lambda: bool(succeeded(seen)))
    (ended,) = succeeded(seen)
    assert (ended["request_id"], ended["source"]) == ("from-a-page", "verda")
    assert ended["task"] == "providers.tasks.refresh_source"
    assert ended["task_id"] in ended["message"]

    seen.kill_celery()
    assert seen.metrics()[done]["merged verda"] == 1


def succeeded(seen: Seen) -> list[dict[str, Any]]:
    # As root, Celery warns in words of its own before it has a log.
    written = seen.celery_log.read_text().splitlines()
    lines = [json.loads(line) for line in written if line.startswith("{")]
    return [line for line in lines if "succeeded" in line["message"]]
