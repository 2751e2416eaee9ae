"""The project's own texts over the project's own catalog: every number, link and anchor."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import transaction
from django.http import QueryDict
from django.test import Client
from django.utils import timezone

from checks.content.anchors import ANCHORS, NAMES, explained
from checks.content.files import ContentFiles, read_content
from checks.content.live import Live
from checks.content.markup import Link
from checks.content.placeholders import COUNTED, Placeholder
from checks.content.rules import listing_counts, parts_of
from checks.content.store import dump, load
from checks.wording import CONDITIONS, MISSING, REASONS
from providers.browse.criteria import Criteria
from providers.browse.query import browse
from providers.browse.world import World
from providers.catalog.store import load as load_catalog
from providers.dimensions import MAIN
from providers.refresh.snapshot import load_snapshot
from tests.links import Links
from tests.query_counts import queries_of

FILES: ContentFiles = read_content(settings.CONTENT_DIR)
FAQ = FILES.entries["en/faq"]
GUIDE = FILES.entries["en/guide"]
TERMS = FILES.entries["en/glossary"]
TEXTS = [t for file in FILES.entries.values() for e in file.values() for t in (e.body, e.live) if t]
QUERIES = sorted(
    {
        p.query
        for t in TEXTS
        for p in parts_of(t)
        if isinstance(p, Placeholder) and p.name in COUNTED
    }
)
# Published addresses: an entry may be added, but these stay.
KEPT_ANCHORS = {
    *("root-daemon", "driver-in-image", "instant-start", "same-image-everywhere"),
    *("driver-i-cannot-change", "cuda-13-old-gpus", "new-gpus", "cpu-fallback", "moved-tags"),
    *("arm64-hosts", "private-registry-login", "ecr-twelve-hours", "who-pays-for-the-pull"),
    *("running-is-not-ready", "what-survives-a-stop", "bill-after-a-stop", "compose-on-a-pod"),
    *("weights-in-image-or-volume", "docker-in-docker", "ssh-and-entrypoint"),
    *("user-in-the-container", "interrupted-capacity", "price-per-gpu-or-instance"),
    *("stock-and-stale-prices", "unknown-is-not-no"),
}


@pytest.fixture(scope="module", autouse=True)
def _whole(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Catalog, prices and texts in the database until the last test of this module."""
    with django_db_blocker.unblock(), transaction.atomic():
        load_catalog(settings.CATALOG_DIR)
        load_snapshot(settings.LISTINGS_DIR)
        load(settings.CONTENT_DIR)
        yield
        transaction.set_rollback(True)


def test_there_are_answers_to_what_people_ask() -> None:
    assert len(FAQ) >= 18
    assert FAQ.keys() >= KEPT_ANCHORS
    assert all(entry.title.endswith("?") for entry in FAQ.values())


def test_the_guide_asks_the_seven_questions_in_their_order() -> None:
    asked = [entry.dimension for entry in GUIDE.values() if entry.dimension]
    assert asked == [dimension.key for dimension in MAIN]


@pytest.mark.parametrize("key", FAQ)
def test_every_answer_ends_in_live_data_and_a_way_to_it(key: str) -> None:
    parts = parts_of(FAQ[key].live or "")
    assert any(isinstance(p, Placeholder) and p.name in COUNTED for p in parts)
    assert any(isinstance(p, Link) and p.address.startswith("/") for p in parts)


@pytest.mark.parametrize("key", FAQ)
def test_no_number_of_ours_is_typed_in(key: str) -> None:
    """In the sentence of today every number is a placeholder; versions and amounts are named."""
    live = re.sub(r"\{[^}]*\}|\]\([^)]*\)", "", FAQ[key].live or "")
    assert re.findall(r"\d+", re.sub(r"CUDA \d+\.\d|branch \d+", "", live)) == []


def test_the_numbers_are_those_of_the_browse_page() -> None:
    now, world = timezone.now(), World.read()
    live = Live(world, now)
    assert len(QUERIES) > 25
    for query in QUERIES:
        criteria, ignored = Criteria.parse(QueryDict(query), world.vocabulary)
        found = browse(criteria, world, now)
        counts = live.counts(query)
        assert not ignored
        assert (counts.match, counts.may) == (len(found.match), len(found.may)), query
        assert counts.match + counts.may + counts.no == live.total == found.total


@pytest.mark.parametrize("query", QUERIES[::6])
def test_a_number_is_what_its_link_shows(client: Client, query: str) -> None:
    rows = client.get(f"/?{query}&format=csv").getvalue().decode("utf-8-sig").splitlines()
    lines = [line for line in rows if not line.startswith("#")]
    matches = [row["match"] for row in csv.DictReader(lines)]
    assert matches.count("yes") == Live(World.read(), timezone.now()).counts(query).match


@pytest.mark.parametrize("path", ["/guide/", "/faq/", "/ar/guide/", "/bn/faq/"])
def test_a_page_takes_at_most_twenty_queries(client: Client, path: str) -> None:
    """Many of them read the listings, once for each count of them, which a test keeps nowhere."""
    client.get(path)
    assert queries_of(lambda: client.get(path)) <= 20


@pytest.mark.parametrize("path", ["/guide/", "/faq/"])
def test_anchors_stand_once_and_every_link_on_the_page_is_named(client: Client, path: str) -> None:
    html = client.get(path).content.decode()
    ids = re.findall(r'\sid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    assert all(link.name for link in Links(html).found)


def test_every_text_says_something_that_is_no_placeholder_left_over(client: Client) -> None:
    for path in ("/guide/", "/faq/"):
        main = client.get(path).content.decode().partition("<main")[2].partition("</main>")[0]
        assert not re.search(r"[{}]|\*\*|\]\(", re.sub(r"<code.*?</code>", "", main))


def test_claims_about_the_world_carry_a_source() -> None:
    """What only names our own data or a common notion needs none; these may do without."""
    without = {key for key, entry in FAQ.items() if not entry.sources}
    assert without == {"root-daemon", "same-image-everywhere", "unknown-is-not-no"}


def test_the_texts_are_dumped_as_they_are(tmp_path: Path) -> None:
    assert not any(dump(tmp_path).values())
    for name, text in FILES.texts.items():
        assert (tmp_path / f"{name}.yaml").read_text() == text


def test_few_counts_ask_about_listings() -> None:
    assert {"min_driver=570"} <= listing_counts(TEXTS) <= set(QUERIES)


# --- Glossary ----------------------------------------------------------------------------------


def test_every_term_is_explained_once() -> None:
    assert len(TERMS) >= 15
    words = [
        word.casefold() for term in TERMS.values() for word in (term.title, *(term.forms or ()))
    ]
    assert len(words) == len(set(words))


def test_words_to_avoid_are_avoided() -> None:
    """The English texts keep to the glossary; other languages are to pass the same."""
    avoided = [word for term in TERMS.values() for word in term.avoid or ()]
    assert avoided
    for text in TEXTS:
        assert [w for w in avoided if re.search(rf"\b{re.escape(w)}\b", text, re.I)] == []


# --- From verdicts to answers ------------------------------------------------------------------


def test_reasons_lead_to_answers_that_exist() -> None:
    assert set(ANCHORS.values()) <= set(FAQ)
    assert set(ANCHORS.values()) == set(NAMES)
    verdicts = {key for key in ANCHORS if not key.startswith("cold.")}
    assert verdicts <= {*REASONS, *MISSING, *CONDITIONS}


def test_an_answer_is_linked_once_in_the_order_of_the_reasons() -> None:
    keys = ["platform_mismatch", "nothing_known", "require_gate", "below_minor_floor"]
    assert [link.url for link in explained(keys)] == [
        "/faq/#arm64-hosts",
        "/faq/#driver-i-cannot-change",
    ]


def test_a_verdict_leads_to_its_answer(client: Client) -> None:
    html = client.get("/check/?cuda=13.0&framework=torch&release=2.9.0").content.decode()
    links = set(re.findall(r'href="/faq/#([^"]+)"', html))
    assert "driver-i-cannot-change" in links
    assert links <= set(FAQ)


def test_a_first_start_leads_to_its_answers(client: Client) -> None:
    html = client.get("/cold-start/?compressed_gb=16").content.decode()
    found = re.findall(r'<a href="/faq/#([^"]+)" hx-boost="false">', html)
    assert found == [anchor for key, anchor in ANCHORS.items() if key.startswith("cold.")]
