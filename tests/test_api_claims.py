"""Claims over the API: who says what, narrowed and in parts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from providers.models import Claim, Offering
from tests.factories import make_claim, make_offering, make_provider

pytestmark = pytest.mark.django_db


def ask(client: Client, address: str, status: int = 200) -> dict[str, Any]:
    response = client.get(f"/api/v1/{address}")
    assert response.status_code == status, response.content
    found: dict[str, Any] = response.json()
    return found


def errors(found: dict[str, Any]) -> list[tuple[str, str]]:
    assert all(error["detail"] for error in found["errors"])
    return [(error["parameter"], error["reason"]) for error in found["errors"]]


@pytest.fixture
def pods() -> Offering:
    offering = make_offering("pods", make_provider("acme"))
    today = timezone.now().date()
    for days, value in ((5, "root"), (100, "none")):
        make_claim(
            offering,
            "docker_daemon",
            value,
            read_on=today - timedelta(days=days),
            decides=value == "root",
        )
    make_claim(offering, "ssh", True, basis="reported", source_kind="third_party", read_on=None)
    return offering


def test_all_claims_of_a_cell_stand_with_source_and_day(client: Client, pods: Offering) -> None:
    items = ask(client, "claims?offering=acme/pods&dimension=docker_daemon")["items"]
    assert [(c["value"], c["decides"], c["review"]) for c in items] == [
        ("root", True, "current"),
        ("none", False, "ageing"),
    ]
    assert items[0]["url"] == "/providers/acme/pods/docker_daemon/"
    assert client.get(items[0]["url"]).status_code == 200


@pytest.mark.parametrize(
    ("query", "n"),
    [("", 3), ("provider=acme", 3), ("basis=reported", 1), ("decides=0", 1), ("decides=1", 2)],
)
def test_claims_can_be_narrowed(client: Client, pods: Offering, query: str, n: int) -> None:
    assert len(ask(client, f"claims?{query}")["items"]) == n


def test_a_claim_without_a_day_is_due(client: Client, pods: Offering) -> None:
    (claim,) = ask(client, "claims?basis=reported")["items"]
    assert (claim["read_on"], claim["review"], claim["value"]) == (None, "due", "yes")


def test_claims_come_in_parts_that_miss_and_repeat_nothing(client: Client, pods: Offering) -> None:
    for n in range(5):
        make_claim(pods, "registries", [f"r{n}.example"])
    seen, address = [], "claims?limit=3&offering=acme/pods"
    while address:
        part = ask(client, address.removeprefix("/api/v1/"))
        assert len(part["items"]) <= 3
        seen += [claim["id"] for claim in part["items"]]
        address = part["next"] or ""
    assert seen == list(Claim.objects.order_by("pk").values_list("pk", flat=True))


def test_a_claim_that_comes_meanwhile_moves_no_part(client: Client, pods: Offering) -> None:
    first = ask(client, "claims?limit=2")
    Claim.objects.filter(pk=first["items"][0]["id"]).delete()
    second = ask(client, first["next"].removeprefix("/api/v1/"))
    assert [claim["dimension"] for claim in second["items"]] == ["ssh"]


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("provider=nobody", "provider"),
        ("offering=acme/nothing", "offering"),
        ("offering=acme", "offering"),
        ("dimension=moon", "dimension"),
        ("basis=rumour", "basis"),
        ("limit=0", "limit"),
        ("limit=501", "limit"),
        ("cursor=x", "cursor"),
    ],
)
def test_claims_refuse_what_they_do_not_know(
    client: Client, pods: Offering, query: str, parameter: str
) -> None:
    assert [name for name, _ in errors(ask(client, f"claims?{query}", 422))] == [parameter]


def test_a_wrong_key_is_answered_with_all_keys(client: Client) -> None:
    (error,) = ask(client, "claims?basis=rumour", 422)["errors"]
    assert error["allowed"] == ["probed", "documented", "derived", "reported"]
