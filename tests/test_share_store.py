"""Ids of shares: the same for the same content, not to be guessed, forgiving to whoever types."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from providers.models import Share
from providers.shares import store
from providers.shares.content import thaw
from tests.sharing import answer, content, row


def one(value: str = "root") -> Any:
    return content(row(answers=(answer(value=value),)))


@pytest.mark.django_db
def test_the_same_content_has_the_same_link_and_another_content_another() -> None:
    first, again, other = store.make(one()), store.make(one()), store.make(one("none"))
    assert first == again != other
    assert Share.objects.count() == 2
    assert thaw(bytes(first.content)) == one()
    assert (first.kind, first.day, first.size) == ("browse", one().day, len(first.content))


@given(st.binary())
def test_an_id_is_twelve_digits_that_nobody_confuses(plain: bytes) -> None:
    found = store.share_id(plain)
    assert len(found) == store.LENGTH == 12
    assert set(found) <= set(store.DIGITS)
    assert not set("ilou") & set(store.DIGITS)
    assert store.normal(found) == found


def test_an_id_hangs_on_every_byte_and_on_the_secret_key(settings: Any) -> None:
    ids = {store.share_id(b"a"), store.share_id(b"b"), store.share_id(b"a", 1)}
    settings.SECRET_KEY = "another"
    assert len(ids | {store.share_id(b"a")}) == 4


def test_digits_of_ids_are_spread_evenly() -> None:
    digits = "".join(store.share_id(str(n).encode()) for n in range(2_000))
    counts = [digits.count(digit) for digit in store.DIGITS]
    assert max(counts) < 1.3 * min(counts)


def test_an_id_is_read_as_people_say_it() -> None:
    assert store.normal("XG15-D44E-XNMJ") == "xg15d44exnmj"
    assert store.normal("OIl0") == "0110"


@pytest.mark.django_db
def test_two_contents_that_meet_in_one_id_get_one_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "share_id", lambda plain, attempt=0: f"same-{attempt}")
    first, second = store.make(one()), store.make(one("none"))
    assert [first.pk, second.pk] == ["same-0", "same-1"]
    assert store.make(one("none")) == second
    assert store.make(one()) == first


@pytest.mark.django_db
def test_no_new_share_when_all_of_them_hold_as_much_as_they_may(settings: Any) -> None:
    kept = store.make(one())
    settings.SHARES_MB = 0
    with pytest.raises(store.FullError):
        store.make(one("none"))
    assert store.make(one()) == kept
    assert store.find(kept.pk) == kept


@pytest.mark.django_db
def test_an_unknown_id_finds_nothing() -> None:
    assert store.find("0" * 12) is None


@pytest.mark.django_db(transaction=True)
def test_who_freezes_the_same_at_the_same_time_gets_the_same_link() -> None:
    made, ready = [], threading.Barrier(4)

    def freeze() -> None:
        ready.wait()
        made.append(store.make(one()).pk)
        connection.close()

    together = [threading.Thread(target=freeze) for _ in range(4)]
    for each in together:
        each.start()
    for each in together:
        each.join()
    assert len(made) == 4
    assert len(set(made)) == Share.objects.count() == 1
