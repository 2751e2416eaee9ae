"""A fleet of real processes for tests: PostgreSQL and Redis that can go away, and workers."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import redis
from celery import Celery

from gpucompare.embedded_db.cluster import Cluster
from providers.sources import SOURCES
from tests.prepared import prepared
from tests.processes import ROOT, environment, eventually, free_port
from tests.provider_server import ProviderServer

REDIS = shutil.which("redis-server")


def url_of(cluster: Cluster) -> str:
    """The address of the site's database in it."""
    address = cluster.address()
    return f"postgres://{address['USER']}@/gpucompare?host={quote(address['HOST'], safe='')}"


class Database:
    """PostgreSQL under `local`, empty or as it lies there, that no worker starts: gone is gone."""

    def __init__(self, local: Path) -> None:
        local.mkdir(parents=True, exist_ok=True)
        self.cluster = Cluster(local / "postgres")
        is_filled = self.cluster.data.exists()
        self.cluster.ensure_running()
        if not is_filled:
            with self._session("postgres") as server:
                server.execute("CREATE DATABASE gpucompare")

    @property
    def url(self) -> str:
        return url_of(self.cluster)

    def stop(self) -> None:
        self.cluster.stop()

    def start(self) -> None:
        self.cluster.ensure_running()

    def session(self) -> psycopg.Connection[Any]:
        """A connection whose statements each stand for themselves."""
        return self._session("gpucompare")

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with self.session() as session:
            return session.execute(query.encode()).fetchall()

    def _session(self, name: str) -> psycopg.Connection[Any]:
        address = self.cluster.address()
        return psycopg.connect(
            host=address["HOST"],
            port=address["PORT"],
            user=address["USER"],
            dbname=name,
            autocommit=True,
        )


class Redis:
    """A Redis that writes down all it holds, so that a stop loses nothing."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._port = folder, free_port()
        self.url = f"redis://127.0.0.1:{self._port}/0"
        self.asked = redis.Redis(port=self._port)
        self.start()

    def start(self) -> None:
        assert REDIS
        where = ["--port", str(self._port), "--bind", "127.0.0.1", "--dir", str(self._folder)]
        self._process = subprocess.Popen(
            [REDIS, *where, "--appendonly", "yes", "--appendfsync", "always", "--save", ""],
            stdout=subprocess.DEVNULL,
        )
        assert eventually(self._answers)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()

    def unfinished(self) -> int:
        """Tasks that wait, or that a worker took and has not done with."""
        waiting: Any = self.asked.llen("refresh")
        taken: Any = self.asked.hlen("unacked")
        return int(waiting + taken)

    def _answers(self) -> bool:
        try:
            return bool(self.asked.ping())
        except redis.RedisError:
            return False


class Worker:
    """A worker as it is run in production, with two processes that do the work."""

    def __init__(self, log: Path, environ: dict[str, str]) -> None:
        self._log = log
        command = ["worker", "-Q", "refresh,default", "-c", "2", "-n", f"{log.stem}@%h"]
        with log.open("wb") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "celery", "-A", "gpucompare", *command, "-l", "INFO"],
                cwd=ROOT,
                env=environ,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def said(self) -> str:
        return self._log.read_text(errors="replace")

    def is_ready(self) -> bool:
        assert self.process.poll() is None, self.said
        return " ready." in self.said

    def has_a_task(self) -> bool:
        return " received" in self.said

    def results(self) -> list[str]:
        """What its tasks returned so far."""
        return re.findall(r"refresh_source\[\S+\] succeeded in \S+: '([^']*)'", self.said)

    def end(self, how: signal.Signals) -> None:
        """That signal to it and to all its processes."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, how)
            self.process.wait(timeout=60)


class Fleet:
    """Workers on one database, which holds a whole site's data, one Redis and one server that plays
    all providers."""

    def __init__(self, top: Path, provider: ProviderServer) -> None:
        self._top = top
        self.provider = provider
        prepared(top)
        self.database = Database(top)
        self.redis = Redis(top / "redis")
        self._workers: list[Worker] = []

    def told(self) -> dict[str, str]:
        """What a process of it is told of where everything is."""
        where = {"DATABASE_URL": self.database.url, "REDIS_URL": self.redis.url}
        return {**where, **addresses(self.provider)}

    def _environ(self, **extra: str) -> dict[str, str]:
        return environment(self._top, GPUCOMPARE_LOG_LEVEL="INFO", **self.told(), **extra)

    def workers(self, count: int, visibility_s: int = 60, **extra: str) -> list[Worker]:
        """That many more, all of them ready."""
        environ = self._environ(GPUCOMPARE_TASK_VISIBILITY_S=str(visibility_s), **extra)
        first = len(self._workers)
        logs = [self._top / f"worker-{first + n}.log" for n in range(count)]
        started = [Worker(log, environ) for log in logs]
        self._workers += started
        assert eventually(lambda: all(worker.is_ready() for worker in started))
        return started

    def queue(self, *slugs: str) -> None:
        """A refresh of each, as the clock would queue it."""
        with Celery(broker=self.redis.url) as clock:
            for slug in slugs:
                clock.send_task("providers.tasks.refresh_source", [slug], queue="refresh")

    def outcomes(self, slug: str) -> list[str]:
        """How its runs ended, the first first."""
        query = f"SELECT outcome FROM providers_refreshrun WHERE source = '{slug}' ORDER BY id"  # noqa: S608
        return [outcome for (outcome,) in self.database.rows(query)]

    def listings(self, slug: str) -> int:
        query = f"SELECT count(*) FROM providers_listing WHERE source = '{slug}'"  # noqa: S608
        count: int = self.database.rows(query)[0][0]
        return count

    def rest(self) -> None:
        """Ends the workers and forgets what they did."""
        for worker in self._workers:
            worker.end(signal.SIGKILL)
        self.redis.asked.flushall()
        with self.database.session() as session:
            session.execute("TRUNCATE providers_refreshrun, providers_listing CASCADE")
        self.provider.seen.clear()

    def stop(self) -> None:
        for worker in self._workers:
            worker.end(signal.SIGKILL)
        self.redis.stop()
        self.database.stop()


def addresses(provider: ProviderServer) -> dict[str, str]:
    """What makes every source, and the bank, ask that server."""
    sources = {f"GPUCOMPARE_SOURCE_{slug.upper()}_URL": provider.base(slug) for slug in SOURCES}
    return {**sources, "GPUCOMPARE_RATES_URL": provider.base("ecb")}


@contextmanager
def fleet(top: Path, provider: ProviderServer) -> Iterator[Fleet]:
    whole = Fleet(top, provider)
    try:
        yield whole
    finally:
        whole.stop()
