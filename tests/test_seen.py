"""What is counted of a request and told of it: how it was, and nothing of who asked for what."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from gpucompare import metrics
from gpucompare.seen import NOWHERE, STATIC, SeenMiddleware, route_of
from tests.counting import Counted
from tests.factories import make_offering, make_provider

REQUESTS = "gpucompare_requests_total"
ACCESS = "gpucompare.access"


def counted(route: str, method: str = "GET", status: str = "2xx") -> Counted:
    return Counted(REQUESTS, route=route, method=method, status=status)


# --- Routes ------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_page_is_counted_by_the_name_of_its_address_in_every_language() -> None:
    make_offering("pods", make_provider("acme"))
    pages = counted("provider")
    for path in ("/providers/acme/", "/providers/acme/?secret=1", "/ar/providers/acme/"):
        assert Client().get(path).status_code == 200
    assert pages.more == 3


@pytest.mark.django_db
def test_addresses_that_lead_nowhere_are_one() -> None:
    nowhere = counted(NOWHERE, status="4xx")
    for n in range(3):
        Client().get(f"/no-such-page-{n}")
    assert nowhere.more == 3


def test_files_are_one() -> None:
    found, missing = counted(STATIC), counted(STATIC, status="4xx")
    assert Client().get("/static/css/tokens.css").status_code == 200
    assert Client().get("/static/css/none.css").status_code == 404
    assert (found.more, missing.more) == (1, 1)


@pytest.mark.django_db
def test_a_method_of_a_strangers_own_is_one_of_all_others() -> None:
    others = counted("healthz", method="other", status="4xx")
    for method in ("BREW", "x" * 500, "PROPFIND"):
        Client().generic(method, "/healthz")
    assert others.more == 3


def test_no_address_in_the_labels_grows_with_what_is_asked() -> None:
    labels = {name for each in metrics.declared() for name in each.labels}
    assert labels == {
        *("route", "method", "status", "outcome", "purpose"),
        *("source", "queue", "part"),
    }


@pytest.mark.django_db
def test_the_api_is_counted_by_its_own_names() -> None:
    request = Client().get("/api/v1/providers").wsgi_request
    assert route_of(request) not in (NOWHERE, STATIC)
    assert "/" not in route_of(request)


# --- What is counted ------------------------------------------------------------------------


def answer_to(request: HttpRequest, queries: int) -> None:
    def view(_request: HttpRequest) -> HttpResponse:
        for _ in range(queries):
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
        return HttpResponse(status=503)

    SeenMiddleware(view)(request)


@pytest.mark.django_db
def test_time_and_queries_are_counted_in_steps() -> None:
    request = RequestFactory().get("/no-such-page")
    few, all_of_them, seconds = (
        Counted("gpucompare_request_queries_bucket", route=NOWHERE, le="2.0"),
        Counted("gpucompare_request_queries_sum", route=NOWHERE),
        Counted("gpucompare_request_seconds_count", route=NOWHERE),
    )
    for queries in (0, 2, 4):
        answer_to(request, queries)
    assert (few.more, all_of_them.more, seconds.more) == (2, 6, 3)


@pytest.mark.django_db
def test_queries_outside_of_a_request_are_nobodys() -> None:
    answer_to(RequestFactory().get("/x"), 1)
    queries = Counted("gpucompare_request_queries_sum", route=NOWHERE)
    answer_to(RequestFactory().get("/x"), 0)
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    assert queries.more == 0


def test_a_request_is_in_progress_as_long_as_it_is() -> None:
    progress = Counted("gpucompare_requests_in_progress", method="GET")
    during: list[float] = []

    def view(_request: HttpRequest) -> HttpResponse:
        during.append(progress.more)
        return HttpResponse()

    SeenMiddleware(view)(RequestFactory().get("/x"))
    assert (during, progress.more) == ([1], 0)


def test_a_request_that_ends_badly_is_in_progress_no_longer() -> None:
    progress = Counted("gpucompare_requests_in_progress", method="GET")

    def view(_request: HttpRequest) -> HttpResponse:
        raise SystemExit

    with pytest.raises(SystemExit):
        SeenMiddleware(view)(RequestFactory().get("/x"))
    assert progress.more == 0


# --- What is told ---------------------------------------------------------------------------


@pytest.mark.django_db
def test_one_line_a_request_without_address_client_or_query(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.INFO, ACCESS):
        Client().get("/gpus/?q=hush&api_key=hush", REMOTE_ADDR="198.51.100.7")
    (line,) = [record for record in caplog.records if record.name == ACCESS]
    told = {name: line.__dict__[name] for name in ("route", "method", "status")}
    assert told == {"route": "gpus", "method": "GET", "status": 200}
    assert line.__dict__["queries"] > 0
    assert line.__dict__["ms"] > 0
    everything = str(line.__dict__)
    assert "hush" not in everything
    assert "198.51.100" not in everything


@pytest.mark.parametrize("path", ["/healthz", "/metrics"])
def test_probes_make_no_line(path: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        Client().get(path)
    assert [record for record in caplog.records if record.name == ACCESS] == []


# --- Counting hurts nobody ------------------------------------------------------------------


def test_a_folder_that_cannot_be_made_is_told_once_and_pages_are_answered(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Any
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setattr(metrics.FOLDER, "path", tmp_path / "file" / "metrics")
    monkeypatch.setattr(metrics.FOLDER, "_pid", None)
    monkeypatch.setattr(metrics.FOLDER, "_lock", None)
    monkeypatch.setattr(metrics.FOLDER, "_closed_until", float("-inf"))
    monkeypatch.setattr(metrics, "_told_that_it_fails", False)
    for _ in range(2):
        assert Client().get("/healthz").status_code == 200
    assert caplog.text.count("Nothing is counted in this process") == 1


def test_a_statement_time_out_is_counted_by_route() -> None:
    timeouts = Counted("gpucompare_statement_timeouts_total", route="browse")
    metrics.statement_timed_out("browse")
    assert timeouts.more == 1
