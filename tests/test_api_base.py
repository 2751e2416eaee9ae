"""What holds for every address of the API: errors, ETag, other origins, rate, language."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from gpucompare import clients
from gpucompare.caching.control import ANYBODY

COLD = "/api/v1/cold-start?compressed_gb=1"

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _rate(settings: Any) -> Iterator[None]:
    settings.REDIS_URL = ""
    clients.forget_turns()
    yield
    clients.forget_turns()


def problem(response: Any) -> dict[str, Any]:
    """A well-formed problem that must not be kept."""
    assert response["Content-Type"] == "application/problem+json"
    assert response["Cache-Control"] == "no-store"
    found: dict[str, Any] = json.loads(response.content)
    assert found["status"] == response.status_code
    assert found["title"]
    return found


# --- Errors ------------------------------------------------------------------------------


def test_an_address_that_does_not_exist_is_a_problem(client: Client) -> None:
    found = problem(client.get("/api/v1/nothing"))
    assert (found["status"], found["type"]) == (404, "/api/v1/docs#not_found")


def test_another_method_is_a_problem_that_says_which_would_do(client: Client) -> None:
    response = client.delete("/api/v1/cold-start")
    assert problem(response)["status"] == 405
    assert response["Allow"] == "GET"


def test_a_parameter_that_the_document_does_not_name_is_refused(client: Client) -> None:
    found = problem(client.get(f"{COLD}&colour=red"))
    (error,) = found["errors"]
    assert found["status"] == 422
    assert (error["parameter"], error["value"], error["reason"]) == ("colour", "red", "parameter")
    assert "down_mbps" in error["allowed"]


def test_a_parameter_given_twice_or_without_a_value_is_refused(client: Client) -> None:
    found = problem(client.get(f"{COLD}&down_mbps=1&down_mbps=2&usd_per_hour="))
    assert [(e["parameter"], e["reason"]) for e in found["errors"]] == [
        ("down_mbps", "repeated"),
        ("usd_per_hour", "empty"),
    ]


def test_all_faults_are_named_at_once(client: Client) -> None:
    found = problem(client.get(f"{COLD}&down_mbps=fast&usd_per_hour=-1"))
    assert [error["parameter"] for error in found["errors"]] == ["down_mbps", "usd_per_hour"]
    assert all(error["detail"] for error in found["errors"])
    assert found["detail"] == "Correct or leave out: down_mbps, usd_per_hour."


def test_what_is_missing_is_named(client: Client) -> None:
    (error,) = problem(client.get("/api/v1/cold-start"))["errors"]
    assert (error["parameter"], error["reason"]) == ("compressed_gb", "missing")


def test_a_fault_of_ours_is_a_problem_without_its_inside(client: Client, monkeypatch: Any) -> None:
    def fails(*args: object) -> None:
        raise RuntimeError("the inside")

    monkeypatch.setattr("checks.coldstart.estimate", fails)
    client.raise_request_exception = False
    response = client.get(COLD)
    assert problem(response)["type"] == "/api/v1/docs#our_fault"
    assert b"inside" not in response.content


# --- ETag ----------------------------------------------------------------------------------


def test_an_answer_that_the_client_has_is_not_sent_again(client: Client) -> None:
    first = client.get(COLD)
    again = client.get(COLD, headers={"If-None-Match": first["ETag"]})
    assert first["Cache-Control"] == ANYBODY
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])


def test_another_answer_has_another_etag(client: Client) -> None:
    first, other = client.get(COLD), client.get(COLD.replace("=1", "=2"))
    assert first["ETag"] != other["ETag"]
    stale = client.get(COLD.replace("=1", "=2"), headers={"If-None-Match": first["ETag"]})
    assert stale.status_code == 200


def test_a_head_has_the_headers_of_the_get(client: Client) -> None:
    head, got = client.head(COLD), client.get(COLD)
    assert (head.status_code, head["ETag"]) == (200, got["ETag"])
    assert head.content == b""


# --- Other origins ---------------------------------------------------------------------------


def test_pages_of_others_may_read(client: Client) -> None:
    for response in (client.get(COLD), client.get("/api/v1/nothing")):
        assert response["Access-Control-Allow-Origin"] == "*"
        assert "ETag" in response["Access-Control-Expose-Headers"]
        assert "Access-Control-Allow-Credentials" not in response


def test_pages_of_others_may_ask_for_what_has_changed_but_not_post(client: Client) -> None:
    response = client.options(COLD, headers={"Access-Control-Request-Method": "GET"})
    assert (response.status_code, response.content) == (204, b"")
    assert response["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS"
    assert "If-None-Match" in response["Access-Control-Allow-Headers"]


def test_pages_of_ours_are_not_opened_to_others(client: Client) -> None:
    assert "Access-Control-Allow-Origin" not in client.get("/healthz")


# --- Rate --------------------------------------------------------------------------------------


def turns(client: Client, n: int, address: str) -> list[Any]:
    return [client.get(COLD, REMOTE_ADDR=address) for _ in range(n)]


def test_a_client_that_asks_too_often_is_told_when_to_come_back(
    client: Client, settings: Any
) -> None:
    settings.API_RATE = "2/minute"
    first, second, third = turns(client, 3, "198.51.100.7")
    assert [first["RateLimit-Remaining"], second["RateLimit-Remaining"]] == ["1", "0"]
    assert problem(third)["status"] == 429
    assert third["RateLimit-Limit"] == "2"
    assert 0 < int(third["Retry-After"]) <= 60
    assert third["Retry-After"] == third["RateLimit-Reset"]
    assert third["Access-Control-Allow-Origin"] == "*"


def test_each_client_has_its_own_rate_and_pages_have_none(client: Client, settings: Any) -> None:
    settings.API_RATE = "1/minute"
    turns(client, 2, "198.51.100.7")
    (other,) = turns(client, 1, "198.51.100.8")
    assert other.status_code == 200
    assert client.get("/healthz", REMOTE_ADDR="198.51.100.7").status_code == 200


# --- Language ------------------------------------------------------------------------------------


def test_the_address_picks_the_language_of_texts(client: Client) -> None:
    assert client.get(COLD)["Content-Language"] == "en"
    response = client.get(f"{COLD}&lang=ar", headers={"Accept-Language": "tr"})
    assert (response.status_code, response["Content-Language"]) == (200, "ar")
    assert response.json() == client.get(COLD).json()


def test_a_language_that_is_not_spoken_here_is_refused(client: Client) -> None:
    (error,) = problem(client.get(f"{COLD}&lang=tlh"))["errors"]
    assert (error["parameter"], error["allowed"]) == ("lang", ["en", "ar", "ur", "tr", "bn"])
