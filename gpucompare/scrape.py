"""`/metrics`: what all processes of this machine counted, and what is read when it is asked for."""

from __future__ import annotations

import hmac
import logging
import os
from collections.abc import Iterable, Iterator
from typing import Final

import redis
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Metric, generate_latest
from prometheus_client.registry import Collector

from gpucompare import metrics as declared
from gpucompare import reach
from providers.models import RefreshRun, SourceState
from providers.refresh.enabled import enabled
from providers.refresh.schedule import interval
from providers.sources import SOURCES

logger = logging.getLogger(__name__)

# A source that nobody runs any more is no fault: its age is told for so long after its last run.
_REMEMBERED_DAYS: Final = 7
_AGES = f"""
    SELECT s.slug, extract(epoch FROM now() - s.good_at)::float
    FROM {SourceState._meta.db_table} s
    LEFT JOIN {RefreshRun._meta.db_table} r ON r.id = s.current_run_id
    WHERE s.good_at IS NOT NULL
      AND (s.slug = ANY(%s) OR r.started_at > now() - make_interval(days => %s))
    ORDER BY s.slug
"""  # noqa: S608 -- names of our own tables
_QUEUES: Final = ("refresh", "default")


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """For whoever holds the token; for everybody else there is nothing here."""
    if not _may_read(request):
        return HttpResponseNotFound("not found\n", content_type="text/plain; charset=utf-8")
    try:
        page = generate_latest(_registry())
    except OSError as fault:
        logger.warning("The metrics cannot be read: %s", fault)
        return HttpResponse(b"the folder of metrics cannot be read\n", status=503)
    return HttpResponse(page, content_type=CONTENT_TYPE_LATEST)


def _may_read(request: HttpRequest) -> bool:
    wanted = settings.METRICS_TOKEN
    if not wanted:
        return False
    told = request.headers.get("Authorization", "")
    return hmac.compare_digest(told.encode(), f"Bearer {wanted}".encode())


def _registry() -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(_Everything())
    return registry


class _Everything(Collector):
    def describe(self) -> Iterable[Metric]:
        """Nothing beforehand: asked for it, the library would collect everything twice."""
        return ()

    def collect(self) -> Iterator[Metric]:
        yield from declared.FOLDER.read()
        reachable = declared.REACHABLE.family()
        for part, read in (("database", _refreshes), ("redis", _queues)):
            if part == "redis" and not settings.REDIS_URL:
                continue
            try:
                found = list(read())
            except (*reach.DATABASE_AWAY, redis.RedisError) as fault:
                logger.warning("The metrics lack what is in the %s: %s", part, fault)
                found = []
            reachable.add_metric([part], float(bool(found)))
            yield from found
        yield reachable


def _refreshes() -> Iterator[Metric]:
    own = enabled()
    with reach.database() as session:
        ages = session.execute(_AGES, [own, _REMEMBERED_DAYS]).fetchall()
    age, every = declared.REFRESH_AGE.family(), declared.REFRESH_INTERVAL.family()
    known = {slug: seconds for slug, seconds in ages if slug in SOURCES}
    for slug, seconds in known.items():
        age.add_metric([slug], seconds)
    for slug in sorted({*known, *own}):
        every.add_metric([slug], interval(slug, os.environ).total_seconds())
    yield from (age, every)


def _queues() -> Iterator[Metric]:
    depth = declared.QUEUE_DEPTH.family()
    with reach.redis_server() as server:
        for queue in _QUEUES:
            depth.add_metric([queue], float(server.llen(queue)))
        depth.add_metric(["unacked"], float(server.hlen("unacked")))
    yield depth
