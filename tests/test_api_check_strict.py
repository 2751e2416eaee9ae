"""/api/v1/check refuses what the page would leave out, and says by which name."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests.asking_check import NAME, PATH, ask, errors, known, post

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("query", "parameter", "reason"),
    [
        ({}, "image", "missing"),
        ({"image": "Acme/Trainer"}, "image", "upper_case"),
        ({"image": "https://acme/trainer"}, "image", "scheme"),
        ({"image": NAME, "cuda": "12.8"}, "cuda", "beside"),
        ({"image": NAME, "verdict": "maybe"}, "verdict", "value"),
        ({"image": NAME, "gpu": "voodoo"}, "gpu", "value"),
        ({"image": NAME, "format": "csv"}, "format", "parameter"),
        ({"image": NAME, "page": "2"}, "page", "parameter"),
        ({"cuda": "twelve"}, "cuda", "cuda_malformed"),
        ({"cuda": "12.8", "framework": "caffe"}, "framework", "framework_unknown"),
        ({"release": "1.0"}, "release", "release_without_framework"),
        ({"software": "cuda", "toolkit": "x"}, "toolkit", "value"),
    ],
)
def test_what_the_page_would_leave_out_is_refused(
    client: Client, query: dict[str, str], parameter: str, reason: str
) -> None:
    assert errors(ask(client, 422, **query)) == [(parameter, reason)]


@pytest.mark.parametrize(
    ("body", "parameter", "reason"),
    [
        ({}, "image", "missing"),
        ({"image": ""}, "image", "missing"),
        ({"facts": {}}, "image", "missing"),
        ({"facts": {"cuda": "twelve"}}, "facts.cuda", "cuda_malformed"),
        ({"facts": {"cude": "12.8"}}, "facts.cude", "parameter"),
        ({"image": NAME, "criteria": {"verdict": "maybe"}}, "criteria.verdict", "value"),
        ({"image": NAME, "criteria": {"cuda": "12.8"}}, "criteria.cuda", "parameter"),
        ({"image": NAME, "criteria": {"in_stock": False}}, "criteria.in_stock", "value"),
        ({"image": NAME, "criteria": {"gpu": [""]}}, "criteria.gpu", "empty"),
        ({"image": 7}, "image", "value"),
        ({"image": NAME, "colour": "red"}, "colour", "parameter"),
    ],
)
def test_a_body_is_read_as_strictly(
    client: Client, body: dict[str, Any], parameter: str, reason: str
) -> None:
    known()
    assert errors(post(client, 422, **body)) == [(parameter, reason)]


def test_two_ways_to_ask_at_once_are_refused(client: Client) -> None:
    found = post(client, 422, image=NAME, paste="FROM ubuntu")
    assert errors(found) == [("image", "beside"), ("paste", "beside")]


def test_a_body_that_is_no_json_is_a_problem(client: Client) -> None:
    response = client.post(PATH, "{", content_type="application/json")
    assert (response.status_code, response.json()["type"]) == (400, "/api/v1/docs#bad_request")


def test_a_post_needs_no_cookie_and_sets_none() -> None:
    client = Client(enforce_csrf_checks=True)
    known()
    response = client.post(PATH, {"image": NAME}, content_type="application/json")
    assert response.status_code == 200
    assert not response.cookies


@pytest.mark.parametrize("values", [[], {}, None, ["a", []]])
def test_a_criterion_that_does_not_exist_is_named_whatever_it_holds(
    client: Client, values: object
) -> None:
    found = post(client, 422, paste="FROM scratch", criteria={"no_such": values})
    assert "no_such" in str(found)
