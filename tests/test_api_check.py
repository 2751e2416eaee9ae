"""/api/v1/check: what is known is answered, what is being read is 202, what failed says why."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client
from django.utils import timezone

from checks.api.check import judging_world
from checks.conditions import Asked
from checks.image.facts import facts_of
from checks.image.reading import look
from checks.image.reasons import Reason
from checks.image.reference import parse
from checks.image.registry import Phase
from checks.verdicts import CheckResult, check
from gpucompare.cuda.answer import Standing
from providers.browse.criteria import Criteria
from tests.asking_check import NAME, PATH, ask, errors, known, post
from tests.factories import make_gpu, make_listing, make_offering, make_provider
from tests.known_images import know_failure, know_reading
from tests.query_counts import queries_of

pytestmark = pytest.mark.django_db

H100 = {"compute_capability": "9.0"}


@pytest.fixture
def offerings() -> None:
    """One where it runs, one whose driver is too old, one of which little is known."""
    h100 = make_gpu("h100-sxm", "h100", **H100)
    answers: dict[str, Any] = {"custom_image": "any", "gpu_passthrough": "automatic"}
    now = timezone.now()
    for slug, driver in (("new", "570.124.06"), ("old", "470.82.01"), ("open", "")):
        offering = make_offering(slug, make_provider(f"{slug}-cloud"), **answers)
        make_listing(
            offering, h100, driver=driver, seen_at=now, usd_per_hour=Decimal("2.5"), gpu_count=1
        )


def page_result(query: str = "") -> CheckResult:
    """What the page makes of the known image."""
    reading = look(parse(NAME))
    assert reading.record
    world = judging_world()
    criteria, _ignored = Criteria.parse(QueryDict(query), world.vocabulary)
    asked = Asked(facts_of(reading.record), reading.reference.host, private=False)
    return check(asked, criteria, world, timezone.now())


# --- A known image -----------------------------------------------------------------------


@pytest.mark.usefixtures("offerings")
def test_a_known_image_is_judged_at_every_offering_as_on_the_page(client: Client) -> None:
    known()
    found, expected = ask(client, image=NAME), page_result()
    assert [row["key"] for row in found["offerings"]] == [
        f"{one.row.offering.provider.slug}/{one.row.offering.slug}" for one in expected.rows
    ]
    for row, one in zip(found["offerings"], expected.rows, strict=True):
        said = one.stand.said
        assert row["standing"] == said.standing
        assert [reason["key"] for reason in row["reasons"]] == list(said.reasons)
        assert [fix["key"] for fix in row["fixes"]] == list(said.fixes)
        assert [fact["key"] for fact in row["missing"]] == list(said.missing)
    for standing in Standing:
        offerings = expected.counts[standing]
        assert found["counts"][standing]["offerings"] == len(offerings)
    assert (found["match"], found["may"]) == (len(expected.match), len(expected.may))


@pytest.mark.usefixtures("offerings")
def test_the_best_stands_first_with_its_price_and_its_gpu(client: Client) -> None:
    known()
    first, *_, last = ask(client, image=NAME)["offerings"]
    assert (first["key"], first["standing"]) == ("new-cloud/new", "runs")
    assert first["cheapest"]["usd_per_hour"] == 2.5
    assert first["gpus"][0]["gpu"] == "h100-sxm"
    assert (last["key"], last["standing"]) == ("old-cloud/old", "fails")
    assert last["best"]["run"] == "fails_driver_too_old"
    assert last["reasons"][0]["text"] not in ("", last["reasons"][0]["key"])


@pytest.mark.usefixtures("offerings")
def test_what_is_not_known_is_not_a_no(client: Client) -> None:
    known()
    rows = {row["key"]: row for row in ask(client, image=NAME)["offerings"]}
    unknown = rows["open-cloud/open"]
    assert unknown["standing"] == "unknown"
    assert "host.driver" in [fact["key"] for fact in unknown["missing"]]


def test_facts_of_the_image_say_where_they_were_read(client: Client) -> None:
    known()
    found = ask(client, image=NAME)
    facts = {fact["key"]: fact for fact in found["image"]["facts"]}
    assert (facts["cuda"]["value"], facts["cuda"]["source"]) == ("12.8.1", "env:CUDA_VERSION")
    assert found["image"]["reference"] == "docker.io/acme/trainer:1"
    assert found["image"]["pinned"].startswith("sha256:")
    assert found["image"]["read_at"]
    assert found["reading"]["state"] == "ready"
    assert found["image"]["advice"][0]["key"] == "amd64_only"


@pytest.mark.usefixtures("offerings")
def test_criteria_narrow_the_offerings_and_stand_in_the_address(client: Client) -> None:
    known()
    found = ask(client, image=NAME, verdict="runs", provider="new-cloud")
    assert [row["key"] for row in found["offerings"]] == ["new-cloud/new"]
    assert found["criteria"] == "provider=new-cloud&verdict=runs"
    assert found["address"] == f"/check/?image={NAME}&provider=new-cloud&verdict=runs"
    page = client.get(found["address"])
    assert page.status_code == 200


@pytest.mark.usefixtures("offerings")
def test_offerings_that_only_may_match_can_be_left_out(client: Client) -> None:
    known()
    shown = ask(client, image=NAME, min_driver="500")
    hidden = ask(client, image=NAME, min_driver="500", unknown="hide")
    assert [row["match"] for row in shown["offerings"]] == ["yes", "may"]
    assert [row["key"] for row in hidden["offerings"]] == ["new-cloud/new"]


@pytest.mark.usefixtures("offerings")
def test_prices_stand_in_the_asked_units(client: Client) -> None:
    known()
    first = ask(client, image=NAME, period="day")["offerings"][0]
    assert first["cheapest"]["shown"] == 60
    assert ask(client, image=NAME, period="day")["units"]["period"] == "day"


def conditions(found: dict[str, Any]) -> list[str]:
    (row,) = found["offerings"]
    return [condition["key"] for condition in row["conditions"]]


def test_the_registry_of_a_name_counts_and_what_anybody_reads_needs_no_login(
    client: Client,
) -> None:
    known()
    make_offering(
        custom_image="any",
        gpu_passthrough="automatic",
        registries=["ghcr.io"],
        registry_auth=["docker_login"],
    )
    by_name, by_hand = ask(client, image=NAME), ask(client, cuda="12.8")
    assert conditions(by_name) == ["registry_not_taken"]
    assert "registry_not_taken" not in conditions(by_hand)
    (row,) = by_name["offerings"]
    (claims,) = (condition["claims"] for condition in row["conditions"])
    assert client.get(claims).status_code == 200


# --- A host ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("offerings")
@pytest.mark.parametrize("gpu", ["h100-sxm", "H100-SXM", "H100 SXM5", "NVIDIA H100 80GB HBM3"])
def test_a_host_that_is_given_is_judged_by_any_name_of_its_gpu(client: Client, gpu: str) -> None:
    known()
    new = ask(client, image=NAME, host_gpu=gpu, host_driver="570.124.06")["host"]
    old = ask(client, image=NAME, host_gpu=gpu, host_driver="470.82.01")["host"]
    assert (new["standing"], new["best"]) == ("runs", {"start": "passes", "run": "runs"})
    assert (old["standing"], old["best"]["run"]) == ("fails", "fails_driver_too_old")


@pytest.mark.usefixtures("offerings")
def test_a_host_without_a_driver_is_unknown(client: Client) -> None:
    known()
    assert ask(client, image=NAME, host_gpu="h100-sxm")["host"]["standing"] == "unknown"
    assert ask(client, image=NAME)["host"] is None


@pytest.mark.usefixtures("offerings")
def test_a_host_that_cannot_be_is_refused_by_the_name_of_its_parameter(client: Client) -> None:
    known()
    (gpu,) = ask(client, 422, image=NAME, host_gpu="Voodoo 2")["errors"]
    assert (gpu["parameter"], gpu["allowed"]) == ("host_gpu", ["h100", "h100-sxm"])
    assert errors(ask(client, 422, image=NAME, host_driver="new")) == [("host_driver", "value")]
    body = post(client, 422, image=NAME, host={"gpu": "Voodoo 2"})
    assert errors(body) == [("host.gpu", "value")]


# --- Being read, and failed -------------------------------------------------------------------


def test_while_the_registry_is_read_it_says_where_to_ask_again(client: Client) -> None:
    know_reading(NAME, Phase.CONFIG)
    response = client.get(PATH, {"image": NAME, "kind": "vm_cloud", "host_driver": "570"})
    found = response.json()
    assert (response.status_code, found["state"], found["phase"]) == (202, "pending", "config")
    assert found["text"] == "Reading how the image is configured"
    assert response["Location"] == found["location"]
    assert response["Cache-Control"] == "no-store"
    assert int(response["Retry-After"]) > 0
    known()
    again = client.get(response["Location"])
    assert again.status_code == 200
    assert again.json()["criteria"] == "kind=vm_cloud"
    assert again.json()["host"]


def test_a_post_is_sent_on_to_the_same_question(client: Client) -> None:
    know_reading(NAME)
    body = {"image": NAME, "criteria": {"kind": ["vm_cloud"]}, "host": {"driver": "570"}}
    response = client.post(f"{PATH}?lang=tr", body, content_type="application/json")
    assert response.status_code == 202
    assert response["Location"] == (f"{PATH}?image={NAME}&kind=vm_cloud&host_driver=570&lang=tr")


@pytest.mark.parametrize("reason", list(Reason))
def test_every_failure_says_its_reason(client: Client, reason: Reason) -> None:
    know_failure(NAME, reason)
    response = client.get(PATH, {"image": NAME})
    found = response.json()
    assert response["Content-Type"] == "application/problem+json"
    assert response.status_code in (422, 429, 500, 502, 503, 504)
    assert found["reason"] == reason
    assert found["detail"]
    assert ("errors" in found and bool(found["errors"])) == (response.status_code == 422)


def test_a_registry_that_asks_to_wait_says_how_long(client: Client) -> None:
    know_failure(NAME, Reason.THROTTLED)
    response = client.get(PATH, {"image": NAME})
    assert response.status_code == 503
    assert 60 < int(response["Retry-After"]) <= 120


def test_a_failure_leaves_an_earlier_answer_that_says_so(client: Client) -> None:
    known()
    know_failure(NAME, Reason.UNREACHABLE)
    found = ask(client, image=NAME)
    assert (found["reading"]["state"], found["reading"]["reason"]) == ("failed", "unreachable")
    assert found["reading"]["text"]
    assert found["image"]["facts"]


# --- By hand and pasted -------------------------------------------------------------------------


@pytest.mark.usefixtures("offerings")
def test_facts_by_hand_are_enough(client: Client) -> None:
    by_query = ask(client, cuda="12.8", framework="torch", release="2.8.0")
    by_body = post(client, facts={"cuda": "12.8", "framework": "torch", "release": "2.8.0"})
    assert by_query.pop("computed_at") <= by_body.pop("computed_at")
    assert by_query == by_body
    assert by_query["reading"] is None
    assert by_query["address"] == "/check/?cuda=12.8&framework=torch&release=2.8.0"


@pytest.mark.usefixtures("offerings")
def test_more_facts_than_a_form_has_decide_too(client: Client) -> None:
    facts = {"cuda": "12.8", "requires": ["cuda>=12.8"], "platforms": ["arm64"]}
    found = post(client, facts=facts, host={"gpu": "h100-sxm", "driver": "570.124.06"})
    assert found["host"]["best"]["run"] == "fails_platform"
    again = client.get(found["address"].replace("/check/", PATH)).json()
    assert [row["standing"] for row in again["offerings"]] == [
        row["standing"] for row in found["offerings"]
    ]


def test_an_empty_list_of_requirements_asks_nothing(client: Client) -> None:
    host = {"driver": "550.54.15"}
    silent = post(client, facts={"cuda": "12.8"}, host=host)["host"]
    asks_nothing = post(client, facts={"cuda": "12.8", "requires": []}, host=host)["host"]
    assert (silent["best"]["start"], asks_nothing["best"]["start"]) == ("unknown", "passes")


def test_a_pasted_image_is_judged_and_not_kept_in_the_address(client: Client) -> None:
    paste = "FROM ubuntu:24.04\nENV CUDA_VERSION=12.8.1\nENV SECRET=hunter2\n"
    found = post(client, paste=paste)
    assert ("cuda", "12.8.1") in [(f["key"], f["value"]) for f in found["image"]["facts"]]
    assert "toolkit=12.8.1" in found["address"]
    assert "hunter2" not in json.dumps(found)


def test_a_paste_that_cannot_be_read_says_what_to_paste(client: Client) -> None:
    found = post(client, 422, paste="[]")
    assert (found["type"], found["reason"]) == ("/api/v1/docs#paste", "no_image")
    assert "skopeo" in found["detail"]


# --- Caching and cost ----------------------------------------------------------------------


@pytest.mark.usefixtures("offerings")
def test_the_same_answer_is_not_sent_twice_though_it_is_computed_again(client: Client) -> None:
    known()
    first = client.get(PATH, {"image": NAME})
    again = client.get(PATH, {"image": NAME}, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = client.get(
        PATH, {"image": NAME, "provider": "new-cloud"}, headers={"If-None-Match": first["ETag"]}
    )
    assert other.status_code == 200


@pytest.mark.usefixtures("offerings")
def test_more_offerings_cost_no_more_queries(client: Client) -> None:
    known()
    few = queries_of(lambda: ask(client, image=NAME))
    gpu = make_gpu("a100-sxm", "a100")
    for _ in range(12):
        make_listing(make_offering(custom_image="any"), gpu, usd_per_hour=Decimal(1))
    assert queries_of(lambda: ask(client, image=NAME)) == few
    # Three of them read the world once more: in the transaction of a test nothing is kept.
    assert few <= 20  # six of them read the listings, which a test keeps nowhere
