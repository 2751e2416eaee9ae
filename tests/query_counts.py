"""How many queries something takes."""

from __future__ import annotations

from collections.abc import Callable

from django.db import connection
from django.test.utils import CaptureQueriesContext


def queries_of(ask: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as seen:
        ask()
    return len(seen)
