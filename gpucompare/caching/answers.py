"""Answers of this process that are still good, each made once however many ask for it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from django.http import HttpResponse
from django.http.response import HttpResponseBase, ResponseHeaders

# In all, and of one answer: a few hundred pages, none of which drives out the rest.
MOST_BYTES: Final = 16 * 1024 * 1024
LARGEST_BYTES: Final = 2 * 1024 * 1024
# Whoever has waited so long for another's answer makes its own.
PATIENCE_S: Final = 10.0


def again(response: HttpResponse) -> HttpResponse:
    """One more of it, with what decorators noted on it for the middleware outside."""
    other = copy(response)
    other.headers = ResponseHeaders(dict(response.items()))
    other._resource_closers = []  # type: ignore[attr-defined]
    return other


@dataclass
class _Turn:
    lock: Lock = field(default_factory=Lock)
    waiting: int = 0


class Answers:
    """A key must name all that an answer is made of: nothing is ever told to go."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[str, HttpResponse] = OrderedDict()
        self._bytes = 0
        self._turns: dict[str, _Turn] = {}
        self._lock = Lock()

    def answer(
        self,
        key: str,
        make: Callable[[], HttpResponseBase],
        may_keep: Callable[[HttpResponseBase], bool],
    ) -> HttpResponseBase:
        """What is kept by that key, else what `make` gives; who asks meanwhile waits for that."""
        if found := self._find(key):
            return again(found)
        with self._turn(key):
            if found := self._find(key):
                return again(found)
            response = make()
            if isinstance(response, HttpResponse) and may_keep(response):
                self._keep(key, again(response))
            return response

    def _find(self, key: str) -> HttpResponse | None:
        with self._lock:
            found = self._kept.get(key)
            if found:
                self._kept.move_to_end(key)
            return found

    @contextmanager
    def _turn(self, key: str) -> Iterator[None]:
        with self._lock:
            turn = self._turns.setdefault(key, _Turn())
            turn.waiting += 1
        mine = turn.lock.acquire(timeout=PATIENCE_S)
        try:
            yield
        finally:
            if mine:
                turn.lock.release()
            with self._lock:
                turn.waiting -= 1
                if not turn.waiting:
                    del self._turns[key]

    def _keep(self, key: str, kept: HttpResponse) -> None:
        size = len(kept.content)
        if size > min(LARGEST_BYTES, self._most_bytes):
            return
        with self._lock:
            before = self._kept.pop(key, None)
            self._bytes += size - (len(before.content) if before else 0)
            self._kept[key] = kept
            while self._bytes > self._most_bytes:
                _key, oldest = self._kept.popitem(last=False)
                self._bytes -= len(oldest.content)
