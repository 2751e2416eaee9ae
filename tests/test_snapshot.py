"""All that one answer is made of is of one moment, and that moment has a name."""

from __future__ import annotations

import pytest
from django.core.signals import request_started
from django.db import (
    InternalError,
    OperationalError,
    ProgrammingError,
    connection,
    transaction,
)

from gpucompare.snapshot import _asked, one_snapshot, state
from providers.browse import kept as module
from providers.browse.kept import kept
from providers.models import GpuFamily
from tests.connections import elsewhere
from tests.query_counts import queries_of


def write(slug: str = "h100") -> None:
    GpuFamily.objects.create(slug=slug, name=slug, vendor="NVIDIA")


@pytest.mark.django_db(transaction=True)
def test_what_is_written_meanwhile_is_not_seen() -> None:
    with one_snapshot():
        assert GpuFamily.objects.count() == 0
        elsewhere(write)
        assert GpuFamily.objects.count() == 0
    assert GpuFamily.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_write_has_no_place_in_it() -> None:
    with pytest.raises(InternalError, match="read-only"), one_snapshot():
        write()
    write()
    assert GpuFamily.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_the_name_is_another_after_a_write_of_anybody() -> None:
    with one_snapshot() as first:
        pass
    with one_snapshot() as again:
        elsewhere(write)
        assert state() == again
    assert first == again
    assert state() != first


@pytest.mark.django_db(transaction=True)
def test_one_inside_another_is_the_same() -> None:
    with one_snapshot() as outer:
        elsewhere(write)
        with one_snapshot() as inner:
            assert inner == outer
        assert GpuFamily.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_may_write_has_no_name() -> None:
    with transaction.atomic():
        assert state() == ""
        with one_snapshot() as name:
            assert name == ""
            write()
        assert state() == ""
    assert state()


def ended_by_the_server() -> None:
    """The connection of this thread, as a restart of the server leaves it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        own = cursor.fetchone()[0]

    def end() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [own])

    elsewhere(end)


def at_the_beginning_of_a_request() -> None:
    request_started.send(sender=None)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("inside", [True, False])
def test_a_kept_connection_that_the_server_has_ended_is_replaced(inside: bool) -> None:
    ended_by_the_server()
    at_the_beginning_of_a_request()
    if inside:
        with one_snapshot() as name:
            assert name
            assert GpuFamily.objects.count() == 0
    else:
        assert state()
    write()
    assert GpuFamily.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_kept_connection_is_not_asked_first_whether_it_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state()
    monkeypatch.setattr(connection, "is_usable", lambda: pytest.fail("asked"))
    at_the_beginning_of_a_request()
    with one_snapshot():
        assert queries_of(GpuFamily.objects.count) == 1
    at_the_beginning_of_a_request()
    assert state()


@pytest.mark.django_db(transaction=True)
def test_one_that_ends_within_a_request_is_not_begun_anew() -> None:
    state()
    ended_by_the_server()
    with pytest.raises(OperationalError), one_snapshot():
        pytest.fail("what was read before was of another moment")
    connection.close()
    assert state()


@pytest.mark.django_db(transaction=True)
def test_what_the_server_refuses_is_told_as_by_any_statement() -> None:
    state()
    with pytest.raises(ProgrammingError, match="no_such_column"):
        _asked(b"SELECT no_such_column")
    assert state()


@pytest.mark.django_db(transaction=True)
def test_a_fault_inside_leaves_nothing_behind() -> None:
    with pytest.raises(LookupError), one_snapshot():
        raise LookupError
    with transaction.atomic():
        assert state() == ""
        write()


@pytest.mark.django_db(transaction=True)
def test_what_is_kept_inside_is_of_that_snapshot_and_costs_no_more_statements() -> None:
    module._found.clear()
    with one_snapshot():
        elsewhere(write)
        assert kept("families", GpuFamily.objects.count) == 0
        assert queries_of(lambda: kept("families", GpuFamily.objects.count)) == 0
    assert kept("families", GpuFamily.objects.count) == 1
    module._found.clear()
