"""What fits: no page is wider than its window, the first screen shows the matrix, little script."""

import gzip
from itertools import product
from typing import Literal

import pytest
from playwright.sync_api import Page, Response, expect

from tests.browser.conftest import Complaints
from tests.browser.matrix import (
    ARM,
    CELL,
    FAMILY,
    FILTERED,
    GPUS,
    LISTINGS,
    NOTHING,
    PROVIDER,
    STATUS,
)

ADDRESSES = {
    "browse": "/",
    "filtered": FILTERED,
    "nothing": NOTHING,
    "wide": "/?q=runpod&columns=custom_image&columns=ssh&columns=driver&columns=cuda_max"
    "&columns=isolation&columns=spot&columns=jupyter&columns=privileged&columns=cold_start",
    "cell": CELL,
    "provider": PROVIDER,
    "gpus": GPUS,
    "family": FAMILY,
    "model": ARM,
    "listings": LISTINGS,
    "status": STATUS,
    "missing": "/nowhere/",
}
WIDTHS = (390, 820, 1440)
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
SCRIPT_BUDGET = 30_000

# Sideways scrolling of the page, and whose edge causes it. A root that hides what overflows would
# only hide the fault from this test.
_STICKS_OUT = """() => {
    const root = document.documentElement, width = root.clientWidth;
    const hidden = [root, document.body].filter(e => getComputedStyle(e).overflowX !== "visible");
    if (root.scrollWidth <= width && !hidden.length) return [];
    const outside = [...document.querySelectorAll("body *")].filter(element => {
        const box = element.getBoundingClientRect();
        return box.width && (box.right > width + 0.5 || box.left < -0.5);
    });
    const first = outside.slice(0, 5).map(element => element.outerHTML.slice(0, 120));
    return [`${root.scrollWidth} > ${width}`, ...first];
}"""


@pytest.mark.parametrize("language", ["", "/ar"], ids=["en", "ar"])
@pytest.mark.parametrize("name", ADDRESSES)
def test_no_page_scrolls_sideways(
    page: Page, complaints: Complaints, language: str, name: str
) -> None:
    if name == "missing":
        complaints.provoke("404")
    page.goto(language + ADDRESSES[name])
    for width, theme in product(WIDTHS, THEMES):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=theme)
        assert page.evaluate(_STICKS_OUT) == [], f"{width} px, {theme}"


def test_an_open_cell_fits_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(FILTERED)
    page.locator("#matrix").get_by_role("cell").get_by_role("link").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    assert page.evaluate(_STICKS_OUT) == []
    assert dialog.evaluate("dialog => dialog.scrollWidth <= dialog.clientWidth")


def test_the_first_screen_shows_ten_offerings_with_all_seven_dimensions(page: Page) -> None:
    page.goto("/")
    heads = page.locator("#matrix").get_by_role("columnheader")
    expect(heads).to_have_count(9)
    for box in heads.evaluate_all("all => all.map(e => e.getBoundingClientRect().toJSON())"):
        assert box["left"] >= 0
        assert box["right"] <= 1440
        assert box["bottom"] <= 900
    names = page.locator("#matrix").get_by_role("rowheader")
    bottoms = names.evaluate_all("all => all.map(e => e.getBoundingClientRect().bottom)")
    assert sum(bottom <= 900 for bottom in bottoms) >= 10


def test_all_script_is_at_most_30_kb_compressed(page: Page) -> None:
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108 - Playwright marks it
    page.goto(FILTERED, wait_until="networkidle")
    scripts = [a.body() for a in answers if a.request.resource_type == "script"]
    assert len(scripts) >= 3
    assert sum(len(gzip.compress(body)) for body in scripts) <= SCRIPT_BUDGET
