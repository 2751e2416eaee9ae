"""Claims of one source are read once and confirmed together: what was shown, and nothing else."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse

from providers import claims
from providers.models import Claim, Offering
from tests.answers_screen import public, stands, today, visitor
from tests.desk import address, curator
from tests.factories import make_offering, make_provider
from tests.query_counts import queries_of

pytestmark = pytest.mark.django_db

PAGE, OTHER = "https://docs.example/page?a=1&b=2", "https://other.example/"


@pytest.fixture
def desk() -> Client:
    return curator()


@pytest.fixture
def pods() -> Offering:
    return make_offering("pods", make_provider("acme"))


def listed(desk: Client, **asked: str) -> list[Any]:
    return list(desk.get(reverse("desk-sources"), asked).context["page"].object_list)


def one(desk: Client, source: str = PAGE, **asked: str) -> Any:
    return desk.get(reverse("desk-source"), {"source": source} | asked)


def boxes(desk: Client, source: str = PAGE) -> dict[int, str]:
    return {each.row.pk: each.row.shown for each in one(desk, source).context["claims"]}


def confirm(desk: Client, *checked: str) -> list[str]:
    """Sends the form; returns what is told."""
    response = desk.post(f"{reverse('desk-source')}?source=x", {"checked": checked})
    assert response.status_code == 302
    return [str(message) for message in get_messages(response.wsgi_request)]


# --- The list ----------------------------------------------------------------------


def test_the_claims_lead_to_their_sources(desk: Client) -> None:
    assert (
        f'href="{reverse("desk-sources")}"'
        in desk.get(address(Claim, "changelist")).content.decode()
    )


def test_a_source_is_listed_with_its_claims_its_oldest_day_and_what_is_due(
    desk: Client, pods: Offering
) -> None:
    old = today() - timedelta(days=181)
    stands(pods, "ssh", True, source=PAGE, read_on=old)
    stands(pods, "jupyter", True, source=PAGE, read_on=today())
    stands(make_offering("vms", make_provider("beta")), "ssh", True, source=PAGE, read_on=today())
    stands(pods, "spot", True, source=OTHER, read_on=today())
    first, second = listed(desk)
    assert (first.source, first.claims, first.due, first.oldest) == (PAGE, 3, 1, old)
    assert list(first.providers) == ["Acme", "Beta"]
    assert (second.source, second.claims, second.due) == (OTHER, 1, 0)


def test_a_day_that_was_not_recorded_is_the_oldest_and_due(desk: Client, pods: Offering) -> None:
    stands(pods, "ssh", True, source=PAGE, read_on=None)
    stands(pods, "spot", True, source=PAGE, read_on=today())
    (row,) = listed(desk)
    assert (row.oldest, row.due) == (None, 1)
    assert "not recorded" in desk.get(reverse("desk-sources")).content.decode()


def test_retired_claims_need_no_source(desk: Client, pods: Offering) -> None:
    claims.retire([stands(pods, "ssh", True, source=PAGE)], "Gone.")
    assert listed(desk) == []
    assert one(desk).status_code == 404


def test_the_list_can_be_narrowed_to_what_is_due_and_to_a_provider(
    desk: Client, pods: Offering
) -> None:
    stands(pods, "ssh", True, source=PAGE, read_on=None)
    stands(make_offering("vms", make_provider("beta")), "ssh", True, source=OTHER, read_on=today())
    stands(make_offering("pod2", make_provider("c")), "ssh", True, source=PAGE, read_on=today())
    assert [row.source for row in listed(desk, due="1")] == [PAGE]
    assert [row.source for row in listed(desk, provider="beta")] == [OTHER]
    assert [(row.source, row.claims) for row in listed(desk, provider="acme")] == [(PAGE, 2)]
    assert listed(desk, provider="nobody") == []


def test_the_list_is_cut_into_pages_that_keep_the_filter(desk: Client, pods: Offering) -> None:
    for n in range(101):
        stands(pods, "ssh", True, source=f"https://docs.example/{n}", read_on=None)
    page = desk.get(reverse("desk-sources"), {"due": "1"})
    assert len(page.context["page"].object_list) == 100
    assert 'href="?due=1&amp;page=2"' in page.content.decode()
    assert len(listed(desk, due="1", page="2")) == 1


@pytest.mark.parametrize("screen", ["desk-sources", "desk-source"])
def test_the_number_of_queries_does_not_grow_with_the_claims(
    desk: Client, pods: Offering, screen: str
) -> None:
    stands(pods, "ssh", True, source=PAGE)
    url = f"{reverse(screen)}?source=https://docs.example/page%3Fa%3D1%26b%3D2"
    few = queries_of(lambda: desk.get(url))
    for n in range(5):
        stands(make_offering(), "spot", True, source=PAGE)
        stands(pods, "jupyter", True, source=f"https://docs.example/{n}")
    assert queries_of(lambda: desk.get(url)) == few


# --- One source --------------------------------------------------------------------


def test_all_claims_of_a_source_stand_on_one_page_with_a_link_that_opens_beside_it(
    desk: Client, pods: Offering
) -> None:
    here = stands(pods, "ssh", True, source=PAGE, note="Port 22.")
    elsewhere = stands(make_offering("vms"), "spot", False, source=PAGE)
    stands(pods, "jupyter", True, source=OTHER)
    assert boxes(desk).keys() == {here.pk, elsewhere.pk}
    html = one(desk).content.decode()
    assert 'href="https://docs.example/page?a=1&amp;b=2" target="_blank" rel="noopener"' in html
    assert "Port 22." in html
    assert "checked>" not in html
    assert one(desk, all="1").content.decode().count(" checked>") == 2
    (row,) = (r for r in listed(desk) if r.source == PAGE)
    listing = desk.get(reverse("desk-sources")).content.decode()
    assert row.claims == 2
    assert "?source=https%3A%2F%2Fdocs.example%2Fpage%3Fa%3D1%26b%3D2" in listing


def test_only_what_is_checked_is_confirmed(desk: Client, pods: Offering) -> None:
    yes = stands(pods, "ssh", True, source=PAGE, read_on=None)
    no = stands(pods, "spot", True, source=PAGE, read_on=None)
    said = confirm(desk, boxes(desk)[yes.pk])
    assert said[0].startswith("1 confirmed as of ")
    days = dict(Claim.objects.values_list("pk", "read_on"))
    assert days == {yes.pk: today(), no.pk: None}
    assert yes.history.first().history_user.username == "c"
    assert public(pods, "ssh").deciding.day == today()


def test_a_claim_that_changed_meanwhile_is_left_out_and_named(desk: Client, pods: Offering) -> None:
    day = date(2026, 6, 1)
    same = stands(pods, "ssh", True, source=PAGE, read_on=day)
    other = stands(pods, "spot", True, source=PAGE, read_on=day)
    gone = stands(pods, "jupyter", True, source=PAGE, read_on=day)
    checked = boxes(desk).values()
    other.value = False
    other.save()
    claims.retire([gone], "Closed.")
    said = confirm(desk, *checked)
    assert said[0].startswith("1 confirmed as of ")
    assert sorted(said[1:]) == [
        f"Acme Pods, Jupyter: left out. yes (documented, {PAGE}) was retired: Closed.",
        "Acme Pods, Spot: left out. Changed: value yes → no",
    ]
    days = dict(Claim.every.values_list("pk", "read_on"))
    assert days == {same.pk: today(), other.pk: day, gone.pk: day}


def test_a_claim_that_came_meanwhile_is_not_confirmed(desk: Client, pods: Offering) -> None:
    stands(pods, "ssh", True, source=PAGE, read_on=None)
    checked = boxes(desk).values()
    new = stands(pods, "spot", True, source=PAGE, read_on=None)
    confirm(desk, *checked)
    new.refresh_from_db()
    assert new.read_on is None


@pytest.mark.parametrize("checked", [[], ["x"], ["7"], [f"{'9' * 400}:a"], ["٣:a"]])
def test_a_form_without_a_claim_confirms_nothing_and_says_so(
    desk: Client, pods: Offering, checked: list[str]
) -> None:
    stands(pods, "ssh", True, source=PAGE, read_on=None)
    assert confirm(desk, *checked) == ["Nothing was checked, so nothing was confirmed."]
    assert Claim.objects.get().read_on is None


def test_the_form_leads_back_to_its_source(desk: Client, pods: Offering) -> None:
    stands(pods, "ssh", True, source=PAGE, read_on=None)
    url = f"{reverse('desk-source')}?source=https://docs.example/page%3Fa%3D1%26b%3D2"
    assert desk.post(url, {"checked": boxes(desk).values()})["Location"] == url


# --- Who may -----------------------------------------------------------------------


def test_a_viewer_sees_no_box_and_a_forged_form_is_refused(desk: Client, pods: Offering) -> None:
    claim = stands(pods, "ssh", True, source=PAGE, read_on=None)
    viewer = visitor("view_claim", "view_offering")
    main = one(viewer).content.decode().partition('id="content-main"')[2]
    assert "Acme Pods" in main
    assert "<button" not in main
    assert "checkbox" not in main
    sending = {"checked": boxes(desk)[claim.pk]}
    assert viewer.post(reverse("desk-source"), sending).status_code == 403
    assert Claim.objects.get().read_on is None


@pytest.mark.parametrize("screen", ["desk-sources", "desk-source"])
def test_who_may_not_look_at_claims_sees_no_sources(pods: Offering, screen: str) -> None:
    stands(pods, "ssh", True, source=PAGE)
    assert visitor("view_offering").get(reverse(screen), {"source": PAGE}).status_code == 403
    assert Client().get(reverse(screen)).status_code == 302
