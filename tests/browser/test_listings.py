"""Priced rows: paged, filtered, in any unit, with and without script."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.matrix import LISTINGS, SOME_LISTINGS, facet_value


def rows(page: Page) -> Locator:
    return page.locator(".listings tbody tr:not(.section)")


def texts(page: Page) -> list[str]:
    return [" ".join(text.split()) for text in rows(page).all_inner_texts()]


def read_to_the_end(page: Page) -> list[str]:
    page.goto(LISTINGS)
    read = texts(page)
    following = page.get_by_role("link", name="Next page")
    while following.count():
        before = page.url
        following.click()
        expect(page).not_to_have_url(before)
        expect(page.get_by_role("link", name="First page")).to_be_visible()
        read += texts(page)
    return read


def test_the_pages_hold_each_row_once_and_an_address_leads_to_each(page: Page) -> None:
    read = read_to_the_end(page)
    total = int(re.findall(r"\d+", page.locator("#results").inner_text())[0])
    assert len(read) == total > 100
    last = texts(page)
    page.reload()
    assert texts(page) == last


@pytest.mark.browser_context_args(java_script_enabled=False)
def test_paging_and_filtering_need_no_script(page: Page) -> None:
    assert len(read_to_the_end(page)) > 100
    page.goto(LISTINGS)
    facet_value(page, "docker_daemon", "Root").click()
    expect(page.locator("#chip-docker_daemon-root")).to_be_visible()
    assert 0 < rows(page).count() <= 50


def test_a_facet_promises_the_rows_that_a_click_brings(page: Page) -> None:
    page.goto("/listings/?gpu=h100")
    facet_value(page, "docker_daemon", "Root").click()
    expect(page).to_have_url(re.compile("docker_daemon=root"))
    # "9 listings 1 more may match": both kinds stand below.
    promised = re.findall(r"\d+", page.locator("#results").inner_text())
    assert rows(page).count() == sum(map(int, promised)) > 0


def test_units_change_prices_and_what_they_are_for(page: Page) -> None:
    page.goto(SOME_LISTINGS)
    per_hour = texts(page)
    page.locator("#units").click()
    page.get_by_role("link", name="for a month (730 h)").click()
    expect(page).to_have_url(re.compile("period=month"))
    expect(page.get_by_role("columnheader", name="$ / GPU / month").first).to_be_visible()
    assert texts(page) != per_hour


def test_a_row_leads_to_its_gpu_its_offering_its_page_and_its_source(page: Page) -> None:
    page.goto(SOME_LISTINGS)
    first = rows(page).first
    links = [link.get_attribute("href") or "" for link in first.get_by_role("link").all()]
    assert [
        bool(re.match(start, href))
        for start, href in zip(
            (r"/gpus/", r"/providers/[\w-]+/#", r"/listings/\d+/", r"https://"), links, strict=True
        )
    ] == [True] * 4


def test_a_price_opens_to_where_its_row_comes_from_and_closes_to_its_place(page: Page) -> None:
    page.goto(SOME_LISTINGS)
    price = rows(page).nth(1).locator("[data-cells]").get_by_role("link")
    price.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading", name="The machine")).to_be_visible()
    expect(dialog.get_by_text("First seen")).to_be_visible()
    assert page.url.endswith(SOME_LISTINGS)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(price).to_be_focused()


def test_a_gpu_of_a_row_leads_to_its_page(page: Page) -> None:
    page.goto(SOME_LISTINGS)
    rows(page).first.get_by_role("link").first.click()
    expect(page).to_have_url(re.compile("/gpus/"))
    expect(page.get_by_role("heading", level=1)).to_have_count(1)


@pytest.mark.browser_context_args(java_script_enabled=False)
def test_a_row_has_a_page_of_its_own_without_script(page: Page) -> None:
    page.goto(SOME_LISTINGS)
    rows(page).first.locator("[data-cells]").get_by_role("link").click()
    expect(page).to_have_url(re.compile(r"/listings/\d+/$"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("H100")
    page.get_by_role("link", name="All listings").click()
    expect(page).to_have_url(re.compile(r"/listings/\?sort=price$"))


def test_offerings_and_listings_lead_to_each_other_under_the_same_filters(page: Page) -> None:
    page.goto("/listings/?gpu=h100&docker_daemon=root")
    page.get_by_role("link", name="Show as offerings").click()
    expect(page).to_have_url("/?docker_daemon=root&gpu=h100")
    page.get_by_role("link", name="Show as listings").click()
    expect(page).to_have_url("/listings/?docker_daemon=root&gpu=h100")
