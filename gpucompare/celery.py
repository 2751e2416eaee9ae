"""The Celery application: workers run what `tasks.py` of each app holds."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gpucompare.settings")

app = Celery("gpucompare")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
