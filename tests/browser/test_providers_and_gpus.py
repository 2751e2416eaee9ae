"""Pages of providers and GPUs: cells open in place, evidence on demand, also without script."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.matrix import ARM, FAMILY, GPUS, PROVIDER

NO_SCRIPT = pytest.mark.browser_context_args(java_script_enabled=False)


def side_by_side(page: Page) -> Locator:
    return page.get_by_role("region", name="Answers side by side")


def daemon(page: Page) -> Locator:
    """The first offering's answer about the daemon, on the page of a provider."""
    row = side_by_side(page).get_by_role("row").filter(has_text="Docker daemon")
    return row.get_by_role("link").first


def test_a_cell_opens_over_the_page_of_a_provider(page: Page) -> None:
    page.goto(PROVIDER)
    daemon(page).click()
    dialog = page.get_by_role("dialog", name="Docker daemon")
    expect(dialog).to_contain_text("Basis")
    expect(page).to_have_url(re.compile(f"{PROVIDER}$"))
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(daemon(page)).to_be_focused()


def test_a_cell_opens_over_the_page_of_a_gpu(page: Page) -> None:
    page.goto(ARM)
    page.locator("#matrix").get_by_role("cell").get_by_role("link").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("Possible answers")
    expect(page).to_have_url(re.compile(f"{ARM}$"))


@NO_SCRIPT
def test_without_script_a_cell_is_a_page(page: Page) -> None:
    page.goto(PROVIDER)
    daemon(page).click()
    expect(page.get_by_role("heading", name="Docker daemon", level=1)).to_be_visible()


@NO_SCRIPT
def test_evidence_unfolds_on_demand(page: Page) -> None:
    page.goto(PROVIDER)
    pods = page.locator("#pods")
    source = pods.locator("details").first.locator('a[rel~="nofollow"]').first
    expect(source).to_be_hidden()
    pods.get_by_text("Image", exact=True).click()
    expect(source).to_be_visible()


@NO_SCRIPT
def test_the_unit_of_prices_is_an_address(page: Page) -> None:
    page.goto(PROVIDER)
    prices = page.get_by_role("region", name="Prices")
    hourly = prices.get_by_role("cell").get_by_role("link").first.inner_text()
    page.locator("#prices summary").first.click()
    page.locator("#prices").get_by_role("link", name="for a day").click()
    expect(page).to_have_url(re.compile(r"\?period=day#prices$"))
    daily = prices.get_by_role("cell").get_by_role("link").first.inner_text()
    assert float(daily) == pytest.approx(24 * float(hourly), abs=0.25)


@NO_SCRIPT
def test_a_price_leads_to_its_listings(page: Page) -> None:
    page.goto(PROVIDER)
    prices = page.get_by_role("region", name="Prices")
    prices.get_by_role("cell").get_by_role("link").first.click()
    expect(page).to_have_url(re.compile(r"/listings/\?provider=runpod&gpu="))
    expect(page.locator("#results")).to_contain_text(re.compile(r"^\s*\d+ listings?\b"))


@NO_SCRIPT
def test_the_offerings_of_a_provider_lead_to_their_comparison(page: Page) -> None:
    page.goto(PROVIDER)
    page.get_by_role("link", name="Compare these").click()
    expect(page).to_have_url(re.compile(r"/compare/\?o=runpod/pods&o=runpod/"))


@NO_SCRIPT
def test_what_is_open_names_the_command_that_settles_it(page: Page) -> None:
    page.goto(PROVIDER)
    opened = page.get_by_role("region", name="What is unknown, and how anyone could find out")
    expect(opened.get_by_role("code").first).to_be_visible()
    opened.get_by_text("further questions").click()
    assert opened.get_by_role("listitem").count() > 5


def test_the_names_of_questions_stay_while_columns_scroll(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(PROVIDER)
    name = side_by_side(page).get_by_role("rowheader").first
    before = name.bounding_box()
    assert side_by_side(page).evaluate("e => { e.scrollLeft = 900; return e.scrollLeft; }") > 50
    assert name.bounding_box() == before


@NO_SCRIPT
def test_the_list_of_gpus_leads_to_a_family_and_its_models(page: Page) -> None:
    page.goto("/")
    page.get_by_role("navigation", name="Places").get_by_role("link", name="GPUs").click()
    page.get_by_role("rowheader").get_by_role("link", name="H200", exact=True).click()
    expect(page).to_have_url(re.compile(f"{FAMILY}$"))
    page.get_by_role("columnheader").get_by_role("link", name="H200 SXM").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("H200 SXM")


@NO_SCRIPT
def test_the_list_counts_what_browse_then_shows(page: Page) -> None:
    page.goto(GPUS)
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name="GH200", exact=True))
    rented = row.get_by_role("link", name=re.compile("offering"))
    count = rented.inner_text().split()[0]
    rented.click()
    expect(page.locator("#results")).to_have_text(re.compile(rf"^\s*{count} offering"))


def test_an_arm_host_is_warned_of_at_once(page: Page) -> None:
    page.goto(ARM)
    warning = page.get_by_text("linux/arm64")
    expect(warning).to_be_in_viewport()
    expect(page.get_by_role("code").first).to_have_text("docker buildx imagetools inspect IMAGE")
