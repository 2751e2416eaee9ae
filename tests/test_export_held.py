"""A slow reader holds no transaction: what is left waits in a file."""

from __future__ import annotations

from collections.abc import Generator
from time import monotonic

import pytest
from django.db import connection
from django.http import QueryDict
from django.test import Client

from providers.browse import held, listings
from providers.browse.criteria import Criteria
from providers.browse.held import TooSlowError, let_go
from providers.browse.tables import listings_table
from providers.browse.world import World
from providers.models import Listing
from tests.factories import NOW, make_listing, make_offering


class Parts:
    """Numbers one a part, which remember how far they were made and that they ended."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.made = 0
        self.ended = False

    def __call__(self) -> Generator[bytes]:
        try:
            for n in range(self.count):
                self.made += 1
                yield f"{n} ".encode()
        finally:
            self.ended = True


def numbers(count: int) -> bytes:
    return "".join(f"{n} " for n in range(count)).encode()


def test_parts_are_made_as_they_are_taken() -> None:
    parts = Parts(9)
    taken = let_go(parts())
    assert [next(taken), next(taken)] == [b"0 ", b"1 "]
    assert parts.made == 2


def test_after_a_while_the_rest_is_made_at_once_and_none_is_lost() -> None:
    parts = Parts(5000)
    taken = let_go(parts(), hold_s=-1)
    first, second = next(taken), next(taken)
    assert parts.ended
    assert parts.made == 5000
    assert first + second + b"".join(taken) == numbers(5000)


@pytest.mark.parametrize("in_memory", [1, 1024 * 1024])
def test_the_rest_is_the_same_from_memory_and_from_a_file(
    monkeypatch: pytest.MonkeyPatch, in_memory: int
) -> None:
    monkeypatch.setattr(held, "_IN_MEMORY", in_memory)
    monkeypatch.setattr(held, "_PART", 7)
    assert b"".join(let_go(Parts(300)(), hold_s=-1)) == numbers(300)


@pytest.mark.parametrize("taken", [0, 1, 5])
def test_who_leaves_ends_it(taken: int) -> None:
    parts = Parts(9)
    reading = let_go(parts())
    for _ in range(taken):
        next(reading)
    reading.close()  # type: ignore[attr-defined]
    assert parts.ended is (taken > 0)


@pytest.mark.parametrize("hold_s", [-1, 60])
def test_a_fault_on_the_way_reaches_the_server(hold_s: int) -> None:
    def failing() -> Generator[bytes]:
        yield b"head"
        raise RuntimeError("the database went away")

    taken = let_go(failing(), hold_s)
    assert next(taken) == b"head"
    with pytest.raises(RuntimeError, match="went away"):
        next(taken)


def test_who_is_too_slow_does_not_get_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held, "_PART", 7)
    taken = let_go(Parts(300)(), hold_s=-1)
    found = next(taken) + next(taken)
    monkeypatch.setattr(held, "monotonic", lambda: monotonic() + held.LONGEST_S + 1)
    with pytest.raises(TooSlowError):
        found += b"".join(taken)
    assert numbers(300).startswith(found)


# --- Of listings, in transactions of their own -------------------------------------------


@pytest.fixture
def many(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listings, "EXPORT_PAGE", 10)
    pods = make_offering("pods")
    for n in range(50):
        make_listing(pods, usd_per_hour=n + 1, region=f"r{n}", seen_at=NOW)


def every_row() -> Generator[listings.ListedRow]:
    criteria, _ = Criteria.parse(QueryDict("sort=price"), World.read().vocabulary)
    with listings.every_row(criteria, NOW) as (_world, rows):
        yield from rows


@pytest.mark.usefixtures("many")
def test_rows_are_those_of_one_moment_while_a_refresh_runs() -> None:
    rows = every_row()
    first = next(rows)
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("UPDATE providers_listing SET usd_per_hour = 1000 - usd_per_hour")
            cursor.execute("DELETE FROM providers_listing WHERE region = 'r49'")
    finally:
        other.close()
    found = [first, *rows]
    assert [row.shown for row in found] == [n + 1 for n in range(50)]
    assert Listing.objects.count() == 49


@pytest.mark.usefixtures("many")
def test_the_transaction_ends_with_the_rows_and_when_the_reader_leaves() -> None:
    rows = every_row()
    next(rows)
    assert connection.in_atomic_block
    rows.close()
    assert not connection.in_atomic_block
    assert len(list(every_row())) == 50
    assert not connection.in_atomic_block


@pytest.mark.usefixtures("many")
def test_a_file_whose_rows_are_all_read_needs_no_connection() -> None:
    assert len(list(every_row())) == 50
    assert connection.connection is None


@pytest.mark.usefixtures("many")
def test_the_server_ends_a_transaction_that_nobody_reads_from() -> None:
    rows = every_row()
    next(rows)
    with connection.cursor() as cursor:
        cursor.execute("SHOW idle_in_transaction_session_timeout")
        assert cursor.fetchone() == ("30s",)
    rows.close()
    with connection.cursor() as cursor:
        cursor.execute("SHOW idle_in_transaction_session_timeout")
        assert cursor.fetchone() == ("0",)


@pytest.mark.usefixtures("many")
def test_a_closed_answer_leaves_no_transaction_open(client: Client) -> None:
    response = client.get("/listings/?format=csv")
    parts = iter(response)
    assert next(parts).startswith(b"provider,")
    response.close()
    assert not connection.in_atomic_block


@pytest.mark.usefixtures("many")
def test_what_was_offered_first_after_the_question_was_read_is_in_the_file_too() -> None:
    table = listings_table(Criteria.of({"sort": ["price"]}), NOW)
    late = make_offering("late")
    make_listing(late, usd_per_hour=99, seen_at=NOW)
    *_, last = table.records
    assert last[:2] == (late.provider.slug, "late")
