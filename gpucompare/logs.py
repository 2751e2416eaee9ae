"""The log: one line an event, as JSON for machines or as text for people, without secrets.

No Django: the settings read it.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from gpucompare import context
from gpucompare.secrets_in_text import Redaction

FORMATS: Final = ("json", "line")
# What an event may tell besides its message: `logger.info(…, extra={"route": …})`.
EXTRAS: Final = ("route", "method", "status", "ms", "queries")

# A line of ours never ends where a text of somebody else wants it to, nor draws on a terminal.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")

# Addresses that machines ask every few seconds; what they are answered is in the metrics.
OPERATORS: Final = frozenset({"/healthz", "/readyz", "/metrics"})
# Where a request keeps its id for those who are done with it: Django tells of a failed request
# when everything around it has ended.
KEPT_ID: Final = "gpucompare.request_id"


class _Formatter(logging.Formatter):
    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__()
        self._redacted = Redaction(secrets)

    def _message(self, record: logging.LogRecord) -> str:
        return self._redacted(record.getMessage())

    def _traceback(self, record: logging.LogRecord) -> str:
        if not record.exc_info or record.exc_info[0] is None:
            return ""
        return self._redacted(self.formatException(record.exc_info))


class JsonFormatter(_Formatter):
    """An object a line; a field that does not apply is left out."""

    def format(self, record: logging.LogRecord) -> str:
        told: dict[str, Any] = {
            "time": _moment(record).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname,
            "logger": record.name,
            "message": self._message(record),
            **dict(_fields(record, self._redacted)),
        }
        if traceback := self._traceback(record):
            told["traceback"] = traceback
        return json.dumps(told)


class LineFormatter(_Formatter):
    """A line of text; a traceback follows, indented, for who sits in front of it."""

    def format(self, record: logging.LogRecord) -> str:
        when = f"{_moment(record):%Y-%m-%d %H:%M:%S}"
        message = _on_one_line(self._message(record))
        fields = [f"{name}={value}" for name, value in _fields(record, self._redacted)]
        line = " ".join([when, record.levelname, record.name, message, *fields])
        traceback = self._traceback(record).splitlines()
        return "\n".join([line, *(f"    {_on_one_line(each)}" for each in traceback)])


def _moment(record: logging.LogRecord) -> datetime:
    return datetime.fromtimestamp(record.created, UTC)


def _fields(
    record: logging.LogRecord, redacted: Callable[[str], str]
) -> Iterator[tuple[str, str | int | float]]:
    known = {context.REQUEST_ID: _of_request(record).get(KEPT_ID), **context.fields()}
    for name, text in known.items():
        if text:
            yield name, redacted(text)
    for name in EXTRAS:
        value = getattr(record, name, None)
        if isinstance(value, str | int | float):
            yield name, value


def _of_request(record: logging.LogRecord) -> Mapping[str, Any]:
    """The META of the request that Django tells of."""
    return getattr(getattr(record, "request", None), "META", {})


class NoProbes(logging.Filter):
    """Keeps out Django's own line for each probe that is told "not ready"."""

    def filter(self, record: logging.LogRecord) -> bool:
        return bool(record.exc_info) or _of_request(record).get("PATH_INFO") not in OPERATORS


def _on_one_line(text: str) -> str:
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text)


def configuration(form: str, level: str, secrets: Iterable[str]) -> dict[str, Any]:
    """Django's LOGGING. `form` is one of FORMATS; all of it goes to the standard error."""
    kind = {"json": JsonFormatter, "line": LineFormatter}[form]
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"no probes": {"()": NoProbes}},
        "formatters": {"ours": {"()": kind, "secrets": list(secrets)}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "ours"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # Django gives its own logger a level, and what passes that is not asked for the root's.
            "django": {"level": level},
            "django.request": {"filters": ["no probes"]},
            # The web server would write lines of its own form.
            "_granian": {"handlers": ["stderr"], "propagate": False},
        },
    }
