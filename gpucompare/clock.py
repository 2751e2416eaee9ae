"""Celery's clock, which leaves a mark whenever it looks at its schedule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from celery.beat import PersistentScheduler
from django.conf import settings

from gpucompare.alive import leave_mark


class Clock(PersistentScheduler):
    def tick(self, *arguments: Any, **options: Any) -> float:
        seconds: float = super().tick(*arguments, **options)
        leave_mark(Path(settings.LOCAL_DIR), "beat")
        return seconds
