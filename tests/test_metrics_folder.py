"""Processes count together, whichever of them end and however."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from gpucompare import metrics_folder
from gpucompare.metrics_folder import FolderBusyError, MetricsFolder
from tests.counting import CountingProcess, busy, hits, read
from tests.processes import eventually


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "metrics"


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[CountingProcess, CountingProcess]]:
    pair = CountingProcess(tmp_path), CountingProcess(tmp_path)
    yield pair
    for process in pair:
        process.kill()


def files(folder: Path) -> set[str]:
    """Without what names a process."""
    return {path.name for path in folder.iterdir() if "-" not in path.name}


def is_given(path: Path) -> bool:
    """Whether the disk has given the file its blocks (of 512 bytes), not only promised them."""
    stat = path.stat()
    return stat.st_blocks * 512 >= stat.st_size > 0


def test_a_folder_that_nobody_made_yet_holds_nothing(folder: Path) -> None:
    assert read(folder) == {}
    assert not folder.exists()


def test_to_import_the_metrics_makes_no_file(tmp_path: Path) -> None:
    process = CountingProcess(tmp_path)
    process.wait()
    process.leave()
    assert not (tmp_path / "metrics").exists()


def test_no_thread_finds_its_process_in_before_the_library_knows_the_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = MetricsFolder(folder)
    met: list[str | None] = []

    def another() -> None:
        ours.join()
        met.append(os.environ.get("PROMETHEUS_MULTIPROC_DIR"))

    class Slow(dict[str, str]):
        """The process's environment, in which another thread has its time before each entry."""

        def __setitem__(self, name: str, value: str) -> None:
            thread.start()
            thread.join(0.2)
            super().__setitem__(name, value)

    thread = Thread(target=another)
    with monkeypatch.context() as patch:
        patch.setattr(os, "environ", Slow())
        ours.join()
        thread.join()
    assert met == [str(folder)]


def test_counts_and_what_goes_on_are_added_up_over_processes(
    two: tuple[CountingProcess, CountingProcess], folder: Path
) -> None:
    one, other = two
    one.counts("hits 3")
    other.counts("hits 4")
    one.counts("busy")
    other.counts("busy 2")
    assert (hits(folder), busy(folder)) == (7, 3)


def test_of_the_killed_the_counts_stay_and_what_they_were_at_does_not(
    two: tuple[CountingProcess, CountingProcess], folder: Path
) -> None:
    one, other = two
    one.counts("hits 3")
    one.counts("slow 2")
    one.counts("busy 5")
    other.counts("hits 4")
    other.counts("busy")
    one.kill()
    assert (hits(folder), busy(folder)) == (7, 1)
    told = read(folder)
    assert told["gpucompare_request_seconds_count", "route=browse"] == 2
    assert told["gpucompare_request_seconds_sum", "route=browse"] == 4.0
    assert told["gpucompare_request_seconds_bucket", "le=1.0,route=browse"] == 0
    assert told["gpucompare_request_seconds_bucket", "le=2.5,route=browse"] == 2


def test_the_dead_leave_one_file_however_many_they_were(
    two: tuple[CountingProcess, CountingProcess], tmp_path: Path, folder: Path
) -> None:
    two[0].counts("hits 1")
    for n, short in enumerate((two[1], CountingProcess(tmp_path), CountingProcess(tmp_path))):
        short.counts("hits 10")
        short.counts("slow")
        short.leave()
        assert hits(folder) == 1 + 10 * (n + 1)
    assert files(folder) == {"door", "counter_rest.db", "histogram_rest.db"}
    assert all(is_given(path) for path in folder.glob("*.db"))
    assert len(list(folder.glob("*.alive"))) == 1
    assert read(folder)["gpucompare_request_seconds_count", "route=browse"] == 3


def test_who_comes_when_nobody_is_left_begins_at_zero(tmp_path: Path, folder: Path) -> None:
    first = CountingProcess(tmp_path)
    first.counts("hits 3")
    first.kill()
    (folder / "counter_1-dead.db.new").write_bytes(b"half")
    assert hits(folder) == 3
    second = CountingProcess(tmp_path)
    second.counts("hits 1")
    assert hits(folder) == 1
    assert files(folder) == {"door"}
    second.leave()


# A worker of a Celery pool: forked after its parent has counted.
_FORKING = """
import os, sys, time
from gpucompare import metrics
metrics.kept("hit")
child = os.fork()
if not child:
    metrics.kept("hit")
    metrics.began("GET")
    print("ready", flush=True)
    time.sleep(60)
metrics.began("GET")
sys.stdin.read()
"""


def test_a_fork_counts_for_itself_and_outlives_its_parent(tmp_path: Path, folder: Path) -> None:
    parent = CountingProcess(tmp_path, _FORKING)
    assert eventually(lambda: (hits(folder), busy(folder)) == (2, 2))
    parent.process.kill()
    parent.process.wait()
    assert (hits(folder), busy(folder)) == (2, 1)
    assert len(list(folder.glob("*.alive"))) == 1
    (alive,) = (path.stem for path in folder.glob("*.alive"))
    os.kill(int(alive.split("-")[0]), 9)
    assert eventually(lambda: busy(folder) == 0)
    assert hits(folder) == 2


# A web worker whose threads all get their first request at once, on a slow disk.
_THREADS = """
import os, sys, time
give = os.posix_fallocate
os.posix_fallocate = lambda *asked: (time.sleep(0.05), give(*asked))
from threading import Barrier, Thread
from gpucompare import metrics
together = Barrier(8)
def work():
    together.wait()
    metrics.began("GET")
    metrics.kept("hit")
    metrics.ended("GET")
threads = [Thread(target=work) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print("ready", flush=True)
sys.stdin.read()
"""


def test_threads_that_begin_at_once_are_one_process(tmp_path: Path, folder: Path) -> None:
    process = CountingProcess(tmp_path, _THREADS)
    process.wait()
    # Before anybody reads, which tidies up.
    assert len(list(folder.glob("*.alive"))) == 1
    assert (hits(folder), busy(folder)) == (8, 0)
    process.kill()


def test_room_is_set_aside_before_it_is_needed(tmp_path: Path, folder: Path) -> None:
    process = CountingProcess(tmp_path)
    process.counts("slow")
    files = {path.name.split("_")[0]: path for path in folder.glob("*.db")}
    assert set(files) == {"counter", "histogram", "gauge"}
    assert all(is_given(path) for path in files.values())
    process.leave()


def test_a_disk_that_is_full_is_left_as_it_was_and_not_asked_at_every_count(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def full(_file: int, _offset: int, room: int) -> None:
        asked.append(room)
        if len(asked) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    ours = MetricsFolder(folder)
    for _ in range(3):
        with pytest.raises(OSError, match=r"No space|just now"):
            ours.join()
    assert len(asked) == 2
    assert files(folder) == {"door"} == {path.name for path in folder.iterdir()}
    ours._closed_until = 0.0
    ours.join()
    assert len(list(folder.glob("*.alive"))) == 1


@pytest.mark.parametrize(
    "written",
    [b"", b"\x00\x01", b"\xff" * 4096, b"\x40\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00null" * 9],
    ids=["nothing", "too little", "no text", "no counts"],
)
def test_a_file_without_counts_goes_and_keeps_nobody_from_counting(
    two: tuple[CountingProcess, CountingProcess], tmp_path: Path, folder: Path, written: bytes
) -> None:
    one, other = two
    one.counts("hits 3")
    other.counts("hits 4")
    one.kill()
    (torn,) = folder.glob(f"counter_{one.process.pid}-*.db")
    torn.write_bytes(written)
    third = CountingProcess(tmp_path)
    third.counts("hits 1")
    assert hits(folder) == 5
    assert not torn.exists()
    third.leave()
    assert hits(folder) == 5
    (folder / "counter_rest.db").write_bytes(written)
    assert hits(folder) == 4


def test_a_folder_that_is_held_too_long_is_given_up(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics_folder, "PATIENCE_S", 0.1)
    folder.mkdir()
    with (folder / "door").open("w") as door:
        fcntl.flock(door, fcntl.LOCK_EX)
        with pytest.raises(FolderBusyError):
            MetricsFolder(folder).read()
    assert MetricsFolder(folder).read() == []
