"""How often a client may ask, whoever counts."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from gpucompare import clients
from gpucompare.clients import forget_turns, limiter, take
from gpucompare.outside.turns import Memory
from tests import provider_server as play
from tests.fleet import REDIS, Redis


@pytest.fixture(autouse=True)
def _anew(settings: Any) -> Iterator[None]:
    settings.REDIS_URL = ""
    forget_turns()
    yield
    forget_turns()


def starts(*clients: str) -> list[bool]:
    """Whether each may, at two a minute; who is not counted may."""
    windows = [take("2/minute", "tests", client) for client in clients]
    return [window is None or window.allowed for window in windows]


def test_each_client_has_its_own_turns() -> None:
    assert starts("198.51.100.7", "198.51.100.7", "198.51.100.7") == [True, True, False]
    assert starts("198.51.100.8") == [True]


def test_an_ipv6_network_is_one_client() -> None:
    assert starts("2001:db8::1", "2001:db8::2", "2001:db8::3") == [True, True, False]
    assert starts("2001:db8:0:1::1") == [True]


def test_an_ipv4_address_is_the_same_in_ipv6() -> None:
    mapped = "::ffff:198.51.100.7"
    assert starts("198.51.100.7", mapped, "198.51.100.7") == [True, True, False]
    assert starts("::ffff:198.51.100.8") == [True]


def test_nobody_in_particular_is_not_limited() -> None:
    assert starts("", "", "") == [True, True, True]


def test_who_is_no_address_is_limited_by_name() -> None:
    assert starts("a", "a", "a", "b") == [True, True, False, True]


def test_without_redis_the_rate_is_not_kept_and_that_is_logged(
    settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.REDIS_URL = play.nobody().replace("http", "redis")
    with caplog.at_level(logging.WARNING):
        assert starts("a", "a", "a") == [True, True, True]
    assert "is not kept" in caplog.text


def test_a_window_tells_what_is_left_and_when_there_is_more() -> None:
    first, second = (take("2/minute", "tests", "c") for _ in range(2))
    assert first
    assert second
    assert [(each.limit, each.left) for each in (first, second)] == [(2, 1), (2, 0)]
    assert 1 <= second.reset_s <= 60


def test_one_purpose_takes_no_turns_of_another() -> None:
    assert starts("c", "c", "c")[-1] is False
    other = take("2/minute", "something else", "c")
    assert other
    assert other.allowed


@pytest.mark.skipif(REDIS is None, reason="redis-server is not installed")
def test_through_redis_all_processes_count_together(settings: Any, tmp_path: Path) -> None:
    redis = Redis(tmp_path)
    settings.REDIS_URL = redis.url
    try:
        assert starts("c", "c") == [True, True]
        forget_turns()  # as another process
        assert starts("c", "d") == [False, True]
    finally:
        redis.stop()


def test_those_who_come_first_at_once_share_one_limiter(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(Memory):
        def __init__(self) -> None:
            time.sleep(0.05)
            super().__init__()

    monkeypatch.setattr(clients, "Memory", Slow)
    with ThreadPoolExecutor(8) as threads:
        made = [threads.submit(limiter) for _thread in range(8)]
    assert len({id(one.result()) for one in made}) == 1
