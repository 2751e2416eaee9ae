"""Connections to the database as other processes have them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread

from django.db import connection

from gpucompare import statements


def elsewhere(work: Callable[[], object]) -> None:
    """On a connection of its own, as another process would."""

    def run() -> None:
        try:
            work()
        finally:
            connection.close()

    thread = Thread(target=run)
    thread.start()
    thread.join()


@contextmanager
def bound_statements() -> Iterator[None]:
    """This process's connections have the time-out that those of web processes have."""
    connection.close()
    statements.bound_statements()
    try:
        yield
    finally:
        statements.unbound_statements()
        connection.close()
