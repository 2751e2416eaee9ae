"""Names are looked up in bounded time: the system's resolver knows no deadline of ours."""

from __future__ import annotations

from collections.abc import Sequence
from queue import Empty, SimpleQueue
from threading import BoundedSemaphore, Thread
from time import monotonic

from gpucompare.outside.wire import Address, Resolve

# Look-ups that were given up still run until the resolver gives up; so many may do so at once.
_LOOKUPS = BoundedSemaphore(32)


def resolve_by(deadline: float, resolve: Resolve) -> Resolve:
    """As `resolve`, until `deadline` of the monotonic clock; then TimeoutError."""

    def within(host: str, port: int) -> Sequence[Address]:
        left, room = max(0.0, deadline - monotonic()), _LOOKUPS
        if not room.acquire(timeout=left):
            raise TimeoutError("too many look-ups of names")
        found: SimpleQueue[Sequence[Address] | Exception] = SimpleQueue()
        Thread(target=_look_up, args=(resolve, host, port, found, room), daemon=True).start()
        try:
            answer = found.get(timeout=max(0.0, deadline - monotonic()))
        except Empty:
            raise TimeoutError("no name server answered in time") from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    return within


def _look_up(
    resolve: Resolve,
    host: str,
    port: int,
    found: SimpleQueue[Sequence[Address] | Exception],
    room: BoundedSemaphore,
) -> None:
    try:
        found.put(resolve(host, port))
    except Exception as fault:
        found.put(fault)
    finally:
        room.release()
