"""One moment of the database, for all that one answer is made of.

PostgreSQL names the state that a statement sees: two that see one name see the same rows, whoever
wrote what meanwhile (https://www.postgresql.org/docs/current/functions-info.html, pg_snapshot).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.db import connection, transaction

# Of the snapshot that this thread reads, if it is inside one.
_current: ContextVar[str] = ContextVar("snapshot", default="")


@contextmanager
def one_snapshot() -> Iterator[str]:
    """All that is read inside is of one moment; nothing can be written. Gives its name.

    Inside another snapshot it is that one. Inside a transaction that may write it changes nothing
    and has no name: what was written there has none.
    """
    if connection.in_atomic_block:
        yield _current.get()
        return
    replayed = _replayed()
    with transaction.atomic():
        token = _current.set(_named(replayed, _BEGIN))
        try:
            yield _current.get()
        finally:
            _current.reset(token)


def state() -> str:
    """The name of what a statement sees now; "" where those may be rows that only we see."""
    if connection.in_atomic_block:
        return _current.get()
    return _named(_replayed())


def database() -> str:
    """The name of the database that this thread asks."""
    of = connection.settings_dict
    return f"{of['HOST']}:{of['PORT']}/{of['NAME']}"


def _replayed() -> str:
    """How far a replica has come; empty on a primary, which is not asked for it.

    A snapshot of a replica does not name the transactions that are still under way (PostgreSQL
    keeps them elsewhere there), so that one which ends between two others changes no name. Read
    before the snapshot, this can only be behind it: what is kept by that name is never too old.
    """
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    with connection.wrap_database_errors:
        is_replica = connection.connection.info.parameter_status("in_hot_standby") == "on"
    if not is_replica:
        return ""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_last_wal_replay_lsn()::text")
        return f" {cursor.fetchone()[0]}"


_NAME = "SELECT pg_current_snapshot()::text"
_BEGIN = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"


def _named(replayed: str, before: str = "") -> str:
    """`before` goes along, so that both take one way to the database."""
    with connection.cursor() as cursor:
        cursor.execute(f"{before};{_NAME}" if before else _NAME)
        if before:
            cursor.nextset()
        name: str = cursor.fetchone()[0]
    return f"{database()} {name}{replayed}"
