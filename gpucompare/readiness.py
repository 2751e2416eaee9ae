"""What the site needs to answer: a database of this version with its data, and Redis if named."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from functools import cache
from threading import Lock
from typing import Any, Final

import psycopg
import redis
from django.conf import settings
from django.db.migrations.loader import MigrationLoader

from checks.models import ContentEntry
from gpucompare import reach
from providers.models import Offering

# Whoever asks more often is given the same answer: each costs a connection of the database.
GOOD_FOR_S: Final = 1.0

OK: Final = "ok"
NOT_CONFIGURED: Final = "not configured"
AWAY: Final = "does not answer"
NOT_KNOWN: Final = "not known"
# What is found when the database answers.
_IN_DATABASE: Final = ("migrations", "catalog", "content")

logger = logging.getLogger(__name__)

Session = psycopg.Connection[tuple[Any, ...]]

_lock = Lock()
_last: tuple[float, Mapping[str, str]] = (float("-inf"), {})


def readiness() -> Mapping[str, str]:
    """Each part and how it stands. It takes seconds at most, whatever hangs."""
    global _last  # noqa: PLW0603
    with _lock:
        when, found = _last
        if time.monotonic() - when > GOOD_FOR_S:
            found = {**_of_database(), "redis": _of_redis()}
            if found != _last[1]:
                _tell(found)
            _last = (time.monotonic(), found)
        return found


def missing(found: Mapping[str, str]) -> list[str]:
    return [part for part, word in found.items() if word not in (OK, NOT_CONFIGURED)]


def _tell(found: Mapping[str, str]) -> None:
    """In the log, once for each change: a probe comes every few seconds."""
    if lacking := missing(found):
        logger.warning("not ready: %s", ", ".join(f"{part} {found[part]}" for part in lacking))
    else:
        logger.info("ready")


def _of_database() -> dict[str, str]:
    try:
        with reach.database() as session:
            unapplied = sorted(set(migrations()) - _applied(session))
            return {
                "database": OK,
                "migrations": f"{len(unapplied)} not applied" if unapplied else OK,
                "catalog": _filled(session, Offering._meta.db_table),
                "content": _filled(session, ContentEntry._meta.db_table),
            }
    except reach.DATABASE_AWAY:
        return {"database": AWAY, **dict.fromkeys(_IN_DATABASE, NOT_KNOWN)}


@cache
def migrations() -> frozenset[tuple[str, str]]:
    """Those that this version of the program brings along, by app and name."""
    return frozenset(MigrationLoader(None).graph.nodes)


def _applied(session: Session) -> set[tuple[str, str]]:
    """A database may be ahead: an older process goes on while a newer one is rolled out."""
    try:
        return set(session.execute("SELECT app, name FROM django_migrations").fetchall())
    except psycopg.errors.UndefinedTable:
        return set()


def _filled(session: Session, table: str) -> str:
    rows = psycopg.sql.SQL("SELECT EXISTS (SELECT FROM {})").format(psycopg.sql.Identifier(table))
    try:
        found = session.execute(rows).fetchone()
    except psycopg.errors.UndefinedTable:
        return NOT_KNOWN
    return OK if found == (True,) else "empty"


def _of_redis() -> str:
    if not settings.REDIS_URL:
        return NOT_CONFIGURED
    try:
        with reach.redis_server() as server:
            server.ping()
    except redis.RedisError:
        return AWAY
    return OK
