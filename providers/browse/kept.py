"""What was read stays good for as long as the database is in the same state.

A state has a name (gpucompare.snapshot). So nobody has to tell a process that something was
written, and nothing old is ever shown.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import datetime
from threading import Lock
from typing import TypeVar

from gpucompare import metrics
from gpucompare.snapshot import state

T = TypeVar("T")
Key = TypeVar("Key", bound=Hashable)

# A result over 20,000 listings takes a few megabytes.
MOST = 16

_found: OrderedDict[Hashable, tuple[str, object]] = OrderedDict()
_lock = Lock()


def kept(key: Hashable, read: Callable[[], T]) -> T:
    """What `read` gives, or gave for the same key while the database was as it is now.

    The result is shared by all threads: nobody may change it.
    """
    now = state()
    if not now:
        return read()  # in a transaction, which no name tells the own writes of
    with _lock:
        at, value = _found.get(key, ("", None))
        if at == now:
            _found.move_to_end(key)
    if at == now:
        metrics.kept("hit")
        return value  # type: ignore[return-value]
    metrics.kept("miss")
    fresh = read()
    if state() == now:
        _keep(key, now, fresh)
    return fresh


class Few(dict[Key, T]):
    """What was found and will be asked for again; when it becomes too many, it begins anew.

    Of one state of the database, and of many threads: what is there may be gone a moment later.
    """

    def __init__(self, most: int) -> None:
        self._most = most

    def of(self, keys: Sequence[Key], find: Callable[[list[Key]], Mapping[Key, T]]) -> dict[Key, T]:
        """What each key stands for; `find` is asked for those together that are not there."""
        found = {key: value for key in keys if (value := self.get(key)) is not None}
        missing = [key for key in keys if key not in found]
        if not missing:
            return found
        fresh = find(missing)
        if len(self) > self._most:
            self.clear()
        self.update(fresh)
        return found | dict(fresh)


def found(key: Hashable, at: str) -> object | None:
    """What is kept by that key of the named state; None where nothing is."""
    with _lock:
        known, value = _found.get(key, ("", None))
    return value if at and known == at else None


def minute(now: datetime) -> datetime:
    """For keys of what depends on the time: how fresh a price is changes by the minute."""
    return now.replace(second=0, microsecond=0)


def _keep(key: Hashable, at: str, value: object) -> None:
    with _lock:
        # What is of another state is hardly asked for again, and may hold all that it was found in.
        for other in [other for other, (of, _) in _found.items() if of != at]:
            del _found[other]
        _found[key] = (at, value)
        _found.move_to_end(key)
        while len(_found) > MOST:
            _found.popitem(last=False)
