"""Coverage where readers meet it: on the page of status and on that of a provider."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from providers.coverage import Coverage, coverage
from providers.coverage_facts import coverage_facts, facts_read, provider_coverage
from providers.models import Claim, Offering
from providers.status import WEAKEST
from tests.factories import make_claim, make_offering, make_provider
from tests.query_counts import queries_of

pytestmark = pytest.mark.django_db


def ago(days: int) -> date:
    return timezone.now().date() - timedelta(days=days)


@pytest.fixture
def pods() -> Offering:
    """Two of seven main questions answered; three answers, two of them by the provider itself."""
    answers: dict[str, Any] = {"custom_image": "any", "docker_daemon": "none", "ssh": True}
    made = make_offering("pods", make_provider("acme"), contradicted=["spot"], **answers)
    make_claim(made, "custom_image", "any", read_on=ago(10))
    make_claim(made, "docker_daemon", "none", read_on=ago(20), source_kind="integrator")
    make_claim(made, "ssh", True, read_on=None)
    make_claim(made, "ssh", False, read_on=ago(1), decides=False)
    for value in (True, False):
        make_claim(made, "spot", value, decides=False)
    return made


def figures() -> Coverage:
    return coverage(coverage_facts(), timezone.now().date())


def text(client: Client, address: str) -> str:
    html = client.get(address).content.decode().replace("\xa0", " ")
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def part(client: Client, begin: str = 'id="coverage"', address: str = "/status/") -> str:
    html = client.get(address).content.decode()
    return html[html.index(begin) :]


# --- Facts -----------------------------------------------------------------------------------


def test_claims_that_decide_nothing_do_not_count(pods: Offering) -> None:
    found = figures()
    assert (found.answers, found.own_source, found.undated) == (3, 2, 1)
    assert (found.main_known, found.median_age_days, found.contradicted) == (2, 20, 1)


def test_a_retired_claim_does_not_count(pods: Offering) -> None:
    Claim.objects.filter(dimension="ssh").update(retired_at=timezone.now(), decides=False)
    assert (figures().answers, figures().undated) == (2, 0)


@pytest.mark.parametrize("closed", ["offering", "provider"])
def test_what_cannot_be_rented_does_not_count(pods: Offering, closed: str) -> None:
    row = pods if closed == "offering" else pods.provider
    row.status = "closed"
    row.save()
    found = figures()
    assert (found.offerings, found.answers, found.contradicted) == (0, 0, 0)


def test_one_provider_is_told_without_the_others(pods: Offering) -> None:
    make_claim(make_offering("vms", make_provider("other"), ssh=True), "ssh", True)
    today = timezone.now().date()
    assert coverage_facts("acme").offerings[0].key == "acme/pods"
    for slug, answers in (("acme", 3), ("other", 1)):
        found = provider_coverage(slug, today)
        assert found
        assert (found[0].slug, found[1].answers) == (slug, answers)
    assert provider_coverage("nobody", today) is None


def test_what_a_page_has_read_tells_the_same_as_the_database(pods: Offering) -> None:
    make_offering("old", pods.provider, status="closed", ssh=True)
    read = facts_read(Offering.objects.all(), Claim.objects.all())
    asked, today = coverage_facts(), timezone.now().date()
    assert coverage(read, today) == coverage(asked, today)


def test_facts_cost_two_queries_whatever_there_is(pods: Offering) -> None:
    for n in range(5):
        make_claim(make_offering(f"more-{n}", pods.provider), "ssh", True)
        make_offering()
    assert queries_of(coverage_facts) == 2
    assert queries_of(lambda: coverage_facts("acme")) == 2


# --- Status ----------------------------------------------------------------------------------


def test_the_page_of_status_sums_up_who_says_it_and_how_old_it_is(
    client: Client, pods: Offering
) -> None:
    shown = text(client, "/status/")
    assert "Main questions answered 2 of 7 at 1 offering ( 28.5 % )" in shown
    assert "By the provider's own source 2 of 3 answers ( 66.6 % )" in shown.replace("&#x27;", "'")
    assert "Median age of an answer 20 days" in shown


def test_the_oldest_answers_lead_to_their_cells_and_bear_their_day(
    client: Client, pods: Offering
) -> None:
    html = part(client)
    old = html[html.index("<ol") : html.index("</ol>")]
    assert re.findall(r'href="([^"]+)"', old) == [
        f"/providers/acme/pods/{key}/" for key in ("ssh", "docker_daemon", "custom_image")
    ]
    assert "<small>day not recorded</small>" in old
    assert f'<time datetime="{ago(20).isoformat()}">' in old


def test_contradictions_are_listed_and_lead_to_their_cells(client: Client, pods: Offering) -> None:
    html = part(client)
    assert re.findall(r'href="([^"]+)"', html[: html.index("</ul>")]) == [
        "/providers/acme/pods/spot/"
    ]
    pods.contradicted = []
    pods.save()
    assert "contradict each other" not in part(client)


def test_providers_stand_in_a_table_the_weakest_first(client: Client, pods: Offering) -> None:
    make_offering("vms", make_provider("blank"))
    rows = re.findall(r"<bdi>(\w+)</bdi></a></th>", part(client))
    assert rows == ["Blank", "Acme"]
    assert "<details" not in part(client)


def test_all_but_the_weakest_are_folded(client: Client) -> None:
    for _ in range(WEAKEST + 2):
        make_offering()
    html = part(client)
    before, after = html.split("<details", 1)
    assert before.count('scope="row"') == WEAKEST
    assert after.count('scope="row"') == 2
    assert "2 further providers" in after


def test_a_provider_of_whom_nothing_is_said_has_no_share_of_nothing(client: Client) -> None:
    make_offering("vms", make_provider("blank"))
    row = part(client, 'role="rowheader" scope="row"><a href="/providers/blank/')
    cells = [" ".join(re.sub(r"<i>.*?</i>|<[^>]+>", "", c).split()) for c in row.split("</td>")[:5]]
    assert [cell.split(">")[-1] for cell in cells[1:]] == ["–", "–", "0", "0"]


def test_without_a_catalog_nothing_is_said_of_coverage(client: Client) -> None:
    assert 'id="coverage"' not in client.get("/status/").content.decode()


# --- A provider ------------------------------------------------------------------------------


def test_the_page_of_a_provider_tells_the_same_figures(client: Client, pods: Offering) -> None:
    shown = text(client, "/providers/acme/").replace("&#x27;", "'")
    assert "Main questions answered 2 of 7 ( 28.5 % )" in shown
    assert "By the provider's own source 2 of 3 answers ( 66.6 % )" in shown
    assert "Median age 20 days" in shown
    assert "Contradicted 1 answer" in shown


def test_the_page_of_a_closed_provider_says_nothing_of_coverage(client: Client) -> None:
    make_offering("pods", make_provider("acme", status="closed"), ssh=True)
    assert "Main questions answered" not in text(client, "/providers/acme/")
