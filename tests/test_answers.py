"""An answer is made once for all who ask for it at that time, and kept within bounds."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event, Thread
from time import monotonic, sleep
from typing import Any

import pytest
from django.http import HttpResponse, StreamingHttpResponse

from gpucompare.caching import answers as module
from gpucompare.caching.answers import Answers, again

THREADS = 20


class Maker:
    def __init__(self, size: int = 10, takes_s: float = 0.0) -> None:
        self.made = 0
        self._size, self._takes_s = size, takes_s

    def __call__(self) -> HttpResponse:
        self.made += 1
        sleep(self._takes_s)
        return HttpResponse(b"x" * self._size, headers={"X-Made": str(self.made)})


def yes(response: object) -> bool:
    return True


def no(response: object) -> bool:
    return False


def at_once(ask: Any) -> list[Any]:
    """What twenty threads get that ask at one moment."""
    start = Barrier(THREADS)

    def run(_n: int) -> Any:
        start.wait()
        return ask()

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, range(THREADS)))


def test_twenty_that_ask_for_one_page_have_it_made_once() -> None:
    store, make = Answers(), Maker(takes_s=0.2)
    found = at_once(lambda: store.answer("page", make, yes))
    assert make.made == 1
    assert {response["X-Made"] for response in found} == {"1"}
    assert len({id(response) for response in found}) == THREADS
    assert store._turns == {}


def test_each_key_has_its_own() -> None:
    store, make = Answers(), Maker()
    made = [store.answer(key, make, yes)["X-Made"] for key in ("a", "b", "a")]
    assert made == ["1", "2", "1"]


def test_what_may_not_be_kept_is_made_for_each() -> None:
    store, make = Answers(), Maker()
    assert len({r["X-Made"] for r in at_once(lambda: store.answer("page", make, no))}) == THREADS
    assert store._turns == {}


def test_a_stream_is_passed_on_and_never_kept() -> None:
    store = Answers()
    streams = [store.answer("s", lambda: StreamingHttpResponse([b"x"]), yes) for _ in range(2)]
    assert [b"".join(stream) for stream in streams] == [b"x", b"x"]


def test_whoever_has_waited_long_enough_makes_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE_S", 0.1)
    store, begun, done = Answers(), Event(), Event()

    def stuck() -> HttpResponse:
        begun.set()
        done.wait(30)
        return HttpResponse(b"late")

    first = Thread(target=store.answer, args=("page", stuck, yes))
    first.start()
    assert begun.wait(30)
    since = monotonic()
    assert store.answer("page", Maker(), yes)["X-Made"] == "1"
    assert monotonic() - since < 5
    done.set()
    first.join()
    assert store._turns == {}


def test_a_fault_is_of_whoever_met_it_and_the_next_tries_again() -> None:
    def fails() -> HttpResponse:
        raise LookupError

    store = Answers()
    for _time in range(2):
        with pytest.raises(LookupError):
            store.answer("page", fails, yes)
    assert store.answer("page", Maker(), yes)["X-Made"] == "1"
    assert store._turns == {}


def test_the_longest_unused_goes_when_there_is_no_room() -> None:
    store, make = Answers(most_bytes=100), Maker(size=40)
    for key in ("a", "b", "a", "c"):
        store.answer(key, make, yes)
    assert list(store._kept) == ["a", "c"]
    assert store._bytes == 80


def test_what_is_larger_than_all_the_room_drives_nothing_out() -> None:
    store = Answers(most_bytes=100)
    store.answer("small", Maker(size=60), yes)
    store.answer("large", Maker(size=101), yes)
    assert list(store._kept) == ["small"]


def test_a_key_that_two_have_made_is_counted_once() -> None:
    store = Answers()
    for size in (30, 50):
        store._keep("page", Maker(size=size)())
    assert store._bytes == 50


def test_what_is_done_to_one_is_done_to_no_other() -> None:
    first = HttpResponse(b"page", headers={"ETag": '"1"'})
    first.xframe_options_exempt = True
    other = again(first)
    other["ETag"] = 'W/"1"'
    other.content = b"packed"
    assert (first["ETag"], first.content) == ('"1"', b"page")
    assert other.xframe_options_exempt is True
