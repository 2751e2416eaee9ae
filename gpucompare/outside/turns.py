"""Turns within a moving window of time, over all who share a storage."""

from __future__ import annotations

import time
from threading import Timer
from typing import Final

from limits import RateLimitItem
from limits.errors import StorageError
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from redis import ResponseError

# Between the machines of a fleet.
_CLOCKS_DIFFER_S: Final = 60


# What is over counts no more, and is forgotten so long after.
_FORGOTTEN_AFTER_S: Final = 10.0


class Memory(MemoryStorage):
    """Turns in this process. The library's own begins a thread to forget what is over at nearly
    every turn; here one does it for all of ten seconds."""

    @property
    def timer(self) -> Timer:
        return self._timer

    @timer.setter
    def timer(self, timer: Timer) -> None:
        timer.interval = _FORGOTTEN_AFTER_S
        timer.daemon = True  # nobody waits for it at the end of a process
        self._timer = timer


class Turns(MovingWindowRateLimiter):
    """A window that nobody can have counted is forgotten, and counting begins anew.

    That is one which ends later than a window is long: it was counted by a clock that was put back
    since, and nobody would get a turn until that time comes again. And it is one that Redis cannot
    read as a window: nobody would be counted any more.
    """

    def hit(self, item: RateLimitItem, *identifiers: str, cost: int = 1) -> bool:
        """Raises StorageError where the storage is away."""
        try:
            if super().hit(item, *identifiers, cost=cost):
                return True
            if not self._is_to_come(item, *identifiers):
                return False
        except StorageError as fault:
            if not isinstance(fault.storage_error, ResponseError):
                raise
        self.clear(item, *identifiers)
        return super().hit(item, *identifiers, cost=cost)

    def _is_to_come(self, item: RateLimitItem, *identifiers: str) -> bool:
        ends = self.get_window_stats(item, *identifiers).reset_time
        return ends > time.time() + item.get_expiry() + _CLOCKS_DIFFER_S
