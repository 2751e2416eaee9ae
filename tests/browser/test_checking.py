"""An image is checked in the browser: by paste, by hand, by name; shared, by keyboard, bare."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect
from pytest_playwright import CreateContextCallback

from tests.browser.every_page import ALL, check_axe
from tests.browser.matrix import CHECK, chips, counts, facet_value

# Runs on new drivers, and asks for no credentials.
DOCKERFILE = """FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04
ENV CUDA_VERSION=12.4.1 TOKEN=hunter2
RUN pip install torch==2.6.0
"""
# A name that no resolver may know: RFC 2606.
UNREACHABLE = "registry.invalid/team/model:1"

without_script = pytest.mark.browser_context_args(java_script_enabled=False)


def sentence(page: Page) -> Locator:
    return page.locator("#results")


def sections(page: Page) -> list[str]:
    """The headings of the table's parts."""
    return page.locator("#matrix h3").all_inner_texts()


def verdicts(page: Page) -> Locator:
    """Those of offerings that can still be rented."""
    return page.locator("#matrix tbody:not(.closed) td.v")


def paste(page: Page, text: str) -> None:
    page.goto("/check/")
    page.locator("#by-paste > summary").click()
    page.get_by_label("What was printed").fill(text)
    page.locator("#by-paste").get_by_role("button", name="Check").click()


def check_by_hand(page: Page) -> None:
    """With the form that stands open."""
    page.get_by_label("CUDA version").fill("12.4")
    page.get_by_label("Framework").select_option("torch")
    page.get_by_label("Release").fill("2.6.0")
    page.locator("#by-hand").get_by_role("button", name="Check").click()


# --- Three ways to ask -----------------------------------------------------------------------


def test_a_paste_leads_to_verdicts_at_an_address_without_secrets(page: Page) -> None:
    paste(page, DOCKERFILE)
    expect(page).to_have_url(re.compile(r"/check/\?software=cuda&"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Where will the pasted image run?")
    assert "hunter2" not in page.url
    expect(verdicts(page).nth(20)).to_be_attached()
    assert sections(page)


def test_a_paste_that_is_none_says_what_to_paste(page: Page, complaints: object) -> None:
    complaints.provoke("422")  # type: ignore[attr-defined]
    paste(page, "this is no image, and no Dockerfile either")
    expect(page.locator("#by-paste").get_by_role("alert")).to_contain_text("Paste all that one")


def test_a_registry_that_cannot_be_reached_leaves_the_way_by_hand(page: Page) -> None:
    page.goto("/check/?kind=marketplace")
    page.get_by_label("Image", exact=True).fill(UNREACHABLE)
    page.get_by_label("Image", exact=True).press("Enter")
    # The page that says that it is read goes on by itself.
    expect(sentence(page)).to_have_text("The image could not be read", timeout=40_000)
    expect(page.get_by_text("The registry did not answer.")).to_be_visible()
    check_by_hand(page)
    expect(sentence(page)).to_contain_text("at")
    expect(chips(page)).to_have_text(["Remove: Kind of provider Marketplace"])
    expect(verdicts(page).nth(5)).to_be_attached()


def test_a_result_is_shared_by_its_address(page: Page, new_context: CreateContextCallback) -> None:
    page.goto(CHECK)
    page.locator("#tally-unknown").click()
    expect(chips(page).filter(has_text="Verdict")).to_have_text("Remove: Verdict Unknown")
    here = verdicts(page).all_inner_texts()
    elsewhere = new_context().new_page()
    elsewhere.goto(page.url)
    expect(sentence(elsewhere)).to_have_text(sentence(page).inner_text())
    assert verdicts(elsewhere).all_inner_texts() == here


# --- The table -------------------------------------------------------------------------------


def test_a_verdict_filters_as_its_facet_promised(page: Page) -> None:
    page.goto(CHECK)
    value = facet_value(page, "verdict", "Unknown")
    promised = counts(value)
    assert promised.match
    value.click()
    expect(chips(page)).to_have_count(2)
    assert verdicts(page).count() == promised.match + promised.may


def test_a_verdict_opens_to_its_reasons_and_its_claim(page: Page) -> None:
    page.goto(CHECK)
    cell = verdicts(page).first
    cell.locator("summary").click()
    expect(cell.get_by_text("Why", exact=True)).to_be_visible()
    claim = cell.locator("a[data-cell]").first
    claim.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    expect(page.get_by_role("dialog")).to_contain_text("Basis")


def test_browse_asks_for_an_image_with_the_filters_in_use(page: Page) -> None:
    page.goto("/?kind=marketplace")
    page.get_by_label("Where will this image run?").fill("Ubuntu")
    page.get_by_label("Where will this image run?").press("Enter")
    expect(page).to_have_url(re.compile(r"/check/\?image=Ubuntu&kind=marketplace$"))
    expect(page.get_by_text("Image names are lower case.")).to_be_visible()


# --- Keyboard and no script --------------------------------------------------------------------


def tab_to(page: Page, target: str) -> None:
    """Presses Tab until what the selector names has the focus."""
    for _ in range(60):
        if page.locator(target).evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no way to {target} with the Tab key")


def test_the_keyboard_alone_asks_and_reads_the_answer(page: Page) -> None:
    page.goto("/check/?kind=marketplace")
    tab_to(page, "#by-hand > summary")
    page.keyboard.press("Enter")
    tab_to(page, "#cuda")
    page.keyboard.type("12.4")
    tab_to(page, "#release")
    page.keyboard.press("Enter")
    expect(verdicts(page).first).to_be_visible()
    expect(page).to_have_url(re.compile(r"/check/\?cuda=12\.4&kind=marketplace$"))
    first = "#matrix td.v >> nth=0 >> summary"
    page.locator("#matrix").focus()
    tab_to(page, first)
    page.keyboard.press("Enter")
    expect(verdicts(page).first.get_by_text("Start", exact=True)).to_be_visible()


@without_script
def test_all_of_it_works_without_script(page: Page) -> None:
    paste(page, DOCKERFILE)
    expect(verdicts(page).nth(20)).to_be_attached()
    page.locator("#tally-unknown").click()
    expect(chips(page).first).to_have_text("Remove: Verdict Unknown")
    verdicts(page).first.locator("summary").click()
    expect(verdicts(page).first.get_by_text("Not known", exact=True)).to_be_visible()


@without_script
def test_without_script_the_page_of_a_reading_goes_on_by_itself(page: Page) -> None:
    page.goto(f"/check/?image={UNREACHABLE.replace('model', 'other')}")
    expect(sentence(page)).to_have_text("The image could not be read", timeout=40_000)
    expect(page.get_by_label("CUDA version")).to_be_visible()


# --- Axe -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", [f"/ar{CHECK}", "/check/"])
def test_axe_finds_nothing_with_a_verdict_open(page: Page, address: str) -> None:
    page.goto(address)
    if verdicts(page).count():
        verdicts(page).first.locator("summary").click()
        page.locator("#facts > summary").click()
    check_axe(page, ALL)
