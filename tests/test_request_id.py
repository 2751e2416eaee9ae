"""One id leads from a request through the log to the tasks that were done for it."""

from __future__ import annotations

import logging
import re
import sys
from threading import Thread
from typing import Any

import pytest
from django.test import Client

from checks.image.reading import _Pool
from gpucompare import context, task_context
from gpucompare.celery import app
from providers.tasks import forget_notes, refresh_source, watch_sources

HEADER = context.HEADER
MADE = re.compile(r"[0-9a-f]{32}")


def sent(told: str) -> str:
    answer = Client().get("/healthz", headers={HEADER: told})
    return str(answer[HEADER])


@pytest.mark.parametrize("told", ["a", "0b1c-2d3e_4f.5", "x" * 64])
def test_a_sane_id_is_taken_and_given_back(told: str) -> None:
    assert sent(told) == told


@pytest.mark.parametrize(
    "told", ["", " ", "x" * 65, "a b", "a\tb", "<b>", "é", "../x", "-a", "a;b=c", "a,b", '"a"']
)
def test_any_other_is_replaced_by_one_of_ours(told: str) -> None:
    assert MADE.fullmatch(sent(told))


def test_without_one_each_request_gets_its_own() -> None:
    first, second = (Client().get("/healthz")[HEADER] for _ in range(2))
    assert MADE.fullmatch(first)
    assert first != second


def test_after_a_request_nothing_belongs_to_it_any_more() -> None:
    Client().get("/healthz", headers={HEADER: "abc"})
    assert context.request_id() == ""


def test_what_is_within_leaves_what_was_around_it() -> None:
    with context.within(request_id="outer", source="vast"):
        with context.within(request_id="inner"):
            assert context.fields() == {"request_id": "inner"}
        assert context.fields() == {"request_id": "outer", "source": "vast"}


def test_another_thread_does_something_else() -> None:
    seen: list[str] = []
    with context.within(request_id="abc"):
        thread = Thread(target=lambda: seen.append(context.request_id()))
        thread.start()
        thread.join()
    assert seen == [""]


def test_the_thread_that_reads_an_image_does_it_for_the_request(settings: Any) -> None:
    settings.REGISTRY_READS = 1
    seen: list[str] = []
    pool = _Pool()
    with context.within(request_id="abc"):
        assert pool.run(lambda: seen.append(context.request_id()))
    while pool.running:
        pass
    assert seen == ["abc"]


# --- Tasks ---------------------------------------------------------------------------------


def headers() -> dict[str, Any]:
    told: dict[str, Any] = {}
    task_context.send_request_id(headers=told)
    return told


def test_a_task_is_sent_with_the_id_of_its_request() -> None:
    with context.within(request_id="abc"):
        assert headers() == {"request_id": "abc"}


def test_a_task_of_the_clock_gets_an_id_of_its_own() -> None:
    told = headers()["request_id"]
    assert MADE.fullmatch(told)
    assert headers()["request_id"] != told


class Run:
    """A task as a worker runs it, between its signals."""

    def __init__(self, task: Any, *args: str, **request: Any) -> None:
        self._task, self._args, self._request = task, args, {"id": "t-1", **request}

    def __enter__(self) -> dict[str, str]:
        self._task.push_request(**self._request)
        task_context.enter_task(task_id="t-1", task=self._task, args=self._args, kwargs={})
        return dict(context.fields())

    def __exit__(self, *_fault: object) -> None:
        task_context.leave_task()
        self._task.pop_request()


def test_a_task_knows_its_request_its_number_and_its_source() -> None:
    with Run(refresh_source, "vast", request_id="abc") as known:
        assert known == {
            "request_id": "abc",
            "task": "providers.tasks.refresh_source",
            "task_id": "t-1",
            "source": "vast",
        }
    assert context.fields() == {}


def test_a_task_of_no_source_names_none() -> None:
    with Run(watch_sources, "2026-12-01T00:00:00Z", request_id="abc") as known:
        assert "source" not in known


@pytest.mark.parametrize("told", [None, 7, "a\nb", "x" * 65])
def test_an_id_in_a_message_is_trusted_no_more_than_one_in_a_request(told: object) -> None:
    with Run(forget_notes, request_id=told) as known:
        assert MADE.fullmatch(known["request_id"])


def test_a_task_sent_by_a_task_goes_on_under_the_same_id() -> None:
    with Run(forget_notes, request_id="abc"):
        assert headers() == {"request_id": "abc"}


def test_celery_leaves_the_log_as_the_settings_made_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(app.log), "_setup", False)
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    handlers, output = list(logging.getLogger().handlers), sys.stdout
    app.log.setup(loglevel=logging.INFO, redirect_stdouts=True)
    assert logging.getLogger().handlers == handlers
    # What is printed is no line of the log; Celery would make it one.
    assert sys.stdout is output
