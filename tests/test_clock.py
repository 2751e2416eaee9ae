"""The clock keeps its schedule in a file, and no time that it was set to keeps it from it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from celery import Celery

from gpucompare.clock import Clock

EVERY = timedelta(seconds=0.2)
DAY = timedelta(days=1)


@pytest.fixture
def app(settings: Any, tmp_path: Path) -> Iterator[Celery]:
    settings.LOCAL_DIR = tmp_path
    with Celery("of a test", broker="memory://", set_as_current=False) as made:
        made.conf.beat_schedule = {
            name: {"task": f"tests.{name}", "schedule": EVERY} for name in ("one", "other")
        }
        yield made


def clock(app: Celery, tmp_path: Path) -> Clock:
    return Clock(app=app, schedule_filename=str(tmp_path / "schedule"))


def tasks_of(app: Celery, made: Clock) -> set[str]:
    """What it queues within two intervals, by looking at its schedule again and again."""
    with app.connection_for_write() as broker:
        queue = broker.SimpleQueue("celery")
        queue.clear()
        for _ in range(40):
            made.tick()
            sleep(EVERY.total_seconds() / 20)
        return {queue.get_nowait().headers["task"] for _ in range(queue.qsize())}


def put_ahead(made: Clock, by: timedelta) -> None:
    """As if all had run that much later."""
    for entry in made.schedule.values():
        assert entry.last_run_at
        entry.last_run_at += by


BOTH = {"tests.one", "tests.other"}


def test_what_is_due_is_queued(app: Celery, tmp_path: Path) -> None:
    assert tasks_of(app, clock(app, tmp_path)) == BOTH


def test_a_clock_that_is_put_back_while_it_runs_goes_on(app: Celery, tmp_path: Path) -> None:
    made = clock(app, tmp_path)
    assert tasks_of(app, made) == BOTH
    put_ahead(made, DAY)
    assert tasks_of(app, made) == BOTH


def test_a_schedule_that_was_kept_ahead_of_time_is_gone_on_with(
    app: Celery, tmp_path: Path
) -> None:
    made = clock(app, tmp_path)
    made.tick()
    put_ahead(made, DAY)
    made.close()
    assert tasks_of(app, clock(app, tmp_path)) == BOTH


def test_after_a_day_of_standing_still_each_is_queued_once(app: Celery, tmp_path: Path) -> None:
    made = clock(app, tmp_path)
    made.tick()
    put_ahead(made, -DAY)
    made.close()
    again = clock(app, tmp_path)
    with app.connection_for_write() as broker:
        queue = broker.SimpleQueue("celery")
        queue.clear()
        for _ in range(4):
            again.tick()
        assert queue.qsize() == len(BOTH)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00 no schedule \xff" * 99,
        b"[1]",
        b'"one"',
        b'{"one": 5}',
        b'{"one": "yesterday"}',
        b'{"one": "2026-12-01T12:00:00"}',
        b'{"one": "None"}',
    ],
)
def test_a_file_that_is_no_schedule_is_begun_anew(
    app: Celery, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "schedule").write_bytes(content)
    assert tasks_of(app, clock(app, tmp_path)) == BOTH


def test_a_task_that_is_new_or_gone_keeps_nothing_from_the_others(
    app: Celery, tmp_path: Path
) -> None:
    made = clock(app, tmp_path)
    put_ahead(made, -DAY)
    made.close()
    app.conf.beat_schedule["new"] = app.conf.beat_schedule.pop("other")
    again = clock(app, tmp_path)
    assert set(again.schedule) == {"one", "new"}
    ran_at = [again.schedule[name].last_run_at for name in ("one", "new")]
    assert all(ran_at)
    assert ran_at[1] - ran_at[0] > DAY * 0.9  # type: ignore[operator]


# --- A disk that is full ---------------------------------------------------------------------


@pytest.fixture
def full(tmp_path: Path) -> Path:
    """Where whatever is written meets a device without room for it."""
    (tmp_path / "schedule.new").symlink_to("/dev/full")
    return tmp_path


def test_a_clock_that_cannot_keep_its_schedule_says_so_and_queues_what_is_due(
    app: Celery, full: Path, caplog: pytest.LogCaptureFixture
) -> None:
    made = clock(app, full)
    assert "No space left on device" in caplog.text
    assert tasks_of(app, made) == BOTH
    made.close()


def test_what_was_kept_before_the_disk_was_full_stays(app: Celery, tmp_path: Path) -> None:
    made = clock(app, tmp_path)
    put_ahead(made, -DAY)
    made.close()
    before = (tmp_path / "schedule").read_bytes()
    (tmp_path / "schedule.new").symlink_to("/dev/full")
    again = clock(app, tmp_path)
    again.tick()
    again.close()
    assert (tmp_path / "schedule").read_bytes() == before
