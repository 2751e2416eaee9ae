"""Two real workers on real Redis and PostgreSQL, any of which may die in the middle."""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from threading import Event

import psycopg
import pytest
from pytest_django import Settings

from providers.refresh.network import network
from tests.fleet import REDIS, Fleet, Worker, fleet
from tests.processes import eventually, local_folder
from tests.provider_server import Exchange, running, sample

if REDIS is None:
    pytest.skip("redis-server is not installed", allow_module_level=True)

# Longer than any task here takes: Redis hands out again what takes longer.
VISIBILITY_S = 6
SOURCES = ("akash", "linode", "runpod", "verda", "cloudrift")


@pytest.fixture(scope="module")
def whole_fleet() -> Iterator[Fleet]:
    with running() as provider, local_folder() as top, fleet(top, provider) as made:
        yield made


@pytest.fixture
def ours(whole_fleet: Fleet) -> Iterator[Fleet]:
    """The fleet without a worker, with an empty queue and no run."""
    whole_fleet.provider.always = sample
    yield whole_fleet
    whole_fleet.rest()


class Held:
    """The provider takes calls and answers none until it is let go."""

    def __init__(self, ours: Fleet) -> None:
        self._go, self._ours = Event(), ours
        ours.provider.always = self._answer

    def _answer(self, exchange: Exchange) -> None:
        self._go.wait(60)
        sample(exchange)

    def wait_for_a_call(self) -> None:
        assert eventually(lambda: bool(self._ours.provider.seen))

    def let_go(self) -> None:
        self._ours.provider.always = sample
        self._go.set()


def is_blocked(ours: Fleet, by: psycopg.Connection) -> bool:
    query = "SELECT count(*) FROM pg_stat_activity WHERE %s = ANY(pg_blocking_pids(pid))"
    with ours.database.session() as session:
        found = session.execute(query, [by.info.backend_pid]).fetchone()
    return found != (0,)


def all_done(ours: Fleet) -> Callable[[], bool]:
    return lambda: ours.redis.unfinished() == 0


def test_fifty_refreshes_at_once_run_each_source_once_at_a_time(ours: Fleet) -> None:
    def slowly(exchange: Exchange) -> None:
        time.sleep(0.2)
        sample(exchange)

    ours.provider.always = slowly
    workers = ours.workers(2)
    ours.queue(*(slug for slug in SOURCES for _ in range(10)))
    assert eventually(lambda: len(results(workers)) >= 50)

    told = Counter(results(workers))
    assert told.total() == 50
    assert told.pop("already running", 0) > 0
    ran = Counter(outcome for slug in SOURCES for outcome in ours.outcomes(slug))
    assert ran == told
    assert all(ours.outcomes(slug) for slug in SOURCES)
    assert [overlaps(ours, slug) for slug in SOURCES] == [0] * len(SOURCES)
    assert all(worker.results() for worker in workers)
    assert eventually(all_done(ours))


def results(workers: list[Worker]) -> list[str]:
    return [result for worker in workers for result in worker.results()]


def overlaps(ours: Fleet, slug: str) -> int:
    """How many runs of a source began before the one before them had ended."""
    times = ours.database.rows(
        "SELECT started_at, ended_at FROM providers_refreshrun"  # noqa: S608
        f" WHERE source = '{slug}' ORDER BY started_at"
    )
    return sum(second[0] < first[1] for first, second in pairwise(times))


def test_a_worker_killed_while_it_asks_the_provider_loses_nothing(ours: Fleet) -> None:
    held = Held(ours)
    two = ours.workers(2, VISIBILITY_S)
    ours.queue("verda")
    held.wait_for_a_call()
    victim, heir = sorted(two, key=Worker.has_a_task, reverse=True)
    victim.end(signal.SIGKILL)
    assert (ours.outcomes("verda"), ours.listings("verda")) == (["running"], 0)

    held.let_go()
    assert eventually(lambda: heir.results() == ["merged"])
    assert ours.outcomes("verda") == ["interrupted", "merged"]
    assert ours.listings("verda") > 0
    assert eventually(all_done(ours))


def test_a_worker_killed_just_before_its_commit_leaves_nothing_half_written(ours: Fleet) -> None:
    held = Held(ours)
    (victim,) = ours.workers(1, VISIBILITY_S)
    ours.queue("verda")
    held.wait_for_a_call()
    with ours.database.session() as gate, gate.transaction():
        # The last thing that a merge writes is its run.
        gate.execute("SELECT FROM providers_refreshrun FOR NO KEY UPDATE")
        held.let_go()
        assert eventually(lambda: is_blocked(ours, gate))
        victim.end(signal.SIGKILL)
    assert (ours.outcomes("verda"), ours.listings("verda")) == (["running"], 0)

    (heir,) = ours.workers(1, VISIBILITY_S)
    assert eventually(lambda: heir.results() == ["merged"])
    assert ours.outcomes("verda") == ["interrupted", "merged"]
    assert ours.listings("verda") > 0


def test_redis_may_stop_and_start_in_the_middle_of_a_refresh(ours: Fleet) -> None:
    held = Held(ours)
    (worker,) = ours.workers(1, VISIBILITY_S)
    ours.queue("verda")
    held.wait_for_a_call()
    ours.redis.stop()
    held.let_go()
    assert eventually(lambda: ours.outcomes("verda") == ["merged"])
    ours.redis.start()

    ours.queue("akash")
    assert eventually(lambda: ours.outcomes("akash") == ["merged"]), worker.said
    # The first could not say that it was done, so it is done again.
    assert eventually(all_done(ours))
    assert eventually(lambda: set(ours.outcomes("verda")) == {"merged"})
    assert worker.process.poll() is None


def test_what_is_no_task_is_left_out_of_the_queue(ours: Fleet) -> None:
    (worker,) = ours.workers(1)
    for poison in (b"\x80\x04 no text", b"{", b"null", b'{"body": 1}', b'{"headers": {}}'):
        ours.redis.asked.lpush("refresh", poison)
    ours.queue("verda")
    assert eventually(lambda: ours.outcomes("verda") == ["merged"]), worker.said
    assert worker.process.poll() is None
    assert eventually(all_done(ours))


def test_postgresql_may_restart_in_the_middle_of_a_refresh(ours: Fleet) -> None:
    held = Held(ours)
    ours.workers(1)
    ours.queue("verda")
    held.wait_for_a_call()
    ours.database.stop()
    ours.database.start()
    held.let_go()
    assert eventually(lambda: ours.outcomes("verda") == ["merged"])
    ours.queue("verda")
    assert eventually(lambda: ours.outcomes("verda") == ["merged", "merged"])
    assert eventually(all_done(ours))


def test_a_refresh_that_finds_postgresql_gone_is_tried_again_and_the_next_is_clean(
    ours: Fleet,
) -> None:
    held = Held(ours)
    (worker,) = ours.workers(1)
    ours.queue("verda")
    held.wait_for_a_call()
    ours.database.stop()
    held.let_go()
    assert eventually(lambda: "refresh_source[" in worker.said and "Retry in " in worker.said)
    ours.database.start()
    assert (ours.outcomes("verda"), ours.listings("verda")) == (["running"], 0)
    assert ours.redis.unfinished() == 1

    ours.queue("verda")
    assert eventually(lambda: worker.results() == ["merged"])
    assert ours.outcomes("verda") == ["interrupted", "merged"]


def test_the_rate_of_calls_is_shared_through_redis_and_not_kept_while_it_is_away(
    ours: Fleet, settings: Settings
) -> None:
    settings.REDIS_URL = ours.redis.url
    # As two processes have them.
    one, other = (network.__wrapped__().pace for _ in range(2))
    assert one is not None
    assert other is not None
    began = time.monotonic()
    for pace in (one, other) * 8:
        pace.wait("provider.example", began + 60)
    # Sixteen calls at five a second; two paces of their own would have been done after one.
    assert time.monotonic() - began > 2.9

    ours.redis.stop()
    began = time.monotonic()
    for _ in range(8):
        one.wait("provider.example", began + 60)
    assert time.monotonic() - began < 2
    ours.redis.start()
