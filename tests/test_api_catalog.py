"""Providers, offerings, claims and dimensions over the API: every fact with its source and day."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client
from django.utils import timezone
from pydantic import ValidationError

from providers.answers import Kind
from providers.api.answers import answer_model, answers_model
from providers.browse.criteria import Criteria
from providers.browse.query import browse
from providers.browse.world import World
from providers.dimensions import DIMENSIONS
from tests.factories import make_claim, make_gpu, make_listing, make_offering, make_provider

pytestmark = pytest.mark.django_db

CHOICE = {"enum": ["best", "worst"], "type": "string"}


def ask(client: Client, address: str, status: int = 200) -> dict[str, Any]:
    response = client.get(f"/api/v1/{address}")
    assert response.status_code == status, response.content
    found: dict[str, Any] = response.json()
    return found


def keys(found: dict[str, Any]) -> list[str]:
    return [row["key"] for row in found["items"]]


def errors(found: dict[str, Any]) -> list[tuple[str, str]]:
    assert all(error["detail"] for error in found["errors"])
    return [(error["parameter"], error["reason"]) for error in found["errors"]]


# --- Offerings ---------------------------------------------------------------------------------


def three() -> None:
    """One that matches `docker_daemon=root`, one of which it is not known, one that does not."""
    for slug, daemon in (("yes", "root"), ("open", None), ("no", "none")):
        make_offering(slug, make_provider(f"{slug}-cloud"), docker_daemon=daemon)


def test_offerings_are_those_of_the_page_with_what_only_may_match(client: Client) -> None:
    three()
    found = ask(client, "offerings?docker_daemon=root")
    assert {row["key"]: row["match"] for row in found["items"]} == {
        "open-cloud/open": "may",
        "yes-cloud/yes": "yes",
    }
    world = World.read()
    criteria, _ = Criteria.parse(QueryDict("docker_daemon=root"), world.vocabulary)
    page = browse(criteria, world, timezone.now())
    assert keys(found) == [f"{r.offering.provider.slug}/{r.offering.slug}" for r in page.rows]
    assert (found["match"], found["may"], found["total"]) == (1, 1, 3)
    assert found["criteria"] == "docker_daemon=root"
    (may,) = [row for row in found["items"] if row["match"] == "may"]
    assert may["unknown"] == ["docker_daemon"]


def test_what_only_may_match_can_be_left_out(client: Client) -> None:
    three()
    found = ask(client, "offerings?docker_daemon=root&unknown=hide")
    assert keys(found) == ["yes-cloud/yes"]
    assert found["may"] == 1


def test_an_answer_carries_its_value_basis_source_and_day(client: Client) -> None:
    offering = make_offering("pods", make_provider("acme"), docker_daemon="root")
    make_claim(offering, "docker_daemon", "root", read_on=date(2026, 5, 24), note="As root.")
    make_claim(offering, "docker_daemon", "none", decides=False, source="https://other.example")
    answer = ask(client, "offerings/acme/pods")["answers"]["docker_daemon"]
    assert answer == {
        "state": "known",
        "value": "root",
        "basis": "documented",
        "source": "https://docs.example/page",
        "source_kind": "provider",
        "read_on": "2026-05-24",
        "note": "As root.",
    }


def test_unknown_and_contradicted_are_states_without_a_value(client: Client) -> None:
    make_offering("pods", make_provider("acme"), contradicted=["ssh"])
    answers = ask(client, "offerings/acme/pods")["answers"]
    assert answers["ssh"] == {"state": "contradicted", "value": None}
    assert answers["jupyter"] == {"state": "unknown", "value": None}


def test_every_kind_of_answer_is_spelled_as_a_criterion(client: Client) -> None:
    make_offering(
        "pods",
        make_provider("acme"),
        custom_image="any",
        registry_auth=["docker_login", "cloud_role"],
        registries=["ghcr.io"],
        ssh=False,
        driver="535-595",
        cuda_max="13.0",
        max_image_gb=Decimal("20.500"),
        cold_start="A minute.",
    )
    answers = ask(client, "offerings/acme/pods")["answers"]
    assert {key: answers[key]["value"] for key in answers if answers[key]["state"] == "known"} == {
        "custom_image": "any",
        "registry_auth": ["docker_login", "cloud_role"],
        "registries": ["ghcr.io"],
        "ssh": "no",
        "driver": "535-595",
        "cuda_max": "13.0",
        "max_image_gb": 20.5,
        "cold_start": "A minute.",
    }


def test_columns_leave_other_answers_out(client: Client) -> None:
    three()
    whole = ask(client, "offerings")["items"][0]
    narrow = ask(client, "offerings?columns=ssh&columns=docker_daemon")["items"][0]
    assert list(whole["answers"]) == list(DIMENSIONS)
    assert set(narrow["answers"]) == {"ssh", "docker_daemon"}


def test_the_cheapest_listing_says_when_and_where_it_was_seen(client: Client) -> None:
    offering = make_offering("pods", make_provider("acme"))
    gpu, now = make_gpu("h100-sxm", "h100"), timezone.now()
    make_listing(offering, gpu, usd_per_hour=Decimal(8), gpu_count=4, seen_at=now)
    make_listing(offering, gpu, usd_per_hour=Decimal(3), seen_at=now)
    found = ask(client, "offerings?per=gpu&period=day")
    (row,) = found["items"]
    assert (row["cheapest"]["usd_per_hour"], row["cheapest"]["shown"]) == (8, 48)
    assert (row["cheapest"]["origin"], row["cheapest"]["trusted"]) == ("live", True)
    assert row["cheapest"]["seen_at"][:16] == now.isoformat()[:16]
    assert found["units"] == {"currency": "USD", "per": "gpu", "period": "day"}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("docker_daemon=boss", [("docker_daemon", "value")]),
        ("gpu=voodoo", [("gpu", "value")]),
        ("max_price=cheap&min_vram=0", [("min_vram", "value"), ("max_price", "value")]),
        ("sort=name&sort=price", [("sort", "repeated")]),
        ("page=2", [("page", "parameter")]),
        ("verdict=runs", [("verdict", "parameter")]),
        ("format=csv", [("format", "parameter")]),
        ("q=", [("q", "empty")]),
    ],
)
def test_what_a_page_would_only_notice_is_refused(
    client: Client, query: str, expected: list[tuple[str, str]]
) -> None:
    assert sorted(errors(ask(client, f"offerings?{query}", 422))) == sorted(expected)


def test_a_wrong_value_is_answered_with_those_that_are_allowed(client: Client) -> None:
    make_provider("acme"), make_offering("x", make_provider("other"))
    (daemon,) = ask(client, "offerings?docker_daemon=boss", 422)["errors"]
    assert daemon["allowed"] == list(DIMENSIONS["docker_daemon"].allowed)
    (provider,) = ask(client, "offerings?provider=nobody", 422)["errors"]
    assert provider["allowed"] == ["other"]


# --- A new dimension ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "value", "schema"),
    [
        (Kind.CHOICE, "best", CHOICE),
        (
            Kind.SET,
            ["best"],
            {"items": {"enum": ["best", "worst"], "type": "string"}, "type": "array"},
        ),
        (Kind.NUMBER, Decimal(3), {"type": "number"}),
        (Kind.VERSION, "12.8", {"type": "string"}),
    ],
)
def test_a_new_dimension_is_typed_by_its_declaration_alone(
    kind: Kind, value: object, schema: dict[str, Any]
) -> None:
    values = (
        replace(DIMENSIONS["ssh"].values[0], key="best"),
        replace(DIMENSIONS["ssh"].values[1], key="worst"),
    )
    new = replace(
        DIMENSIONS["ssh"],
        key="moon_phase",
        kind=kind,
        values=values,
        unit="GB",
        question="Which moon?",
    )
    shape = answer_model(new)
    assert shape.model_validate({"state": "known", "value": value})
    described = shape.model_json_schema(mode="serialization")["properties"]["value"]
    assert described["anyOf"][0] == schema
    assert described["description"] == "Which moon? (GB)"
    assert list(answers_model([new]).model_fields) == ["moon_phase"]


def test_an_answer_outside_its_dimension_is_no_answer() -> None:
    with pytest.raises(ValidationError):
        answer_model(DIMENSIONS["docker_daemon"]).model_validate({"state": "known", "value": "x"})


def test_the_document_names_every_dimension_as_criterion_and_as_answer(client: Client) -> None:
    document = ask(client, "openapi.json")
    parameters = {p["name"]: p for p in document["paths"]["/api/v1/offerings"]["get"]["parameters"]}
    answers = document["components"]["schemas"]["Answers"]["properties"]
    assert list(answers) == list(DIMENSIONS)
    for key, dimension in DIMENSIONS.items():
        assert (key in parameters) == dimension.filterable
        if dimension.values:
            allowed = parameters[key]["schema"]["items"]["enum"]
            assert allowed == list(dimension.allowed)


# --- Providers ---------------------------------------------------------------------------------


def test_providers_name_their_offerings_and_one_shows_them_whole(client: Client) -> None:
    acme = make_provider("acme", headquarters="DE", pricing_api_public=None)
    make_offering("pods", acme, ssh=True)
    make_offering("vms", acme)
    make_provider("zeta", status="closed", status_note="Closed in May.")
    items = ask(client, "providers")["items"]
    assert [(p["slug"], p["status"]) for p in items] == [("acme", "active"), ("zeta", "closed")]
    assert items[0]["offering_keys"] == ["acme/pods", "acme/vms"]
    assert (items[0]["headquarters"], items[1]["headquarters"]) == ("DE", None)
    assert items[0]["pricing_api_public"] is None
    one = ask(client, "providers/acme")
    assert [offering["key"] for offering in one["offerings"]] == ["acme/pods", "acme/vms"]
    assert one["offerings"][0]["answers"]["ssh"]["value"] == "yes"


# --- Dimensions --------------------------------------------------------------------------------


def test_dimensions_stand_as_they_are_declared(client: Client) -> None:
    items = ask(client, "dimensions")["items"]
    assert [d["key"] for d in items] == list(DIMENSIONS)
    for item in items:
        dimension = DIMENSIONS[item["key"]]
        assert item["question"] == str(dimension.question)
        assert [v["key"] for v in item["values"]] == list(dimension.allowed)
        assert item["is_criterion"] == dimension.filterable
        assert item["settled_by"]["text"]


def test_the_language_changes_texts_and_no_value(client: Client, monkeypatch: Any) -> None:
    def values(found: dict[str, Any]) -> list[list[str]]:
        return [[v["key"] for v in d["values"]] for d in found["items"]]

    assert values(ask(client, "dimensions?lang=ur")) == values(ask(client, "dimensions"))


# --- Compare -----------------------------------------------------------------------------------


def test_offerings_stand_side_by_side_with_what_differs(client: Client) -> None:
    for slug, daemon, ssh in (("a", "root", True), ("b", "none", True), ("c", None, None)):
        make_offering("x", make_provider(slug), docker_daemon=daemon, ssh=ssh)
    found = ask(client, "compare?o=a/x&o=b/x&o=c/x&base=b/x")
    assert [offering["key"] for offering in found["offerings"]] == ["a/x", "b/x", "c/x"]
    lines = {line["dimension"]: line for line in found["lines"]}
    assert lines["docker_daemon"]["standings"] == ["different", "base", "open"]
    assert (lines["docker_daemon"]["differs"], lines["ssh"]["differs"]) == (True, False)
    assert lines["ssh"]["standings"] == ["same", "base", "open"]
    assert client.get(found["address"]).status_code == 200


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ("o", "missing")),
        ("o=nobody/x", ("o", "absent")),
        ("o=a/x&o=a/x", ("o", "twice")),
        ("o=a/x&base=b/x", ("base", "value")),
        ("o=a/x&sort=price", ("sort", "parameter")),
        ("o=a/x&gpu=voodoo", ("gpu", "value")),
    ],
)
def test_a_comparison_refuses_what_it_cannot_show(
    client: Client, query: str, expected: tuple[str, str]
) -> None:
    make_offering("x", make_provider("a"))
    assert errors(ask(client, f"compare?{query}", 422)) == [expected]


def test_a_comparison_has_an_end(client: Client) -> None:
    names = [f"p{n}/x" for n in range(7)]
    for name in names:
        make_offering("x", make_provider(name.partition("/")[0]))
    query = "&".join(f"o={name}" for name in names)
    assert errors(ask(client, f"compare?{query}", 422)) == [("o", "surplus")]
