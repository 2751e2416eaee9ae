"""Two curators at one offering, and visitors who may not do what they try."""

from __future__ import annotations

from datetime import date

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from providers import claims
from providers.models import Claim, Offering
from tests.answers_screen import TYPED, question, sent, sent_for, stands, today, url, visitor
from tests.desk import curator
from tests.factories import make_offering, make_provider

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk() -> Client:
    return curator()


@pytest.fixture
def pods() -> Offering:
    return make_offering("pods", make_provider("acme"))


# --- Two curators at once ----------------------------------------------------------


def test_a_claim_that_changed_meanwhile_is_not_confirmed(desk: Client, pods: Offering) -> None:
    claim = stands(pods, "ssh", True, read_on=date(2026, 6, 1))
    stale = sent(desk, claim, "confirm")
    claim = Claim.objects.get()
    claim.value = False
    claim.save()
    page = desk.post(url(pods), stale)
    assert page.status_code == 409
    assert page.context["opened"].changed == ("Changed: value yes → no",)
    assert Claim.objects.get().read_on == date(2026, 6, 1)


@pytest.mark.parametrize("deed", ["replace", "retire"])
def test_a_stale_form_says_what_changed_and_keeps_what_was_typed(
    desk: Client, pods: Offering, deed: str
) -> None:
    claim = claims.add(pods, "docker_daemon", **TYPED | {"value": "root", "read_on": today()})
    typed = TYPED if deed == "replace" else {"why": "Wrong."}
    stale = sent(desk, claim, deed, **typed)
    claim.basis = "probed"
    claim.save()
    page = desk.post(url(pods), stale)
    assert page.status_code == 409
    assert page.context["opened"].changed == ("Changed: basis documented → probed",)
    assert page.content.decode().count("<li>Changed: basis documented → probed</li>") == 1
    form = page.context["opened"].form
    assert {name: form[name].value() for name in typed} == typed
    assert Claim.objects.get().basis == "probed"
    # Who has seen it may go on.
    again = stale | {"shown": page.context["opened"].shown}
    assert desk.post(url(pods), again).status_code == 302


def test_what_was_typed_for_a_claim_that_is_gone_can_be_added(desk: Client, pods: Offering) -> None:
    claim = stands(pods, "docker_daemon", "root")
    stale = sent(desk, claim, "replace", **TYPED)
    claims.retire([claim], "Gone.")
    page = desk.post(url(pods), stale)
    opened = page.context["opened"]
    assert "was retired: Gone." in opened.changed[0]
    assert not Claim.objects.exists()
    html = page.content.decode()
    assert 'name="deed" value="add"' in html
    form = {name: opened.form[name].value() for name in TYPED}
    again = {"deed": "add", "dimension": "docker_daemon", "shown": opened.shown} | form
    assert desk.post(url(pods), again).status_code == 302
    assert Claim.objects.get().value == "nested"


@pytest.mark.parametrize("deed", ["confirm", "retire"])
def test_a_claim_that_is_gone_is_told_by_its_reason(
    desk: Client, pods: Offering, deed: str
) -> None:
    claim = stands(pods, "ssh", True)
    stale = sent(desk, claim, deed, why="Wrong.")
    claims.retire([claim], "Gone.")
    page = desk.post(url(pods), stale)
    assert page.status_code == 409
    assert "was retired: Gone." in page.content.decode()
    assert Claim.every.get().retired_why == "Gone."


def test_a_claim_is_not_added_to_answers_that_nobody_saw(desk: Client, pods: Offering) -> None:
    stale = sent_for(desk, pods, "docker_daemon")
    other = claims.add(pods, "docker_daemon", **TYPED | {"value": "root", "read_on": today()})
    page = desk.post(url(pods), stale)
    assert page.status_code == 409
    assert page.context["opened"].changed == (
        "root (documented, https://docs.example/daemon) was added",
    )
    assert Claim.objects.get() == other


def test_a_contradiction_that_changed_is_looked_at_again(desk: Client, pods: Offering) -> None:
    right = stands(pods, "ssh", True)
    stands(pods, "ssh", False, source="https://other.example/")
    shown = question(desk.get(url(pods)), "ssh").shown
    third = stands(pods, "ssh", False, source="https://third.example/")
    sending = {"deed": "right", "claim": right.pk, "shown": shown, "why": "It is."}
    page = desk.post(url(pods), sending)
    assert page.status_code == 409
    assert "https://third.example/) was added" in str(page.context["opened"].changed)
    assert Claim.objects.filter(pk=third.pk).exists()


# --- Who may -----------------------------------------------------------------------


def test_a_viewer_sees_everything_and_no_button(desk: Client, pods: Offering) -> None:
    claim = stands(pods, "ssh", True)
    stands(pods, "ssh", False, source="https://other.example/")
    viewer = visitor("view_claim", "view_offering")
    html = viewer.get(url(pods), {"replace": claim.pk}).content.decode()
    main = html[html.index('id="content-main"') :]
    assert "https://other.example/" in main
    assert "<button" not in main
    assert "<form" not in main
    assert "?add=" not in main


@pytest.mark.parametrize("deed", ["confirm", "retire", "right", "replace", "add"])
def test_a_viewers_forged_form_is_refused(desk: Client, pods: Offering, deed: str) -> None:
    claim = stands(pods, "ssh", True, read_on=None)
    forged = sent(desk, claim, deed, why="No.", dimension="ssh", **TYPED | {"value": "no"})
    viewer = visitor("view_claim", "view_offering")
    assert viewer.post(url(pods), forged).status_code == 403
    assert Claim.every.get().read_on is None


@pytest.mark.parametrize("rights", [(), ("view_claim",), ("view_offering",)])
def test_who_may_look_at_only_half_of_it_sees_nothing(
    pods: Offering, rights: tuple[str, ...]
) -> None:
    assert visitor(*rights).get(url(pods)).status_code == 403


def test_a_stranger_is_asked_to_log_in(pods: Offering) -> None:
    assert "/admin/login/" in Client().get(url(pods))["Location"]


def test_a_form_of_another_site_is_refused(desk: Client, pods: Offering) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(get_user_model().objects.get(username="c"))
    claim = stands(pods, "ssh", True, read_on=None)
    assert strict.post(url(pods), sent(desk, claim, "confirm")).status_code == 403


@pytest.mark.parametrize(
    ("entries", "status"),
    [
        ({"deed": "delete"}, 400),
        ({"deed": "confirm", "claim": "x"}, 404),
        ({"deed": "confirm", "claim": "9" * 400}, 404),
        ({"deed": "add", "dimension": "access_modes"}, 404),
        ({}, 400),
    ],
)
def test_a_form_that_nobody_was_given_does_nothing(
    desk: Client, pods: Offering, entries: dict[str, str], status: int
) -> None:
    assert desk.post(url(pods), entries).status_code == status


def test_a_claim_of_another_offering_is_not_found_here(desk: Client, pods: Offering) -> None:
    elsewhere = stands(make_offering("vms"), "ssh", True, read_on=None)
    sending = sent(desk, elsewhere, "confirm")
    assert desk.post(url(pods), sending).status_code == 404
    assert Claim.objects.get().read_on is None
