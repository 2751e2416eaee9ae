"""What is going on in this thread, for the lines of the log: which request, or which task of whom.

No Django: the settings read the configuration of the log, which reads this.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Final

# The header of a request and of its answer; a task has it under the name of the field.
HEADER: Final = "X-Request-ID"
REQUEST_ID: Final = "request_id"

# Whoever sends an id writes into our log: nothing that could be markup, a line or a long text.
_SANE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
_fields: ContextVar[Mapping[str, str]] = ContextVar("gpucompare_fields", default=_NOTHING)


def fields() -> Mapping[str, str]:
    """What goes on here: `request_id`, and in a task `task`, `task_id` and perhaps `source`."""
    return _fields.get()


def request_id() -> str:
    """The id of the request that this is done for; "" outside of one."""
    return fields().get(REQUEST_ID, "")


def sane_or_new(told: object) -> str:
    """`told` if it may be an id of a request, else a new one."""
    is_sane = isinstance(told, str) and _SANE.fullmatch(told)
    return str(told) if is_sane else uuid.uuid4().hex


@contextmanager
def within(**known: str) -> Iterator[None]:
    """While this holds, the lines of this thread have these fields and no others."""
    before = _fields.set({name: text for name, text in known.items() if text})
    try:
        yield
    finally:
        _fields.reset(before)


def enter(**known: str) -> None:
    """As `within`, until `leave`: for signals, which have a beginning and an end of their own."""
    _fields.set({name: text for name, text in known.items() if text})


def leave() -> None:
    _fields.set(_NOTHING)
