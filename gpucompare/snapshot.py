"""One moment of the database, for all that one answer is made of.

PostgreSQL names the state that a statement sees: two that see one name see the same rows, whoever
wrote what meanwhile (https://www.postgresql.org/docs/current/functions-info.html, pg_snapshot).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import Final

from django.db import InterfaceError, OperationalError, connection, transaction
from psycopg import OperationalError as ServerIsAwayError
from psycopg.errors import error_from_result
from psycopg.pq import ConnStatus, ExecStatus

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
    with ExitStack() as stack:
        token = _current.set(_checked(lambda: _begun(stack)))
        try:
            yield _current.get()
        finally:
            _current.reset(token)


def state() -> str:
    """The name of what a statement sees now; "" where those may be rows that only we see."""
    if connection.in_atomic_block:
        return _current.get()
    return _checked(_seen_now)


def database() -> str:
    """The name of the database that this thread asks."""
    of = connection.settings_dict
    return f"{of['HOST']}:{of['PORT']}/{of['NAME']}"


_NAME: Final = b"SELECT pg_current_snapshot()::text"
_BEGIN: Final = b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;" + _NAME


def _begun(stack: ExitStack) -> str:
    """Begins a transaction, which ends with `stack`, and names what it sees."""
    with ExitStack() as own:
        own.enter_context(transaction.atomic())
        replayed = _replayed()
        name = _asked(_BEGIN)
        stack.enter_context(own.pop_all())
    return f"{database()} {name}{replayed}"


def _seen_now() -> str:
    replayed = _replayed()
    return f"{database()} {_asked(_NAME)}{replayed}"


def _replayed() -> str:
    """How far a replica has come; empty on a primary, which is not asked for it.

    A snapshot of a replica does not name the transactions that are still under way (PostgreSQL
    keeps them elsewhere there), so that one which ends between two others changes no name. Read
    before the snapshot, this can only be behind it: what is kept by that name is never too old.
    """
    with connection.wrap_database_errors:
        is_replica = connection.connection.info.parameter_status("in_hot_standby") == "on"
    return f" {_asked(b'SELECT pg_last_wal_replay_lsn()::text')}" if is_replica else ""


def _asked(statements: bytes) -> str:
    """The only value of the last of them.

    A cursor's way is longer, and it would go to the server once more, for BEGIN alone.
    """
    with connection.wrap_database_errors:
        server = connection.connection.pgconn
        result = server.exec_(statements)
        if result.status == ExecStatus.TUPLES_OK:
            return str(result.get_value(0, 0), "ascii")
        if server.status == ConnStatus.BAD:
            raise ServerIsAwayError(server.get_error_message())
        raise error_from_result(result)


def _checked(first: Callable[[], str]) -> str:
    """What the first statements of a request give; they also tell whether its connection, which
    is kept from another, still leads anywhere. Django would ask that with one of its own."""
    kept = None if connection.health_check_done else connection.connection  # type: ignore[attr-defined]
    connection.health_check_done = True  # type: ignore[attr-defined]  # the stubs lack it
    connection.ensure_connection()
    try:
        return first()
    except (OperationalError, InterfaceError):
        if kept is None or not kept.closed:
            raise
    if connection.connection is kept:
        connection.close()
    connection.ensure_connection()
    return first()
