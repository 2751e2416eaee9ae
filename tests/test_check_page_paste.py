"""The page /check/ when something is pasted, and by whoever else posts."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
from django.test import Client

from checks.image.paste import LARGEST
from tests.check_pages import FROM_HERE, market, paste
from tests.factories import make_gpu
from tests.page_text import text

pytestmark = pytest.mark.django_db


def test_a_dockerfile_on_a_base_that_asks_for_nothing_runs(client: Client) -> None:
    market()
    pasted = paste(client, "FROM pytorch/pytorch:2.6.0-cuda12.4-cudnn9-runtime\nENV A=b\n")
    page = text(client.get(pasted["Location"]))
    assert "Runs unchanged at 1 offering of 1 provider ." in page


DOCKERFILE = "FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04\nENV TOKEN=hunter2 USER_NAME=alice\n"


def test_a_paste_leads_to_an_address_that_holds_its_facts_and_the_criteria(
    client: Client,
) -> None:
    make_gpu("h100-sxm", "h100")
    response = paste(client, DOCKERFILE, gpu="h100", verdict="runs")
    assert response.status_code == 303
    where = urlsplit(response["Location"])
    assert where.path == "/check/"
    found = parse_qsl(where.query)
    assert ("gpu", "h100") in found
    assert ("verdict", "runs") in found
    assert "hunter2" not in where.query
    assert "alice" not in where.query
    page = text(client.get(response["Location"]))
    assert "Where will the pasted image run?" in page
    assert "nvidia/cuda:12.4.1-runtime-ubuntu22.04" in page


def test_a_paste_of_nothing_known_says_what_to_paste(client: Client) -> None:
    response = paste(client, "hello there, this is no image")
    assert response.status_code == 422
    assert "Paste all that one of these prints" in text(response)
    assert 'id="by-paste" open' in response.content.decode()


@pytest.mark.parametrize("length", [LARGEST + 1, 5 * LARGEST])
def test_a_paste_that_is_too_large_gets_the_page_with_the_limit(
    client: Client, length: int
) -> None:
    response = paste(client, "x" * length, gpu="h100")
    assert response.status_code == 413
    assert "This is more than 1024 kB." in text(response)
    page = response.content.decode()
    assert 'id="by-paste" open' in page
    assert 'aria-invalid="true"' in page


def test_a_large_form_of_another_site_is_refused_unread(client: Client) -> None:
    response = paste(client, "x" * 5 * LARGEST, {"Origin": "https://evil.example"})
    assert response.status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site", **FROM_HERE},
        {"Sec-Fetch-Site": "same-site", **FROM_HERE},
        {"Sec-Fetch-Site": "none", **FROM_HERE},
    ],
)
def test_a_form_of_another_site_is_refused(client: Client, headers: dict[str, str]) -> None:
    response = paste(client, DOCKERFILE, headers)
    assert response.status_code == 403
    assert "was not sent from a page of this site" in response.content.decode()


@pytest.mark.parametrize("headers", [FROM_HERE, {"Sec-Fetch-Site": "same-origin"}])
def test_a_form_of_this_site_is_taken_without_any_cookie(headers: dict[str, str]) -> None:
    client = Client(enforce_csrf_checks=True)
    response = paste(client, DOCKERFILE, headers)
    assert response.status_code == 303
    assert dict(response.cookies) == {}
    page = client.get("/check/")
    assert dict(page.cookies) == {}
