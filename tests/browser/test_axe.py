"""axe finds nothing, whatever is open and however the page is lit."""

from collections.abc import Callable
from itertools import product

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import Complaints
from tests.browser.matrix import (
    ARM,
    CELL,
    FAMILY,
    FILTERED,
    GPUS,
    NOTHING,
    PROVIDER,
    SOME_LISTINGS,
    STATUS,
)

PHONE, DESK = 390, 1440
# The rest of axe's rules read the same markup in the dark.
LIT = {"runOnly": ["color-contrast"], "resultTypes": ["violations"]}
ALL = {"resultTypes": ["violations"]}


def check(page: Page, options: dict[str, list[str]]) -> None:
    found = Axe().run(page, options=options)
    assert found.violations_count == 0, found.generate_report()


def check_in_both_themes(page: Page) -> None:
    check(page, ALL)
    page.emulate_media(color_scheme="dark")
    check(page, LIT)


def go(page: Page, address: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(address)


def open_cell(page: Page) -> None:
    page.locator("#matrix").get_by_role("cell").get_by_role("link").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()


def open_sheet(page: Page) -> None:
    page.get_by_role("button", name="Filters").click()
    expect(page.get_by_role("complementary", name="Filters")).to_be_visible()


def open_columns(page: Page) -> None:
    page.locator("#columns > summary").click()
    expect(page.locator("#column-ssh")).to_be_visible()


@pytest.mark.parametrize(
    ("address", "width"),
    [
        ("/", DESK),
        pytest.param("/", PHONE, marks=pytest.mark.soak),  # a thousand cells: half a minute
        *product([FILTERED, NOTHING, PROVIDER, CELL, GPUS, FAMILY, ARM], [PHONE, DESK]),
        *product([SOME_LISTINGS, STATUS], [PHONE, DESK]),
    ],
)
def test_axe_finds_nothing_on_a_page(page: Page, address: str, width: int) -> None:
    go(page, address, width)
    check_in_both_themes(page)


@pytest.mark.parametrize(
    ("address", "width", "open_it"),
    [
        ("/?q=runpod", PHONE, open_cell),
        ("/?q=runpod", DESK, open_cell),
        ("/?q=runpod", PHONE, open_sheet),
        ("/?q=runpod", DESK, open_columns),
    ],
)
def test_axe_finds_nothing_with_something_open(
    page: Page, address: str, width: int, open_it: Callable[[Page], None]
) -> None:
    go(page, address, width)
    open_it(page)
    check_in_both_themes(page)


def test_axe_finds_nothing_where_nothing_is(page: Page, complaints: Complaints) -> None:
    complaints.provoke("404")
    go(page, "/nowhere/", DESK)
    check_in_both_themes(page)


@pytest.mark.parametrize("address", [FILTERED, PROVIDER, FAMILY, STATUS])
def test_axe_finds_nothing_from_right_to_left(page: Page, address: str) -> None:
    go(page, f"/ar{address}", DESK)
    check(page, ALL)
