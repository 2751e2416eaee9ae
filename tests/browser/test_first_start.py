"""From an image on the front page to the command that starts it, and what stands on the way."""

import re

import pytest
from playwright.sync_api import Page, expect
from pytest_playwright import CreateContextCallback

from tests.browser.every_page import ALL, PHONE, check_axe, check_fit
from tests.browser.keyboard import tab_to
from tests.browser.matrix import COLD, COLD_HERE, LAUNCH
from tests.played_registry import NAME, PlayedRegistry

FIRST_ROW = "#matrix td.v >> nth=0 >> .first a >> nth=0"

without_script = pytest.mark.browser_context_args(java_script_enabled=False)


@pytest.fixture
def image(registry: PlayedRegistry) -> str:
    return f"{registry.host}/{NAME}:latest"


# --- The way -------------------------------------------------------------------------------------


def test_the_keyboard_alone_leads_to_a_copied_command_in_five_steps(
    new_context: CreateContextCallback, image: str
) -> None:
    context = new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto("/?kind=container_cloud")
    # 1: the image
    tab_to(page, "#image")
    page.keyboard.type(image)
    page.keyboard.press("Enter")
    # The page of the reading goes on by itself.
    expect(page.locator("#results")).to_contain_text("Runs unchanged at", timeout=40_000)
    # 2: the cheapest that works
    tab_to(page, ".job button")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("sort=total"))
    # 3: its first start
    page.locator("#results").focus()
    tab_to(page, FIRST_ROW)
    page.keyboard.press("Enter")
    expect(page.locator("#results")).to_have_text(re.compile(r"About .+ before it answers at "))
    # 4: its launch
    tab_to(page, "#to-launch")
    page.keyboard.press("Enter")
    # 5: the command
    first = page.locator("[data-copy]").first
    tab_to(page, "[data-copy] >> nth=0")
    page.keyboard.press("Enter")
    expect(page.locator("#announce")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator(f"#{first.get_attribute('data-copy')}").inner_text()
    assert image in copied


@without_script
def test_without_script_the_same_way_ends_at_a_text_to_select(page: Page, image: str) -> None:
    page.goto("/?kind=container_cloud")
    page.get_by_label("Where will this image run?").fill(image)
    page.get_by_label("Where will this image run?").press("Enter")
    expect(page.locator("#results")).to_contain_text("Runs unchanged at", timeout=40_000)
    page.get_by_role("button", name="Rank by total").click()
    page.locator(FIRST_ROW).click()
    expect(page.locator("#results")).to_have_text(re.compile(r"About .+ before it answers at "))
    page.locator("#to-launch").click()
    command = page.locator(".block pre").first
    expect(command).to_contain_text(image)
    expect(page.locator("[data-copy]").first).to_be_hidden()
    command.select_text()
    assert page.locator("#announce").inner_text() == ""


# --- The first start -----------------------------------------------------------------------------


def test_an_assumption_is_changed_and_the_answer_follows(page: Page) -> None:
    page.goto(COLD_HERE)
    before = page.locator("#results").inner_text()
    page.locator("#own-ready_s").fill("3600")
    page.locator("#own-ready_s").press("Enter")
    expect(page).to_have_url(re.compile(r"\?compressed_gb=16.3&o=runpod/pods&ready_s=3600$"))
    expect(page.locator("#results")).not_to_have_text(before)
    expect(page.locator(".phases tbody tr").last).to_contain_text("Your figure")


@without_script
def test_an_assumption_is_changed_without_script(page: Page) -> None:
    page.goto(COLD_HERE)
    page.locator("#own-ready_s").fill("3600")
    page.get_by_role("button", name="Compute with these figures").click()
    expect(page.locator(".phases tbody tr").last).to_contain_text("Your figure")
    expect(page.locator("#own-ready_s")).to_have_value("3600")


def test_another_offering_is_one_step_away_and_the_focus_stays(page: Page) -> None:
    page.goto(COLD)
    other = page.locator(".ranking tbody th a").nth(2)
    name = other.inner_text()
    other.click()
    expect(page.locator("#results")).to_contain_text(name)
    page.go_back()
    expect(page.locator("#results")).not_to_contain_text(name)


def test_a_phase_leads_to_the_assumption_behind_it(page: Page) -> None:
    page.goto(COLD_HERE)
    page.locator(".phases a", has_text="Until the first process").click()
    expect(page).to_have_url(re.compile("#assumed-container_start_s$"))
    expect(page.locator("#assumed-container_start_s")).to_be_in_viewport()


def test_the_page_goes_on_by_itself_when_the_image_was_read(
    page: Page, registry: PlayedRegistry
) -> None:
    page.goto(f"/cold-start/?image={registry.host}/{NAME}:read-with-script")
    expect(page.locator("#results")).to_contain_text("before it answers", timeout=40_000)
    expect(page.locator(".plain").nth(1)).to_contain_text("shorter than cold")


@without_script
def test_without_script_it_goes_on_as_well(page: Page, registry: PlayedRegistry) -> None:
    page.goto(f"/cold-start/?image={registry.host}/{NAME}:read-without")
    expect(page.locator("#results")).to_contain_text("before it answers", timeout=40_000)


# --- The launch ----------------------------------------------------------------------------------


def test_where_the_clipboard_is_closed_the_text_is_selected(page: Page) -> None:
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.goto(LAUNCH)
    page.locator("[data-copy]").first.click()
    expect(page.locator("#announce")).to_have_text("It is selected: copy it with your keyboard")
    selected = page.evaluate("getSelection().toString()")
    assert selected.strip() == page.locator(".block pre").first.inner_text().strip()


# --- The forms, before anything is asked ------------------------------------------------------


@pytest.mark.parametrize("address", ["/cold-start/", "/launch/"])
def test_an_empty_form_fits_a_phone_and_axe_finds_nothing(page: Page, address: str) -> None:
    page.goto(address)
    check_fit(page, PHONE)
    check_axe(page, ALL)
