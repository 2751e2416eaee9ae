"""A provider's page and an opened cell: every answer with who says so, and when."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from providers import claim_views, queries
from providers.claim_views import CellPage
from providers.dimensions import CLAIMED, DIMENSIONS, GROUPS
from providers.models import Offering
from providers.resolve import resolve_offerings
from tests.factories import make_claim, make_offering, make_provider

pytestmark = pytest.mark.django_db

TODAY = date(2026, 11, 30)


@pytest.fixture
def pods() -> Offering:
    provider = make_provider("acme", website="https://www.acme.example/gpus")
    return make_offering("pods", provider, docs="https://docs.acme.example/pods")


def say(offering: Offering, dimension: str, value: Any, **fields: Any) -> None:
    make_claim(offering, dimension, value, **fields)
    resolve_offerings([offering.pk])
    offering.refresh_from_db()


def opened(offering: Offering, key: str) -> CellPage:
    """The opened cell as its page gets it."""
    claims = queries.claims(offering, key)
    return claim_views.cell_page(offering, DIMENSIONS[key], claims, TODAY)


def provider_page(offering: Offering) -> Any:
    """A provider's page as its template gets it."""
    return Client().get(f"/providers/{offering.provider.slug}/").context["page"]


# --- Addresses ---------------------------------------------------------------------------


def test_every_question_of_an_offering_has_its_page(client: Client, pods: Offering) -> None:
    for key in DIMENSIONS:
        response = client.get(f"/providers/acme/pods/{key}/")
        assert response.status_code == 200, key
        assert str(DIMENSIONS[key].question) in response.context["cell"].question


@pytest.mark.usefixtures("pods")
@pytest.mark.parametrize(
    "path",
    [
        "/providers/nobody/",
        "/providers/acme/pods/",
        "/providers/acme/pods/colour/",
        "/providers/acme/boxes/spot/",
        "/providers/nobody/pods/spot/",
        "/providers/acme%00/",
        "/providers/ACME/",
    ],
)
def test_what_does_not_exist_is_told_on_a_page_of_the_site(client: Client, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert "There is nothing at this address" in response.content.decode()


@pytest.mark.usefixtures("pods")
@pytest.mark.parametrize("path", ["/providers/acme/", "/providers/acme/pods/spot/"])
def test_pages_are_read_and_not_posted_to(client: Client, path: str) -> None:
    assert client.post(path).status_code == 405
    head = client.head(path)
    assert (head.status_code, head.content) == (200, b"")


# --- One cell ----------------------------------------------------------------------------


def test_a_cell_tells_its_answer_and_who_says_so(client: Client, pods: Offering) -> None:
    say(pods, "docker_daemon", "root", note="On every machine.", read_on=date(2026, 10, 2))
    page = client.get("/providers/acme/pods/docker_daemon/").content.decode()
    for text in (
        "Do you get a real Docker daemon",
        "A real daemon that you control as root.",
        "On every machine.",
        "Documented",
        "The provider",
        'href="https://docs.example/page"',
        "2 October 2026",
    ):
        assert text in page
    assert "day not recorded" not in page


def test_the_deciding_claim_stands_before_the_others(pods: Offering) -> None:
    say(pods, "spot", False, basis="reported", source_kind="third_party")
    say(pods, "spot", True)
    cell = opened(pods, "spot")
    assert (cell.state, cell.answer) == ("yes", "Yes")
    assert cell.deciding is not None
    assert (cell.deciding.answer, cell.deciding.basis_key) == ("Yes", "documented")
    assert [(c.answer, c.basis, c.source_kind) for c in cell.others] == [
        ("No", "Reported", "A third party")
    ]


def test_a_contradiction_is_shown_with_both_sides(client: Client, pods: Offering) -> None:
    say(pods, "spot", True, source="https://one.example/a")
    say(pods, "spot", False, source="https://two.example/b")
    cell = opened(pods, "spot")
    assert (cell.contradicted, cell.state, cell.deciding) == (True, "contradicted", None)
    assert {claim.answer for claim in cell.others} == {"Yes", "No"}
    page = client.get("/providers/acme/pods/spot/").content.decode()
    assert "disagree" in page
    assert "one.example" in page
    assert "two.example" in page
    assert not any(value.chosen for value in cell.allowed)


def test_an_unknown_cell_says_so_and_where_to_look(client: Client, pods: Offering) -> None:
    page = client.get("/providers/acme/pods/spot/").content.decode()
    assert "That is not a no." in page
    assert 'href="https://docs.acme.example/pods"' in page
    assert opened(pods, "spot").state == "unknown"


@pytest.mark.parametrize(
    ("days", "age", "text"),
    [(0, "current", "30 November 2026"), (91, "ageing", "31 August 2026"), (181, "due", None)],
)
def test_a_claim_shows_its_age(pods: Offering, days: int, age: str, text: str | None) -> None:
    say(pods, "spot", True, read_on=TODAY - timedelta(days=days))
    claim = opened(pods, "spot").deciding
    assert claim is not None
    assert claim.age == age
    assert text is None or claim.read_on == text


def test_a_day_that_was_not_recorded_is_due(pods: Offering) -> None:
    say(pods, "spot", True, read_on=None)
    claim = opened(pods, "spot").deciding
    assert claim is not None
    assert (claim.read_on, claim.age) == ("day not recorded", "due")


def test_the_possible_answers_stand_from_best_to_worst_with_the_given_one_marked(
    pods: Offering,
) -> None:
    say(pods, "registry_auth", ["docker_login", "cloud_role"])
    allowed = opened(pods, "registry_auth").allowed
    assert [(value.key, value.state, value.chosen) for value in allowed] == [
        ("docker_login", "yes", True),
        ("stored_credentials", "yes", False),
        ("cloud_role", "yes", True),
        ("no", "no", False),
    ]


def test_related_facts_stand_with_the_answer_they_belong_to(pods: Offering) -> None:
    say(pods, "driver", "535-595")
    say(pods, "driver_kind", "branches")
    details = opened(pods, "driver_kind").details
    assert [(str(label), text) for label, text in details] == [("Driver version", "535–595")]


@pytest.mark.parametrize(
    ("key", "value"),
    [("docker_daemon", "gone"), ("registry_auth", ["gone"]), ("registries", "gone")],
)
def test_a_value_that_is_no_answer_any_more_is_shown_as_it_was_written(
    client: Client, pods: Offering, key: str, value: Any
) -> None:
    say(pods, key, value)
    assert client.get("/providers/acme/").status_code == 200
    response = client.get(f"/providers/acme/pods/{key}/")
    assert response.status_code == 200
    assert "<bdi>gone</bdi>" in response.content.decode()
    assert opened(pods, key).state == "unknown"


def test_what_others_wrote_is_text_and_never_markup(client: Client, pods: Offering) -> None:
    say(pods, "cold_start", "<script>alert(1)</script>", note='"><img src=x>')
    for path in ("/providers/acme/", "/providers/acme/pods/cold_start/"):
        page = client.get(path).content.decode()
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert "&lt;script&gt;alert(1)" in page


# --- htmx --------------------------------------------------------------------------------


@pytest.mark.usefixtures("pods")
def test_htmx_gets_the_opened_cell_alone(client: Client) -> None:
    path = "/providers/acme/pods/spot/"
    whole = client.get(path).content.decode()
    response = client.get(path, headers={"HX-Request": "true"})
    part = response.content.decode()
    assert "<html" in whole
    assert "<html" not in part
    assert part.strip().startswith("<article")
    assert part.strip() in whole


@pytest.mark.usefixtures("pods")
def test_a_cache_keeps_page_and_part_apart(client: Client) -> None:
    for headers in ({}, {"HX-Request": "true"}):
        response = client.get("/providers/acme/pods/spot/", headers=headers)
        assert "HX-Request" in response["Vary"]


@pytest.mark.usefixtures("pods")
def test_going_back_in_history_gets_the_whole_page(client: Client) -> None:
    headers = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    response = client.get("/providers/acme/pods/spot/", headers=headers)
    assert b"<html" in response.content


# --- One provider ------------------------------------------------------------------------


def test_a_provider_is_told_with_its_offerings_in_the_catalogs_order(pods: Offering) -> None:
    make_offering("batch", pods.provider, position=2)
    make_offering("vm", pods.provider, position=1)
    page = provider_page(pods)
    assert (page.name, page.website_host) == ("Acme", "www.acme.example")
    assert [offering.slug for offering in page.offerings] == ["pods", "vm", "batch"]


def test_every_question_stands_under_its_group(pods: Offering) -> None:
    (offering,) = provider_page(pods).offerings
    assert [group.label for group in offering.groups] == list(GROUPS.values())
    told = [answer.label for group in offering.groups for answer in group.answers]
    assert sorted(map(str, told)) == sorted(str(d.label) for d in CLAIMED)


def test_an_answer_stands_with_its_claims_and_leads_to_its_cell(pods: Offering) -> None:
    say(pods, "spot", False, basis="reported")
    say(pods, "spot", True, read_on=None)
    (offering,) = provider_page(pods).offerings
    answers = {a.cell.url: a for group in offering.groups for a in group.answers}
    spot = answers["/providers/acme/pods/spot/"]
    assert (spot.cell.state, spot.cell.text, spot.cell.due) == ("yes", "Yes", True)
    assert [claim.answer for claim in spot.claims] == ["Yes", "No"]
    assert answers["/providers/acme/pods/ssh/"].claims == ()


def test_what_has_ended_says_so(client: Client) -> None:
    provider = make_provider("acme", status="acquired", status_note="Now part of Zed.")
    make_offering("pods", provider, status="closed", status_note="Ended in May.")
    page = client.get("/providers/acme/").content.decode()
    for text in ("Acquired", "Now part of Zed.", "Closed", "Ended in May."):
        assert text in page


def test_what_goes_on_says_nothing_of_an_end(pods: Offering) -> None:
    page = provider_page(pods)
    assert (page.status, page.offerings[0].status_text) == ("active", "")


def test_the_page_of_a_provider_costs_the_same_with_more_claims(
    client: Client, pods: Offering
) -> None:
    def queries_made() -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get("/providers/acme/")
        return len(captured)

    few = queries_made()
    for n in range(5):
        offering = make_offering(f"more-{n}", pods.provider)
        for key in ("spot", "ssh", "jupyter"):
            make_claim(offering, key, True)
    assert queries_made() == few
