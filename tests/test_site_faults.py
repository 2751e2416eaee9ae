"""The whole site under many readers at once, without its database, and on a disk that is full."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from providers.refresh.enabled import enabled
from providers.refresh.schedule import beat_schedule
from tests.fleet import REDIS, Fleet
from tests.processes import ROOT, environment, eventually
from tests.readers import Met, reading
from tests.served import PATHS, WEB, Web, filled, web

if REDIS is None:
    pytest.skip("redis-server is not installed", allow_module_level=True)

# A statement is cut at ten seconds, and a connection is given up after five.
LONGEST_AWAY_S = 20.0
# From the start of the database on.
SOON_S = 15.0
# Needs no database, or says for itself that there is none.
WITHOUT = ("/healthz", "/robots.txt", "/api/v1/docs", "/data-licence.md")


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[Fleet, Web]]:
    with filled() as (ours, top), web(ours, top) as one:
        yield ours, one


@pytest.mark.parametrize(
    ("count", "seconds"), [(100, 3), pytest.param(500, 60, marks=pytest.mark.soak)]
)
def test_all_of_many_readers_are_answered(
    served: tuple[Fleet, Web], count: int, seconds: int
) -> None:
    _ours, site = served
    with reading(site.port, count, PATHS) as readers:
        time.sleep(seconds)
        assert site.answers()
    met = readers.met
    assert (met.errors, met.broken) == ({}, [])
    assert set(met.statuses) <= {200, 429}
    assert met.statuses[200] >= count
    assert set(met.paths) == set(PATHS)
    assert site.tracebacks() == []


# What is asked for while the database goes away: quick to make, so that the short form is short.
FEW = ("/", "/listings/", "/gpus/h100/", "/ar/faq/", "/api/v1/status", "/listings/?format=csv")


@pytest.mark.parametrize(
    ("away_s", "paths"), [(2, FEW), pytest.param(20, PATHS, marks=pytest.mark.soak)]
)
def test_a_database_that_stops_under_load_is_told_and_readers_are_back_by_themselves(
    served: tuple[Fleet, Web], away_s: int, paths: tuple[str, ...]
) -> None:
    ours, site = served
    started = [process.pid for process in site.site.processes()]
    with reading(site.port, 20, paths) as readers:
        assert eventually(lambda: len(readers.met.paths) == len(paths))
        assert readers.next_phase().errors == {}
        ours.database.stop()
        look_around(site, away_s)
        told = readers.next_phase()
        ours.database.start()
        assert eventually(lambda: all(site.answers(path) for path in paths), SOON_S)
        assert eventually(lambda: site.missing() == [], SOON_S)
        since = readers.next_phase()
        assert eventually(lambda: len(readers.met.paths) == len(paths), 30)
    assert told.statuses[503] > 0
    assert set(told.statuses | since.statuses) <= {200, 429, 503}
    assert told.without_advice + since.without_advice == []
    assert max(told.longest_s, since.longest_s) < LONGEST_AWAY_S
    assert cut_short(told) + cut_short(since) == []
    assert (readers.met.errors, readers.met.broken) == ({}, [])
    assert site.tracebacks() == []
    assert [process.pid for process in site.site.processes()] == started


def look_around(site: Web, seconds: float) -> None:
    """So long, what needs no database is answered, and what is missing is told."""
    until = time.monotonic() + seconds
    while True:
        assert [path for path in WITHOUT if not site.answers(path)] == []
        if time.monotonic() > until:
            break
        time.sleep(0.1)
    assert site.missing() == ["database", "migrations", "catalog", "content"]


def cut_short(met: Met) -> list[str]:
    """Answers that did not come whole, but for downloads, whose rows come as they are read."""
    return [told for told in met.broken if "format=" not in told.split(" ")[0]]


# --- A disk that is full ---------------------------------------------------------------------

# What is written to a log meets a device that is full, and what is written to a file, a limit.
_LOG_FULL = ">/dev/full 2>/dev/full"
_NO_ROOM = "ulimit -f 0; "
_DISK_FULL = f"{_NO_ROOM}exec {shlex.join(WEB)} {_LOG_FULL}"
_CELERY = (sys.executable, "-m", "celery", "-q", "-A", "gpucompare")
_LINES = {"GPUCOMPARE_LOG_LEVEL": "DEBUG", "GPUCOMPARE_LOG_FORMAT": "json"}


def test_readers_are_answered_where_neither_log_nor_counts_nor_pictures_can_be_written(
    served: tuple[Fleet, Web],
) -> None:
    ours, site = served
    with web(ours, site.log.parent, _DISK_FULL, **_LINES) as full:
        assert {path: full.get(path).status_code for path in PATHS if not full.answers(path)} == {}
        assert full.get("/nowhere/").status_code == 404
        made = full.share()
        assert full.answers(made)
        picture = full.get(f"{made}picture.png")
        assert (picture.status_code, picture.content[1:4]) == (200, b"PNG")
        assert full.missing() == []
        assert "gpucompare_requests_total" not in full.metrics()
        assert len(full.site.processes()) == len(site.site.processes())


def test_a_site_is_prepared_where_nobody_can_hear_what_is_said(served: tuple[Fleet, Web]) -> None:
    ours, site = served
    command = f"exec {sys.executable} -m gpucompare.serve prepare {_LOG_FULL}"
    environ = environment(site.log.parent, **ours.told())
    assert subprocess.run(["sh", "-c", command], cwd=ROOT, env=environ, check=False).returncode == 0


def test_a_worker_and_the_clock_go_on_where_their_log_is_full(
    served: tuple[Fleet, Web],
) -> None:
    ours, site = served
    top = site.log.parent
    with unheard(ours, top, "beat"):
        assert eventually((top / "beat-alive").exists)
    ours.redis.asked.flushall()
    with unheard(ours, top, "worker", "-c", "1", "-Q", "refresh,default"):
        ours.queue("verda")
        assert eventually(lambda: ours.outcomes("verda") == ["merged"])


def test_the_clock_queues_what_is_due_where_its_own_disk_is_full(
    served: tuple[Fleet, Web], tmp_path: Path
) -> None:
    """Neither its schedule nor the mark by which it is found well can be written."""
    ours, _site = served
    long_ago = str(datetime.now(UTC) - timedelta(days=1))
    kept = json.dumps(dict.fromkeys(beat_schedule({}), long_ago))
    (tmp_path / "beat-schedule").write_text(kept)
    with unheard(ours, tmp_path, "beat", before=_NO_ROOM, GPUCOMPARE_SECRET_KEY="k" * 50):
        assert eventually(lambda: ours.redis.unfinished() >= len(enabled({})))
    assert (tmp_path / "beat-schedule").read_text() == kept
    ours.redis.asked.flushall()


@contextmanager
def unheard(ours: Fleet, top: Path, *words: str, before: str = "", **extra: str) -> Iterator[None]:
    """A part of Celery that nobody can hear."""
    command = f"{before}exec {shlex.join((*_CELERY, *words))} {_LOG_FULL}"
    environ = environment(top, **ours.told(), **_LINES, **extra)
    part = subprocess.Popen(["sh", "-c", command], cwd=ROOT, env=environ)
    try:
        yield
        assert part.poll() is None
    finally:
        part.terminate()
        part.wait(timeout=60)
