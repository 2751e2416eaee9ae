"""The bundled prices in the database: loaded once, followed when they change."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from decimal import Decimal
from io import StringIO
from pathlib import Path
from threading import Barrier

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from providers.models import (
    Gpu,
    Listing,
    Offering,
    Origin,
    Outcome,
    PricePoint,
    RefreshRun,
    Stock,
    UnknownGpuName,
)
from providers.refresh.merge import Counts
from providers.refresh.snapshot import load_snapshot
from providers.refresh.snapshot_file import SnapshotRow
from tests.factories import make_listing, make_offering, make_provider

pytestmark = pytest.mark.django_db

HEAD = ",".join(SnapshotRow.model_fields)
SINGLE = "akash,deployments,H100 SXM,80,1,secure,2.5,1.1,https://akash.example/prices,2026-05-24"
EIGHT = "akash,deployments,H100 SXM,80,8,secure,2.49,,https://akash.example/prices,2026-05-24"
SPOT = "akash,deployments,RTX 3060,8,1,spot,,0.06,https://akash.example/prices,2026-05-24"
MYSTERY = "akash,deployments,Foo 9000,16,1,,1,,https://akash.example/prices,2026-05-24"
DAY = datetime(2026, 5, 24, tzinfo=UTC)

Load = Callable[..., Counts]


@pytest.fixture
def offering() -> Offering:
    return make_offering("deployments", make_provider("akash"))


@pytest.fixture
def load(tmp_path: Path, offering: Offering) -> Load:
    def written(*lines: str) -> Counts:
        (tmp_path / "prices.csv").write_text("\n".join([HEAD, *lines]) + "\n", encoding="utf-8")
        return load_snapshot(tmp_path)

    return written


def listing(name: str = "H100 SXM", count: int = 1) -> Listing:
    return Listing.objects.get(gpu_name=name, gpu_count=count)


def prices(row: Listing) -> list[tuple[datetime, Decimal | None, Decimal | None]]:
    points = row.price_points.all()
    return [(point.at, point.usd_per_hour, point.spot_usd_per_hour) for point in points]


def test_a_row_becomes_a_listing(load: Load, offering: Offering) -> None:
    assert load(SINGLE) == Counts(new=1)
    row = listing()
    assert (row.offering, row.origin, row.key) == (
        offering,
        Origin.SNAPSHOT,
        "snapshot:H100 SXM/80GB/x1/secure",
    )
    assert row.gpu == Gpu.objects.get(slug="h100-sxm")
    assert row.family == row.gpu.family
    assert (row.vram_gb, row.tier, row.region) == (80, "secure", "")
    assert (row.usd_per_hour, row.spot_usd_per_hour) == (Decimal("2.5"), Decimal("1.1"))
    assert (row.spot, row.stock, row.withdrawn_at) == (True, Stock.UNKNOWN, None)
    assert row.source_url == "https://akash.example/prices"
    assert row.seen_at == row.first_seen == DAY


def test_the_price_of_the_instance_is_stored(load: Load) -> None:
    load(SINGLE, EIGHT)
    assert listing(count=8).usd_per_hour == Decimal("19.92")


def test_a_page_without_a_spot_price_does_not_say_that_there_is_no_spot(load: Load) -> None:
    load(EIGHT)
    row = listing(count=8)
    assert (row.spot, row.spot_usd_per_hour) == (None, None)


def test_a_spot_price_may_stand_alone(load: Load) -> None:
    load(SPOT)
    row = listing("RTX 3060")
    assert (row.usd_per_hour, row.spot_usd_per_hour, row.spot) == (None, Decimal("0.06"), True)
    assert row.family is not None
    assert row.family.slug == "rtx-3060"
    # The page says 8 GB, the card has 12: the family is certain, the model is not.
    assert row.gpu is None


def test_the_run_is_recorded_with_its_counts(load: Load) -> None:
    load(SINGLE, EIGHT)
    load(SINGLE.replace("2.5", "2.6"))
    first, second = RefreshRun.objects.order_by("started_at")
    assert (first.source, first.outcome, first.fetched, first.new) == (
        "snapshot",
        Outcome.MERGED,
        2,
        2,
    )
    assert (second.fetched, second.changed, second.withdrawn, second.unchanged) == (1, 1, 1, 0)
    assert second.ended_at is not None
    assert second.ended_at >= second.started_at


def test_a_second_run_writes_nothing(load: Load) -> None:
    load(SINGLE, EIGHT, SPOT, MYSTERY)
    with CaptureQueriesContext(connection) as queries:
        assert load(SINGLE, EIGHT, SPOT, MYSTERY) == Counts(unchanged=4)
    verbs = ("INSERT", "UPDATE", "DELETE")
    assert [q["sql"] for q in queries.captured_queries if q["sql"].startswith(verbs)] == []
    assert RefreshRun.objects.count() == 1


def test_queries_do_not_grow_with_the_rows(load: Load) -> None:
    def cost(rows: int) -> int:
        lines = [SINGLE.replace(",1,secure", f",{n},secure") for n in range(1, rows + 1)]
        load(*lines)
        with CaptureQueriesContext(connection) as queries:
            load(*lines)
        return len(queries)

    assert cost(2) == cost(60) <= 20


def test_a_changed_price_adds_a_point(load: Load) -> None:
    load(SINGLE)
    load(SINGLE.replace("2.5", "2.4").replace("05-24", "06-01"))
    later = datetime(2026, 6, 1, tzinfo=UTC)
    row = listing()
    assert (row.usd_per_hour, row.seen_at, row.first_seen) == (Decimal("2.4"), later, DAY)
    assert prices(row) == [
        (DAY, Decimal("2.5"), Decimal("1.1")),
        (later, Decimal("2.4"), Decimal("1.1")),
    ]


def test_a_later_day_with_the_same_price_adds_none(load: Load) -> None:
    load(SINGLE)
    load(SINGLE.replace("05-24", "06-01"))
    assert listing().seen_at == datetime(2026, 6, 1, tzinfo=UTC)
    assert len(prices(listing())) == 1


def test_a_price_corrected_for_the_same_day_replaces_its_point(load: Load) -> None:
    load(SINGLE)
    load(SINGLE.replace("2.5", "2.4"))
    assert prices(listing()) == [(DAY, Decimal("2.4"), Decimal("1.1"))]


def test_a_row_that_left_is_withdrawn_and_comes_back_as_itself(load: Load) -> None:
    load(SINGLE, EIGHT)
    before = listing(count=8).pk
    assert load(SINGLE) == Counts(unchanged=1, withdrawn=1)
    assert listing(count=8).withdrawn_at is not None
    assert load(SINGLE) == Counts(unchanged=1)
    assert load(SINGLE, EIGHT) == Counts(changed=1, unchanged=1)
    assert (listing(count=8).pk, listing(count=8).withdrawn_at) == (before, None)
    assert len(prices(listing(count=8))) == 1


def test_listings_of_other_origins_are_left_alone(load: Load, offering: Offering) -> None:
    live = make_listing(offering)
    load(SINGLE)
    load(EIGHT)
    live.refresh_from_db()
    assert live.withdrawn_at is None


def test_an_unknown_gpu_is_kept_and_queued(load: Load) -> None:
    load(MYSTERY, MYSTERY.replace(",16,1,,", ",16,2,,"))
    row = listing("Foo 9000")
    assert (row.family, row.gpu, row.vram_gb) == (None, None, 16)
    queued = UnknownGpuName.objects.get()
    assert (queued.name, queued.seen_at, queued.vram_gb, queued.count) == (
        "Foo 9000",
        "snapshot:akash",
        16,
        2,
    )


def test_the_count_in_the_queue_follows_the_rows(load: Load) -> None:
    load(MYSTERY, MYSTERY.replace(",16,1,,", ",16,2,,"))
    load(MYSTERY)
    assert UnknownGpuName.objects.get().count == 1


def test_a_name_that_is_explained_by_now_leaves_the_queue(load: Load) -> None:
    load(SINGLE, MYSTERY)
    UnknownGpuName.objects.update(name="H100 SXM", vram_gb=80)
    load(SINGLE)
    assert not UnknownGpuName.objects.exists()


def test_a_name_that_is_only_gone_stays_in_the_queue(load: Load) -> None:
    load(SINGLE, MYSTERY)
    load(SINGLE)
    assert UnknownGpuName.objects.get().name == "Foo 9000"


def test_a_fault_leaves_everything_as_it_was(
    load: Load, settings: Settings, tmp_path: Path
) -> None:
    load(SINGLE)
    settings.LISTINGS_DIR = tmp_path
    bad = [SINGLE.replace("2.5", "2.6"), EIGHT.replace("akash,", "nobody,"), SPOT.replace("8", "x")]
    (tmp_path / "prices.csv").write_text("\n".join([HEAD, *bad]), encoding="utf-8")
    with pytest.raises(CommandError) as caught:
        call_command("load_listings")
    assert "prices.csv:3: no offering nobody/deployments in the catalog" in str(caught.value)
    assert "prices.csv:4: vram_gb" in str(caught.value)
    assert listing().usd_per_hour == Decimal("2.5")
    assert RefreshRun.objects.count() == 1


def test_the_command_says_what_it_did(
    offering: Offering, settings: Settings, tmp_path: Path
) -> None:
    settings.LISTINGS_DIR = tmp_path
    (tmp_path / "prices.csv").write_text(f"{HEAD}\n{SINGLE}\n", encoding="utf-8")
    told = []
    for _run in range(2):
        out = StringIO()
        call_command("load_listings", stdout=out)
        told.append(out.getvalue())
    assert told == [
        "Snapshot prices: 1 new, 0 changed, 0 withdrawn.\n",
        "Snapshot prices: nothing changed (1 listings).\n",
    ]


@pytest.mark.django_db(transaction=True)
def test_two_loads_at_once_make_each_row_once(load: Load, tmp_path: Path) -> None:
    (tmp_path / "prices.csv").write_text("\n".join([HEAD, SINGLE, EIGHT]), encoding="utf-8")
    start = Barrier(2)

    def run() -> Counts:
        try:
            start.wait(timeout=5)
            return load_snapshot(tmp_path)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        counts = [pool.submit(run) for _ in range(2)]
    assert sorted(c.result().new for c in counts) == [0, 2]
    assert Listing.objects.count() == PricePoint.objects.count() == 2
