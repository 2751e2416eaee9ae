"""From the front page in Arabic to a shared comparison: no mouse, and never out of the language."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.keyboard import tab_to

TWO = 2


def arabic(page: Page, path: str) -> None:
    """Still the same language, from right to left, under an address that says so."""
    expect(page).to_have_url(re.compile(rf"^http://[^/]+{path}"))
    expect(page.locator("html")).to_have_attribute("lang", "ar")
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    expect(page.locator("body")).to_have_css("direction", "rtl")


def choose(page: Page, criterion: str, value: str) -> None:
    """A filter of the open sheet; its facet may have to be opened first."""
    facet = page.locator(f"#facet-{criterion}")
    link = facet.locator(f'[id="f-{criterion}-{value}"]')
    if not link.is_visible():
        tab_to(page, facet.locator("summary").first)
        page.keyboard.press("Space")
    tab_to(page, link)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"[?&]{criterion}={value}"))


def pick(page: Page, box: Locator) -> str:
    """Ticks an offering; the key it is known by."""
    tab_to(page, box)
    page.keyboard.press("Space")
    expect(box).to_be_checked()
    return str(box.get_attribute("value"))


@pytest.mark.browser_context_args(viewport={"width": 390, "height": 844})
def test_the_keyboard_alone_leads_from_the_front_page_to_a_shared_comparison(page: Page) -> None:
    page.goto("/ar/")
    arabic(page, "/ar/$")

    tab_to(page, ".open-filters")
    page.keyboard.press("Enter")
    expect(page.locator("#filters")).to_be_visible()
    choose(page, "docker_daemon", "root")
    choose(page, "kind", "marketplace")
    page.keyboard.press("Escape")
    expect(page.locator("#filters")).to_be_hidden()
    arabic(page, r"/ar/\?")

    boxes = page.locator("#matrix input[form=tray]")
    keys = [pick(page, boxes.nth(row)) for row in range(TWO)]
    expect(page.locator("#tray li")).to_have_count(TWO)

    tab_to(page, "#tray [type=submit]")
    page.keyboard.press("Enter")
    arabic(page, "/ar/compare/")
    removing = [page.locator(f'[id="remove-{key}"]') for key in keys]
    for link in removing:
        expect(link).to_be_visible()
    names = page.locator("#matrix thead tr:first-child th a:last-of-type").all_inner_texts()
    assert len(names) == TWO

    tab_to(page, "form.share button")
    page.keyboard.press("Enter")
    tab_to(page, ".shared a")
    page.keyboard.press("Enter")
    arabic(page, "/ar/s/")
    for name in names:
        expect(page.get_by_role("columnheader").filter(has_text=name)).to_be_visible()
    # The names of the questions stay where reading begins while the answers come by.
    tab_to(page, ".frozen .spec")


@pytest.mark.browser_context_args(viewport={"width": 390, "height": 844})
def test_the_left_arrow_brings_what_follows_in_a_comparison(page: Page) -> None:
    page.goto("/ar/compare/?o=runpod/pods&o=lambda/on-demand&o=modal/functions")
    tab_to(page, "#matrix")
    corner, heads = page.locator("#matrix thead th").first, page.locator("#matrix thead tr th")
    last, before = heads.nth(3), corner.bounding_box()
    expect(last).not_to_be_in_viewport()
    for _ in range(20):
        page.keyboard.press("ArrowLeft")
    expect(last).to_be_in_viewport()
    after = corner.bounding_box()
    assert before
    assert after
    assert after["x"] == before["x"] > 390 / 2
