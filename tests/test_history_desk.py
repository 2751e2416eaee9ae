"""The history at the desk: each edit once, with who, when, before and after, and back again."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from checks.content.schema import digest
from checks.models import ContentEntry
from providers.claims import retire
from providers.models import Change, Claim, Listing, Offering, Provider
from providers.resolve import resolve_offerings
from tests.content_texts import LIVE
from tests.desk import address, change, curator, save
from tests.factories import make_claim, make_offering, make_provider

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk() -> Client:
    return curator()


@pytest.fixture
def pods() -> Offering:
    return make_offering("pods", make_provider("acme"))


@pytest.fixture
def claim(pods: Offering) -> Claim:
    claim = make_claim(pods, "docker_daemon", "root")
    resolve_offerings([pods.pk])
    return claim


def numbers(row: Any) -> list[int]:
    """Of its versions, newest first."""
    return list(type(row).history.filter(id=row.pk).values_list("history_id", flat=True))


def back(desk: Client, row: Any, version: int, **entries: Any) -> str:
    """Put a row back; what the page then says, as text."""
    url = address(row, "history")
    sent = {"version": version, "newest": numbers(row)[0]} | entries
    return text(desk.post(url, sent, follow=True).content.decode())


def text(page: str) -> str:
    return re.sub(r"\s+", " ", strip_tags(page))


# --- Each edit once ------------------------------------------------------------------


def test_a_save_is_one_row_with_who_and_when(desk: Client, claim: Claim) -> None:
    assert save(desk, change(claim), note="Read again.") == {}
    newest = Claim.history.first()
    assert Claim.history.count() == 2  # the other one made it
    assert newest.history_user == User.objects.get()
    assert (newest.history_type, newest.note) == ("~", "Read again.")


@pytest.mark.parametrize("model", [Provider, Offering, Claim])
def test_a_form_that_is_sent_as_it_came_is_no_history(
    desk: Client, claim: Claim, model: Any
) -> None:
    Offering.objects.update(access_modes=["base_image", "docker_daemon"], gpu_names=["L4"])
    assert save(desk, change(model.objects.get())) == {}
    assert model.history.count() == 1


def test_an_offering_and_a_provider_have_one_row_for_each_edit(
    desk: Client, pods: Offering
) -> None:
    for row in (pods, pods.provider):
        assert save(desk, change(row), name="Another") == {}
        assert type(row).history.count() == 2


def test_a_row_made_at_the_desk_is_one_row(desk: Client, pods: Offering) -> None:
    said: dict[str, Any] = {"basis": "documented", "source_kind": "provider"}
    said |= {"source": "https://docs.example"}
    said |= {"offering": pods.pk, "dimension": "ssh", "value": "yes"}
    assert save(desk, address(Claim, "add"), **said) == {}
    assert [row.history_type for row in Claim.history.all()] == ["+"]


def test_a_retired_claim_is_one_row(desk: Client, claim: Claim) -> None:
    desk.post(address(claim, "retire"), {"why": "The page is gone."})
    newest = Claim.history.first()
    assert Claim.history.count() == 2
    assert newest.history_change_reason == "retired: The page is gone."
    assert newest.history_user == User.objects.get()


def test_what_follows_from_a_claim_is_no_edit_of_its_offering(desk: Client, claim: Claim) -> None:
    save(desk, change(claim), value="none")
    assert Offering.objects.get().answer("docker_daemon") == "none"
    assert Offering.history.count() == 1


# --- The page ------------------------------------------------------------------------


def test_the_page_says_who_changed_what_from_what_to_what(desk: Client, claim: Claim) -> None:
    save(desk, change(claim), value="none", note="Read again.")
    page = text(desk.get(address(claim, "history")).content.decode())
    assert "value: root → none" in page
    assert "note: → Read again." in page
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d c changed", page)
    assert "the program added" in page


def test_what_was_typed_is_shown_and_not_run(desk: Client, claim: Claim) -> None:
    Claim.history.update(note="<script>alert(1)</script>")
    assert b"<script>alert" not in desk.get(address(claim, "history")).content


def test_a_long_history_has_pages_that_each_compare_across_their_end(
    desk: Client, claim: Claim
) -> None:
    first = Claim.history.get()
    for n in range(60):
        first.pk, first.note = None, f"note {n}"
        first.history_date += timedelta(seconds=1)
        first.history_type = "~"
        first.save()
    page = text(desk.get(address(claim, "history")).content.decode())
    assert "note: note 58 → note 59" in page
    assert "note: note 9 → note 10" in page
    assert "note 8 →" not in page
    older = text(desk.get(address(claim, "history"), {"page": 2}).content.decode())
    assert "note: note 8 → note 9" in older
    assert "as it is now" not in older


def test_the_page_asks_nothing_of_the_strict_policy(desk: Client, claim: Claim) -> None:
    for url in (address(claim, "history"), address(claim, "retire")):
        page = desk.get(url).content.decode()
        assert re.findall(r"<script(?![^>]*(?:src=|application/json))[^>]*>", page) == []
        assert re.findall(r"<style|\sstyle=|\son\w+=", page) == []


# --- Back ----------------------------------------------------------------------------


def test_a_claim_put_back_says_what_it_said_and_its_answer_follows(
    desk: Client, claim: Claim
) -> None:
    save(desk, change(claim), value="none")
    told = Change.objects.count()
    assert "back to" in back(desk, claim, numbers(claim)[-1])
    claim.refresh_from_db()
    assert claim.value == "root"
    assert Offering.objects.get().answer("docker_daemon") == "root"
    assert Change.objects.count() == told + 1
    newest = Claim.history.first()
    assert Claim.history.count() == 3
    assert newest.history_change_reason.startswith("back to 2")
    assert newest.history_user == User.objects.get()


def test_a_retired_claim_that_is_put_back_stands_again(desk: Client, claim: Claim) -> None:
    retire([claim], "By mistake.")
    assert Offering.objects.get().answer("docker_daemon") is None
    back(desk, claim, numbers(claim)[-1])
    stands = Claim.objects.get()
    assert (stands.retired_why, stands.decides) == ("", True)
    assert Offering.objects.get().answer("docker_daemon") == "root"


def test_nothing_is_retired_by_going_back(desk: Client, claim: Claim) -> None:
    retire([claim], "By mistake.")
    back(desk, claim, numbers(claim)[-1])
    assert "It was retired then" in back(desk, claim, numbers(claim)[1])
    assert Claim.objects.get() == claim


def test_a_claim_is_not_put_back_beside_its_twin(desk: Client, claim: Claim) -> None:
    retire([claim], "By mistake.")
    make_claim(claim.offering, "docker_daemon", "root")
    assert "stands there already" in back(desk, claim, numbers(claim)[-1])
    assert Claim.objects.count() == 1


def test_a_value_that_is_no_answer_any_more_is_not_put_back(desk: Client, claim: Claim) -> None:
    save(desk, change(claim), note="Read again.")
    first = Claim.history.last()
    first.value = "maybe"
    first.save()
    assert "&#x27;maybe&#x27; is not one of" in back(desk, claim, first.history_id)
    claim.refresh_from_db()
    assert claim.value == "root"


def test_an_offering_put_back_lists_its_gpus_again(desk: Client, pods: Offering) -> None:
    save(desk, change(pods), gpu_names="L4")
    save(desk, change(pods), gpu_names="T4", name="Pod")
    back(desk, pods, numbers(pods)[1])
    pods.refresh_from_db()
    assert (pods.name, pods.gpu_names) == ("Pods", ["L4"])
    current = Listing.objects.filter(withdrawn_at=None)
    assert list(current.values_list("gpu_name", flat=True)) == ["L4"]


def test_where_a_row_was_made_is_not_put_back(desk: Client) -> None:
    acme = make_provider("acme", made_at="catalog")
    Provider.objects.update(made_at="desk")
    save(desk, change(acme), name="ACME")
    back(desk, acme, numbers(acme)[-1])
    acme.refresh_from_db()
    assert (acme.name, acme.made_at) == ("Acme", "desk")


def test_who_looked_at_an_older_page_does_not_undo_what_came_after(
    desk: Client, claim: Claim
) -> None:
    seen = numbers(claim)[0]
    save(desk, change(claim), value="none")
    assert "changed meanwhile" in back(desk, claim, numbers(claim)[-1], newest=seen)
    claim.refresh_from_db()
    assert claim.value == "none"


def test_a_version_of_another_row_is_not_found(desk: Client, claim: Claim) -> None:
    other = make_claim(claim.offering, "ssh", True)
    for version in (numbers(other)[0], "x", ""):
        sent = {"version": version, "newest": numbers(claim)[0]}
        assert desk.post(address(claim, "history"), sent).status_code == 404
    assert Claim.history.count() == 2


def test_a_text_put_back_has_its_digest_again(desk: Client) -> None:
    row = ContentEntry.objects.create(
        **{"kind": "faq", "language": "en", "key": "one", "position": 0, "title": "One?"},
        **{"body": "So.", "live": LIVE, "digest": digest("One?", "So.", LIVE)},
    )
    url = reverse("admin:checks_contententry_change", args=[row.pk])
    assert save(desk, url) == {}
    assert ContentEntry.history.count() == 1
    assert save(desk, url, title="Two?") == {}
    desk.post(
        reverse("admin:checks_contententry_history", args=[row.pk]),
        {"version": numbers(row)[-1], "newest": numbers(row)[0]},
    )
    again = ContentEntry.objects.get()
    assert (again.title, again.digest) == ("One?", row.digest)
    assert again.edited_at is not None
    assert ContentEntry.history.count() == 3


# --- Retiring at the desk --------------------------------------------------------------


def test_retiring_asks_why_first(desk: Client, claim: Claim) -> None:
    page = desk.get(address(claim, "retire"))
    assert page.status_code == 200
    again = desk.post(address(claim, "retire"), {"why": " "})
    assert "This field is required." in again.content.decode()
    assert Claim.objects.get() == claim


def test_several_are_retired_with_one_reason(desk: Client, claim: Claim) -> None:
    other = make_claim(make_offering(), "ssh", True)
    stays = make_claim(claim.offering, "ssh", True)
    chosen = {"action": "retire", "_selected_action": [claim.pk, other.pk]}
    asked = desk.post(address(Claim, "changelist"), chosen)
    carried = re.findall(r'type="hidden" name="([a-z_]+)" value="(\w+)"', asked.content.decode())
    assert {("action", "retire"), ("_selected_action", str(other.pk))} <= set(carried)
    assert Claim.objects.count() == 3
    desk.post(address(Claim, "changelist"), chosen | {"why": "Both pages are gone."})
    assert list(Claim.objects.all()) == [stays]
    assert Offering.objects.get(slug="pods").answer("docker_daemon") is None


def test_retired_claims_have_a_list_of_their_own_and_are_only_looked_at(
    desk: Client, claim: Claim
) -> None:
    retire([claim], "The page is gone.")
    stands = make_claim(claim.offering, "ssh", True)
    lists: dict[str, list[Claim]] = {"": [stands], "yes": [claim], "all": [claim, stands]}
    for asked, found in lists.items():
        listed = desk.get(address(Claim, "changelist"), {"retired": asked} if asked else {})
        assert list(listed.context["cl"].result_list) == found
    page = desk.get(change(claim)).content.decode()
    assert "The page is gone." in page
    assert 'name="_save"' not in page
    assert desk.post(change(claim), {"note": "Forged"}).status_code == 403
    assert desk.post(address(claim, "retire"), {"why": "Again."}).status_code == 403
