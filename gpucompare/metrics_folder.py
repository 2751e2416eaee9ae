"""The folder in which all processes of this machine count together.

Each process counts in files of its own, named after it, and holds a lock for as long as it lives;
the kernel drops the lock however the process ends. Counts of the dead are kept: whoever reads adds
them up into one file. What the dead were busy with is forgotten. When nobody is left, the next to
come begins at zero.

The library's own scheme knows processes by their number, which containers on one volume share.
"""

from __future__ import annotations

import fcntl
import logging
import os
import secrets
import struct
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any, Final

from prometheus_client import Metric
from prometheus_client.mmap_dict import MmapedDict, mmap_key
from prometheus_client.multiprocess import MultiProcessCollector

logger = logging.getLogger(__name__)

# Files of counts that only grow; all others tell of what is going on.
_KEPT: Final = ("counter", "histogram")
# Bytes set aside for each file at once: a disk that fills up later would otherwise end the process
# in the middle of a count (SIGBUS), and not with an error.
_ROOM: Final = {"counter": 1 << 17, "histogram": 1 << 20, "gauge_livesum": 1 << 16}
_REST: Final = "rest"
# What the library raises of a file that says something else.
_NO_COUNTS: Final = (struct.error, ValueError, TypeError, AttributeError, RuntimeError)
PATIENCE_S = 2.0
# After a failure, before it is tried again.
PAUSE_S = 60.0


class FolderBusyError(OSError):
    """Somebody holds the folder for longer than anybody may."""


class FolderClosedError(OSError):
    """It could not be entered a moment ago."""


class MetricsFolder:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._pid: int | None = None
        self._lock: int | None = None
        self._name = "nobody"
        self._closed_until = float("-inf")
        self._joining = Lock()
        # A fork while another thread joins would leave the child a lock that nobody gives back.
        os.register_at_fork(after_in_child=self._after_fork)

    def name(self) -> str:
        """What this process's files are called after; the library asks for it at every count."""
        return self._name

    def join(self) -> None:
        """Be there as the process that this is: after a fork, as another. Raises OSError."""
        if self._pid == os.getpid():
            return
        with self._joining:
            if self._pid != os.getpid():
                self._try_to_enter()

    def _after_fork(self) -> None:
        self._joining = Lock()

    def _try_to_enter(self) -> None:
        """A disk that is full is not asked at every count."""
        if time.monotonic() < self._closed_until:
            raise FolderClosedError("the folder of metrics could not be entered just now")
        try:
            self._enter()
        except OSError:
            self._closed_until = time.monotonic() + PAUSE_S
            raise

    def _enter(self) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        if self._lock is not None:
            os.close(self._lock)  # what a fork left; the lock itself is the parent's
        with self._alone():
            self._tidy(anew=True)
            name = f"{os.getpid()}-{secrets.token_hex(4)}"
            try:
                lock = self._settle(name)
            except OSError:
                self._remove(self.path.glob(f"*{name}*"))
                raise
        # Where the library opens files; other threads go there as soon as they find the process in.
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(self.path)
        self._lock, self._name, self._pid = lock, name, os.getpid()

    def _settle(self, name: str) -> int:
        """Make the files of that name, and hold the lock that says that somebody is there."""
        for kind, room in _ROOM.items():
            self._make(f"{kind}_{name}.db", room)
        lock = os.open(self.path / f"{name}.alive", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return lock

    def read(self) -> list[Metric]:
        """The sums over all processes, those that have ended included. Raises OSError."""
        if not self.path.is_dir():
            return []
        with self._alone():
            self._tidy(anew=False)
            return self._merged(self.path.glob("*.db"), accumulate=True)

    # --- Alone in the folder -----------------------------------------------------------

    @contextmanager
    def _alone(self) -> Iterator[None]:
        door = os.open(self.path / "door", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock_in_time(door)
            yield
        finally:
            os.close(door)

    def _tidy(self, *, anew: bool) -> None:
        """Forget what the dead were at and add up what they counted; `anew` without any living."""
        markers = {path.stem: path for path in self.path.glob("*.alive")}
        dead = {name for name, path in markers.items() if name != self._name and _is_free(path)}
        if anew and dead == set(markers):
            self._remove([*self.path.glob("*.db"), *self.path.glob("*.new")])
        else:
            self._fold(dead)
        self._remove(markers[name] for name in dead)

    def _fold(self, dead: set[str]) -> None:
        files = [path for name in dead for path in self.path.glob(f"*_{name}.db")]
        for kind in _KEPT:
            if counted := [path for path in files if path.name.startswith(kind)]:
                self._add_up(kind, counted)
        self._remove(files)

    def _add_up(self, kind: str, counted: list[Path]) -> None:
        rest, written = self.path / f"{kind}_{_REST}.db", self.path / f"{kind}_{_REST}.new"
        sources = [*counted, *([rest] if rest.exists() else [])]
        _set_aside(written, 2 * _ROOM[kind])
        sums = MmapedDict(str(written))
        for metric in self._merged(sources, accumulate=False):
            for sample in metric.samples:
                labels = sample.labels
                key = mmap_key(
                    metric.name, sample.name, [*labels], [*labels.values()], metric.documentation
                )
                sums.write_value(key, sample.value, 0.0)
        sums.close()
        written.replace(rest)

    def _merged(self, files: Iterable[Path], *, accumulate: bool) -> list[Metric]:
        """The sums over `files`; one that holds no counts, as after a power cut, is taken away."""
        paths = list(files)
        try:
            return _sums(paths, accumulate)
        except _NO_COUNTS:
            sound = [path for path in paths if _is_sound(path)]
            lost = [path for path in paths if path not in sound]
            logger.warning("No counts, taken away: %s", ", ".join(path.name for path in lost))
            self._remove(lost)
            return _sums(sound, accumulate)

    def _make(self, name: str, room: int) -> None:
        """Whole at once: a reader must not find a file that has no beginning yet."""
        new = self.path / f"{name}.new"
        _set_aside(new, room)
        new.replace(self.path / name)

    @staticmethod
    def _remove(paths: Any) -> None:
        for path in list(paths):
            with suppress(FileNotFoundError):
                path.unlink()


def _sums(files: Iterable[Path], accumulate: bool) -> list[Metric]:
    names = [str(path) for path in files]
    return list(MultiProcessCollector.merge(names, accumulate=accumulate))


def _is_sound(file: Path) -> bool:
    try:
        _sums([file], accumulate=False)
    except _NO_COUNTS:
        return False
    return True


def _set_aside(new: Path, room: int) -> None:
    """A file of that many bytes, which the disk has given. Raises OSError where it has not."""
    file = os.open(new, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.posix_fallocate(file, 0, room)
    except OSError:
        new.unlink()
        raise
    finally:
        os.close(file)


def _lock_in_time(door: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            fcntl.flock(door, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise FolderBusyError("the folder of metrics is held by somebody else") from None
            time.sleep(0.01)
        else:
            return


def _is_free(marker: Path) -> bool:
    """Whether the process that made it has ended."""
    try:
        lock = os.open(marker, os.O_RDWR)
    except FileNotFoundError:
        return True
    try:
        fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    else:
        return True
    finally:
        os.close(lock)
