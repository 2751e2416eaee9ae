"""Celery's clock, which leaves a mark whenever it looks at its schedule."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from celery.beat import ScheduleEntry, Scheduler
from django.conf import settings

from gpucompare.alive import leave_mark

logger = logging.getLogger(__name__)


class Clock(Scheduler):
    """Keeps in a file when each task was queued last, so that a restart goes on from there.

    Not Celery's own keeper: that one ends with the first write that its disk refuses.
    """

    def __init__(self, *arguments: Any, schedule_filename: str, **options: Any) -> None:
        self._file = Path(schedule_filename)
        super().__init__(*arguments, **options)

    @property
    def info(self) -> str:
        return f"    . file -> {self._file}"

    def setup_schedule(self) -> None:
        super().setup_schedule()
        for name, ran_at in _read(self._file).items():
            if entry := self.schedule.get(name):
                entry.last_run_at = ran_at
        self.sync()

    def sync(self) -> None:
        kept = {name: str(entry.last_run_at) for name, entry in self.schedule.items()}
        try:
            _write(self._file, kept)
        except OSError as fault:
            logger.warning("the schedule is not kept as it is now: %s", fault)

    def tick(self, *arguments: Any, **options: Any) -> float:
        self._forget_what_is_to_come()
        seconds: float = super().tick(*arguments, **options)
        leave_mark(Path(settings.LOCAL_DIR), "beat")
        return seconds

    def _forget_what_is_to_come(self) -> None:
        """What ran at a time that is yet to come did so by a clock that was put back since; until
        that time comes again it would not run, and what was to run after it neither."""
        ahead = [entry for entry in self.schedule.values() if _is_ahead(entry)]
        for entry in ahead:
            entry.last_run_at = entry.default_now()
        if ahead:
            logger.warning("the time was put back: %d tasks run an interval from now", len(ahead))
            self._heap = None  # in the order of that time


def _read(file: Path) -> dict[str, datetime]:
    """When each ran last, by name; nothing where the file is none of ours."""
    try:
        kept = json.loads(file.read_bytes())
        return {name: _moment(told) for name, told in kept.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError) as fault:
        logger.warning("the kept schedule cannot be read and is begun anew: %s", fault)
        return {}


def _moment(told: str) -> datetime:
    moment = datetime.fromisoformat(told)
    if moment.tzinfo is None:
        raise ValueError(f"{told} has no time zone")
    return moment


def _write(file: Path, kept: Mapping[str, str]) -> None:
    """All of it or nothing: what stood before stays where there is no room for more."""
    unfinished = file.with_name(f"{file.name}.new")
    unfinished.write_text(json.dumps(kept))
    unfinished.replace(file)


def _is_ahead(entry: ScheduleEntry) -> bool:
    schedule, ran_at = entry.schedule, entry.last_run_at
    if schedule is None or ran_at is None:
        return False
    now = schedule.maybe_make_aware(schedule.now())
    return bool(schedule.maybe_make_aware(ran_at) > now)
