"""The page of changes in a browser, and data blocks under the strict policy."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.browser.every_page import ALL, DESK, PHONE, check_axe, check_fit
from tests.browser.matrix import PROVIDER

CHANGES = "/changes/"
UNDER = "/changes/?docker_daemon=root&gpu=h100-sxm&max_price=2"


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_with_filters_in_use_it_fits_and_axe_finds_nothing(page: Page, width: int) -> None:
    page.goto(UNDER)
    check_fit(page, width)
    check_axe(page, ALL)


def test_the_first_load_of_the_catalog_is_one_entry(page: Page) -> None:
    page.goto(CHANGES)
    first = page.get_by_role("listitem").filter(has_text="First load of the catalog")
    expect(first).to_have_count(1)
    expect(page.locator(".changes > li")).to_have_count(1)


def test_a_filter_is_set_by_the_form_and_taken_away_by_its_chip(page: Page) -> None:
    page.goto("/changes/?docker_daemon=root")
    page.get_by_label("GPU", exact=True).select_option("h100-sxm")
    page.get_by_label("Price crosses").fill("2")
    page.get_by_role("button", name="Show").click()
    feed = page.get_by_role("link", name="Subscribe (Atom)")
    expect(feed).to_have_attribute("href", "/feed.atom?docker_daemon=root&gpu=h100-sxm&max_price=2")
    page.get_by_role("link", name="Remove: Docker daemon Root").click()
    expect(feed).to_have_attribute("href", "/feed.atom?gpu=h100-sxm&max_price=2")


def test_a_data_block_stands_under_the_policy_and_nobody_complains(page: Page) -> None:
    # The listener of `conftest` hears what the policy refuses.
    page.goto(PROVIDER)
    block = page.locator('script[type="application/ld+json"]')
    expect(block).to_have_count(1)
    assert json.loads(block.text_content() or "")["@type"] == "Organization"
