"""Writes changes down; many at once stand behind one digest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.utils import timezone

from providers.models import PRICED, Change, RefreshRun, What, Why
from providers.refresh.lock import Table, sole_writer


def keep(
    changes: Sequence[Change],
    why: Why,
    run: RefreshRun | None = None,
    first: Mapping[str, int] | None = None,
) -> None:
    """Write `changes`, which one load, save or refresh made; their time is now.

    More than CHANGES_SINGLY notable ones get a digest. `first`: there was nothing to compare
    with, so a digest of these counts stands alone. Nothing to tell writes nothing.
    """
    if not changes and first is None:
        return
    # Who writes later has the later time and the higher id, so that a reader misses nothing.
    with sole_writer(Table.CHANGES):
        now = timezone.now()
        source = run.source if run else ""
        digest = _digest(changes, why, first)
        for change in [*changes, *([digest] if digest else [])]:
            change.at, change.source, change.run = now, source, run
        if digest:
            digest.save()
            for change in changes:
                change.digest = digest if change.notable else None
        Change.objects.bulk_create(changes, batch_size=2000)


def _digest(changes: Sequence[Change], why: Why, first: Mapping[str, int] | None) -> Change | None:
    if first is not None:
        return Change(what=What.DIGEST, why=why, figures={"first": dict(first)})
    told = [change for change in changes if change.notable]
    by_track = Counter(change.spot for change in told)
    if max(by_track.values(), default=0) <= settings.CHANGES_SINGLY:
        return None
    return Change(what=What.DIGEST, why=why, figures=figures(told))


def figures(changes: Sequence[Change]) -> dict[str, Any]:
    """Counts and extremes of changes: `{"counts": {"price": 40, …}, "offerings": 7, …}`.

    Spot prices are left out where others are, as they are in every list.
    """
    shown = [c for c in changes if not c.spot] or list(changes)
    steps = [(ratio, c) for c in shown if (ratio := change_ratio(c)) is not None]
    found: dict[str, Any] = {
        "counts": dict(Counter(str(c.what) for c in shown)),
        "offerings": len({c.offering_id for c in shown if c.offering_id}),
        "fell": sum(ratio < 0 for ratio, _ in steps),
        "rose": sum(ratio > 0 for ratio, _ in steps),
    }
    if any(c.what in PRICED for c in shown):
        found["gpus"] = len({(c.family_id, c.gpu_id) for c in shown if c.what in PRICED})
    for name, sign in (("fall", -1), ("rise", 1)):
        steepest = max(steps, key=lambda step: sign * step[0], default=None)
        if steepest and sign * steepest[0] > 0:
            found[name] = _extreme(*steepest)
    return found


def change_ratio(change: Change) -> Decimal | None:
    """How far a price moved from the one last told: -0.25 for a fall by a quarter."""
    before, after = change.usd_told or change.usd_before, change.usd_after
    if change.what != What.PRICE or before is None or after is None:
        return None
    return (after - before) / before


def _extreme(ratio: Decimal, change: Change) -> dict[str, Any]:
    return {
        "offering": change.offering_id,
        "family": change.family_id,
        "gpu": change.gpu_id,
        "before": str(change.usd_told or change.usd_before),
        "after": str(change.usd_after),
        "percent": round(float(ratio) * 100, 1),
    }
