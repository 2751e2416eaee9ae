"""Who asks for Markdown gets it; who asks for anything gets the page."""

from __future__ import annotations

import pytest
from django.test import Client, RequestFactory

from providers.browse.asked_format import format_asked
from tests.comparing import BOTH, make_pods, make_vms

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
PATHS = ["/", "/listings/", "/gpus/", "/providers/alpha/", BOTH, "/check/?cuda=12.4", "/ar/gpus/"]


def asked(accept: str | None, query: str = "") -> str:
    headers = {} if accept is None else {"accept": accept}
    return format_asked(RequestFactory().get(f"/{query}", headers=headers))


@pytest.mark.parametrize(
    ("accept", "wanted"),
    [
        ("text/markdown", "md"),
        ("text/markdown, text/html;q=0.9", "md"),
        ("text/html;q=0.9, text/markdown", "md"),
        ("text/markdown, text/html, */*", "md"),
        ("text/markdown;q=0.5", "md"),
        ("text/markdown;q=0.5, */*;q=0.1", "md"),
        ("text/markdown;variant=GFM", "md"),
        ("TEXT/Markdown", "md"),
        ("text/html, text/markdown;q=0.9", ""),
        ("text/markdown;q=0.5, text/*;q=0.8", ""),
        ("text/markdown;q=0, */*", ""),
        ("text/markdown;q=0", ""),
        ("text/*", ""),
        ("*/*", ""),
        (None, ""),
        ("", ""),
        (BROWSER, ""),
        ("application/json", ""),
        ("text/markdownish", ""),
        ("text/markdown;q=loud, text/html;q=0.1", "md"),
        (",;q=,,/", ""),
    ],
)
def test_the_better_liked_of_the_two_is_sent(accept: str | None, wanted: str) -> None:
    assert asked(accept) == wanted


@pytest.mark.parametrize(
    ("query", "wanted"), [("?format=csv", "csv"), ("?format=xls", ""), ("?format=", "md")]
)
def test_the_address_decides_before_the_header(query: str, wanted: str) -> None:
    assert asked("text/markdown", query) == wanted


@pytest.fixture
def two(db: None) -> None:
    make_pods()
    make_vms()


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("path", PATHS)
def test_each_list_and_page_is_there_as_markdown(client: Client, path: str) -> None:
    response = client.get(path, headers={"accept": "text/markdown"})
    assert response["Content-Type"] == "text/markdown; charset=utf-8"
    text = b"".join(response).decode()
    assert "| --- |" in text
    assert text.rstrip().endswith("CC-BY-4.0: http://testserver/data-licence.md")


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("accept", ["text/markdown", BROWSER])
def test_a_cache_is_told_what_the_answer_depends_on(client: Client, path: str, accept: str) -> None:
    response = client.get(path, headers={"accept": accept})
    varies = {name.strip() for name in response["Vary"].split(",")}
    assert {"Accept", "HX-Request"} <= varies


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("path", PATHS)
def test_a_browser_gets_the_page(client: Client, path: str) -> None:
    response = client.get(path, headers={"accept": BROWSER})
    assert response["Content-Type"] == "text/html; charset=utf-8"


@pytest.mark.usefixtures("two")
def test_the_way_on_to_the_check_varies_too(client: Client) -> None:
    response = client.get("/?image=alpine", headers={"accept": "text/markdown"})
    assert (response.status_code, "Accept" in response["Vary"]) == (302, True)


@pytest.mark.django_db
def test_a_provider_that_is_not_there_is_not_found_in_any_form(client: Client) -> None:
    response = client.get("/providers/nobody/?format=md")
    assert response.status_code == 404
