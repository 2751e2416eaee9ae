"""Turns are counted by the clock as it is, also when it was ahead, and by nothing but counts."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest
from limits import parse
from limits.errors import StorageError
from limits.storage import RedisStorage

from gpucompare.outside.turns import Memory, Turns
from providers.sources.http import Pace
from tests.fleet import REDIS, Redis
from tests.processes import eventually

RATE, DAY_S = parse("2/minute"), 24 * 3600
Jump = Callable[[float], None]


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    if REDIS is None:
        pytest.skip("redis-server is not installed")
    server = Redis(tmp_path_factory.mktemp("redis"))
    yield server
    server.stop()


@pytest.fixture(params=["memory", "redis"])
def storage(request: pytest.FixtureRequest) -> Iterator[Memory | RedisStorage]:
    if request.param == "memory":
        yield Memory()
        return
    server: Redis = request.getfixturevalue("redis")
    yield RedisStorage(server.url, wrap_exceptions=True)
    server.asked.flushall()


@pytest.fixture
def jump(monkeypatch: pytest.MonkeyPatch) -> Jump:
    """Sets how far ahead the clock is."""
    clock = time.time

    def to(seconds: float) -> None:
        monkeypatch.setattr("time.time", lambda: clock() + seconds)

    return to


def taken(turns: Turns, count: int) -> list[bool]:
    return [turns.hit(RATE, "a client") for _ in range(count)]


def test_turns_end_and_come_again(storage: Memory | RedisStorage, jump: Jump) -> None:
    turns = Turns(storage)
    assert taken(turns, 3) == [True, True, False]
    jump(61)
    assert taken(turns, 3) == [True, True, False]


def test_a_clock_that_is_put_back_lets_everybody_begin_anew(
    storage: Memory | RedisStorage, jump: Jump
) -> None:
    turns = Turns(storage)
    jump(DAY_S)
    assert taken(turns, 3) == [True, True, False]
    jump(0)
    assert taken(turns, 3) == [True, True, False]


def test_a_clock_that_is_a_little_behind_another_gives_no_more_turns(
    storage: Memory | RedisStorage, jump: Jump
) -> None:
    turns = Turns(storage)
    jump(20)
    assert taken(turns, 3) == [True, True, False]
    jump(0)
    assert taken(turns, 1) == [False]


def test_a_provider_is_called_when_the_clock_is_put_back(
    storage: Memory | RedisStorage, jump: Jump
) -> None:
    pace = Pace("2/minute", storage)
    jump(DAY_S)
    for _ in range(2):
        pace.wait("provider.example", time.monotonic() + 1)
    jump(0)
    pace.wait("provider.example", time.monotonic() + 1)


@pytest.mark.parametrize("poison", ["text", "hash", "list"])
def test_what_is_no_count_is_replaced_by_one(redis: Redis, poison: str) -> None:
    turns = Turns(RedisStorage(redis.url, wrap_exceptions=True))
    assert taken(turns, 2) == [True, True]
    (key,) = redis.asked.keys()
    redis.asked.delete(key)
    if poison == "text":
        redis.asked.set(key, b"\x80\x04 no count")
    elif poison == "hash":
        redis.asked.hset(key, "no", "count")
    else:
        redis.asked.lpush(key, *["no count"] * 2)
    assert taken(turns, 3) == [True, True, False]
    redis.asked.flushall()


def test_a_redis_that_is_away_is_told() -> None:
    turns = Turns(RedisStorage("redis://127.0.0.1:1/0", wrap_exceptions=True))
    with pytest.raises(StorageError):
        turns.hit(RATE, "a client")


def test_turns_in_memory_share_one_thread_that_forgets_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = []
    start = threading.Thread.start

    def counted(thread: threading.Thread) -> None:
        begun.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", counted)
    turns = Turns(Memory())
    for _turn in range(200):
        turns.hit(parse("999/minute"), "a client")
        time.sleep(0.0002)
    assert len(begun) == 1


def test_what_is_over_is_forgotten_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpucompare.outside.turns._FORGOTTEN_AFTER_S", 0.01)
    storage = Memory()
    turns = Turns(storage)
    turns.hit(parse("1/second"), "a client")
    (key,) = storage.events
    assert storage.events[key]

    def is_forgotten() -> bool:
        turns.hit(parse("9/second"), "another")
        return not storage.events[key]

    assert eventually(is_forgotten, 10)
