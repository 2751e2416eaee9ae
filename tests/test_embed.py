"""A comparison in a frame on somebody else's page: allowed there, and nowhere else."""

from __future__ import annotations

import re
from decimal import Decimal
from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import get_resolver
from django.urls.resolvers import URLPattern, URLResolver
from django.utils import timezone

from gpucompare.caching.control import with_stale
from providers.dimensions import DIMENSIONS, MAIN
from providers.models import Listing
from tests.comparing import BOTH, make_pods, make_vms
from tests.factories import make_gpu, make_listing, make_offering, make_provider

pytestmark = pytest.mark.django_db
EMBED = f"/embed{BOTH}"
# Where in an address anything goes, what is put there.
ANYTHING = {
    "slug": "alpha",
    "offering": "pods",
    "dimension": "spot",
    "pk": "1",
    "typed": "abc",
    "object_id": "1",
}


@pytest.fixture
def two() -> None:
    pods = make_pods()
    make_vms()
    price = {"usd_per_hour": Decimal("1.5"), "seen_at": timezone.now()}
    make_listing(pods, make_gpu("l4"), **price)


def framed(client: Client, address: str = EMBED) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def ancestors(response: HttpResponse) -> list[str]:
    """Who may frame it, as its policy says; the policy stands there once."""
    (policy,) = re.findall(r"frame-ancestors ([^;]*)", response["Content-Security-Policy"])
    return str(policy).split()


class Tags(HTMLParser):
    """Every tag with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


# --- Framing -----------------------------------------------------------------------------


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("address", [EMBED, f"/ar{EMBED}", "/embed/compare/", f"{EMBED}&o=x/y"])
def test_anybody_may_frame_the_comparison(client: Client, address: str) -> None:
    response: Any = client.get(address)
    assert ancestors(response) == ["*"]
    assert "X-Frame-Options" not in response


def addresses(patterns: list[Any], before: str = "/") -> list[str]:
    """One address for every pattern that the site has, filled with anything."""
    found = []
    for each in patterns:
        route = before + re.sub(
            r"<(?:\w+:)?(\w+)>",
            lambda named: ANYTHING.get(named[1], "x"),
            re.sub(r"[\^$]|\\Z|\(\?P<\w+>[^)]*\)", "", str(each.pattern)),
        )
        if isinstance(each, URLResolver):
            found += addresses(each.url_patterns, route)
        elif isinstance(each, URLPattern):
            found.append(route)
    return found


@pytest.mark.usefixtures("two")
def test_nobody_may_frame_any_other_page(client: Client) -> None:
    asked = [*addresses(get_resolver().url_patterns), "/nothing/here/", "/embed/", "/ar/check/"]
    asked = [address for address in asked if address != "/embed/compare/"]
    assert len(asked) > 60
    for name in ("/", "/compare/", "/providers/alpha/", "/badge/alpha.svg", "/admin/login/"):
        assert name in asked
    for address in asked:
        response: Any = client.get(address)
        assert ancestors(response) == ["'none'"], address
        assert response.get("X-Frame-Options", "DENY") == "DENY", address


@pytest.mark.usefixtures("two")
def test_a_post_to_the_frame_is_refused_and_not_framed(client: Client) -> None:
    response: Any = client.post(EMBED)
    assert response.status_code == 405
    assert ancestors(response) == ["'none'"]


# --- What stands in it -------------------------------------------------------------------


@pytest.mark.usefixtures("two")
def test_it_needs_no_script_and_lets_none_run(client: Client) -> None:
    response: Any = client.get(EMBED)
    tags = Tags(response.content.decode())
    assert tags.all("script") == tags.all("style") == tags.all("form") == []
    assert not any(name.startswith("on") or name == "style" for _t, a in tags.found for name in a)
    policy = response["Content-Security-Policy"]
    assert "script-src 'none'" in policy
    assert "form-action 'none'" in policy
    assert "style-src 'self'" in policy


@pytest.mark.usefixtures("two")
def test_it_leads_back_to_the_whole_comparison(client: Client) -> None:
    links = Tags(framed(client)).all("a")
    whole = [link for link in links if link["href"] == f"http://testserver{BOTH}"]
    assert len(whole) == 1
    assert all(link["target"] == "_blank" for link in links)
    assert all("noopener" in str(link["rel"]) for link in links)
    assert f"All {len(DIMENSIONS)} questions" in framed(client)


@pytest.mark.usefixtures("two")
def test_it_shows_the_main_questions_and_each_answer_opens_its_source(client: Client) -> None:
    text = framed(client)
    for dimension in MAIN:
        assert f'<th scope="row">{dimension.label}</th>' in text
    hrefs = [link["href"] for link in Tags(text).all("a")]
    assert "/providers/beta/vms/docker_daemon/" in hrefs
    assert "/providers/alpha/pods/docker_daemon/" in hrefs


@pytest.mark.usefixtures("two")
def test_an_answer_that_is_due_for_review_says_so(client: Client) -> None:
    text = framed(client)
    assert text.count("due for review") == 1  # beta's daemon was read in 2020
    assert "due for review" not in framed(client, "/embed/compare/?o=alpha/pods")


@pytest.mark.usefixtures("two")
def test_prices_state_their_unit_and_their_age(client: Client) -> None:
    text = framed(client, f"{EMBED}&period=day")
    assert "$ / GPU / day" in text
    assert '<b class="ltr">36.00</b> <bdi>L4</bdi>' in text
    Listing.objects.all().delete()
    assert "$ / GPU" not in framed(client)


@pytest.mark.usefixtures("two")
def test_what_cannot_be_followed_is_said(client: Client) -> None:
    assert "not found: no/such" in framed(client, f"{EMBED}&o=no/such")


def test_without_offerings_it_says_how_to_name_them(client: Client) -> None:
    text = framed(client, "/embed/compare/")
    assert "?o=provider/offering" in text
    assert "http://testserver/compare/" in text


def test_hostile_names_stay_text(client: Client) -> None:
    make_offering("pods", make_provider("acme", name="<script>x</script>"), name='"><img>')
    tags = Tags(framed(client, "/embed/compare/?o=acme/pods"))
    assert tags.all("script") == tags.all("img") == []


@pytest.mark.usefixtures("two")
def test_it_is_not_for_search_engines_and_names_the_page_that_is(client: Client) -> None:
    response: Any = client.get(EMBED)
    tags = Tags(response.content.decode())
    assert response["X-Robots-Tag"] == "noindex"
    assert {"name": "robots", "content": "noindex"} in tags.all("meta")
    canonical = [link["href"] for link in tags.all("link") if link["rel"] == "canonical"]
    assert canonical == [f"http://testserver{BOTH}"]


@pytest.mark.usefixtures("two")
def test_it_may_be_kept_for_a_while_and_asked_whether_it_changed(client: Client) -> None:
    response: Any = client.get(EMBED)
    assert response["Cache-Control"] == with_stale("public, max-age=600")
    assert "Set-Cookie" not in response
    again = client.get(EMBED, headers={"if-none-match": response["ETag"]})
    assert again.status_code == 304


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize(("prefix", "way"), [("", "ltr"), ("/ar", "rtl"), ("/bn", "ltr")])
def test_it_speaks_the_language_of_its_address(client: Client, prefix: str, way: str) -> None:
    (html,) = Tags(framed(client, f"{prefix}{EMBED}")).all("html")
    assert (html["dir"], html["lang"]) == (way, prefix[1:] or "en")


@pytest.mark.usefixtures("two")
def test_it_is_small(client: Client) -> None:
    assert len(framed(client).encode()) < 12_000


@pytest.mark.usefixtures("two")
def test_the_compare_page_tells_the_html_as_text(client: Client) -> None:
    beta = make_provider("quoted", name='"><b>')
    make_offering("x", beta)
    page = client.get(f"{BOTH}&o=quoted/x").content.decode()
    (shown,) = re.findall(r"<textarea[^>]*>([^<]*)</textarea>", page)
    code = unescape(shown)
    (frame,) = Tags(code).found
    assert frame[0] == "iframe"
    assert frame[1]["src"] == f"http://testserver{EMBED}&o=quoted/x"
    assert str(frame[1]["title"]).startswith("Alpha Pods")
    assert '"><b>' in str(frame[1]["title"])
    assert "<iframe" not in page


def test_nothing_to_compare_has_nothing_to_embed(client: Client) -> None:
    assert "<textarea" not in client.get("/compare/").content.decode()
