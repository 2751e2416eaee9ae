"""One refresh of one source: fetch → normalise → guard → merge.

The network is asked outside the transaction; all that is written is written inside one.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from decimal import Decimal

from django.db import connection, transaction
from django.utils import timezone

from gpucompare import metrics
from providers.changes.prices import of_refresh
from providers.models import (
    Listing,
    Offering,
    Origin,
    Outcome,
    PricePoint,
    QuarantinedRow,
    RefreshRun,
    RejectedBatch,
    SourceState,
)
from providers.rates import usd_rates
from providers.refresh import guards
from providers.refresh.facts import Key
from providers.refresh.gpu_table import gpu_ids
from providers.refresh.lock import Table, held_alone, renew_connection, sole_writer
from providers.refresh.merge import Counts, merge
from providers.refresh.normalise import Batch, World, normalise
from providers.refresh.rejected import as_json, from_json
from providers.refresh.unknown_names import queue_unknown
from providers.sources.base import EmptyError, Http, Source, SourceError, TemporarySourceError

logger = logging.getLogger(__name__)

_LOCKS = 0x6771
GOOD_RUNS = 7
PRICE_MEMORY = timedelta(days=7)
# Of a batch's bad rows; a source that went mad must not fill the table.
QUARANTINE_KEPT = 200


class AlreadyRunningError(Exception):
    """Another process refreshes this source right now."""


def refresh(source: Source, http: Http, *, dry_run: bool = False) -> RefreshRun:
    """Refresh one source. No SourceError leaves: the run tells how it ended.

    Raises AlreadyRunningError when another refresh of it is under way. `dry_run` goes as far as
    the guards and writes nothing.
    """
    with _sole_refresh(source.slug):
        run = _begin(source.slug, dry_run)
        try:
            batch = _fetch(source, http)
            _judge_and_merge(source.slug, run, batch, dry_run)
        except SourceError as fault:
            _end(run, Outcome(fault.outcome), dry_run, fault)
        except Exception as fault:  # one provider must not stop the others
            logger.exception("refresh of %s failed", source.slug)
            _end(run, Outcome.FAILED, dry_run, fault)
        if not dry_run:
            metrics.refreshed(source.slug, run.outcome)
        return run


# --- One at a time ---------------------------------------------------------------------


def _lock_number(slug: str) -> int:
    return zlib.crc32(slug.encode()) - 2**31


@contextmanager
def _sole_refresh(slug: str) -> Iterator[None]:
    with held_alone(_LOCKS, _lock_number(slug)) as held:
        if not held:
            raise AlreadyRunningError(slug)
        yield


def _begin(slug: str, dry_run: bool) -> RefreshRun:
    run = RefreshRun(source=slug, started_at=timezone.now(), outcome=Outcome.RUNNING)
    if not dry_run:
        with transaction.atomic():
            # The lock is ours: whoever still says "running" was killed half way.
            unended = RefreshRun.objects.filter(source=slug, outcome=Outcome.RUNNING)
            unended.update(outcome=Outcome.INTERRUPTED, ended_at=run.started_at)
            run.save()
            SourceState.objects.update_or_create(slug=slug, defaults={"current_run": run})
    return run


def _end(run: RefreshRun, outcome: Outcome, dry_run: bool, fault: Exception | None = None) -> None:
    run.outcome = outcome
    run.ended_at = timezone.now()
    if fault is not None:
        run.error_class = type(fault).__name__
        run.error = str(fault)[:2000]
    if isinstance(fault, TemporarySourceError):
        run.retry_after = fault.retry_after
    if not dry_run:
        renew_connection()
        run.save()


# --- Before the transaction ------------------------------------------------------------


def _fetch(source: Source, http: Http) -> Batch:
    world = World(_offerings(source), gpu_ids(), usd_rates())
    batch = normalise(source.slug, source.parse(source.fetch(http)), world)
    if not batch.fetched:
        raise EmptyError(f"{source.slug}: an answer without a single listing")
    return batch


def _offerings(source: Source) -> dict[str, int]:
    rows = Offering.objects.order_by().values_list("provider__slug", "slug", "pk")
    found = {f"{provider}/{offering}": pk for provider, offering, pk in rows}
    return {name: found[name] for name in source.offerings if name in found}


# --- Inside it ---------------------------------------------------------------------------


def _judge_and_merge(slug: str, run: RefreshRun, batch: Batch, dry_run: bool) -> None:
    # The network took its time: the connection may be gone, and the lock with it.
    renew_connection()
    run.fetched, run.quarantined = batch.fetched, len(batch.quarantined)
    run.fill_rates = guards.fill_rates(batch)
    past = _past(slug, run.started_at, batch)
    broken = guards.judge(batch, past, guards.OVERRIDES.get(slug, guards.DEFAULT))
    if broken is not None:
        run.guard, run.figures = broken.guard, broken.figures
        _reject(run, batch, dry_run)
    elif dry_run:
        _end(run, Outcome.MERGED, dry_run)
    else:
        take(slug, run, batch)


def _past(slug: str, now: datetime, batch: Batch) -> guards.Past:
    good = RefreshRun.objects.filter(source=slug, outcome=Outcome.MERGED).order_by("-started_at")
    rows = [
        fetched - bad for fetched, bad in good.values_list("fetched", "quarantined")[:GOOD_RUNS]
    ]
    return guards.Past(rows, *_median_prices(slug, now), left_open=len(_left_open(slug, batch)))


def _left_open(slug: str, batch: Batch) -> set[Key]:
    """The listings that stand, that the batch does not tell and does not deny."""
    if not batch.untold:
        return set()
    starts: dict[int, tuple[str, ...]] = {}
    for offering, start in batch.untold:
        starts[offering] = (*starts.get(offering, ()), start)
    standing = Listing.objects.filter(source=slug, withdrawn_at=None).order_by()
    return {
        (offering, key)
        for offering, key in standing.values_list("offering_id", "key")
        if key.startswith(starts.get(offering, ())) and (offering, key) not in batch.rows
    }


def _median_prices(slug: str, now: datetime) -> tuple[dict[Key, Decimal], dict[Key, Decimal]]:
    """The medians of the prices that each listing had in the last seven days, or of the last one:
    on demand, and as spot."""
    points = PricePoint._meta.db_table
    listings = Listing._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            SELECT l.offering_id, l.key,
                percentile_disc(0.5) WITHIN GROUP (ORDER BY p.usd_per_hour),
                percentile_disc(0.5) WITHIN GROUP (ORDER BY p.spot_usd_per_hour)
            FROM {listings} l JOIN {points} p ON p.listing_id = l.id
            WHERE l.source = %s AND (p.at > %s OR p.at = (
                SELECT MAX(at) FROM {points} last WHERE last.listing_id = l.id))
            GROUP BY 1, 2
            """,  # noqa: S608 -- names of our own tables
            [slug, now - PRICE_MEMORY],
        )
        found = cursor.fetchall()
    on_demand = {(offering, key): usd for offering, key, usd, _ in found if usd is not None}
    return on_demand, {(offering, key): usd for offering, key, _, usd in found if usd is not None}


def _reject(run: RefreshRun, batch: Batch, dry_run: bool) -> None:
    if dry_run:
        _end(run, Outcome.REJECTED, dry_run)
        return
    with transaction.atomic():
        _end(run, Outcome.REJECTED, dry_run)
        RejectedBatch.objects.create(run=run, rows=as_json(batch))


def take(slug: str, run: RefreshRun, batch: Batch) -> None:
    """Merge a batch that the guards let through, or that a curator accepts."""
    with sole_writer(Table.LISTINGS):
        state = SourceState.objects.select_for_update().get(slug=slug)
        if state.current_run_id != run.pk:
            _end(run, Outcome.OVERTAKEN, dry_run=False)
            return
        kept = {bad.key for bad in batch.quarantined if bad.key is not None}
        kept |= _left_open(slug, batch)
        _keep_own_time(kept, state)
        queue_unknown(Origin.LIVE, batch.sighted, run.started_at)
        counts = merge(Origin.LIVE, batch.rows.items(), now=run.started_at, source=slug, kept=kept)
        state.good_at = run.started_at
        state.save(update_fields=["good_at"])
        if counts.wrote:
            of_refresh(run)
        _record(run, counts, batch)


def _keep_own_time(kept: set[Key], state: SourceState) -> None:
    """A row that could not be read or told today was last seen when its source last was."""
    keys = [key for _offering, key in kept]
    rows = Listing.objects.filter(source=state.slug, key__in=keys, seen_at=None)
    rows.update(seen_at=state.good_at)


def _record(run: RefreshRun, counts: Counts, batch: Batch) -> None:
    run.new, run.changed = counts.new, counts.changed
    run.unchanged, run.withdrawn = counts.unchanged, counts.withdrawn
    QuarantinedRow.objects.bulk_create(
        QuarantinedRow(run=run, place=bad.place[:200], reason=bad.reason[:500])
        for bad in batch.quarantined[:QUARANTINE_KEPT]
    )
    _end(run, Outcome.MERGED, dry_run=False)


class NewerListingsError(Exception):
    """A batch that was kept out is older than what stands by now."""


def accept(batch: RejectedBatch) -> RefreshRun:
    """Merge a batch that a guard kept out, as a curator decides; the run tells how it ended.

    Raises NewerListingsError when a later run of its source has gone in, or is under way.
    """
    run = batch.run
    with transaction.atomic():
        later = RefreshRun.objects.filter(source=run.source, started_at__gt=run.started_at)
        if later.filter(outcome__in=(Outcome.MERGED, Outcome.RUNNING)).exists():
            raise NewerListingsError(str(run))
        SourceState.objects.filter(slug=run.source).update(current_run=run)
        take(run.source, run, from_json(batch.rows))
        batch.accepted_at = timezone.now()
        batch.save(update_fields=["accepted_at"])
    return run
