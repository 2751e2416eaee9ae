"""Coverage over the API: of all, and of one provider."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from providers.models import Offering
from tests.factories import make_claim, make_offering, make_provider
from tests.query_counts import queries_of

pytestmark = pytest.mark.django_db


def ask(client: Client, address: str) -> dict[str, Any]:
    response = client.get(f"/api/v1/{address}")
    assert response.status_code == 200, response.content
    found: dict[str, Any] = response.json()
    return found


@pytest.fixture
def pods() -> Offering:
    made = make_offering(
        "pods", make_provider("acme"), custom_image="any", ssh=True, contradicted=["spot"]
    )
    today = timezone.now().date()
    make_claim(made, "custom_image", "any", read_on=today - timedelta(days=200))
    make_claim(made, "ssh", True, read_on=None, source_kind="third_party")
    return made


FIGURES = {
    "offerings": 1,
    "main_cells": 7,
    "main_known": 1,
    "main_known_share": 0.1428,
    "answers": 2,
    "own_source": 1,
    "own_source_share": 0.5,
    "undated": 1,
    "due": 2,
    "median_age_days": None,
    "contradicted": 1,
}


def test_it_tells_figures_with_the_day_of_which_they_are(client: Client, pods: Offering) -> None:
    found = ask(client, "coverage")
    assert found["day"] == timezone.now().date().isoformat()
    assert {name: found[name] for name in FIGURES} == FIGURES


def test_the_oldest_and_the_contradicted_lead_to_their_pages(
    client: Client, pods: Offering
) -> None:
    found = ask(client, "coverage")
    read_on = (timezone.now().date() - timedelta(days=200)).isoformat()
    told = [(old["offering"], old["dimension"], old["read_on"]) for old in found["oldest"]]
    assert told == [("acme/pods", "ssh", None), ("acme/pods", "custom_image", read_on)]
    assert [cell["dimension"] for cell in found["contradictions"]] == ["spot"]
    for cell in (*found["oldest"], *found["contradictions"]):
        assert client.get(cell["url"]).status_code == 200


def test_providers_stand_weakest_first_and_lead_to_more(client: Client, pods: Offering) -> None:
    make_offering("vms", make_provider("blank"))
    make_offering("gone", make_provider("closed", status="closed"))
    blank, acme = ask(client, "coverage")["providers"]
    assert (blank["provider"], blank["main_known_share"], blank["own_source_share"]) == (
        "blank",
        0,
        None,
    )
    assert {name: acme[name] for name in FIGURES} == FIGURES
    more = ask(client, acme["url"].removeprefix("/api/v1/"))
    assert (more["provider"], more["name"], len(more["oldest"])) == ("acme", "Acme", 2)
    assert {name: more[name] for name in FIGURES} == FIGURES


def test_status_tells_the_same_counts(client: Client, pods: Offering) -> None:
    told = ask(client, "status")["coverage"]
    assert told == {name: FIGURES[name] for name in told}


def test_a_provider_that_closed_has_nothing_to_know(client: Client, pods: Offering) -> None:
    pods.provider.status = "closed"
    pods.provider.save()
    found = ask(client, "coverage/acme")
    assert (found["main_cells"], found["main_known_share"], found["oldest"]) == (0, None, [])
    assert ask(client, "coverage")["providers"] == []


def test_one_provider_costs_three_queries_whatever_it_rents_out(
    client: Client, pods: Offering
) -> None:
    for n in range(5):
        make_claim(make_offering(f"more-{n}", pods.provider), "ssh", True)
    assert queries_of(lambda: ask(client, "coverage/acme")) == 3
