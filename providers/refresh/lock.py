"""One writer at a time, across all processes and machines that share the database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

from django.db import connection, transaction

_NAMESPACE = 0x6770  # keeps these numbers apart from locks that others take


class Table(IntEnum):
    """What is written. Who needs both takes LISTINGS first, so that nobody waits in a ring."""

    LISTINGS = 1
    GPUS = 2


@contextmanager
def sole_writer(table: Table) -> Iterator[None]:
    """A transaction that waits for any other writer of `table`, and holds it until its end."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_NAMESPACE, table.value])
        yield
