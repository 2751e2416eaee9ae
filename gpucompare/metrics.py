"""Every metric, declared once, and the functions that count.

Counting never fails and never waits for anybody: a folder that cannot be written is told once in
the log, and then nothing is counted. No label takes a value from outside as it is: whoever asks
for a thousand addresses must not make a thousand series.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Final, Literal, ParamSpec

from django.conf import settings
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, values
from prometheus_client.metrics_core import GaugeMetricFamily

from gpucompare.metrics_folder import MetricsFolder

logger = logging.getLogger(__name__)

FOLDER: Final = MetricsFolder(settings.METRICS_DIR)
# The library chooses this when it is imported, by a variable of the environment.
values.ValueClass = values.MultiProcessValue(FOLDER.name)

# This process's own; what is answered is read from the folder.
REGISTRY: Final = CollectorRegistry()

P = ParamSpec("P")

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
QUERIES: Final = (0, 1, 2, 3, 5, 8, 12, 20, 30, 50, 100)


@dataclass(frozen=True)
class AtScrape:
    """A gauge that nobody keeps: whoever asks for the metrics has it read."""

    name: str
    help: str
    labels: tuple[str, ...]

    def family(self) -> GaugeMetricFamily:
        return GaugeMetricFamily(self.name, self.help, labels=self.labels)


# Every metric has a label: one without would make its file when this is imported.

# --- Requests ---------------------------------------------------------------------------
REQUESTS: Final = Counter(
    "gpucompare_requests",
    "Requests answered.",
    ["route", "method", "status"],
    registry=REGISTRY,
)
REQUEST_SECONDS: Final = Histogram(
    "gpucompare_request_seconds",
    "Seconds until an answer began.",
    ["route"],
    buckets=SECONDS,
    registry=REGISTRY,
)
REQUEST_QUERIES: Final = Histogram(
    "gpucompare_request_queries",
    "Database queries until an answer began, without the one that names what is seen.",
    ["route"],
    buckets=QUERIES,
    registry=REGISTRY,
)
REQUESTS_IN_PROGRESS: Final = Gauge(
    "gpucompare_requests_in_progress",
    "Requests being answered.",
    ["method"],
    multiprocess_mode="livesum",
    registry=REGISTRY,
)
STATEMENT_TIMEOUTS: Final = Counter(
    "gpucompare_statement_timeouts",
    "Requests that the database's statement time-out ended.",
    ["route"],
    registry=REGISTRY,
)

# --- What the program does for them -------------------------------------------------------
KEPT: Final = Counter(
    "gpucompare_kept_results",
    "Results asked of those kept in the process: hit or miss.",
    ["outcome"],
    registry=REGISTRY,
)
REGISTRY_READS: Final = Counter(
    "gpucompare_registry_reads",
    "Images read at registries: read, or why not.",
    ["outcome"],
    registry=REGISTRY,
)
RATES_NOT_KEPT: Final = Counter(
    "gpucompare_rate_limits_not_kept",
    "Requests let through uncounted because Redis was away.",
    ["purpose"],
    registry=REGISTRY,
)
REFRESHES: Final = Counter(
    "gpucompare_refreshes",
    "Refreshes that ended, by how.",
    ["source", "outcome"],
    registry=REGISTRY,
)

# --- Read when they are asked for -----------------------------------------------------------
REFRESH_AGE: Final = AtScrape(
    "gpucompare_refresh_age_seconds", "Seconds since the last good refresh.", ("source",)
)
REFRESH_INTERVAL: Final = AtScrape(
    "gpucompare_refresh_interval_seconds", "Seconds between two refreshes.", ("source",)
)
QUEUE_DEPTH: Final = AtScrape(
    "gpucompare_queue_depth", "Tasks that wait, or (unacked) are being worked at.", ("queue",)
)
REACHABLE: Final = AtScrape(
    "gpucompare_reachable", "Whether the part answered when metrics were asked for.", ("part",)
)

COUNTED: Final = (
    REQUESTS,
    REQUEST_SECONDS,
    REQUEST_QUERIES,
    REQUESTS_IN_PROGRESS,
    STATEMENT_TIMEOUTS,
    KEPT,
    REGISTRY_READS,
    RATES_NOT_KEPT,
    REFRESHES,
)
READ: Final = (REFRESH_AGE, REFRESH_INTERVAL, QUEUE_DEPTH, REACHABLE)


@dataclass(frozen=True)
class Declared:
    """What dashboards, alerts and documentation may say of a metric."""

    name: str  # as it is asked for: a counter's ends in _total
    kind: str
    labels: tuple[str, ...]
    help: str


def declared() -> Iterator[Declared]:
    for metric in COUNTED:
        (described,) = metric.describe()
        ending = "_total" if described.type == "counter" else ""
        labels = tuple(metric._labelnames)  # it tells them in no other way
        yield Declared(described.name + ending, described.type, labels, described.documentation)
    for each in READ:
        yield Declared(each.name, "gauge", each.labels, each.help)


# --- Counting --------------------------------------------------------------------------------

_told_that_it_fails = False


def _counting(count: Callable[P, None]) -> Callable[P, None]:
    @wraps(count)
    def safely(*args: P.args, **kwargs: P.kwargs) -> None:
        global _told_that_it_fails  # noqa: PLW0603
        try:
            FOLDER.join()
            count(*args, **kwargs)
        except OSError as fault:
            if not _told_that_it_fails:
                _told_that_it_fails = True
                logger.warning("Nothing is counted in this process: %s", fault)

    return safely


def method_of(name: str | None) -> str:
    """A method as a label: what is none of HTTP's is "other"."""
    return name if name in METHODS else "other"


@_counting
def began(method: str) -> None:
    REQUESTS_IN_PROGRESS.labels(method).inc()


@_counting
def ended(method: str) -> None:
    REQUESTS_IN_PROGRESS.labels(method).dec()


@contextmanager
def in_progress(method: str) -> Iterator[None]:
    """`method` as `method_of` gives it."""
    began(method)
    try:
        yield
    finally:
        ended(method)


@_counting
def answered(route: str, method: str, status: int, seconds: float, queries: int) -> None:
    """A request. `route` is the name of an address, never an address."""
    REQUESTS.labels(route, method, f"{status // 100}xx").inc()
    REQUEST_SECONDS.labels(route).observe(seconds)
    REQUEST_QUERIES.labels(route).observe(queries)


@_counting
def statement_timed_out(route: str) -> None:
    """A request that the database's statement time-out ended; `route` as `seen.route_of` gives."""
    STATEMENT_TIMEOUTS.labels(route).inc()


@_counting
def kept(outcome: Literal["hit", "miss"]) -> None:
    KEPT.labels(outcome).inc()


@_counting
def registry_read(outcome: str) -> None:
    """ "read", or the key of a reason why an image was not."""
    REGISTRY_READS.labels(outcome).inc()


@_counting
def rate_not_kept(purpose: str) -> None:
    """`purpose` is a word of ours, not a client."""
    RATES_NOT_KEPT.labels(purpose).inc()


@_counting
def refreshed(source: str, outcome: str) -> None:
    REFRESHES.labels(source, outcome).inc()
