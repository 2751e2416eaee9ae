"""What programs find their way by: site map, robots.txt, llms.txt, schema.org."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client

from providers.dimensions import MAIN
from providers.discovery import pages, provider_lines
from providers.models import Offering, Origin, Provider, What
from tests.changing import make_answer, make_change
from tests.factories import NOW, make_gpu, make_listing, make_offering, make_provider
from tests.query_counts import queries_of

pytestmark = pytest.mark.django_db
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


@pytest.fixture
def pods() -> Offering:
    provider = make_provider("acme", headquarters="DE")
    return make_offering("pods", provider, summary="One container.", docker_daemon="root")


def text(client: Client, path: str, kind: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    assert response["Content-Type"] == f"{kind}; charset=utf-8"
    assert "public" in response["Cache-Control"]
    assert not response.cookies
    return str(response.content.decode())


# --- The site map ----------------------------------------------------------------------------


def site_map(client: Client) -> dict[str, str | None]:
    """When each path changed, by the site map."""
    root = ET.fromstring(text(client, "/sitemap.xml", "application/xml"))  # noqa: S314 -- ours
    assert root.tag == f"{SITEMAP}urlset"
    found = {}
    for url in root:
        address = urlsplit(url.findtext(f"{SITEMAP}loc") or "")
        assert (address.scheme, address.netloc, address.query) == ("http", "testserver", "")
        assert address.path not in found
        found[address.path] = url.findtext(f"{SITEMAP}lastmod")
    return found


def test_the_site_map_names_pages_that_are_there(client: Client, pods: Offering) -> None:
    make_gpu("h100-sxm", "h100")
    found = site_map(client)
    assert {"/", "/listings/", "/gpus/", "/check/", "/status/", "/changes/"} <= found.keys()
    assert {"/providers/acme/", "/gpus/h100/", "/gpus/h100-sxm/"} <= found.keys()
    for path in found:
        assert client.get(path).status_code == 200, path


def test_a_page_that_does_not_exist_yet_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("providers.discovery._PAGES", ("browse", "page-of-another-year"))
    assert [place.path for place in pages()] == ["/"]


def test_a_provider_changed_when_an_offering_of_it_last_did(client: Client, pods: Offering) -> None:
    assert site_map(client)["/providers/acme/"] is None
    make_answer(pods, None, "root", at=NOW - timedelta(days=1))
    make_answer(pods, None, "root", at=NOW)
    make_change(What.STATUS, None, provider=pods.provider, after="closed")
    assert site_map(client)["/providers/acme/"] == NOW.isoformat()


def test_more_providers_cost_no_more_queries(client: Client, pods: Offering) -> None:
    few = queries_of(lambda: client.get("/sitemap.xml"))
    for n in range(20):
        make_gpu(f"g{n}")
        make_provider()
    assert queries_of(lambda: client.get("/sitemap.xml")) == few <= 5


# --- robots.txt ------------------------------------------------------------------------------


def forbidden(client: Client, address: str) -> bool:
    """As crawlers read the rules: `*` stands for anything, a rule for all it begins."""
    rules = re.findall(r"^Disallow: (.+)$", text(client, "/robots.txt", "text/plain"), re.M)
    patterns = [re.escape(rule).replace(r"\*", ".*") for rule in rules]
    return any(re.match(pattern, address) for pattern in patterns)


@pytest.mark.parametrize(
    ("address", "refused"),
    [
        ("/", False),
        ("/providers/acme/", False),
        ("/?docker_daemon=root", False),
        ("/feed.atom", False),
        ("/?docker_daemon=root&gpu=h100", True),
        ("/listings/?format=csv", True),
        ("/admin/login/", True),
    ],
)
def test_filters_are_crawled_one_at_a_time(client: Client, address: str, refused: bool) -> None:
    assert forbidden(client, address) == refused


def test_robots_are_told_of_the_site_map(client: Client) -> None:
    assert "\nSitemap: http://testserver/sitemap.xml\n" in text(client, "/robots.txt", "text/plain")


# --- llms.txt --------------------------------------------------------------------------------


def test_the_text_has_the_form_that_readers_of_it_expect(client: Client, pods: Offering) -> None:
    lines = text(client, "/llms.txt", "text/markdown").splitlines()
    assert lines[0] == "# gpucompare"
    assert lines[2].startswith("> ")
    assert [line for line in lines if line.startswith("## ")] == [
        "## Ask",
        "## JSON API",
        "## Main questions",
        "## Providers",
    ]
    assert "- [Acme](http://testserver/providers/acme/): 1 offering" in lines


def test_every_link_of_the_text_answers(client: Client, pods: Offering) -> None:
    found = re.findall(r"\]\((\S+?)\)", text(client, "/llms.txt", "text/markdown"))
    assert len(found) > 8
    for address in found:
        assert address.startswith("http://testserver/")
        assert client.get(urlsplit(address).path).status_code == 200, address


def test_the_text_names_the_questions_and_their_answers(client: Client) -> None:
    found = text(client, "/llms.txt", "text/markdown")
    for dimension in MAIN:
        assert f"- `{dimension.key}`: {dimension.question}" in found
    assert "(root, rootless, nested, none)" in found


def test_a_closed_provider_is_told_as_such(client: Client) -> None:
    make_provider("gone", status="closed")
    assert "- [Gone](http://testserver/providers/gone/): 0 offerings, closed" in text(
        client, "/llms.txt", "text/markdown"
    )


def test_a_hostile_name_makes_no_other_link() -> None:
    make_provider("p", name="x](https://evil.example)\n\n# Ignore <b>")
    [line] = provider_lines()
    assert line.name == r"x\](https://evil.example) # Ignore \<b\>"


# --- schema.org ------------------------------------------------------------------------------


class _Blocks(HTMLParser):
    """The data blocks of a page, as a browser ends them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._inside = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag == "script" and ("type", "application/ld+json") in attrs

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.found.append(data)


def told(client: Client, slug: str = "acme") -> Any:
    [block] = _Blocks(client.get(f"/providers/{slug}/").content.decode()).found
    return json.loads(block)


def test_a_provider_is_an_organization_with_offers(client: Client, pods: Offering) -> None:
    found = told(client)
    assert (found["@context"], found["@type"]) == ("https://schema.org", "Organization")
    assert (found["name"], found["url"]) == ("Acme", "https://acme.example")
    assert found["address"]["addressCountry"] == "DE"
    assert found["mainEntityOfPage"] == "http://testserver/providers/acme/"
    [offer] = found["makesOffer"]
    assert offer["url"] == "http://testserver/providers/acme/#pods"
    assert offer["itemOffered"]["description"] == "One container."


def test_a_price_is_told_while_it_is_live_and_not_stale(client: Client, pods: Offering) -> None:
    from django.utils import timezone

    now = timezone.now()
    sxm, l4 = make_gpu("h100-sxm", "h100", name="H100 SXM"), make_gpu("l4")
    make_listing(pods, sxm, usd_per_hour="19.92", gpu_count=8, seen_at=now, first_seen=now)
    make_listing(pods, l4, usd_per_hour=1, seen_at=now - timedelta(hours=13), first_seen=now)
    old = {"origin": Origin.SNAPSHOT, "usd_per_hour": 1, "seen_at": now, "first_seen": now}
    make_listing(make_offering("vms", pods.provider), l4, **old)
    offers = {offer["name"]: offer for offer in told(client)["makesOffer"]}
    [price] = offers["Pods"]["priceSpecification"]
    assert (price["name"], price["price"], price["priceCurrency"]) == (
        "8 × H100 SXM",
        "19.92",
        "USD",
    )
    assert price["unitCode"] == "HUR"
    assert "priceSpecification" not in offers["Vms"]


def test_what_is_closed_is_not_offered(client: Client) -> None:
    provider = make_provider("acme")
    make_offering("pods", provider, status="closed")
    assert "makesOffer" not in told(client)
    Provider.objects.update(headquarters="")
    assert "address" not in told(client)


def test_hostile_names_do_not_end_the_block(client: Client) -> None:
    hostile = "</script><script>alert(1)</script><!--&amp;"
    make_offering("o", make_provider("p", name=hostile), name=hostile, summary=hostile)
    found = told(client, "p")
    assert found["name"] == hostile
    assert found["makesOffer"][0]["itemOffered"]["description"] == hostile
    assert "<script>alert(1)" not in client.get("/providers/p/").content.decode()
