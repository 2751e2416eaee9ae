"""Whatever refreshes bring, their changes lead from how GPUs stood to how they stand."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from providers.changes.prices import Track, of_refresh
from providers.models import Change, GpuStanding, Listing, RefreshRun, What
from tests.factories import NOW, make_gpu, make_listing, make_offering

pytestmark = pytest.mark.django_db

_MONEY = st.none() | st.sampled_from([Decimal(n) / 4 for n in range(1, 12)])
_ROW = st.fixed_dictionaries(
    {
        "usd_per_hour": _MONEY,
        "spot_usd_per_hour": _MONEY,
        "stock": st.sampled_from(["available", "scarce", "none", "unknown"]),
        "withdrawn_at": st.sampled_from([None, None, NOW]),
        "gpu_count": st.sampled_from([1, 2, 8]),
    }
)
# Three listings of two GPUs, in one refresh after the other.
_BATCHES = st.lists(st.tuples(_ROW, _ROW, _ROW), min_size=1, max_size=5)


def listings() -> list[Listing]:
    offering = make_offering()
    gpus = [make_gpu(f"{offering.slug}-{n}") for n in range(2)]
    return [make_listing(offering, gpus[n % 2], source="acme", usd_per_hour=1) for n in range(3)]


def refreshed(rows: list[Listing], batch: tuple[dict[str, Any], ...]) -> None:
    for row, fields in zip(rows, batch, strict=True):
        Listing.objects.filter(pk=row.pk).update(**fields)
    of_refresh(RefreshRun.objects.create(source="acme", started_at=NOW, outcome="merged"))


def standings() -> dict[Track, Decimal | None]:
    return {
        Track(s.offering_id, s.family_id, s.gpu_id, s.spot): s.usd
        for s in GpuStanding.objects.all()
    }


def replayed(at: dict[Track, Decimal | None], changes: list[Change]) -> dict[Track, Decimal | None]:
    """How GPUs stand after `changes`; each must find what it says was before."""
    now = dict(at)
    for change in changes:
        assert change.offering_id is not None
        assert change.family_id is not None
        track = Track(change.offering_id, change.family_id, change.gpu_id, change.spot)
        assert now.get(track) == change.usd_before
        assert (track in now) == (change.what != What.LISTED)
        if change.what == What.WITHDRAWN:
            del now[track]
        else:
            now[track] = change.usd_after
    return now


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_BATCHES)
def test_changes_applied_to_how_gpus_stood_give_how_they_stand(
    batches: list[tuple[dict[str, Any], ...]],
) -> None:
    for model in (Change, GpuStanding, RefreshRun, Listing):
        model._default_manager.all().delete()
    rows = listings()
    refreshed(rows, tuple({"gpu_count": 1} for _ in rows))
    first = standings()
    for batch in batches:
        before = Change.objects.count()
        refreshed(rows, batch)
        told = Change.objects.count()
        refreshed(rows, batch)
        assert Change.objects.count() == told >= before
    steps = Change.objects.exclude(what=What.DIGEST).order_by("pk")
    # A source that withdrew all it had begins anew with a digest, which tells no prices.
    if Change.objects.filter(what=What.DIGEST).count() == 1:
        assert replayed(first, list(steps)) == standings()


def test_a_source_that_lost_everything_begins_anew() -> None:
    rows = listings()
    there, gone = {"withdrawn_at": None}, {"withdrawn_at": NOW}
    for fields in (there, gone, there):
        refreshed(rows, tuple(fields for _ in rows))
    assert Change.objects.filter(what=What.DIGEST, figures__has_key="first").count() == 2
    assert Change.objects.filter(what=What.WITHDRAWN).count() == 2
    assert GpuStanding.objects.count() == 2
