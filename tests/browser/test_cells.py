"""A cell opens in place, by mouse and by keyboard, and has an address of its own."""

import re

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.matrix import FILTERED, PROVIDER, cell, matches

COLUMN = "Docker daemon"
# Far more stops than any page has.
MANY = 400


@pytest.fixture
def answer(page: Page) -> Locator:
    """The cell of the first offering on the page."""
    page.goto(FILTERED)
    return cell(page, matches(page)[0], COLUMN)


def dialog(page: Page) -> Locator:
    return page.get_by_role("dialog", name=COLUMN)


def test_a_click_opens_the_cell_over_the_table_and_escape_gives_the_focus_back(
    page: Page, answer: Locator
) -> None:
    address = page.url
    answer.click()
    expect(dialog(page)).to_be_visible()
    for word in ("Root", "Basis", "Said by", "Source", "Read"):
        expect(dialog(page)).to_contain_text(word)
    expect(dialog(page).get_by_role("definition").get_by_role("link").first).to_have_attribute(
        "href", re.compile("^https://")
    )
    assert page.url == address
    page.keyboard.press("Escape")
    expect(dialog(page)).to_be_hidden()
    expect(answer).to_be_focused()


def test_the_keyboard_alone_reaches_opens_and_closes_a_cell(page: Page, answer: Locator) -> None:
    reached = answer.evaluate_handle("cell => () => document.activeElement === cell")
    for _stop in range(MANY):
        page.keyboard.press("Tab")
        if reached.evaluate("reached => reached()"):
            break
    expect(answer).to_be_focused()
    page.keyboard.press("Enter")
    expect(dialog(page)).to_be_visible()
    assert dialog(page).evaluate("dialog => dialog.contains(document.activeElement)")
    page.keyboard.press("Escape")
    expect(dialog(page)).to_be_hidden()
    expect(answer).to_be_focused()


def test_the_button_and_a_click_beside_it_close_the_cell(page: Page, answer: Locator) -> None:
    answer.click()
    dialog(page).get_by_role("button", name="Close").click()
    expect(dialog(page)).to_be_hidden()
    answer.click()
    expect(dialog(page)).to_be_visible()
    page.mouse.click(5, 5)
    expect(dialog(page)).to_be_hidden()


def test_another_cell_replaces_what_the_first_one_showed(page: Page, answer: Locator) -> None:
    answer.click()
    expect(dialog(page)).to_be_visible()
    page.keyboard.press("Escape")
    cell(page, matches(page)[0], "Own image").click()
    expect(page.get_by_role("dialog", name="Own image")).to_be_visible()
    expect(dialog(page)).to_have_count(0)


def test_a_ctrl_click_opens_a_page_that_says_the_same_and_leads_back(
    page: Page, context: BrowserContext, answer: Locator
) -> None:
    with context.expect_page() as opened:
        answer.click(modifiers=["ControlOrMeta"])
    own = opened.value
    expect(own.get_by_role("heading", name=COLUMN, level=1)).to_be_visible()
    assert own.url.endswith(answer.get_attribute("href") or "no address")
    expect(page.get_by_role("dialog")).to_have_count(0)
    answer.click()
    here, there = dialog(page).get_by_role("article"), own.get_by_role("article")
    expect(here).to_be_visible()
    assert here.inner_text() == there.inner_text()
    own.get_by_role("link", name="Back to the table").click()
    expect(own.locator("#results")).to_be_visible()


def test_the_cells_of_a_provider_open_in_place_too(page: Page) -> None:
    page.goto(PROVIDER)
    questions = page.locator("#answers").get_by_role("row")
    for column in (COLUMN, "Own image"):
        answer = questions.filter(has_text=column).get_by_role("link").first
        answer.click()
        expect(page.get_by_role("dialog", name=column)).to_be_visible()
        page.keyboard.press("Escape")
        expect(answer).to_be_focused()


def test_a_cell_still_opens_after_a_swap(page: Page, answer: Locator) -> None:
    page.get_by_role("link", name="Hide rows that may match").click()
    expect(page.get_by_role("link", name="Show rows that may match")).to_be_visible()
    answer.click()
    expect(dialog(page)).to_be_visible()
