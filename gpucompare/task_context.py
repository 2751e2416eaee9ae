"""What a task is done for travels with it: its publisher's request id, in the message's headers.

Celery's signals are connected when this is imported; `gpucompare.celery` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from celery import Task
from celery.signals import before_task_publish, setup_logging, task_postrun, task_prerun

from gpucompare import context

# Tasks whose first argument is the slug of a source.
_OF_A_SOURCE = frozenset({"providers.tasks.refresh_source"})


@setup_logging.connect
def leave_logging_alone(**_told: Any) -> None:
    """The settings configure the log of a worker too; Celery does so only where nobody listens."""


@before_task_publish.connect
def send_request_id(headers: dict[str, Any], **_told: Any) -> None:
    """A task that no request asked for, such as the clock's, gets an id of its own."""
    headers[context.REQUEST_ID] = context.sane_or_new(context.request_id())


@task_prerun.connect
def enter_task(
    task_id: str, task: Task[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], **_told: Any
) -> None:
    told = task.request.get(context.REQUEST_ID)
    slug = kwargs.get("slug", next(iter(args), "")) if task.name in _OF_A_SOURCE else ""
    context.enter(
        request_id=context.sane_or_new(told), task=task.name, task_id=task_id, source=str(slug)
    )


@task_postrun.connect
def leave_task(**_told: Any) -> None:
    context.leave()
