"""Celery's clock, which leaves a mark whenever it looks at its schedule."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from celery.beat import PersistentScheduler, ScheduleEntry
from django.conf import settings

from gpucompare.alive import leave_mark

logger = logging.getLogger(__name__)


class Clock(PersistentScheduler):
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


def _is_ahead(entry: ScheduleEntry) -> bool:
    schedule, ran_at = entry.schedule, entry.last_run_at
    if schedule is None or ran_at is None:
        return False
    now = schedule.maybe_make_aware(schedule.now())
    return bool(schedule.maybe_make_aware(ran_at) > now)
