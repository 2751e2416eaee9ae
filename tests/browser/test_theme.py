"""The theme: as the system has it, or as it was chosen; the choice lasts and never flashes."""

import time

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.matrix import CELL, PROVIDER

# The ground that each frame showed, from the first one that had a body to paint.
_WATCH = """
window.grounds = [];
const look = () => {
    const style = getComputedStyle(document.documentElement);
    if (document.body) window.grounds.push(style.backgroundColor);
    requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
_GROUND = "getComputedStyle(document.documentElement).backgroundColor"


def ground(page: Page) -> str:
    """The colour behind everything."""
    found: str = page.evaluate(_GROUND)
    return found


def slowly(route: Route) -> None:
    time.sleep(0.3)
    route.continue_()


def choose(page: Page, theme: str) -> None:
    button = page.get_by_role("button", name="Theme")
    for _click in range(3):
        if button.inner_text().endswith(theme):
            return
        button.click()
    pytest.fail(f"no click of the button chose {theme}")


def test_the_choice_changes_the_ground_and_lasts(page: Page) -> None:
    page.goto(CELL)
    light = ground(page)
    choose(page, "dark")
    dark = ground(page)
    assert dark != light
    page.goto(PROVIDER)
    expect(page.get_by_role("button", name="Theme: dark")).to_be_visible()
    assert ground(page) == dark
    choose(page, "auto")
    page.reload()
    expect(page.get_by_role("button", name="Theme: auto")).to_be_visible()
    assert ground(page) == light


def test_without_a_choice_the_system_decides(page: Page) -> None:
    page.goto(PROVIDER)
    light = ground(page)
    page.emulate_media(color_scheme="dark")
    dark = ground(page)
    choose(page, "light")
    assert ground(page) == light
    choose(page, "dark")
    page.emulate_media(color_scheme="light")
    assert ground(page) == dark


def test_a_chosen_theme_never_flashes_the_other_one(page: Page) -> None:
    page.goto(PROVIDER)
    choose(page, "dark")
    dark = ground(page)
    page.add_init_script(_WATCH)
    page.route("**/theme.js", slowly)
    page.reload()
    page.wait_for_timeout(100)
    assert set(page.evaluate("grounds")) == {dark}
