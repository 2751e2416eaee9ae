"""One writer at a time, across all processes and machines that share the database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

from django.db import connection, transaction

_NAMESPACE = 0x6770  # keeps these numbers apart from locks that others take


class Table(IntEnum):
    """What is written. Who needs several takes them in this order: nobody waits in a ring."""

    LISTINGS = 1
    GPUS = 2
    CHANGES = 3


@contextmanager
def held_alone(namespace: int, number: int) -> Iterator[bool]:
    """Whether nobody else holds this lock; if so it is held until the end, over the network too,
    hence by the session and not by a transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [namespace, number])
        held = bool(cursor.fetchone()[0])
    try:
        yield held
    finally:
        # A connection that broke meanwhile took the lock with it.
        renew_connection()
        if held:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [namespace, number])


def renew_connection() -> None:
    """Drop a connection that broke while the network was asked; the next query opens another.

    One that works is kept however old it is: locks of the session hang on it.
    """
    if connection.connection and not connection.in_atomic_block and not connection.is_usable():
        connection.close()


@contextmanager
def sole_writer(table: Table) -> Iterator[None]:
    """A transaction that waits for any other writer of `table`, and holds it until its end."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_NAMESPACE, table.value])
        yield
