"""A worker and its clock beside the web process of `make run`, so that prices become live."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.context import SpawnProcess
from pathlib import Path

from django.conf import settings
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)

# How long a refresh may still take after the stop.
GRACE_S = 5


def end_with_parent() -> None:
    """For a child: end when the process that started it does, however that ended."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def queue_due() -> None:
    """Queue the sources that are due; where no queue answers, the clock does it in its time."""
    from providers.tasks import enqueue_due  # noqa: PLC0415 -- needs Django to be set up

    try:
        enqueue_due()
    except OperationalError as fault:
        logger.warning("the queue does not answer, prices stay as they are: %s", fault)


def start() -> list[SpawnProcess]:
    """Queue what is due and start one worker and the clock; `stop` ends them."""
    if not settings.REDIS_URL:
        for folder in {*settings.CELERY_BROKER_TRANSPORT_OPTIONS.values()}:
            Path(folder).mkdir(parents=True, exist_ok=True)
    queue_due()
    spawn = multiprocessing.get_context("spawn")
    # Daemons: an exit between two starts must not wait for a child that waits for its parent.
    children = [
        spawn.Process(target=work, name=work.__name__, daemon=True) for work in (_worker, _clock)
    ]
    for child in children:
        child.start()
    return children


def stop(children: list[SpawnProcess]) -> None:
    for child in children:
        child.terminate()
    for child in children:
        child.join(GRACE_S)
        if child.is_alive():
            child.kill()
            child.join()


def _as_child(work: Callable[[], object]) -> None:
    # Ctrl-C in a terminal is for the supervisor, which then stops this.
    os.setpgrp()
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    threading.Thread(target=end_with_parent, daemon=True).start()
    with suppress(KeyboardInterrupt, SystemExit):
        work()


def _worker() -> None:
    from gpucompare.celery import app  # noqa: PLC0415 -- in the child

    _as_child(
        lambda: app.Worker(
            pool="solo",
            queues=["refresh", "default"],
            loglevel="ERROR",
            quiet=True,
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=True,
        ).start()
    )


def _clock() -> None:
    from gpucompare.celery import app  # noqa: PLC0415 -- in the child

    _as_child(lambda: app.Beat(loglevel="ERROR", quiet=True).run())
