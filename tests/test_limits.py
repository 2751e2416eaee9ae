"""What is too long, too large or too much is refused with what to do, by page and by API."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client, RequestFactory

from gpucompare.limits import LimitsMiddleware
from gpucompare.rest.problem import TITLES

pytestmark = pytest.mark.django_db

LONG = "q=" + "a" * 16_000
MANY = "&".join(f"a{n}=1" for n in range(1_100))
LARGE = str(11 * 1024 * 1024)
HEADING = str(TITLES["bad_request"])


def said(response: Any, status: int) -> str:
    """What the refusal says; it is kept by nobody."""
    assert (response.status_code, response["Cache-Control"]) == (status, "no-store")
    return str(response.content.decode())


def test_an_address_that_is_too_long_says_how_long_it_may_be(client: Client) -> None:
    page = said(client.get(f"/?{LONG}"), 414)
    assert HEADING in page
    assert "An address may have at most 16,000 characters: take some filters out." in page
    assert said(client.get("/" + "a" * 16_001), 414)


def test_an_address_just_within_the_limit_is_read(client: Client) -> None:
    assert client.get(f"/?q={'a' * (16_000 - 3)}").status_code == 200
    assert client.get(f"/?q={'a' * (16_000 - 2)}").status_code == 414


def test_the_page_that_refuses_repeats_nothing_of_what_it_refuses(client: Client) -> None:
    assert len(said(client.get(f"/?{LONG}"), 414)) < 10_000


@pytest.mark.parametrize("path", ["/", "/check/", "/compare/", "/status/", "/launch/"])
def test_too_many_parameters_say_how_many_there_may_be(
    client: Client, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    page = said(client.get(f"{path}?{MANY}&image=x"), 400)
    assert "At most 1,000 parameters" in page
    # Nobody may fill the log with tracebacks.
    assert [record.name for record in caplog.records if record.exc_info] == []


def test_as_many_as_are_allowed_are_read(client: Client) -> None:
    assert client.get("/?" + "&".join("a=1" for _ in range(1_000))).status_code == 200
    assert client.get("/?" + "&".join("a=1" for _ in range(1_001))).status_code == 400


def test_a_form_with_too_many_fields_is_refused_too(client: Client) -> None:
    client.raise_request_exception = False
    form = {f"a{n}": "1" for n in range(1_100)}
    response = client.post("/s/", form, headers={"Sec-Fetch-Site": "same-origin"})
    assert "At most 1,000 parameters" in said(response, 400)


def test_too_large_a_body_is_not_read(client: Client) -> None:
    page = said(client.post("/check/", {"paste": "x"}, CONTENT_LENGTH=LARGE), 413)
    assert "At most 10 MB may be sent at once" in page


@pytest.mark.parametrize("length", ["9" * 5_000, "9" * 19, str(10 * 1024 * 1024 + 1)])
def test_any_number_that_is_larger_is(client: Client, length: str) -> None:
    assert said(client.get("/data-licence.md", CONTENT_LENGTH=length), 413)


@pytest.mark.parametrize("length", ["", "-1", "1e9", "²", "x", "0", str(10 * 1024 * 1024)])
def test_what_is_no_number_announces_nothing(client: Client, length: str) -> None:
    assert client.get("/data-licence.md", CONTENT_LENGTH=length).status_code == 200


def test_a_form_that_django_does_not_keep_in_memory_says_so(client: Client) -> None:
    client.raise_request_exception = False
    headers = {"Sec-Fetch-Site": "same-origin"}
    refused = client.post("/s/", {"kind": "x" * 3_000_000}, headers=headers)
    assert "At most 2.5 MB" in said(refused, 413)


@pytest.mark.parametrize(
    ("asked", "status"),
    [(LONG, 414), (MANY, 400), (f"lang=ar&{LONG}", 414)],
    ids=["long", "many", "in Arabic"],
)
def test_the_api_says_it_as_a_problem(client: Client, asked: str, status: int) -> None:
    client.raise_request_exception = False
    response = client.get(f"/api/v1/offerings?{asked}")
    told = response.json()
    assert said(response, status)
    assert response["Content-Type"] == "application/problem+json"
    assert (told["status"], told["type"]) == (status, "/api/v1/docs#bad_request")
    assert told["detail"]


def test_a_fragment_is_refused_in_a_line(client: Client) -> None:
    line = said(client.get(f"/?{LONG}", headers={"HX-Request": "true"}), 414)
    assert line.startswith("An address may have")


@pytest.mark.parametrize("language", ["ar", "ur", "tr", "bn"])
def test_a_refusal_speaks_the_language_of_the_address(client: Client, language: str) -> None:
    page = said(client.get(f"/{language}/?{LONG}"), 414)
    assert f'lang="{language}"' in page
    assert "An address may have" not in page


def test_a_host_that_is_not_ours_gets_a_page_without_a_fault(client: Client) -> None:
    client.raise_request_exception = False
    assert HEADING in said(client.get("/", headers={"Host": "evil.example"}), 400)


def test_how_much_there_may_be_is_a_setting(client: Client, settings: Any) -> None:
    settings.LONGEST_ADDRESS, settings.LARGEST_BODY_MB = 20, 1
    assert "20 characters" in said(client.get("/?q=" + "a" * 20), 414)
    assert "1 MB" in said(client.get("/data-licence.md", CONTENT_LENGTH="1048577"), 413)


def test_the_limits_stand_before_all_that_reads_the_query() -> None:
    def fails(request: object) -> Any:
        raise AssertionError("it was read")

    asked = RequestFactory().get("/", QUERY_STRING=LONG)
    assert LimitsMiddleware(fails)(asked).status_code == 414
