"""Everything works without script: filters, chips, relax, sort, search, cells."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.matrix import (
    FILTERED,
    MATCHES,
    NOTHING,
    PRICED,
    PROVIDER,
    SOME,
    cell,
    chips,
    counts,
    facet_value,
    matches,
    prices,
    rows,
)

pytestmark = pytest.mark.browser_context_args(java_script_enabled=False)


def test_a_filter_and_its_chip_are_plain_links(page: Page) -> None:
    page.goto(SOME)
    everything = matches(page)
    value = facet_value(page, "docker_daemon", "Root")
    promised = counts(value)
    value.click()
    expect(chips(page).first).to_have_text("Remove: Docker daemon Root")
    expect(page).to_have_url(FILTERED)
    assert len(matches(page)) == promised.match
    assert len(rows(page)["May match"]) == promised.may
    chips(page).first.click()
    expect(page).to_have_url(SOME)
    assert matches(page) == everything


def test_relaxing_brings_rows_back(page: Page) -> None:
    page.goto(NOTHING)
    assert matches(page) == []
    page.get_by_role("link", name="Relax this one").first.click()
    expect(chips(page)).to_have_count(1)
    assert matches(page)


def test_the_price_sorts(page: Page) -> None:
    page.goto(PRICED)
    page.get_by_role("columnheader", name="Price").get_by_role("link").click()
    expect(page).to_have_url(f"{PRICED}&sort=price")
    known = [price for price in prices(page) if price is not None]
    assert known == sorted(known)
    assert len(set(known)) > 5


def test_menus_open_and_choose_columns(page: Page) -> None:
    page.goto(FILTERED)
    page.locator("#columns > summary").click()
    page.locator("#columns").get_by_role("link", name="SSH", exact=True).click()
    expect(page.get_by_role("columnheader", name="SSH")).to_be_visible()


def test_the_search_form_keeps_the_filters(page: Page) -> None:
    page.goto(FILTERED)
    everything = matches(page)
    page.get_by_role("searchbox").fill("vast")
    page.get_by_role("button", name="Search").click()
    expect(chips(page)).to_have_count(3)
    assert 0 < len(matches(page)) < len(everything)


def test_the_form_of_limits_narrows_the_rows(page: Page) -> None:
    page.goto(SOME)
    page.get_by_role("textbox", name="VRAM at least").fill("80")
    page.get_by_role("button", name="Apply limits").click()
    expect(chips(page)).to_have_count(2)
    expect(chips(page).last).to_have_text("Remove: VRAM at least 80 GB")


def test_a_cell_is_a_page_that_leads_back(page: Page) -> None:
    page.goto(FILTERED)
    first = matches(page)[0]
    cell(page, first, "Docker daemon").click()
    expect(page.get_by_role("heading", name="Docker daemon", level=1)).to_be_visible()
    expect(page.get_by_role("article")).to_contain_text("Basis")
    page.get_by_role("link", name="Back to the table").click()
    assert first in rows(page)[MATCHES]


def test_the_sheet_of_a_phone_opens_and_closes(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(SOME)
    sheet = page.get_by_role("complementary", name="Filters")
    expect(sheet).to_be_hidden()
    page.get_by_role("button", name="Filters").click()
    expect(sheet).to_be_visible()
    sheet.get_by_role("button", name="Close").click()
    expect(sheet).to_be_hidden()


def test_what_needs_script_is_not_offered(page: Page) -> None:
    page.goto(PROVIDER)
    expect(page.get_by_role("button", name="Theme")).to_have_count(0)
