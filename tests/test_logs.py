"""One line an event, whoever wants it otherwise, and it says what it belongs to."""

from __future__ import annotations

import json
import logging
import sys
from datetime import datetime
from typing import Any

import pytest
from django.test import RequestFactory

from gpucompare import context
from gpucompare.logs import KEPT_ID, JsonFormatter, LineFormatter, NoProbes
from tests.test_settings import load, refusal, settings

SECRET = "a-secret-of-this-site"


def record(message: str = "it happened", *args: Any, **extra: Any) -> logging.LogRecord:
    made = logging.LogRecord("ours", logging.WARNING, "x.py", 1, message, args, None)
    made.__dict__.update(extra)
    return made


def failed() -> logging.LogRecord:
    try:
        int(f"{SECRET}\nat all")
    except ValueError:
        caught = sys.exc_info()
    return record(exc_info=caught)


def as_json(what: logging.LogRecord) -> dict[str, Any]:
    line = JsonFormatter([SECRET]).format(what)
    assert "\n" not in line
    told: dict[str, Any] = json.loads(line)
    return told


def as_line(what: logging.LogRecord) -> str:
    return LineFormatter([SECRET]).format(what)


# --- What a line holds --------------------------------------------------------------------


def test_json_tells_when_how_bad_who_and_what() -> None:
    told = as_json(record("%s of %d", "one", 2))
    assert datetime.fromisoformat(told.pop("time")).utcoffset() is not None
    assert told == {"level": "WARNING", "logger": "ours", "message": "one of 2"}


def test_a_request_and_what_it_came_to_stand_in_fields_of_their_own() -> None:
    with context.within(request_id="abc"):
        told = as_json(record(route="browse", status=200, ms=12.5, stranger="no"))
    assert [told[name] for name in ("request_id", "route", "status", "ms")] == [
        "abc",
        "browse",
        200,
        12.5,
    ]
    assert "stranger" not in told


def test_a_line_holds_the_same_behind_the_message() -> None:
    with context.within(request_id="abc", source="vast"):
        line = as_line(record(status=200))
    assert line.endswith("WARNING ours it happened request_id=abc source=vast status=200")


def test_outside_of_a_request_no_field_is_made_up() -> None:
    assert "request_id" not in as_json(record())


def test_what_django_tells_when_the_request_is_over_still_has_its_id() -> None:
    request = RequestFactory().get("/x")
    request.META[KEPT_ID] = "abc"
    assert as_json(record(request=request))["request_id"] == "abc"


# --- Lines stay lines -----------------------------------------------------------------------

HOSTILE = "Not Found: /x\n2026-12-01 ERROR forged\r\x1b[2J\u2028\x85 \ud800"


def test_nobody_begins_a_line_of_ours() -> None:
    line = as_line(record(HOSTILE))
    assert len(line.splitlines()) == 1
    assert "\x1b" not in line
    assert r"/x\n2026" in line
    line.encode()


def test_in_json_it_is_the_text_that_it_was() -> None:
    line = JsonFormatter().format(record(HOSTILE))
    assert len(line.splitlines()) == 1
    assert json.loads(line)["message"] == HOSTILE
    line.encode()


def test_a_traceback_is_a_field_of_the_same_line() -> None:
    told = as_json(failed())
    assert told["message"] == "it happened"
    assert told["traceback"].startswith("Traceback")
    assert "ValueError" in told["traceback"]


def test_for_people_a_traceback_stands_below_indented() -> None:
    first, *below = as_line(failed()).splitlines()
    assert first.endswith("it happened")
    assert below
    assert all(line.startswith("    ") for line in below)


# --- Secrets -------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [JsonFormatter, LineFormatter])
def test_no_secret_is_in_message_arguments_fields_or_traceback(
    form: type[LineFormatter | JsonFormatter],
) -> None:
    with context.within(source=SECRET):
        for what in (record(f"a {SECRET}"), record("a %s", SECRET), failed()):
            told = form([SECRET]).format(what)
            assert SECRET not in told
            assert "***" in told


# What strangers and our own faults bring into a log.
_SAY = """
import django; django.setup()
import logging
log = logging.getLogger("anything")
log.warning("connecting to redis://:swordfish@redis.example:6379/0")
log.warning("key %s token %s", "key-of-lambda-labs", "metrics-token-of-ours")
try:
    raise ConnectionError("postgres://me:open-sesame@db.example/gpu?sslpassword=deep-secret")
except ConnectionError:
    log.exception("no database, asked https://api.example/v1?api_key=abracadabra")
"""
_GIVEN = {
    "DATABASE_URL": "postgres://me:open-sesame@db.example/gpu",
    "REDIS_URL": "redis://:swordfish@redis.example:6379/0",
    "GPUCOMPARE_SOURCE_LAMBDA_KEY": "key-of-lambda-labs",
    "GPUCOMPARE_METRICS_TOKEN": "metrics-token-of-ours",
}


@pytest.mark.parametrize("form", ["json", "line"])
def test_a_real_process_writes_no_secret_to_its_log(tmp_path: Any, form: str) -> None:
    said = load(tmp_path, _SAY, GPUCOMPARE_LOG_FORMAT=form, **_GIVEN).stderr
    assert "no database" in said
    secrets = ["swordfish", "key-of-lambda", "metrics-token", "open-sesame", "deep-secret"]
    assert [secret for secret in (*secrets, "abracadabra") if secret in said] == []


def test_a_warning_of_python_is_a_line_too(tmp_path: Any) -> None:
    say = "import django; django.setup(); import warnings; warnings.warn('out of date')"
    (line,) = load(tmp_path, say, GPUCOMPARE_LOG_FORMAT="json").stderr.splitlines()
    assert "out of date" in json.loads(line)["message"]


# --- Settings ------------------------------------------------------------------------------

PRODUCTION = {
    "GPUCOMPARE_PRODUCTION": "1",
    "GPUCOMPARE_SECRET_KEY": "x" * 50,
    "REDIS_URL": "redis://localhost:6379/0",
}


def test_production_writes_json_and_tells_of_every_request(tmp_path: Any) -> None:
    told = settings(tmp_path, "LOG_FORMAT", "LOGGING", **PRODUCTION)
    assert told["LOG_FORMAT"] == "json"
    assert told["LOGGING"]["root"]["level"] == "INFO"  # type: ignore[index]


def test_a_checkout_writes_lines_and_only_of_what_is_wrong(tmp_path: Any) -> None:
    told = settings(tmp_path, "LOG_FORMAT", "LOGGING")
    assert told["LOG_FORMAT"] == "line"
    assert told["LOGGING"]["root"]["level"] == "WARNING"  # type: ignore[index]


def test_a_format_that_is_none_is_refused_in_one_line(tmp_path: Any) -> None:
    told = refusal(tmp_path, GPUCOMPARE_LOG_FORMAT="xml")
    assert told.endswith("GPUCOMPARE_LOG_FORMAT is json or line, not 'xml'")


# --- Probes --------------------------------------------------------------------------------


def test_a_probe_that_is_told_no_makes_no_line_of_django() -> None:
    probe, reader = (record(request=RequestFactory().get(path)) for path in ("/readyz", "/x"))
    assert not NoProbes().filter(probe)
    assert NoProbes().filter(reader)
    assert NoProbes().filter(record())


def test_a_fault_while_a_probe_is_answered_is_told() -> None:
    fault = failed()
    fault.__dict__["request"] = RequestFactory().get("/readyz")
    assert NoProbes().filter(fault)
