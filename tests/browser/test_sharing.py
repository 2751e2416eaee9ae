"""From the button to a link in another browser, which shows that day and switches to now."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from pytest_playwright import CreateContextCallback

from tests.browser.conftest import Complaints
from tests.browser.every_page import ALL, PHONE, check_axe, check_fit

BROWSE = "/?docker_daemon=root&kind=marketplace"
COMPARE = "/compare/?o=runpod/pods&o=lambda/on-demand&gpu=h100-sxm"
CHECK = "/check/?cuda=12.4&framework=torch&release=2.6.0&kind=marketplace"


def share(page: Page, address: str) -> str:
    """The link that the button makes at `address`."""
    page.goto(address)
    page.get_by_role("button", name="Share").click()
    link = page.locator(".shared a")
    expect(link).to_be_visible()
    return str(link.get_attribute("href"))


@pytest.mark.parametrize("address", [BROWSE, COMPARE, CHECK])
def test_share_open_in_another_browser_and_switch_to_now(
    page: Page, new_context: CreateContextCallback, address: str
) -> None:
    link = share(page, address)
    assert re.search(r"/s/[0-9a-hjkmnp-tv-z]{12}/$", link)

    other = new_context().new_page()
    other.goto(link)
    switch = other.get_by_role("navigation", name="Which day")
    expect(switch.get_by_role("link", name="As of")).to_have_attribute("aria-current", "true")
    expect(other.get_by_role("heading", name="What has changed since")).to_be_visible()
    expect(other.get_by_text("Nothing that this share shows has changed.")).to_be_visible()

    switch.get_by_role("link", name="Now").click()
    expect(other).to_have_url(f"{link}?now=1")
    expect(other.get_by_role("heading", name="As of today")).to_be_visible()
    switch.get_by_role("link", name="Open the page itself").click()
    assert other.url.endswith(address)


def test_the_link_lies_on_the_clipboard_and_is_announced(
    new_context: CreateContextCallback,
) -> None:
    context = new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    link = share(page, BROWSE)
    assert page.evaluate("navigator.clipboard.readText()") == link
    expect(page.locator("#announce")).to_have_text(re.compile(f"^Link copied.* {link}$"))
    expect(page).to_have_url(re.compile(re.escape(BROWSE) + "$"))
    assert context.cookies() == []


def test_where_the_clipboard_is_closed_the_link_is_there_to_take(page: Page) -> None:
    page.add_init_script("navigator.clipboard.write = () => Promise.reject(new Error('closed'))")
    link = share(page, BROWSE)
    expect(page.locator(".shared")).to_contain_text(link)
    expect(page.locator(".shared")).not_to_contain_text("copied")


def test_the_same_view_gives_the_same_link_and_a_filtered_one_another(page: Page) -> None:
    first = share(page, BROWSE)
    assert share(page, BROWSE) == first
    # A swap brings a form with it that knows the new address.
    page.locator("#facet-custom_image").get_by_role("link").first.click()
    expect(page.locator(".shared")).to_be_hidden()
    page.get_by_role("button", name="Share").click()
    expect(page.locator(".shared a")).to_be_visible()
    assert page.locator(".shared a").get_attribute("href") != first


def test_a_refusal_says_why_and_leaves_the_page_alone(page: Page, complaints: Complaints) -> None:
    complaints.provoke("422")
    page.goto(BROWSE)
    page.locator("form.share [name=kind]").evaluate("field => { field.value = 'nothing' }")
    page.get_by_role("button", name="Share").click()
    expect(page.locator(".shared")).to_contain_text("Nothing of this kind can be shared.")
    expect(page.locator(".shared a")).to_be_hidden()
    expect(page.locator("#announce")).to_contain_text("Share from the page itself.")
    expect(page).to_have_url(re.compile(re.escape(BROWSE) + "$"))


def test_it_works_without_script(new_context: CreateContextCallback) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(COMPARE)
    page.get_by_role("button", name="Share").click()
    expect(page).to_have_url(re.compile(r"/s/[0-9a-z]{12}/$"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("RunPod Pods")


def test_a_cell_leads_to_the_source_that_it_had(page: Page) -> None:
    page.goto(share(page, COMPARE))
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="Docker daemon"))
    source = row.get_by_role("link").first
    assert str(source.get_attribute("href")).startswith("https://")
    expect(row.get_by_role("cell").first).to_contain_text(re.compile(r"Documented|Derived"))


@pytest.mark.parametrize("address", [BROWSE, CHECK])
def test_a_share_of_a_list_fits_a_phone_and_axe_finds_nothing(page: Page, address: str) -> None:
    page.goto(share(page, address))
    check_fit(page, PHONE)
    check_axe(page, ALL)


def test_the_preview_is_a_picture_of_its_announced_size(page: Page) -> None:
    page.goto(share(page, BROWSE))
    address = page.locator('meta[property="og:image"]').get_attribute("content")
    answer = page.request.get(str(address))
    assert answer.headers["content-type"] == "image/png"
    assert answer.body()[16:24] == (1200).to_bytes(4) + (630).to_bytes(4)
