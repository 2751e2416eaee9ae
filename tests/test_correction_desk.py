"""Corrections at the desk: taken over as claims, declined, once each, and by whom it may be."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from providers.corrections.desk import is_own_page
from providers.corrections.settle import SettledError, decline
from providers.models import Change, Claim, Correction, Offering
from providers.resolve import resolve_offerings
from tests.correcting import make_acme, make_correction, make_corrections
from tests.desk import address, change, curator
from tests.factories import make_claim

pytestmark = pytest.mark.django_db

LIST = "/admin/providers/correction/"


@pytest.fixture
def pods() -> Offering:
    return make_acme()


@pytest.fixture
def desk() -> Client:
    return curator()


def member(*permissions: str) -> Client:
    """Somebody of the staff with these rights alone."""
    user = get_user_model().objects.create(username=" ".join(permissions) or "none", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client


def filled_in(client: Client, correction: Correction) -> dict[str, Any]:
    """What the form of a claim says before anybody touched it."""
    form = client.get(change(correction)).context["take"]
    return {form.add_prefix(name): form[name].value() or "" for name in form.fields}


def take(client: Client, correction: Correction, **entries: Any) -> HttpResponse:
    says = filled_in(client, correction) | {f"take-{k}": v for k, v in entries.items()}
    response: Any = client.post(f"{LIST}{correction.pk}/take/", says)
    return response  # type: ignore[no-any-return]


def turn_down(client: Client, correction: Correction, reply: str) -> HttpResponse:
    response: Any = client.post(f"{LIST}{correction.pk}/decline/", {"decline-reply": reply})
    return response  # type: ignore[no-any-return]


def faults(response: Any, form: str = "take") -> dict[str, list[str]]:
    assert response.status_code == 200
    return {name: list(texts) for name, texts in response.context[form].errors.items()}


# --- Taking over ---------------------------------------------------------------------------


def test_a_correction_without_a_touch_becomes_the_claim_that_it_reports(
    desk: Client, pods: Offering
) -> None:
    made = make_correction(pods, source="https://blog.example/post")
    response = take(desk, made)
    assert (response.status_code, response["Location"]) == (302, LIST)
    claim = Claim.objects.get()
    assert (claim.offering, claim.dimension, claim.value) == (pods, "docker_daemon", "root")
    assert (claim.basis, claim.source_kind) == ("reported", "third_party")
    assert (claim.source, claim.read_on) == (made.source, timezone.now().date())
    made.refresh_from_db()
    assert (made.state, made.claim) == ("taken", claim)
    assert made.settled_by == get_user_model().objects.get()
    pods.refresh_from_db()
    assert pods.answer("docker_daemon") == "root"
    assert Change.objects.get().why == "desk"
    assert claim.history.count() == 1


def test_the_public_pages_show_it(desk: Client, pods: Offering, client: Client) -> None:
    made = make_correction(pods)
    take(desk, made, reply="Thank you, so it is.")
    assert "Root" in client.get("/providers/acme/pods/docker_daemon/").content.decode()
    told = client.get(f"/corrections/{made.token}/").content.decode()
    assert "Taken over" in told
    assert "Thank you, so it is." in told


@pytest.mark.parametrize(
    ("source", "own"),
    [
        ("https://docs.acme.example/pods/daemon", True),
        ("https://acme.example/x", True),
        ("https://help.acme.example/x", True),
        ("https://notacme.example/x", False),
        ("https://acme.example.evil.example/", False),
        ("", False),
    ],
)
def test_the_provider_s_own_page_documents_and_others_report(
    pods: Offering, source: str, own: bool
) -> None:
    assert is_own_page(pods, source) == own


@pytest.mark.parametrize(
    ("entries", "field"),
    [
        ({"value": "blue"}, "value"),
        ({"value": ""}, "value"),
        ({"source": ""}, "source"),
        ({"source": "javascript:alert(1)"}, "source"),
        ({"basis": ""}, "basis"),
        ({"basis": "guessed"}, "basis"),
        ({"source_kind": ""}, "source_kind"),
        ({"read_on": "yesterday"}, "read_on"),
        ({"place": ""}, "place"),
        ({"place": "17"}, "place"),
        ({"reply": "x" * 501}, "reply"),
    ],
)
def test_the_rules_of_every_claim_hold(
    desk: Client, pods: Offering, entries: dict[str, Any], field: str
) -> None:
    made = make_correction(pods)
    assert list(faults(take(desk, made, **entries))) == [field]
    assert not Claim.objects.exists()
    assert Correction.objects.get().state == "open"


def test_it_stands_beside_others_or_in_the_place_of_one(desk: Client, pods: Offering) -> None:
    old = make_claim(pods, "docker_daemon", "none")
    resolve_offerings([pods.pk])
    first, second = make_correction(pods), make_correction(pods, value="rootless")
    assert list(faults(take(desk, first, place=""))) == ["place"]
    take(desk, first, place="beside")
    assert Claim.objects.count() == 2
    take(desk, second, place=str(old.pk), note="So it is now.")
    assert set(Claim.objects.values_list("value", flat=True)) == {"root", "rootless"}
    assert Claim.every.get(pk=old.pk).retired_at


def test_a_claim_that_stands_already_is_not_made_twice(desk: Client, pods: Offering) -> None:
    make_correction(pods)
    take(desk, Correction.objects.get())
    again = make_correction(pods)
    assert "stands there already" in str(faults(take(desk, again, place="beside")))
    again.refresh_from_db()
    assert (again.state, Claim.objects.count()) == ("open", 1)


def test_what_a_reader_typed_is_text_at_the_desk(desk: Client, pods: Offering) -> None:
    evil = "<script>alert(1)</script>"
    made = make_correction(pods, value=evil, note=evil, source=f"https://a.example/{evil}")
    for page in (LIST, change(made), address(made, "history")):
        html = desk.get(page).content.decode()
        assert "<script>alert" not in html
        assert "alert(1)" in html or page.endswith("history/")


def test_the_page_shows_the_claims_and_opens_sources_in_another_tab(
    desk: Client, pods: Offering
) -> None:
    make_claim(pods, "docker_daemon", "none", source="https://docs.example/old")
    html = desk.get(change(make_correction(pods, note="Look."))).content.decode()
    for source in ("https://docs.example/old", "https://docs.acme.example/pods/daemon"):
        assert f'<a href="{source}" target="_blank" rel="noopener noreferrer nofollow">' in html
    assert "Look." in html


# --- Declining -----------------------------------------------------------------------------


def test_a_declined_one_tells_the_reader_why(desk: Client, pods: Offering, client: Client) -> None:
    made = make_correction(pods)
    assert turn_down(desk, made, "The page says otherwise.").status_code == 302
    made.refresh_from_db()
    assert (made.state, made.claim) == ("declined", None)
    assert "The page says otherwise." in client.get(f"/corrections/{made.token}/").content.decode()
    assert LogEntry.objects.get().object_id == str(made.pk)


@pytest.mark.parametrize("reply", ["", "  ", "x" * 501])
def test_none_is_declined_without_a_short_reply(desk: Client, pods: Offering, reply: str) -> None:
    made = make_correction(pods)
    assert list(faults(turn_down(desk, made, reply), "decline")) == ["reply"]
    made.refresh_from_db()
    assert made.state == "open"


def decline_at_once(client: Client, reply: str, *chosen: Correction, **more: Any) -> str:
    sent = {"action": "decline_chosen", "reply": reply, **more}
    sent["_selected_action"] = [one.pk for one in chosen]
    return str(client.post(LIST, sent, follow=True).content.decode())


def test_a_thousand_are_declined_at_once_in_few_queries(desk: Client, pods: Offering) -> None:
    kept = make_correction(pods, state="taken")
    make_corrections(pods, 1000, timezone.now() - timedelta(days=1))
    first = Correction.objects.filter(state="open").first()
    assert first
    with CaptureQueriesContext(connection) as seen:
        html = decline_at_once(desk, "Advertising.", first, select_across="1")
    assert "1000 declined." in html
    assert len(seen) < 40
    assert set(Correction.objects.values_list("state", "reply")) == {
        ("declined", "Advertising."),
        ("taken", ""),
    }
    kept.refresh_from_db()
    assert kept.settled_at is None


def test_many_are_not_declined_without_a_reply(desk: Client, pods: Offering) -> None:
    made = make_correction(pods)
    assert "Say in a sentence" in decline_at_once(desk, " ", made)
    made.refresh_from_db()
    assert made.state == "open"


# --- Once each -----------------------------------------------------------------------------


def test_the_second_of_two_curators_is_told_who_was_first(desk: Client, pods: Offering) -> None:
    made = make_correction(pods)
    says = filled_in(desk, made)
    turn_down(desk, made, "No.")
    for page, entries in (("take", says), ("decline", {"decline-reply": "Nor this."})):
        told = desk.post(f"{LIST}{made.pk}/{page}/", entries, follow=True).content.decode()
        assert "Settled already, by c: Not taken over." in told
    made.refresh_from_db()
    assert (made.state, made.reply) == ("declined", "No.")
    assert not Claim.objects.exists()
    assert 'id="take"' not in desk.get(change(made)).content.decode()


def test_bulk_leaves_settled_ones_as_they_are(desk: Client, pods: Offering) -> None:
    made = make_correction(pods, state="declined", reply="First.")
    decline_at_once(desk, "Second.", made)
    made.refresh_from_db()
    assert made.reply == "First."


def test_what_was_settled_is_not_settled_again(pods: Offering) -> None:
    made = make_correction(pods, state="taken")
    user = get_user_model().objects.create(username="late")
    with pytest.raises(SettledError):
        decline(made.pk, user, "No.")


# --- Who may -------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["take", "decline"])
def test_who_may_only_look_can_change_nothing(pods: Offering, page: str) -> None:
    made = make_correction(pods)
    viewer = member("view_correction")
    html = viewer.get(change(made)).content.decode()
    assert "<form" not in html.partition('id="content-main"')[2].partition("<footer")[0]
    assert "decline_chosen" not in viewer.get(LIST).content.decode()
    assert viewer.get(f"{LIST}{made.pk}/{page}/").status_code == 403
    sent = {"decline-reply": "No.", **filled_in(viewer, made)}
    assert viewer.post(f"{LIST}{made.pk}/{page}/", sent).status_code == 403
    assert viewer.post(change(made), sent).status_code == 403
    decline_at_once(viewer, "No.", made)
    made.refresh_from_db()
    assert made.state == "open"


def test_who_may_not_even_look_sees_nothing(pods: Offering, client: Client) -> None:
    made = make_correction(pods)
    nobody = member("view_claim")
    for page in (LIST, change(made), f"{LIST}{made.pk}/take/"):
        assert nobody.get(page).status_code == 403
        assert client.get(page).status_code == 302


def test_who_may_change_corrections_settles_them(pods: Offering) -> None:
    made = make_correction(pods)
    helper = member("view_correction", "change_correction")
    assert take(helper, made).status_code == 302
    assert Claim.objects.get().value == "root"


def test_what_is_not_there_is_not_found(desk: Client) -> None:
    for page in ("17/change/", "17/take/", "x/decline/"):
        assert desk.get(LIST + page).status_code == 404


# --- The list ------------------------------------------------------------------------------


def listed(client: Client, **query: str) -> list[str]:
    rows = client.get(LIST, query).context["cl"].result_list
    return [correction.value for correction in rows]


def test_those_that_wait_stand_first_the_longest_on_top(desk: Client, pods: Offering) -> None:
    now = timezone.now()
    for days, state in ((1, "open"), (3, "taken"), (2, "open"), (4, "declined")):
        made_at = now - timedelta(days=days)
        make_correction(pods, value=f"{days} {state}", state=state, made_at=made_at)
    assert listed(desk) == ["2 open", "1 open"]
    assert listed(desk, state="all") == ["2 open", "1 open", "4 declined", "3 taken"]
    assert listed(desk, state="taken") == ["3 taken"]


def test_ten_thousand_that_wait_take_as_many_queries_as_ten(desk: Client, pods: Offering) -> None:
    def queries(**query: str) -> int:
        with CaptureQueriesContext(connection) as seen:
            assert desk.get(LIST, query).status_code == 200
        return len(seen)

    begin = timezone.now() - timedelta(days=10)
    make_corrections(pods, 10, begin)
    few = [queries(), queries(state="all"), queries(p="1"), queries(q="answer")]
    make_corrections(pods, 9_990, begin)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE providers_correction")
    assert [queries(), queries(state="all"), queries(p="99"), queries(q="answer")] == few
    waiting = Correction.objects.filter(state="open").order_by("made_at", "pk")[:100]
    assert "correction_waiting" in waiting.explain()
