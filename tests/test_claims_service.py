"""What a curator does with claims: each edit stands once in the history and is followed at once."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from providers.claims import add, confirm, replace, retire
from providers.models import Change, Claim, Offering
from providers.resolve import resolve_offerings
from tests.factories import make_claim, make_offering
from tests.query_counts import queries_of

pytestmark = pytest.mark.django_db

TODAY = timezone.now().date()
LONG_AGO = date(2026, 1, 2)
SAID = {
    "value": True,
    "basis": "documented",
    "source": "https://docs.example/page",
    "source_kind": "provider",
    "read_on": LONG_AGO,
}


@pytest.fixture
def pods() -> Offering:
    return make_offering("pods")


def claim_of(offering: Offering, dimension: str, value: Any, **fields: Any) -> Claim:
    claim = make_claim(offering, dimension, value, **({"read_on": LONG_AGO} | fields))
    Claim.history.all().delete()
    resolve_offerings([offering.pk])
    return claim


def answer(offering: Offering, dimension: str) -> Any:
    return Offering.objects.get(pk=offering.pk).answer(dimension)


def history() -> list[tuple[int, str, str]]:
    """(claim, kind of change, reason), oldest first."""
    rows = Claim.history.order_by("history_id")
    return list(rows.values_list("id", "history_type", "history_change_reason"))


# --- Confirm -----------------------------------------------------------------------


def test_a_confirmed_claim_has_the_day_and_one_row_of_history(pods: Offering) -> None:
    claim = claim_of(pods, "ssh", True)
    assert confirm([claim], TODAY) == 1
    claim.refresh_from_db()
    assert claim.read_on == TODAY
    assert history() == [(claim.pk, "~", "confirmed")]


def test_a_claim_read_later_already_is_left_alone(pods: Offering) -> None:
    claim = claim_of(pods, "ssh", True, read_on=TODAY)
    assert confirm([claim], TODAY) == 0
    assert confirm([claim], TODAY - timedelta(days=3)) == 0
    claim.refresh_from_db()
    assert claim.read_on == TODAY
    assert history() == []


def test_a_claim_without_a_day_gets_one(pods: Offering) -> None:
    claim = claim_of(pods, "ssh", True, read_on=None)
    assert confirm([claim], TODAY) == 1
    claim.refresh_from_db()
    assert claim.read_on == TODAY


def test_no_source_was_read_tomorrow(pods: Offering) -> None:
    with pytest.raises(ValidationError, match="day to come"):
        confirm([claim_of(pods, "ssh", True)], TODAY + timedelta(days=2))


def test_confirming_one_of_two_that_disagree_decides(pods: Offering) -> None:
    one = claim_of(pods, "ssh", True)
    claim_of(pods, "ssh", False, source="https://docs.example/other")
    assert Offering.objects.get().contradicted == ["ssh"]
    confirm([one], TODAY)
    assert (answer(pods, "ssh"), Offering.objects.get().contradicted) == (True, [])
    assert Change.objects.get().dimension == "ssh"


def test_a_claim_that_was_retired_meanwhile_is_not_confirmed(pods: Offering) -> None:
    claim = claim_of(pods, "ssh", True)
    retire([Claim.objects.get()], "Gone.")
    assert confirm([claim], TODAY) == 0
    claim.refresh_from_db()
    assert claim.read_on == LONG_AGO


def test_many_are_confirmed_in_as_many_queries_as_few(pods: Offering) -> None:
    few = [claim_of(pods, "ssh", True)]
    many = [claim_of(make_offering(), "ssh", True) for _n in range(20)]
    first = queries_of(lambda: confirm(few, TODAY))
    assert queries_of(lambda: confirm(many, TODAY)) <= first


# --- Replace -----------------------------------------------------------------------


def test_a_replacement_stands_in_the_place_of_the_old_claim(pods: Offering) -> None:
    claim_of(pods, "ssh", True, position=0, basis="reported")
    old = claim_of(pods, "ssh", True, position=3, note="As the page says.")
    new = replace(old, value=False, source="https://docs.example/new", read_on=TODAY)
    assert (new.position, new.note, new.basis, new.decides) == (3, old.note, old.basis, True)
    assert answer(pods, "ssh") is False
    old.refresh_from_db()
    assert (old.retired_why, old.decides) == ("replaced", False)
    assert old.retired_at is not None
    assert not Claim.objects.filter(pk=old.pk).exists()


def test_each_side_of_a_replacement_stands_once_in_the_history(pods: Offering) -> None:
    old = claim_of(pods, "ssh", True)
    new = replace(old, value=False)
    assert history() == [
        (old.pk, "~", "replaced"),
        (new.pk, "+", f"replaced no. {old.pk}"),
    ]


def test_a_replacement_that_says_the_same_is_none(pods: Offering) -> None:
    old = claim_of(pods, "ssh", True)
    assert replace(old, value=True) == old
    assert (Claim.every.count(), history()) == (1, [])


def test_what_was_retired_meanwhile_is_not_replaced(pods: Offering) -> None:
    old = claim_of(pods, "ssh", True)
    retire([old], "Gone.")
    with pytest.raises(ValidationError, match="retired meanwhile"):
        replace(old, value=False)
    assert Claim.every.count() == 1


def test_a_replacement_that_is_refused_leaves_the_old_claim(pods: Offering) -> None:
    old = claim_of(pods, "docker_daemon", "root")
    with pytest.raises(ValidationError) as refused:
        replace(old, value="maybe")
    assert list(refused.value.message_dict) == ["value"]
    assert (Claim.objects.get(), history()) == (old, [])


# --- Retire ------------------------------------------------------------------------


def test_a_retired_claim_says_nothing_and_keeps_its_reason(pods: Offering) -> None:
    claim = claim_of(pods, "ssh", True)
    assert retire([claim], " The page is gone. ") == 1
    assert answer(pods, "ssh") is None
    claim.refresh_from_db()
    assert (claim.retired_why, claim.decides) == ("The page is gone.", False)
    assert history() == [(claim.pk, "~", "retired: The page is gone.")]


def test_the_next_best_claim_answers(pods: Offering) -> None:
    best = claim_of(pods, "ssh", True)
    claim_of(pods, "ssh", False, basis="reported")
    retire([best], "Wrong.")
    assert answer(pods, "ssh") is False


@pytest.mark.parametrize("why", ["", "  ", "x" * 301])
def test_a_claim_is_retired_with_a_reason_or_not_at_all(pods: Offering, why: str) -> None:
    claim = claim_of(pods, "ssh", True)
    with pytest.raises(ValidationError):
        retire([claim], why)
    assert Claim.objects.get().retired_at is None


def test_a_long_reason_is_kept_whole_beside_the_history(pods: Offering) -> None:
    why = "x" * 300
    retire([claim_of(pods, "ssh", True)], why)
    assert Claim.every.get().retired_why == why
    row = Claim.history.get()
    assert (row.retired_why, len(row.history_change_reason)) == (why, 100)


def test_who_retires_twice_retires_once(pods: Offering) -> None:
    claim = claim_of(pods, "ssh", True)
    assert retire([claim], "Gone.") == 1
    assert retire([claim], "Gone, I say.") == 0
    assert Claim.every.get().retired_why == "Gone."
    assert len(history()) == 1


# --- Add ---------------------------------------------------------------------------


def test_a_new_claim_stands_after_the_others_and_answers(pods: Offering) -> None:
    claim_of(pods, "ssh", True, position=4, basis="reported")
    new = add(pods, "ssh", **(SAID | {"value": False}))
    assert (new.position, new.decides, answer(pods, "ssh")) == (5, True, False)
    assert history() == [(new.pk, "+", "added")]


def test_the_first_claim_stands_first(pods: Offering) -> None:
    assert add(pods, "ssh", **SAID).position == 0


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"value": "perhaps"}, "value"),
        ({"source": ""}, "source"),
        ({"source": "ftp://docs.example"}, "source"),
        ({"basis": "guessed"}, "basis"),
        ({"source_kind": ""}, "source_kind"),
        ({"note": " spaced "}, "note"),
    ],
)
def test_what_a_file_may_not_hold_is_not_added(
    pods: Offering, fields: dict[str, Any], field: str
) -> None:
    with pytest.raises(ValidationError) as refused:
        add(pods, "ssh", **(SAID | fields))
    assert list(refused.value.message_dict) == [field]
    assert not Claim.every.exists()


def test_the_same_claim_is_not_added_twice(pods: Offering) -> None:
    add(pods, "ssh", **SAID)
    with pytest.raises(ValidationError, match="stands there already"):
        add(pods, "ssh", **SAID)


def test_a_claim_that_was_retired_can_be_added_again(pods: Offering) -> None:
    retire([add(pods, "ssh", **SAID)], "By mistake.")
    assert add(pods, "ssh", **SAID).decides


def test_a_claim_says_nothing_but_what_claims_say(pods: Offering) -> None:
    with pytest.raises(TypeError, match="decides"):
        add(pods, "ssh", **SAID, decides=True)
