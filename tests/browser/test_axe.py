"""axe finds nothing, whatever is open and however the page is lit."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.every_page import ALL, DESK, LIT, PHONE, check_axe
from tests.browser.matrix import SOME_LISTINGS


def check_in_both_themes(page: Page) -> None:
    check_axe(page, ALL)
    page.emulate_media(color_scheme="dark")
    check_axe(page, LIT)


def go(page: Page, address: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(address)


def open_cell(page: Page) -> None:
    page.locator("#matrix").get_by_role("cell").get_by_role("link").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()


def open_listing(page: Page) -> None:
    page.locator(".listings [data-cells]").get_by_role("link").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()


def open_places(page: Page) -> None:
    page.get_by_role("button", name="Menu").click()
    expect(page.get_by_role("navigation", name="Places")).to_be_visible()


def open_sheet(page: Page) -> None:
    page.get_by_role("button", name="Filters").click()
    expect(page.get_by_role("complementary", name="Filters")).to_be_visible()


def open_columns(page: Page) -> None:
    page.locator("#columns > summary").click()
    expect(page.locator("#column-ssh")).to_be_visible()


@pytest.mark.parametrize(
    ("address", "width", "open_it"),
    [
        ("/?q=runpod", PHONE, open_cell),
        ("/?q=runpod", DESK, open_cell),
        ("/?q=runpod", PHONE, open_sheet),
        ("/?q=runpod", DESK, open_columns),
        ("/?q=runpod", PHONE, open_places),
        (SOME_LISTINGS, PHONE, open_listing),
        (SOME_LISTINGS, DESK, open_listing),
    ],
)
def test_axe_finds_nothing_with_something_open(
    page: Page, address: str, width: int, open_it: Callable[[Page], None]
) -> None:
    go(page, address, width)
    open_it(page)
    check_in_both_themes(page)
