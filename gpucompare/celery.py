"""The Celery application: workers run what `tasks.py` of each app holds."""

import os
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import heartbeat_sent
from django.conf import settings

from gpucompare import task_context  # noqa: F401 -- connects its signals
from gpucompare.alive import leave_mark

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gpucompare.settings")

app = Celery("gpucompare")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@heartbeat_sent.connect
def _leave_mark(**_event: Any) -> None:
    leave_mark(Path(settings.LOCAL_DIR), "worker")
