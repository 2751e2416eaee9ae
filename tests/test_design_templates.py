"""Rules every template keeps: a strict CSP, translated words, pages that render on their own."""

from __future__ import annotations

import gzip
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.utils import translation

ROOT = Path(__file__).parent.parent
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
# The curators' desk speaks English.
TRANSLATED = [path for path in TEMPLATES if ROOT / "templates/admin" not in path.parents]
SPOKEN = {"title", "aria-label", "placeholder", "alt", "content"}
# Names are the same in every language.
NAMES = {"gpucompare", "CUDA"}


class Page(HTMLParser):
    """Collects the tags, attributes and words of a template's own HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.words: list[str] = []
        self._silent = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.words.append(" ".join(data.split()))


def _own_html(source: str) -> str:
    """A template without its comments, translated words, tags and variables."""
    source = re.sub(r"\{#.*?#\}", "", source)
    source = re.sub(r"\{% blocktranslate.*?endblocktranslate %\}", "", source, flags=re.S)
    return re.sub(r"\{%.*?%\}|\{\{.*?\}\}", "", source)


def _parsed(path: Path) -> Page:
    return Page(_own_html(path.read_text()))


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT / "templates"))


@pytest.mark.parametrize("path", TEMPLATES, ids=_name)
def test_templates_hold_no_inline_style_script_or_handler(path: Path) -> None:
    for tag, attributes in _parsed(path).tags:
        assert tag != "style"
        # A data block is executed by nobody.
        is_data = attributes.get("type") == "application/ld+json"
        assert tag != "script" or "src" in attributes or is_data
        forbidden = [a for a in attributes if a == "style" or a.startswith(("on", "hx-on"))]
        assert forbidden == []
        assert not attributes.get("href", "").startswith("javascript:")


@pytest.mark.parametrize("path", TRANSLATED, ids=_name)
def test_every_word_of_a_template_can_be_translated(path: Path) -> None:
    page = _parsed(path)
    words = set(re.findall(r"[^\W\d_]+", " ".join(page.words)))
    assert words - NAMES == set()
    for tag, attributes in page.tags:
        for name in SPOKEN & set(attributes):
            if tag != "meta":
                assert not re.search(r"[^\W\d_]", attributes[name]), f"{tag} {name}"


@pytest.mark.parametrize("path", TEMPLATES, ids=_name)
def test_templates_stay_short_enough_to_read(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 120


@pytest.mark.parametrize("path", TEMPLATES, ids=_name)
def test_pictures_beside_a_word_are_hidden_from_screen_readers_others_have_a_name(
    path: Path,
) -> None:
    for tag, attributes in _parsed(path).tags:
        if tag == "svg" and attributes.get("role") == "img":
            assert attributes["aria-labelledby"]
        elif tag == "svg":
            assert attributes.get("aria-hidden") == "true"


@pytest.mark.parametrize(("code", "direction"), [("en", "ltr"), ("ar", "rtl"), ("ur", "rtl")])
def test_the_page_says_its_language_and_direction(code: str, direction: str) -> None:
    with translation.override(code):
        html = render_to_string("404.html")
    assert f'<html lang="{code}" dir="{direction}">' in html


def test_the_page_of_a_server_error_needs_no_context() -> None:
    html = render_to_string("500.html")
    assert "<h1>" in html
    assert 'href="/"' in html


def test_the_theme_is_set_before_any_sheet_is_drawn() -> None:
    html = render_to_string("404.html")
    theme = html.index("js/theme.js")
    assert theme < html.index("css/tokens.css")
    assert "defer" not in html[theme : html.index(">", theme)]


def test_the_layers_are_ordered_by_the_first_sheet() -> None:
    html = render_to_string("404.html")
    sheets = re.findall(r'rel="stylesheet" href="[^"]*css/([\w-]+)\.css"', html)
    assert sheets == ["tokens", "base", "components"]


def test_all_script_together_stays_below_thirty_kilobytes() -> None:
    files = ["js/theme.js", "js/app.js", "js/tray.js", "js/share.js", "django_htmx/htmx-2.min.js"]
    files += ["js/copy_table.js", "js/copy.js"]
    found = [finders.find(name) for name in files]
    assert all(found)
    sizes = [len(gzip.compress(Path(str(path)).read_bytes())) for path in found]
    assert sum(sizes) <= 30_000


def test_our_own_script_stays_small_and_calls_nothing_that_the_csp_forbids() -> None:
    for path in (ROOT / "static/js").glob("*.js"):
        source = path.read_text()
        assert len(source.encode()) < 4_096
        assert not re.search(r"\beval\(|new Function|\.innerHTML|document\.write|\.style\b", source)


def test_htmx_is_told_to_keep_within_the_csp() -> None:
    sources = "".join(path.read_text() for path in TEMPLATES)
    (config,) = re.findall(r"name=\"htmx-config\" content='(\{.+?\})'", sources)
    for switch in (
        '"includeIndicatorStyles":false',
        '"allowEval":false',
        '"allowScriptTags":false',
    ):
        assert switch in config
    assert "'unsafe-inline'" not in str(settings.CONTENT_SECURITY_POLICY)
    assert "'unsafe-eval'" not in str(settings.CONTENT_SECURITY_POLICY)
