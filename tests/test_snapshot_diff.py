"""What a batch changes: providers.refresh.diff, without a database."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from providers.refresh.diff import Diff, Key, ListingFacts, StoredListing, diff

DAY = datetime(2026, 5, 24, tzinfo=UTC)
FACTS = ListingFacts("H100", 1, 2, 1, 80, usd_per_hour=Decimal("2.50"), seen_at=DAY)
KEY: Key = (7, "snapshot:H100")

facts = st.builds(
    ListingFacts,
    st.sampled_from(["H100", "A100"]),
    st.none() | st.integers(1, 2),
    st.none(),
    usd_per_hour=st.none() | st.decimals(1, 3, places=1),
    spot=st.none() | st.booleans(),
    seen_at=st.none() | st.just(DAY),
)
keys = st.tuples(st.integers(1, 2), st.sampled_from("abcd"))
batches = st.dictionaries(keys, facts)
states = st.dictionaries(keys, st.tuples(facts, st.booleans()), max_size=8).map(
    lambda rows: {
        key: StoredListing(pk, one, withdrawn=gone)
        for pk, (key, (one, gone)) in enumerate(rows.items(), 1)
    }
)


def apply(found: Diff, stored: dict[Key, StoredListing]) -> dict[Key, StoredListing]:
    """What is stored once `found` is written."""
    after = {
        key: replace(
            row,
            facts=found.changed.get(row.pk, row.facts),
            withdrawn=(row.withdrawn or row.pk in found.withdrawn) and row.pk not in found.changed,
        )
        for key, row in stored.items()
    }
    for number, (key, one) in enumerate(found.new.items(), 1000):
        after[key] = StoredListing(number, one)
    return after


@given(batches, states)
def test_writing_the_difference_makes_the_batch_current(
    batch: dict[Key, ListingFacts], stored: dict[Key, StoredListing]
) -> None:
    after = apply(diff(batch, stored), stored)
    assert {key: row.facts for key, row in after.items() if not row.withdrawn} == batch
    assert stored.keys() <= after.keys()


@given(batches, states)
def test_the_same_batch_again_changes_nothing(
    batch: dict[Key, ListingFacts], stored: dict[Key, StoredListing]
) -> None:
    again = diff(batch, apply(diff(batch, stored), stored))
    assert again == Diff(unchanged=len(batch))


@given(batches, states)
def test_every_row_is_counted_once(
    batch: dict[Key, ListingFacts], stored: dict[Key, StoredListing]
) -> None:
    found = diff(batch, stored)
    assert len(found.new) + len(found.changed) + found.unchanged == len(batch)
    assert found.repriced.keys() <= found.changed.keys()
    assert not found.changed.keys() & set(found.withdrawn)


def test_a_new_row_is_new() -> None:
    assert diff({KEY: FACTS}, {}) == Diff(new={KEY: FACTS})


def test_a_price_with_more_zeros_is_the_same_price() -> None:
    stored = {KEY: StoredListing(1, replace(FACTS, usd_per_hour=Decimal("2.500000")))}
    assert diff({KEY: FACTS}, stored) == Diff(unchanged=1)


def test_another_price_is_a_change_and_a_new_price() -> None:
    dearer = replace(FACTS, usd_per_hour=Decimal(3))
    assert diff({KEY: dearer}, {KEY: StoredListing(1, FACTS)}) == Diff(
        changed={1: dearer}, repriced={1: dearer}
    )


def test_a_later_day_is_a_change_but_no_new_price() -> None:
    later = replace(FACTS, seen_at=DAY.replace(day=25))
    assert diff({KEY: later}, {KEY: StoredListing(1, FACTS)}) == Diff(changed={1: later})


def test_a_row_that_left_is_withdrawn_once() -> None:
    assert diff({}, {KEY: StoredListing(1, FACTS)}) == Diff(withdrawn=[1])
    assert diff({}, {KEY: StoredListing(1, FACTS, withdrawn=True)}) == Diff()


def test_a_row_that_comes_back_is_the_same_row() -> None:
    stored = {KEY: StoredListing(1, FACTS, withdrawn=True)}
    assert diff({KEY: FACTS}, stored) == Diff(changed={1: FACTS})


def test_the_same_key_at_two_offerings_is_two_rows() -> None:
    found = diff({(8, KEY[1]): FACTS}, {KEY: StoredListing(1, FACTS)})
    assert found == Diff(new={(8, KEY[1]): FACTS}, withdrawn=[1])
