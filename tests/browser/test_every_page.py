"""Every page fits, is cut nowhere and passes axe, in each language; the rest of them in `soak`."""

from __future__ import annotations

import re
from itertools import product
from typing import Literal

import pytest
from babel.messages.catalog import Catalog
from django.conf import settings
from playwright.sync_api import Page

from gpucompare.translations import catalogues
from tests.browser.conftest import Complaints
from tests.browser.every_page import (
    ALL,
    DESK,
    LIT,
    NAMES,
    PHONE,
    SPOKEN_DIRECTION,
    STICKS_OUT,
    TABLET,
    check_axe,
    check_fit,
    open_in,
)

THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
_PLACEHOLDER = re.compile(r"%\([a-z_0-9]+\)[sd]|%[sd]|\{[a-z_0-9]*\}")
_WORD = re.compile(r"[A-Za-z]{3,}")

# What a page says by itself: not names and values, nor parts marked as in another language.
_SAID = """() => {
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const said = [];
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const aside = "[lang=en], code, pre, .ltr, bdi, script, style, textarea";
        const element = node.parentElement;
        if (!element.closest(aside) && element.checkVisibility()) said.push(node.data);
    }
    return said;
}"""


@pytest.mark.parametrize("language", ["en", "ar"])
@pytest.mark.parametrize("name", NAMES)
def test_a_page_fits_a_phone_and_a_desk_and_axe_finds_nothing(
    page: Page, complaints: Complaints, name: str, language: str
) -> None:
    open_in(page, complaints, name, language)
    for each in (PHONE, DESK):
        check_fit(page, each)
    # It takes seconds a page, and reads all languages and both themes in `soak`.
    if language == "en":
        check_axe(page, ALL)


@pytest.mark.parametrize("language", ["en", "ar"])
def test_the_whole_catalog_fits(page: Page, language: str) -> None:
    page.goto("/" if language == "en" else f"/{language}/")
    for width in (PHONE, TABLET, 1280, DESK):
        check_fit(page, width)


# A thousand cells: half a minute on a phone.
@pytest.mark.parametrize("width", [DESK, pytest.param(PHONE, marks=pytest.mark.soak)])
def test_axe_finds_nothing_in_the_whole_catalog(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto("/")
    check_axe(page, ALL)


@pytest.mark.soak
@pytest.mark.parametrize("language", SPOKEN_DIRECTION)
@pytest.mark.parametrize("name", NAMES)
def test_every_page_in_every_language_at_every_width_in_both_themes(
    page: Page, complaints: Complaints, name: str, language: str
) -> None:
    open_in(page, complaints, name, language)
    for width, theme in product((PHONE, TABLET, DESK), THEMES):
        page.emulate_media(color_scheme=theme)
        check_fit(page, width)
        check_axe(page, ALL if theme == "light" else LIT)
    if language != "en":
        assert in_english(page.evaluate(_SAID), sentences(language)) == []


def sentences(language: str) -> re.Pattern[str]:
    """Whatever the interface says in English of three words or more, and otherwise there."""
    catalog = catalogues.read(settings.LOCALE_PATHS[0], language)
    return re.compile("|".join(sorted(_patterns(catalog))) or r"(?!)")


def _patterns(catalog: Catalog) -> set[str]:
    found = set()
    for message in catalog:
        said = message.id if isinstance(message.id, tuple) else (message.id,)
        told = message.string if isinstance(message.string, tuple) else (message.string,)
        for text in {*map(str, said)} - {*map(str, told)}:
            parts = _PLACEHOLDER.split(" ".join(text.split()))
            if len(_WORD.findall(" ".join(parts))) >= 3:
                found.add(".+?".join(map(re.escape, parts)))
    return found


def in_english(said: list[str], english: re.Pattern[str]) -> list[str]:
    whole = (" ".join(text.split()) for text in said)
    return [text for text in whole if english.fullmatch(text)]


def test_an_english_sentence_of_the_interface_is_recognised_and_a_name_is_not() -> None:
    english = sentences("ar")
    said = ["There is nothing at this address", "Virtual machines", "لا شيء في هذا العنوان"]
    assert in_english(said, english) == ["There is nothing at this address"]


def test_what_sticks_out_is_found(page: Page) -> None:
    page.set_content("<p style='inline-size: 3000px'>wide</p>")
    assert page.evaluate(STICKS_OUT)


@pytest.mark.parametrize(
    "html",
    [
        "<p style='overflow: hidden; inline-size: 3em; white-space: nowrap'>cut at its end</p>",
        "<p dir=rtl style='overflow: clip; inline-size: 3em; white-space: nowrap'>cut in front</p>",
        "<p style='overflow: hidden; block-size: 1em; inline-size: 5em'>cut below its first</p>",
        "<button style='inline-size: 3em; white-space: nowrap'>wider than its button</button>",
    ],
)
def test_what_is_cut_is_found(page: Page, html: str) -> None:
    page.set_content(html)
    with pytest.raises(AssertionError, match=r"cut|wider"):
        check_fit(page, PHONE)


def test_what_scrolls_and_what_is_only_heard_is_not_cut(page: Page) -> None:
    page.set_content(
        "<p style='overflow: auto; inline-size: 3em; white-space: nowrap'>it can be scrolled</p>"
        "<p style='overflow: hidden; inline-size: 1px; clip-path: inset(50%)'>heard only</p>"
    )
    check_fit(page, PHONE)
