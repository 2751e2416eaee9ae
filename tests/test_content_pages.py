"""/guide/ and /faq/: anchors, contents, structured data, and English where nothing else is."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.test import Client

from checks.content.files import Entries
from checks.content.store import load
from checks.models import ContentEntry
from providers.dimensions import DIMENSIONS
from tests.content_texts import entry, question, source, translated, write
from tests.factories import make_offering
from tests.links import Links
from tests.query_counts import queries_of

pytestmark = pytest.mark.django_db

GUIDE = {
    "start": entry("What it means", "It means **this**."),
    "daemon": entry("A daemon?", "Look.", dimension="docker_daemon"),
}
FAQ = {
    "one": question("One?", sources=[source(), source("https://other.example/", None)]),
    "two": question("Two & three?"),
}
TERMS = {"image": entry("image", "A file system.")}
ARABIC = {"one": translated(FAQ["one"], "واحد؟")}


@pytest.fixture(autouse=True)
def _loaded(tmp_path: Path) -> None:
    make_offering(docker_daemon="root", spot=True)
    make_offering()
    load(write(tmp_path, en_guide=GUIDE, en_faq=FAQ, en_glossary=TERMS, ar_faq=ARABIC))


def shown(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


class Foreign(HTMLParser):
    """(lang, dir, text) of every part of the main content that is in a language of its own."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, str, str]] = []
        self._inside: list[bool] = []
        self.feed(html[html.index("<main") :])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in {"div", "a"}:
            given = dict(attrs)
            self._inside.append("lang" in given)
            if "lang" in given:
                self.found.append((str(given["lang"]), str(given.get("dir")), ""))

    def handle_endtag(self, tag: str) -> None:
        if tag in {"div", "a"}:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        if any(self._inside):
            lang, direction, text = self.found[-1]
            self.found[-1] = (lang, direction, f"{text}{data}".strip())


# --- What stands there --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "anchors"),
    [("/guide/", ["start", "daemon", "glossary", "term-image"]), ("/faq/", ["one", "two"])],
)
def test_every_entry_has_its_anchor_and_the_contents_lead_there(
    client: Client, path: str, anchors: list[str]
) -> None:
    page = Links(shown(client, path))
    assert set(anchors) <= page.ids
    contents = [link.href for link in page.found if link.href.startswith("#")]
    assert {f"#{a}" for a in anchors if not a.startswith("term-")} <= set(contents)
    assert {href[1:] for href in contents} <= page.ids


def test_a_check_shows_its_answers_with_counts_and_links(client: Client) -> None:
    html = shown(client, "/guide/")
    table = html[html.index('<table class="answers"') : html.index("</table>")]
    rows = re.findall(r'href="([^"]+)">([^<]+)</a></th><td>.*?</td><td class="number">(\d+)', table)
    values = DIMENSIONS["docker_daemon"].values
    assert rows == [
        (f"/?docker_daemon={v.key}", str(v.label), "1" if v.key == "root" else "0") for v in values
    ]
    assert re.search(r'class="unknown">.*?<td class="number">1</td>', table)
    assert "answers at 2 offerings today" in table
    assert "<code" in html[html.index("To settle it:") :]


def test_an_answer_ends_in_live_data_and_names_its_sources(client: Client) -> None:
    html = shown(client, "/faq/")
    assert 'At 1 of 2: <a href="/?spot=yes">these</a>.' in html
    assert 'href="https://docs.example/page"' in html
    assert "(20 August 2026)" in html
    assert '<bdi dir="ltr">other.example</bdi></a> (day not recorded)' in html


def test_questions_are_told_to_machines(client: Client) -> None:
    html = shown(client, "/faq/")
    assert html.count('itemtype="https://schema.org/FAQPage"') == 1
    names = re.findall(r'<span itemprop="name">(.*?)</span>', html)
    assert names == ["One?", "Two &amp; three?"]
    for kind in ("Question", "Answer"):
        assert html.count(f'itemtype="https://schema.org/{kind}"') == 2
    (first, _second) = re.findall(r'itemprop="text">(.*?)</div>\s*</div>', html, re.S)
    assert "<p>It is so.</p>" in first
    assert "At 1 of 2" in first
    assert "<script>" not in html


def test_the_pages_lead_to_each_other_and_belong_to_one_place(client: Client) -> None:
    assert '<a href="/faq/">' in shown(client, "/guide/")
    html = shown(client, "/faq/")
    assert '<a href="/guide/" aria-current="true">' in html
    assert '<link rel="canonical" href="http://testserver/faq/">' in html


# --- Languages ---------------------------------------------------------------------------------


def test_what_is_not_translated_stands_in_english_from_left_to_right(client: Client) -> None:
    html = shown(client, "/ar/faq/")
    assert '<html lang="ar" dir="rtl">' in html
    parts = Foreign(html).found
    assert {(lang, direction) for lang, direction, _text in parts} == {("en", "ltr")}
    assert any("Two & three?" in text for _lang, _dir, text in parts)
    assert not any("واحد؟" in text for _lang, _dir, text in parts)
    assert "واحد؟" in html
    assert "One?" not in html
    assert '<p class="notice">' in html  # it says so, in the language of the page


def test_links_of_an_english_text_stay_in_the_language_of_the_page(client: Client) -> None:
    assert 'href="/ar/?spot=yes"' in shown(client, "/ar/faq/")
    assert 'href="/ar/?docker_daemon=root"' in shown(client, "/ar/guide/")


def test_a_translation_whose_english_changed_gives_way_to_it(client: Client) -> None:
    row = ContentEntry.objects.get(key="one", language="en")
    row.title, row.digest = "One, again?", "f" * 16
    row.save()
    html = shown(client, "/ar/faq/")
    assert "One, again?" in html
    assert "واحد؟" not in html


def test_a_page_in_its_own_language_marks_nothing_as_foreign(client: Client) -> None:
    html = shown(client, "/faq/")
    assert Foreign(html).found == []
    assert "is shown in English" not in html


@pytest.mark.parametrize("path", ["/guide/", "/faq/"])
def test_a_page_without_texts_says_what_to_do(client: Client, path: str) -> None:
    ContentEntry.objects.all().delete()
    assert "load_content" in shown(client, path)


def test_a_text_that_today_s_rules_refuse_is_left_out_and_told(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    ContentEntry.objects.filter(key="one", language="en").update(live="{count:gone=yes}")
    html = shown(client, "/faq/")
    assert 'id="one"' not in html
    assert 'id="two"' in html
    assert "en/faq#one is not shown" in caplog.text


# --- Cost --------------------------------------------------------------------------------------


def many(n: int) -> Entries:
    keys = [d.key for d in DIMENSIONS.values() if d.values]
    return {
        f"q{i}": question(live=f"{{count:{k}={DIMENSIONS[k].values[0].key}}} of [these](/)")
        for i in range(n)
        for k in [keys[i % len(keys)]]
    }


@pytest.mark.parametrize("path", ["/guide/", "/faq/", "/ar/faq/"])
def test_a_page_costs_few_queries_whatever_the_entries(
    client: Client, path: str, tmp_path: Path
) -> None:
    client.get(path)
    few = queries_of(lambda: client.get(path))
    more = {"en_guide": GUIDE, "en_faq": FAQ | many(60), "en_glossary": TERMS}
    load(write(tmp_path / "more", **more))
    for _ in range(20):
        make_offering()
    assert queries_of(lambda: client.get(path)) == few <= 15


def test_only_reading_is_allowed(client: Client) -> None:
    assert client.post("/faq/").status_code == 405
    assert client.head("/guide/").status_code == 200
