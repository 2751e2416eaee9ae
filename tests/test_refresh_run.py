"""A refresh: one at a time, good batches in, bad ones out, nothing good is ever lost."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from django.db import connection, connections

from providers.models import (
    Listing,
    Outcome,
    PricePoint,
    QuarantinedRow,
    RefreshRun,
    RejectedBatch,
    SourceState,
    UnknownGpuName,
)
from providers.refresh.run import (
    AlreadyRunningError,
    NewerListingsError,
    _median_prices,
    accept,
    refresh,
)
from providers.sources.base import (
    BadRow,
    EmptyError,
    ListingRecord,
    MalformedError,
    RefusedError,
    ThrottledError,
    UnreachableError,
    Untold,
    price,
)
from tests.desk import address, curator
from tests.factories import make_offering, make_provider
from tests.refreshing import NO_NETWORK, Told, record, records, run

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _offerings() -> None:
    provider = make_provider("acme")
    make_offering("pods", provider)
    make_offering("vms", provider)


def keys() -> set[str]:
    return set(Listing.objects.filter(withdrawn_at=None).values_list("key", flat=True))


def test_a_good_batch_goes_in_and_the_run_says_what_it_did() -> None:
    found = run(*records(30), BadRow("rows[30]", "price: field required"))
    assert found.outcome == Outcome.MERGED
    assert (found.fetched, found.new, found.quarantined) == (31, 30, 1)
    assert found.ended_at is not None
    assert QuarantinedRow.objects.get().reason == "price: field required"
    assert SourceState.objects.get().good_at == found.started_at


def test_a_second_run_that_saw_the_same_writes_no_listing_but_renews_when_they_were_seen() -> None:
    run(*records(3))
    again = run(*records(3))
    assert (again.new, again.changed, again.unchanged) == (0, 0, 3)
    assert PricePoint.objects.count() == 3
    assert SourceState.objects.get().good_at == again.started_at


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        (UnreachableError("no answer"), "unreachable"),
        (ThrottledError("429"), "throttled"),
        (RefusedError("401"), "refused"),
        (MalformedError("HTML"), "malformed"),
        (EmptyError("nothing"), "empty"),
        (ZeroDivisionError("a mistake of ours"), "failed"),
    ],
)
def test_a_failed_run_leaves_the_last_good_listings_and_says_why(
    fault: Exception, outcome: str
) -> None:
    good = run(*records(3))
    failed = run(fault=fault)
    assert (failed.outcome, failed.error_class) == (outcome, type(fault).__name__)
    assert str(fault) in failed.error
    assert len(keys()) == 3
    assert SourceState.objects.get().good_at == good.started_at


def test_an_answer_without_listings_is_empty_not_a_withdrawal_of_all() -> None:
    run(*records(3))
    assert run().outcome == Outcome.EMPTY
    assert len(keys()) == 3


def test_a_broken_guard_keeps_the_batch_out_and_keeps_it_for_a_curator() -> None:
    run(*records(10))
    rejected = run(*records(2))
    assert (rejected.outcome, rejected.guard) == (Outcome.REJECTED, "rows")
    assert rejected.figures["rows"] == 2
    assert len(keys()) == 10
    assert len(RejectedBatch.objects.get().rows) == 2


def test_a_rejected_batch_can_be_accepted_as_it_was() -> None:
    run(*records(10))
    rejected = run(*records(2, "3.125"))
    assert accept(RejectedBatch.objects.get()).outcome == Outcome.MERGED
    assert keys() == {"told:row-0", "told:row-1"}
    prices = Listing.objects.filter(withdrawn_at=None).values_list("usd_per_hour", flat=True)
    assert set(prices) == {Decimal("3.125")}
    assert RefreshRun.objects.get(pk=rejected.pk).outcome == Outcome.MERGED
    assert RejectedBatch.objects.get().accepted_at is not None


def test_a_rejected_batch_that_newer_listings_overtook_is_not_accepted() -> None:
    run(*records(10))
    run(*records(2))
    run(*records(10))
    with pytest.raises(NewerListingsError):
        accept(RejectedBatch.objects.get())
    assert len(keys()) == 10


def test_a_curator_accepts_a_rejected_batch_at_the_desk() -> None:
    run(*records(10))
    run(*records(2))
    batch = RejectedBatch.objects.get()
    url = address(RejectedBatch, "changelist")
    form = {"action": "accept", "_selected_action": [batch.pk]}
    answer = curator().post(url, form, follow=True)
    assert "8 withdrawn" in answer.content.decode()
    assert len(keys()) == 2


def test_prices_that_all_jump_are_kept_out_by_their_own_past() -> None:
    run(*records(10, "2"))
    assert run(*records(10, "200")).guard == "jumped"
    assert set(Listing.objects.values_list("usd_per_hour", flat=True)) == {Decimal(2)}


def test_spot_prices_that_all_jump_are_kept_out_by_their_own_past() -> None:
    def spots(usd: str) -> list[ListingRecord]:
        return [record(f"row-{n}", spot_price=price(usd)) for n in range(10)]

    run(*spots("0.5"))
    run(*spots("0.6"))
    rejected = run(*spots("50"))
    assert (rejected.guard, rejected.figures["spot_jumped"]) == ("jumped", 10)
    assert set(Listing.objects.values_list("spot_usd_per_hour", flat=True)) == {Decimal("0.6")}
    assert run(*spots("0.9")).outcome == Outcome.MERGED


def test_the_past_of_a_price_is_its_median_of_seven_days_or_the_last_one() -> None:
    for usd, spot in (("2", "1"), ("4", "2"), ("3", None)):
        run(record("a", usd, spot_price=price(spot)))
    now = RefreshRun.objects.latest("started_at").started_at
    on_demand, of_spot = map(list, (found.values() for found in _median_prices("told", now)))
    assert (on_demand, of_spot) == ([Decimal(3)], [Decimal(1)])
    later, _none = _median_prices("told", now + timedelta(days=8))
    assert (list(later.values()), _none) == ([Decimal(3)], {})


def test_half_of_the_rows_gone_is_kept_out() -> None:
    run(*records(10))
    assert run(*records(5)).guard == "rows"


def test_one_absurd_row_stays_as_it_was_with_its_own_time_and_the_rest_goes_in() -> None:
    first = run(*records(40))
    second = run(*records(39), record("row-39", "20000"))
    assert (second.outcome, second.quarantined) == (Outcome.MERGED, 1)
    odd = Listing.objects.get(key="told:row-39")
    assert (odd.usd_per_hour, odd.withdrawn_at, odd.seen_at) == (Decimal(2), None, first.started_at)
    run(*records(40))
    odd.refresh_from_db()
    assert odd.seen_at is None


HERE, THERE = record("a/here"), record("a/there")


def test_a_listing_that_is_left_open_stays_as_it_was_with_its_own_time() -> None:
    first = run(HERE, THERE, record("b/there"))
    second = run(HERE, Untold("acme/pods", "a/"))
    assert (second.outcome, second.unchanged, second.withdrawn) == (Outcome.MERGED, 1, 1)
    assert keys() == {"told:a/here", "told:a/there"}
    assert Listing.objects.get(key="told:a/there").seen_at == first.started_at
    assert Listing.objects.get(key="told:a/here").seen_at is None
    run(HERE, Untold("acme/pods", "a/"))
    assert Listing.objects.get(key="told:a/there").seen_at == first.started_at


def test_a_listing_that_was_left_open_goes_on_as_itself_when_it_is_told_again() -> None:
    run(HERE, THERE)
    run(HERE, Untold("acme/pods", "a/"))
    assert (run(HERE, THERE).new, PricePoint.objects.count()) == (0, 2)
    assert Listing.objects.get(key="told:a/there").seen_at is None


def test_another_offerings_listing_is_not_left_open() -> None:
    other = record("a/vm", offering="acme/vms")
    run(HERE, THERE, other)
    assert run(HERE, THERE, Untold("acme/pods", "a/")).withdrawn == 1
    assert keys() == {"told:a/here", "told:a/there"}


def test_a_row_kept_out_of_a_rejected_batch_stays_with_its_reason_when_it_is_accepted() -> None:
    first = run(*records(10))
    run(HERE, record("row-7", "20000"))
    accepted = accept(RejectedBatch.objects.get())
    assert (accepted.outcome, accepted.withdrawn) == (Outcome.MERGED, 9)
    assert keys() == {"told:a/here", "told:row-7"}
    assert Listing.objects.get(key="told:row-7").seen_at == first.started_at
    assert "20000" in QuarantinedRow.objects.get(run=accepted).reason


def test_a_rejected_batch_leaves_open_what_it_left_open_when_it_is_accepted() -> None:
    run(*records(10), HERE)
    run(HERE, Untold("acme/pods", "row-7"))
    assert accept(RejectedBatch.objects.get()).outcome == Outcome.MERGED
    assert keys() == {"told:a/here", "told:row-7"}


def test_rows_that_went_away_are_withdrawn_and_come_back_as_themselves() -> None:
    run(*records(4))
    before = Listing.objects.get(key="told:row-3").pk
    assert run(*records(3)).withdrawn == 1
    assert run(*records(4)).changed == 1
    assert Listing.objects.get(key="told:row-3").pk == before


def test_an_unknown_gpu_name_is_queued_and_its_row_kept() -> None:
    run(*records(30), record("odd", gpu_name="Quantum 9000"))
    assert UnknownGpuName.objects.get().name == "Quantum 9000"
    assert "told:odd" in keys()


def test_a_dry_run_judges_and_writes_nothing() -> None:
    found = refresh(Told(records(3)), NO_NETWORK, dry_run=True)
    assert (found.outcome, found.fetched) == (Outcome.MERGED, 3)
    assert not Listing.objects.exists()
    assert not RefreshRun.objects.exists()


def test_a_run_that_was_overtaken_does_not_merge() -> None:
    class Slow(Told):
        def parse(self, pages: Any) -> Any:
            # Meanwhile another worker took over, since PostgreSQL dropped this one's lock.
            other = RefreshRun.objects.create(
                source="told", started_at="2026-11-30T12:00Z", outcome=Outcome.RUNNING
            )
            SourceState.objects.update(current_run=other)
            return super().parse(pages)

    assert refresh(Slow(records(3)), NO_NETWORK).outcome == Outcome.OVERTAKEN
    assert not Listing.objects.exists()


@pytest.fixture
def other_session() -> Iterator[psycopg.Connection[Any]]:
    parameters = connection.get_connection_params()
    parameters = {k: parameters[k] for k in ("host", "port", "user", "dbname") if k in parameters}
    with psycopg.connect(**parameters, autocommit=True) as session:
        yield session


def test_a_second_refresh_of_the_same_source_is_told_so(
    other_session: psycopg.Connection[Any],
) -> None:
    from providers.refresh.run import _LOCKS, _lock_number

    lock = [_LOCKS, _lock_number("told")]
    other_session.execute("SELECT pg_advisory_lock(%s, %s)", lock)
    with pytest.raises(AlreadyRunningError):
        run(*records(1))
    other_session.execute("SELECT pg_advisory_unlock(%s, %s)", lock)
    assert run(*records(1)).outcome == Outcome.MERGED


def test_the_lock_is_let_go_after_a_failure_too() -> None:
    run(fault=RefusedError("401"))
    assert run(*records(1)).outcome == Outcome.MERGED


def test_nothing_is_left_of_a_merge_that_dies_half_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(*args: Any) -> None:
        raise ConnectionResetError("killed half way")

    run(*records(3))
    monkeypatch.setattr("providers.refresh.run._record", dies)
    assert run(*records(4)).outcome == Outcome.FAILED
    assert len(keys()) == 3
    monkeypatch.undo()
    assert run(*records(4)).new == 1


def test_a_run_that_was_killed_is_called_interrupted_by_the_next() -> None:
    killed = RefreshRun.objects.create(
        source="told", started_at="2026-11-30T12:00Z", outcome=Outcome.RUNNING
    )
    run(*records(1))
    killed.refresh_from_db()
    assert (killed.outcome, killed.ended_at is not None) == (Outcome.INTERRUPTED, True)


def test_connections_are_left_usable() -> None:
    run(fault=UnreachableError("no answer"))
    assert connections["default"].is_usable()
