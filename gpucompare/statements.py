"""Statements of web processes end after a while, whatever they wait for.

The limit belongs to the connection, so that it holds for each statement that any view makes. A
wait for a lock counts as part of its statement: a lock_timeout of its own would cut nothing that
this does not. Behind a pooler that lends one connection to many (PgBouncer with `transaction`),
what is set here stays for whoever gets the connection next: give web processes a user of their
own there, and that user the limit (`ALTER ROLE … SET statement_timeout`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

_UID = "statement timeout"
_bounded = False


def bound_statements() -> None:
    """From now on every connection that this process makes has the limit."""
    global _bounded  # noqa: PLW0603
    _bounded = True
    connection_created.connect(_bound, dispatch_uid=_UID)


def unbound_statements() -> None:
    """Connections made from now on have none, as it was before `bound_statements`."""
    global _bounded  # noqa: PLW0603
    _bounded = False
    connection_created.disconnect(dispatch_uid=_UID)


@contextmanager
def longer(seconds: float) -> Iterator[None]:
    """In a transaction of a process with the limit, statements may take so long instead."""
    shorter = _bounded and 0 < settings.STATEMENT_TIMEOUT_S < seconds
    if not (shorter and connection.in_atomic_block):
        yield  # outside of one, what is set would stay
        return
    _set(seconds)
    yield
    _set(settings.STATEMENT_TIMEOUT_S)


def _set(seconds: float) -> None:
    with connection.cursor() as cursor:
        limit_ms = str(round(seconds * 1000))
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [limit_ms])


def _bound(connection: BaseDatabaseWrapper, **_told: Any) -> None:
    limit_ms = round(settings.STATEMENT_TIMEOUT_S * 1000)
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, false)", [str(limit_ms)])
