"""Changes of prices and stock: how each offering × GPU stands against how it stood last time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection

from providers.changes.keep import keep
from providers.models import Change, GpuStanding, Origin, RefreshRun, What, Why


class Track(NamedTuple):
    """A GPU at an offering, on demand or as spot: each has a price of its own."""

    offering: int
    family: int
    gpu: int | None
    spot: bool


@dataclass(frozen=True)
class Standing:
    """USD an hour and GPU at the cheapest; None: not told. `told` is the last notable price."""

    usd: Decimal | None
    in_stock: bool | None = None
    told: Decimal | None = None


class Step(NamedTuple):
    """One change of a track: price and stock on both sides, one of them changed."""

    what: What
    before: Standing | None
    after: Standing | None
    notable: bool = True


def of_refresh(run: RefreshRun) -> None:
    """Tell what the merge of `run` changed, in its transaction."""
    old = _last(run.source)
    seen = _now(run.source)
    changes: list[Change] = []
    wanted: dict[Track, Standing] = {}
    for track in sorted({*old, *seen}, key=_order):
        steps, standing = moved(old.get(track), seen.get(track), _threshold())
        changes += [_change(track, step) for step in steps]
        if standing is not None:
            wanted[track] = standing
    _keep_standings(run.source, old, wanted)
    if old:
        keep(changes, Why.REFRESH, run)
    elif wanted:
        keep([], Why.REFRESH, run, first=_counts(wanted))


def _order(track: Track) -> tuple[int, int, int, bool]:
    return track.offering, track.family, track.gpu or 0, track.spot


def _threshold() -> Decimal:
    return Decimal(str(settings.PRICE_CHANGE_PERCENT)) / 100


def moved(
    old: Standing | None, seen: Standing | None, threshold: Decimal
) -> tuple[list[Step], Standing | None]:
    """The steps that lead from how a track stood to how it is seen, and how it stands then.

    A price is notable when it differs from the one last told by `threshold` of that: many small
    steps one way are told in the end. A stock that is no longer told is as it was.
    """
    if old is None:
        new = None if seen is None else Standing(seen.usd, seen.in_stock, seen.usd)
        return ([Step(What.LISTED, None, new)] if new else []), new
    if seen is None:
        return [Step(What.WITHDRAWN, old, None)], None
    steps, now = [], old
    if seen.usd != old.usd:
        notable = _differs(old.told, seen.usd, threshold)
        now = Standing(seen.usd, old.in_stock, seen.usd if notable else old.told)
        steps.append(Step(What.PRICE, old, now, notable))
    if seen.in_stock not in (None, old.in_stock):
        after = Standing(now.usd, seen.in_stock, now.told)
        # That a stock is told at all is no news of it going or coming.
        if old.in_stock is not None:
            steps.append(Step(What.STOCK, now, after))
        now = after
    return steps, now


def _differs(told: Decimal | None, usd: Decimal | None, threshold: Decimal) -> bool:
    if told is None or usd is None:
        return told is not usd
    return abs(usd - told) >= threshold * told


def _change(track: Track, step: Step) -> Change:
    before, after = step.before, step.after
    told = before.told if before and step.what == What.PRICE and step.notable else None
    return Change(
        what=step.what,
        why=Why.REFRESH,
        offering_id=track.offering,
        family_id=track.family,
        gpu_id=track.gpu,
        spot=track.spot,
        before=before.in_stock if before else None,
        after=after.in_stock if after else None,
        usd_before=before.usd if before else None,
        usd_after=after.usd if after else None,
        usd_told=told,
        notable=step.notable,
    )


def _counts(standings: Mapping[Track, Standing]) -> dict[str, int]:
    return {
        "offerings": len({track.offering for track in standings}),
        "gpus": len({(track.family, track.gpu) for track in standings}),
        "prices": sum(s.usd is not None and not t.spot for t, s in standings.items()),
    }


# --- The database ---------------------------------------------------------------------

# Listings whose GPU has no name that anyone knows cannot be told apart: they wait in the queue of
# unknown names. A price that rounds to nothing is none.
_STANDINGS = """
    SELECT offering_id, family_id, gpu_id,
        NULLIF(ROUND(MIN(COALESCE(usd_per_hour, spot_usd_per_hour) / gpu_count), 6), 0),
        NULLIF(ROUND(MIN(spot_usd_per_hour / gpu_count), 6), 0),
        CASE WHEN BOOL_OR(stock IN ('available', 'scarce')) THEN TRUE
            WHEN BOOL_AND(stock = 'none') THEN FALSE END
    FROM providers_listing
    WHERE source = %s AND origin = %s AND withdrawn_at IS NULL AND family_id IS NOT NULL
    GROUP BY offering_id, family_id, gpu_id
"""


def _now(source: str) -> dict[Track, Standing]:
    with connection.cursor() as cursor:
        cursor.execute(_STANDINGS, [source, Origin.LIVE.value])
        return dict(_tracks(cursor.fetchall()))


def _tracks(rows: list[tuple[Any, ...]]) -> Iterator[tuple[Track, Standing]]:
    for offering, family, gpu, usd, spot_usd, in_stock in rows:
        yield Track(offering, family, gpu, spot=False), Standing(usd, in_stock)
        if spot_usd is not None:
            yield Track(offering, family, gpu, spot=True), Standing(spot_usd, in_stock)


def _last(source: str) -> dict[Track, Standing]:
    rows = GpuStanding.objects.filter(source=source).order_by()
    return {
        Track(offering, family, gpu, spot): Standing(usd, in_stock, told)
        for offering, family, gpu, spot, usd, in_stock, told in rows.values_list(
            *("offering", "family", "gpu", "spot", "usd", "in_stock", "usd_told")
        )
    }


def _keep_standings(
    source: str, old: Mapping[Track, Standing], wanted: Mapping[Track, Standing]
) -> None:
    if gone := set(old) - set(wanted):
        rows = GpuStanding.objects.filter(source=source).values_list(
            *("pk", "offering", "family", "gpu", "spot")
        )
        left = [pk for pk, *track in rows.order_by() if Track(*track) in gone]
        GpuStanding.objects.filter(pk__in=left).delete()
    differing = {t: s for t, s in wanted.items() if old.get(t) != s}
    GpuStanding.objects.bulk_create(
        (_row(source, track, standing) for track, standing in differing.items()),
        batch_size=2000,
        update_conflicts=True,
        unique_fields=["source", "offering", "family", "gpu", "spot"],
        update_fields=["usd", "usd_told", "in_stock"],
    )


def _row(source: str, track: Track, standing: Standing) -> GpuStanding:
    return GpuStanding(
        source=source,
        offering_id=track.offering,
        family_id=track.family,
        gpu_id=track.gpu,
        spot=track.spot,
        usd=standing.usd,
        usd_told=standing.told,
        in_stock=standing.in_stock,
    )
