"""The database and Redis asked by operators' addresses: whoever hangs is not waited for."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Timer
from typing import Any, Final

import psycopg
import redis
from django.conf import settings
from django.db import connection
from redis.backoff import NoBackoff
from redis.retry import Retry

from gpucompare.embedded_db.cluster import ClusterError

# The least that libpq knows.
CONNECT_S: Final = 2
QUERY_S: Final = 1.0
REDIS_S: Final = 1.0
# Whatever keeps it from answering; the embedded one fails to start in its own words.
DATABASE_AWAY: Final = (psycopg.Error, ClusterError)


@contextmanager
def database() -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    """A connection of its own that is cut when it has not ended in time.

    Raises one of DATABASE_AWAY where it does not answer. Neither Django's connection
    nor the database's own time-outs would do: a server that was stopped in the middle answers
    nobody, and keeps who waits for it.
    """
    asked = connection.get_connection_params()
    asked |= {"connect_timeout": CONNECT_S, "autocommit": True}
    with psycopg.connect(**asked) as session, _cut_in_time(session.fileno()):
        yield session


@contextmanager
def _cut_in_time(number: int) -> Iterator[None]:
    """Whoever still reads from that connection when its time is over reads its end."""
    with socket.socket(fileno=os.dup(number)) as line:
        cut = Timer(QUERY_S, _cut, [line])
        cut.daemon = True
        cut.start()
        try:
            yield
        finally:
            cut.cancel()


def _cut(line: socket.socket) -> None:
    with suppress(OSError):  # it may just have ended
        line.shutdown(socket.SHUT_RDWR)


@contextmanager
def redis_server() -> Iterator[redis.Redis]:
    """Raises redis.RedisError where it does not answer in time."""
    server = redis.Redis.from_url(
        settings.REDIS_URL,
        socket_connect_timeout=REDIS_S,
        socket_timeout=REDIS_S,
        retry=Retry(NoBackoff(), 0),
    )
    try:
        yield server
    finally:
        server.close()
