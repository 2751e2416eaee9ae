"""Reading images at registries, so that no web worker ever waits for one.

`look` answers at once: with what is known, with "being read", or with why not. What is to be read
is read by a thread of this process, of which there are few; a lease in the database sees to it
that one process reads a reference at a time, and that another may when that one was killed.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from threading import Lock, Thread
from typing import Any, Literal

from django.conf import settings
from django.db import connection
from django.db.models import F
from django.utils import timezone

from checks.image.cache import DatabaseDocuments, KeptOnly, NotKeptError, evict
from checks.image.fetch import Bounds, Fetcher
from checks.image.reasons import Reason, RegistryError
from checks.image.record import ImageRecord
from checks.image.reference import Reference
from checks.image.registry import Phase, Registry
from checks.image.walk import Through, record_of
from checks.models import ImageReading, RegistryPause
from gpucompare import metrics
from gpucompare.clients import take
from gpucompare.outside.fetch import Network
from gpucompare.outside.hosts import allowed_hosts

State = Literal["ready", "pending", "failed"]

# What a reading may take beyond its network calls before its process is taken for dead.
_GRACE = timedelta(seconds=10)
_LONGEST_PAUSE_S = 60 * 60
# What is later than that by ours was written by a clock that was put back since.
_CLOCKS_DIFFER = timedelta(minutes=1)
_POLL_S = 0.1

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Reading:
    """Where the reading of a reference stands.

    `since`: ready – when the registry said so; pending – when it was asked; failed – when it did.
    `record` is there when ready; else it is what an earlier reading gave, if one did.
    """

    reference: Reference
    state: State
    since: datetime
    record: ImageRecord | None = None
    phase: Phase | None = None  # pending: what the reading is at
    reason: Reason | None = None  # failed: why
    retry_at: datetime | None = None  # failed: before that moment, nothing is asked again


def look(reference: Reference, client: str = "") -> Reading:
    """What is known of an image; starts a reading where that is nothing, or out of date.

    `client` is the address of whoever asks: how often it may start one is limited.
    """
    row, now = _row(reference), timezone.now()
    standing = _standing(reference, row, now)
    if standing:
        return standing
    refused = _refusal(reference, row, now, client)
    return refused or _start(reference, row, now)


def known(reference: Reference) -> ImageRecord | None:
    """The last good record, if there is one; nothing is read."""
    return _known(reference, _row(reference))


def read_now(reference: Reference) -> ImageRecord:
    """The record, waited for: for commands, not for web workers. Raises RegistryError."""
    while True:
        row, now = _row(reference), timezone.now()
        standing = _standing(reference, row, now)
        if standing and standing.record and standing.state == "ready":
            return standing.record
        if standing and standing.state == "pending":
            time.sleep(_POLL_S)
            continue
        if refused := _refusal(reference, row, now):
            raise RegistryError(refused.reason or Reason.OUR_FAULT)
        turn = _claim(reference, row, now)
        if turn is not None:
            return _read(reference, turn)


# --- What stands --------------------------------------------------------------------


def _row(reference: Reference) -> ImageReading | None:
    return ImageReading.objects.filter(reference=str(reference)).first()


def _standing(reference: Reference, row: ImageReading | None, now: datetime) -> Reading | None:
    """What the database says; None where there is something to read."""
    if row is None or row.asked_at - now > _CLOCKS_DIFFER:
        return None
    if row.lease_until and row.lease_until > now:
        return _pending(reference, row)
    if row.failed_at and row.retry_at and row.retry_at > now:
        reason = Reason(row.reason)
        record = _known(reference, row)
        return Reading(reference, "failed", row.failed_at, record, None, reason, row.retry_at)
    if row.read_at and _holds(reference, row.read_at, now) and (record := _known(reference, row)):
        return Reading(reference, "ready", row.read_at, record)
    return None


def _pending(reference: Reference, row: ImageReading) -> Reading:
    phase = Phase(row.phase or Phase.ASKING)
    return Reading(reference, "pending", row.asked_at, _known(reference, row), phase)


def _holds(reference: Reference, read_at: datetime, now: datetime) -> bool:
    """Whether an answer of that moment is still taken as it is: a digest names one for ever."""
    return not reference.moves or now - read_at < timedelta(seconds=settings.REGISTRY_FRESH_S)


def _known(reference: Reference, row: ImageReading | None) -> ImageRecord | None:
    """The last good record, out of the cache; None if there is none or parts of it are gone."""
    if row is None or not row.read_at:
        return None
    kept = KeptOnly()
    try:
        return record_of(reference, kept.manifest(row.digest), kept, row.read_at)
    except (NotKeptError, RegistryError):
        return None


# --- Whether to read ----------------------------------------------------------------


def _refusal(
    reference: Reference, row: ImageReading | None, now: datetime, client: str = ""
) -> Reading | None:
    """Why no reading is to start, if so."""
    reason, retry_at = _reason_not_to(reference, now, client)
    if reason is None:
        return None
    record = _known(reference, row)
    return Reading(reference, "failed", now, record, None, reason, retry_at)


def _reason_not_to(
    reference: Reference, now: datetime, client: str
) -> tuple[Reason | None, datetime | None]:
    if not settings.REGISTRY_READS:
        return Reason.READING_IS_OFF, None
    if reference.asks_a_word and reference.host.lower() not in network().allowed:
        return Reason.HOST_IS_A_WORD, None
    longest = now + timedelta(seconds=_LONGEST_PAUSE_S) + _CLOCKS_DIFFER
    paused = RegistryPause.objects.filter(host=reference.host, until__gt=now, until__lt=longest)
    pause = paused.first()
    if pause:
        return Reason.THROTTLED, pause.until
    window = take(settings.REGISTRY_RATE, "registry", client)
    return (Reason.TOO_MANY_READS if window and not window.allowed else None), None


def network() -> Network:
    """Where readings may lead, as the settings say."""
    return Network(allowed_hosts(settings.REGISTRY_ALLOW), ca_file=settings.REGISTRY_CA_FILE)


# --- Reading ------------------------------------------------------------------------


class _Pool:
    """The threads of this process that read; there is no queue before them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.running = 0

    def run(self, work: Callable[[], None]) -> bool:
        """Start that work; False where as many run as may."""
        with self._lock:
            if self.running >= settings.REGISTRY_READS:
                return False
            self.running += 1
        try:
            # A daemon: the end of the process must not wait for a registry.
            # It works for the request that started it, and its lines in the log say so.
            here = copy_context()
            Thread(target=here.run, args=(self._one, work), name="registry", daemon=True).start()
        except RuntimeError:  # the system has no thread left
            self._leave()
            return False
        return True

    def _one(self, work: Callable[[], None]) -> None:
        try:
            work()
        finally:
            connection.close()
            self._leave()

    def _leave(self) -> None:
        with self._lock:
            self.running -= 1


_pool = _Pool()


def _start(reference: Reference, row: ImageReading | None, now: datetime) -> Reading:
    record, turn = _known(reference, row), _claim(reference, row, now)
    if turn is not None and not _pool.run(partial(_work, reference, turn)):
        _change(reference, turn, lease_until=None)
        return Reading(reference, "failed", now, record, reason=Reason.BUSY)
    return Reading(reference, "pending", now, record, Phase.ASKING)


def _claim(reference: Reference, row: ImageReading | None, now: datetime) -> int | None:
    """The number of a reading that is ours to do; None where somebody else was quicker."""
    if row is None:
        row = ImageReading(reference=str(reference), asked_at=now)
        ImageReading.objects.bulk_create([row], ignore_conflicts=True)
    lease = now + timedelta(seconds=settings.REGISTRY_READ_S) + _GRACE
    claimed = _change(reference, row.turn, asked_at=now, lease_until=lease, phase=Phase.ASKING)
    return row.turn + 1 if claimed else None


def _change(reference: Reference, turn: int, **fields: Any) -> bool:
    """End that turn of the row, and change it; False if it is over already."""
    rows = ImageReading.objects.filter(reference=str(reference), turn=turn)
    return rows.update(turn=F("turn") + 1, **fields) == 1


def _work(reference: Reference, turn: int) -> None:
    try:
        _read(reference, turn)
    except RegistryError as fault:
        logger.info("%s was not read: %s", reference, fault)
    except Exception:
        logger.exception("%s was not read", reference)


def _read(reference: Reference, turn: int) -> ImageRecord:
    """Reads and writes down how that ended. Raises what it wrote down as a failure."""
    try:
        record = _ask(reference, turn)
    except RegistryError as fault:
        metrics.registry_read(fault.reason)
        _fail(reference, turn, fault)
        raise
    except Exception:
        metrics.registry_read(Reason.OUR_FAULT)
        _fail(reference, turn, RegistryError(Reason.OUR_FAULT))
        raise
    metrics.registry_read("read")
    evict()
    return record


def _ask(reference: Reference, turn: int) -> ImageRecord:
    bounds = Bounds(call_s=settings.REGISTRY_CALL_S, read_s=settings.REGISTRY_READ_S)
    registry = Registry(Fetcher(network(), bounds), reference, _teller(reference, turn))
    documents = Through(DatabaseDocuments(), registry)
    top = documents.top(reference)
    read_at = timezone.now()
    record = record_of(reference, top, documents, read_at)
    _change(
        reference,
        turn,
        digest=top.digest,
        read_at=read_at,
        lease_until=None,
        reason="",
        failed_at=None,
        retry_at=None,
    )
    return record


def _teller(reference: Reference, turn: int) -> Callable[[Phase], None]:
    rows = ImageReading.objects.filter(reference=str(reference), turn=turn)

    def tell(phase: Phase) -> None:
        rows.update(phase=phase)

    return tell


def _fail(reference: Reference, turn: int, fault: RegistryError) -> None:
    now = timezone.now()
    pause_s = max(fault.retry_after or 0, settings.REGISTRY_RETRY_S)
    retry_at = now + timedelta(seconds=min(pause_s, _LONGEST_PAUSE_S))
    if fault.reason == Reason.THROTTLED:
        RegistryPause.objects.update_or_create(host=reference.host, defaults={"until": retry_at})
    _change(
        reference,
        turn,
        lease_until=None,
        reason=fault.reason,
        failed_at=now,
        retry_at=retry_at,
    )
