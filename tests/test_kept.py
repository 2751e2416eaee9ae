"""What was read is read again as soon as anybody has written, and not before."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from django.db import transaction

from providers.browse import kept as module
from providers.browse.criteria import Criteria
from providers.browse.kept import MOST, kept, minute
from providers.browse.query import browse
from providers.browse.world import World
from providers.models import GpuFamily, Offering
from tests.connections import elsewhere
from tests.factories import make_offering
from tests.query_counts import queries_of

NOW = datetime(2026, 11, 30, 12, 0, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _nothing_kept() -> Iterator[None]:
    module._found.clear()
    yield
    module._found.clear()


class Reads:
    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> int:
        self.count += 1
        return self.count


def write(slug: str = "h100") -> None:
    GpuFamily.objects.create(slug=slug, name=slug, vendor="NVIDIA")


@pytest.mark.django_db(transaction=True)
def test_it_is_read_once_while_nobody_writes() -> None:
    reads = Reads()
    assert [kept("a", reads) for _ in range(3)] == [1, 1, 1]


@pytest.mark.django_db(transaction=True)
def test_each_key_is_read_for_itself() -> None:
    reads = Reads()
    assert [kept("a", reads), kept("b", reads), kept("a", reads)] == [1, 2, 1]


@pytest.mark.django_db(transaction=True)
def test_what_is_of_an_older_state_is_let_go() -> None:
    kept("a", Reads())
    write()
    kept("b", Reads())
    assert list(module._found) == ["b"]


@pytest.mark.django_db(transaction=True)
def test_it_is_read_again_after_a_write() -> None:
    reads = Reads()
    kept("a", reads)
    write()
    assert kept("a", reads) == 2


@pytest.mark.django_db(transaction=True)
def test_it_is_read_again_after_a_write_of_another_process() -> None:
    reads = Reads()
    kept("a", reads)
    elsewhere(write)
    assert kept("a", reads) == 2


@pytest.mark.django_db(transaction=True)
def test_a_write_that_is_not_committed_yet_leaves_it_and_its_commit_does_not() -> None:
    reads = Reads()
    kept("a", reads)
    seen: list[int] = []
    with transaction.atomic():
        write()
        elsewhere(lambda: seen.append(kept("a", reads)))
        # Read anew or not, it is the state before the commit that is kept by that name.
        before = seen[0]
    assert kept("a", reads) > before


@pytest.mark.django_db(transaction=True)
def test_what_was_written_during_the_read_keeps_nothing() -> None:
    reads = Reads()

    def read() -> int:
        elsewhere(lambda: write(f"family-{reads.count}"))
        return reads()

    assert [kept("a", read), kept("a", read)] == [1, 2]


@pytest.mark.django_db
def test_inside_a_transaction_everything_is_read() -> None:
    reads = Reads()
    assert [kept("a", reads) for _ in range(3)] == [1, 2, 3]


@pytest.mark.django_db(transaction=True)
def test_a_fault_is_not_kept() -> None:
    def fail() -> None:
        raise OSError("no")

    for _ in range(2):
        with pytest.raises(OSError, match="no"):
            kept("a", fail)
    assert kept("a", Reads()) == 1


@pytest.mark.django_db(transaction=True)
def test_the_longest_unused_goes_when_there_are_too_many() -> None:
    reads = Reads()
    for key in range(MOST):
        kept(key, reads)
    kept(0, reads)
    kept("one more", reads)
    assert kept(0, reads) == 1
    assert kept(1, reads) > MOST
    assert len(module._found) == MOST


def test_a_minute_has_no_seconds() -> None:
    assert minute(NOW) == NOW.replace(second=0)


@pytest.mark.django_db(transaction=True)
def test_a_page_asked_again_costs_only_the_names_of_states() -> None:
    make_offering()
    first = browse(Criteria(), World.read(), NOW)
    again: list[object] = []
    ask = lambda: again.append(browse(Criteria(), World.read(), NOW.replace(second=59)))  # noqa: E731
    assert queries_of(ask) == 0
    assert again[0] is first


@pytest.mark.django_db(transaction=True)
def test_a_change_shows_at_once() -> None:
    offering = make_offering()
    assert browse(Criteria(), World.read(), NOW).total == 1
    Offering.objects.filter(pk=offering.pk).update(status="closed")
    assert browse(Criteria(), World.read(), NOW).total == 0


@pytest.mark.django_db(transaction=True)
def test_criteria_and_minutes_are_told_apart() -> None:
    make_offering()
    world = World.read()
    plain = browse(Criteria(), world, NOW)
    assert browse(Criteria.of({"unknown": ["hide"]}), world, NOW) is not plain
    assert browse(Criteria(), world, NOW.replace(minute=1)) is not plain
