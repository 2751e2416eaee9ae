"""Every internal link of the site, over the project's own catalog and prices.

Each path is visited once as it stands. Browse, listings and compare turn a query into endlessly
many more: of their links, those of the plain page are followed.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.test import Client

from checks.content.store import load as load_content
from gpucompare.languages import in_language
from gpucompare.places import place_links
from providers.browse.listings import PAGE_SIZE
from providers.dimensions import DIMENSIONS
from providers.models import Gpu, GpuFamily, Listing, Offering, Origin, Provider
from tests.links import Links, inside
from tests.whole_catalog import nobody_writes, whole_catalog

# Of the links with a query so many a page are followed, and of the cells one in so many: a prime,
# so that every question has its turn. The soak tests follow all.
SAMPLE = 6
STRIDE = 31
OTHERS = [code for code, _name in settings.LANGUAGES if code != settings.LANGUAGE_CODE]
# Every page leads to itself in other languages, where the same would be visited over again.
ASIDE = ("/static/", "/admin/", *(f"/{code}/" for code in OTHERS))


@dataclass
class Crawl:
    """What was met: statuses by path, links by the page they stand on, ids by path."""

    statuses: dict[str, int] = field(default_factory=dict)
    links: dict[str, list[tuple[str, str]]] = field(default_factory=dict)  # (href, name)
    ids: dict[str, set[str]] = field(default_factory=dict)

    def visit(self, client: Client, path: str) -> None:
        response = client.get(path)
        self.statuses[path] = response.status_code
        page = Links(response.content.decode())
        self.links[path] = [(link.href, link.name) for link in page.found]
        self.ids[path] = page.ids

    def inner(self) -> Iterator[tuple[str, str, str]]:
        """(page, address, fragment) of every link that stays on the site."""
        for page, links in self.links.items():
            for href, _name in links:
                target = inside(page, href)
                if target and not target[0].startswith(ASIDE):
                    yield page, *target

    def ids_of(self, address: str) -> set[str]:
        """Those of the page as it was asked for, or else of its plain path."""
        return self.ids.get(address) or self.ids[urlsplit(address).path]

    def paths(self, page: str) -> set[str]:
        targets = (inside(page, href) for href, _name in self.links[page])
        return {_visited(t[0]) for t in targets if t and not t[0].startswith(ASIDE)}


def _visited(address: str) -> str:
    """Its path; an example of the API is nothing without its question."""
    return address if address.startswith("/api/") else urlsplit(address).path


def is_cell(path: str) -> bool:
    return path.startswith("/providers/") and path.count("/") == 5


@pytest.fixture(scope="module")
def crawled(django_db_setup: None, django_db_blocker: Any) -> Iterator[Crawl]:
    """Every path that links lead to from the front page; the cells are left to a test of theirs."""
    with django_db_blocker.unblock(), whole_catalog():
        load_content(settings.CONTENT_DIR)
        with nobody_writes(__name__):
            # These pages have their links behind a question.
            crawl, client, waiting = Crawl(), Client(), deque(["/", CHECK, COLD, LAUNCH])
            while waiting:
                path = waiting.popleft()
                if path in crawl.statuses:
                    continue
                crawl.visit(client, path)
                waiting += sorted(p for p in crawl.paths(path) if not is_cell(p))
            yield crawl


def test_no_link_leads_to_nothing(crawled: Crawl) -> None:
    assert {p: status for p, status in crawled.statuses.items() if status != 200} == {}


def test_every_provider_gpu_and_family_is_reached(crawled: Crawl) -> None:
    slugs = Provider.objects.values_list("slug", flat=True)
    assert {f"/providers/{slug}/" for slug in slugs} <= crawled.statuses.keys()
    gpus = {gpu.slug for gpu in Gpu.objects.all()} | {f.slug for f in GpuFamily.objects.all()}
    assert len(gpus) > 100
    assert {f"/gpus/{slug}/" for slug in gpus} <= crawled.statuses.keys()


def test_every_place_of_the_header_is_reached(crawled: Crawl) -> None:
    places = {urlsplit(link.url).path for link in place_links("")}
    assert places | {"/compare/", "/faq/"} <= crawled.statuses.keys()


def test_every_row_of_the_listings_is_reached(crawled: Crawl) -> None:
    opened = {path for path in crawled.statuses if re.fullmatch(r"/listings/\d+/", path)}
    assert len(opened) == PAGE_SIZE


@pytest.mark.soak
def test_every_listing_answers_with_links_that_do(client: Client, crawled: Crawl) -> None:
    kept = Listing.objects.exclude(origin=Origin.CATALOG).values_list("pk", flat=True)
    visit_cells(client, crawled, [f"/listings/{pk}/" for pk in kept])


def test_every_link_has_a_name(crawled: Crawl) -> None:
    nameless = {
        (page, href) for page, links in crawled.links.items() for href, name in links if not name
    }
    assert nameless == set()


def test_every_fragment_has_its_target(crawled: Crawl) -> None:
    missing = {
        f"{page} → {address}#{fragment}"
        for page, address, fragment in crawled.inner()
        if fragment and fragment not in crawled.ids_of(address)
    }
    assert missing == set()


def test_every_offering_has_its_place_on_the_page_of_its_provider(crawled: Crawl) -> None:
    for provider, slug in Offering.objects.values_list("provider__slug", "slug"):
        assert slug in crawled.ids[f"/providers/{provider}/"]


def test_every_cell_is_linked(crawled: Crawl) -> None:
    linked = {urlsplit(address).path for _page, address, _ in crawled.inner()}
    offerings = Offering.objects.values_list("provider__slug", "slug")
    claimed = [key for key, dimension in DIMENSIONS.items() if not dimension.on_offering]
    assert {f"/providers/{p}/{o}/{key}/" for p, o in offerings for key in claimed} <= linked


def cells() -> list[str]:
    offerings = Offering.objects.values_list("provider__slug", "slug")
    return [f"/providers/{p}/{o}/{key}/" for p, o in offerings for key in DIMENSIONS]


def visit_cells(client: Client, crawled: Crawl, paths: list[str]) -> None:
    for path in paths:
        crawl = Crawl()
        crawl.visit(client, path)
        # A cell has a form of its own, which leads nowhere else.
        own = {other for other in crawl.paths(path) if other == f"{path}correct/"}
        for form in own:
            crawl.visit(client, form)
        assert set(crawl.statuses.values()) == {200}, path
        for page in crawl.statuses:
            assert all(name for _href, name in crawl.links[page]), page
            beyond = {other for other in crawl.paths(page) - {path} if not is_cell(other)}
            assert beyond - own <= crawled.statuses.keys(), page


def test_cells_of_every_question_answer_with_links_that_do(client: Client, crawled: Crawl) -> None:
    chosen = cells()[::STRIDE]
    assert {path.split("/")[-2] for path in chosen} == set(DIMENSIONS)
    visit_cells(client, crawled, chosen)


@pytest.mark.soak
def test_every_cell_answers_with_links_that_do(client: Client, crawled: Crawl) -> None:
    visit_cells(client, crawled, cells())


def queries_of(crawled: Crawl, path: str) -> list[str]:
    """The addresses with a query that the plain page links to."""
    found = {address for page, address, _ in crawled.inner() if page == path and "?" in address}
    return sorted(found)


CHECK = "/check/?cuda=12.4&framework=torch&release=2.6.0"
COLD = "/cold-start/?cuda=12.4&framework=torch&release=2.6.0&compressed_gb=8"
LAUNCH = "/launch/?image=acme/trainer:1&o=runpod/pods"
PLAIN = [
    "/",
    "/listings/",
    "/compare/",
    "/guide/",
    "/faq/",
    "/gpus/",
    "/gpus/h100/",
    "/providers/runpod/",
]
PLAIN += [CHECK, COLD, LAUNCH]


@pytest.mark.parametrize("path", PLAIN)
def test_links_of_a_page_answer_whatever_their_query(
    client: Client, crawled: Crawl, path: str
) -> None:
    found = queries_of(crawled, path)
    assert found
    for address in found[:: -(-len(found) // SAMPLE)]:
        assert client.get(address).status_code == 200, address


@pytest.mark.parametrize("path", PLAIN)
def test_a_page_answers_in_every_language(client: Client, crawled: Crawl, path: str) -> None:
    for code in OTHERS:
        assert client.get(in_language(path, code)).status_code == 200, code


@pytest.mark.soak
@pytest.mark.parametrize("path", PLAIN)
def test_all_links_of_a_page_answer(client: Client, crawled: Crawl, path: str) -> None:
    for address in queries_of(crawled, path):
        assert client.get(address).status_code == 200, address
