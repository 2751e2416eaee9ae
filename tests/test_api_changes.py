"""GET /api/v1/changes: what the feed tells, in JSON."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from providers.api.changes import SIZE
from providers.models import Change, Offering, What, Why
from tests.factories import make_gpu, make_offering, make_provider

pytestmark = pytest.mark.django_db


@pytest.fixture
def pods() -> Offering:
    return make_offering("pods", make_provider("acme"), docker_daemon="root")


def change(offering: Offering, what: What, minutes: int = 1, **fields: Any) -> Change:
    fields.setdefault("why", Why.CATALOG)
    at = timezone.now() - timedelta(minutes=minutes)
    return Change.objects.create(
        at=at, what=what, offering=offering, provider=offering.provider, **fields
    )


def price(offering: Offering, before: str, after: str, **fields: Any) -> Change:
    gpu = fields.pop("gpu")
    return change(
        offering,
        What.PRICE,
        why=Why.REFRESH,
        source="vast",
        gpu=gpu,
        family=gpu.family,
        usd_before=Decimal(before),
        usd_told=Decimal(before),
        usd_after=Decimal(after),
        **fields,
    )


def ask(client: Client, query: str = "", status: int = 200) -> dict[str, Any]:
    response = client.get(f"/api/v1/changes{query}")
    assert response.status_code == status, response.content
    found: dict[str, Any] = response.json()
    return found


def test_a_change_says_from_what_to_what_when_why_and_by_whose_word(
    client: Client, pods: Offering
) -> None:
    made = change(
        pods,
        What.CLAIM,
        dimension="docker_daemon",
        before={"contradicted": True},
        after="root",
        source_url="https://docs.example/page",
    )
    (found,) = ask(client)["items"]
    assert (found["id"], found["what"], found["why"]) == (made.pk, "claim", "catalog")
    assert (found["offering"], found["dimension"]) == ("acme/pods", "docker_daemon")
    assert (found["before"], found["after"]) == ("contradicted", "root")
    assert found["source"] == "https://docs.example/page"
    assert found["at"][:16] == made.at.isoformat()[:16]
    assert client.get(found["url"]).status_code == 200


def test_what_was_not_known_is_null_and_yes_is_a_word(client: Client, pods: Offering) -> None:
    change(pods, What.CLAIM, dimension="ssh", before=None, after=True)
    (found,) = ask(client)["items"]
    assert (found["before"], found["after"]) == (None, "yes")


def test_a_price_that_falls_below_a_limit_starts_to_match(client: Client, pods: Offering) -> None:
    price(pods, "2.5", "1.9", gpu=make_gpu("h100-sxm", "h100"))
    (found,) = ask(client, "?gpu=h100-sxm&max_price=2")["items"]
    assert (found["gpu"], found["effect"], found["refreshed"]) == ("h100-sxm", "starts", "vast")
    assert (found["usd_per_gpu_hour_before"], found["usd_per_gpu_hour_after"]) == (2.5, 1.9)
    assert "Pods" in found["text"]
    assert ask(client, "?gpu=h100-sxm&max_price=1")["items"] == []


def test_changes_come_in_parts_that_miss_and_repeat_nothing(client: Client, pods: Offering) -> None:
    for minutes in range(SIZE + 20):
        change(pods, What.CLAIM, minutes, dimension="ssh", before=None, after=True)
    first = ask(client, "?provider=acme")
    second = client.get(first["next"]).json()
    ids = [row["id"] for part in (first, second) for row in part["items"]]
    newest_first = Change.objects.order_by("-at").values_list("pk", flat=True)
    assert ids == list(newest_first)
    assert (len(first["items"]), second["next"]) == (SIZE, None)
    assert first["criteria"] == second["criteria"] == "provider=acme"


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("?gpu=voodoo", "gpu"),
        ("?verdict=runs", "verdict"),
        ("?freshness=fresh", "freshness"),
        ("?sort=price", "sort"),
        ("?after=x", "after"),
    ],
)
def test_what_no_change_can_be_asked_by_is_refused(
    client: Client, pods: Offering, query: str, parameter: str
) -> None:
    assert [e["parameter"] for e in ask(client, query, 422)["errors"]] == [parameter]
