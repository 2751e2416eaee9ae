"""What fits a window: an opened answer, the first screen of the matrix; and little script."""

import gzip

import pytest
from playwright.sync_api import Page, Response, expect

from tests.browser.every_page import STICKS_OUT
from tests.browser.matrix import FILTERED, chips

SCRIPT_BUDGET = 30_000


def test_an_open_cell_fits_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(FILTERED)
    page.locator("#matrix").get_by_role("cell").get_by_role("link").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    assert page.evaluate(STICKS_OUT) == []
    assert dialog.evaluate("dialog => dialog.scrollWidth <= dialog.clientWidth")


@pytest.mark.parametrize(
    ("address", "filters"), [("/", 0), ("/?docker_daemon=root&persistent_volume=network", 2)]
)
def test_the_first_screen_shows_ten_offerings_with_all_seven_dimensions(
    page: Page, address: str, filters: int
) -> None:
    page.goto(address)
    expect(chips(page)).to_have_count(filters)
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
