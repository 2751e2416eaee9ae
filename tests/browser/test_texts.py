"""Guide and FAQ in the browser: read without script, in either direction."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.matrix import matches

PHONE, DESK = 390, 1440
PAGES = ("/guide/", "/faq/", "/ar/guide/", "/ar/faq/")
# The longest line of text, in characters of its own font.
_MEASURE = """parts => Math.max(...parts.map(part => {
    const ruler = document.createElement("span");
    ruler.textContent = "0".repeat(100);
    ruler.style.cssText = "position:absolute;visibility:hidden";
    part.append(ruler);
    const width = ruler.getBoundingClientRect().width / 100;
    ruler.remove();
    return part.getBoundingClientRect().width / width;
}))"""


def contents(page: Page) -> Locator:
    return page.get_by_role("navigation", name="On this page")


@pytest.mark.parametrize("address", PAGES)
def test_a_line_is_no_longer_than_can_be_read(page: Page, address: str) -> None:
    page.set_viewport_size({"width": DESK, "height": 900})
    page.goto(address)
    longest = page.locator("article section > div p").evaluate_all(_MEASURE)
    assert 40 < longest <= 68.5


@pytest.mark.browser_context_args(java_script_enabled=False)
def test_the_contents_lead_to_an_answer_and_its_number_to_the_rows(page: Page) -> None:
    page.goto("/faq/")
    contents(page).get_by_role("link", name="Who pays while the image downloads?").click()
    answer = page.locator("#who-pays-for-the-pull")
    expect(answer.get_by_role("heading")).to_be_in_viewport()
    number = answer.locator(".live a").first
    count = int(number.inner_text().split()[0])
    number.click()
    expect(page.locator("#matrix")).to_be_visible()
    page.wait_for_load_state()
    assert len(matches(page)) == count > 0


@pytest.mark.parametrize("address", ["/guide/", "/ar/guide/"])
def test_the_contents_stay_in_sight_on_a_desk_and_stand_before_the_text_on_a_phone(
    page: Page, address: str
) -> None:
    page.set_viewport_size({"width": DESK, "height": 900})
    page.goto(f"{address}#glossary")
    toc = page.locator("nav.toc")
    expect(toc.locator("h2")).to_be_in_viewport()
    beside, text = toc.bounding_box(), page.locator("article").bounding_box()
    assert beside
    assert text
    assert (beside["x"] > text["x"]) is (address == "/guide/")
    page.set_viewport_size({"width": PHONE, "height": 900})
    page.goto(address)
    before, text = toc.bounding_box(), page.locator("article").bounding_box()
    assert before
    assert text
    assert before["y"] + before["height"] <= text["y"]


def test_english_reads_from_left_to_right_inside_an_arabic_page(page: Page) -> None:
    page.goto("/ar/providers/runpod/pods/custom_image/")
    note = page.locator(".note").first
    expect(note).to_have_attribute("lang", "en")
    expect(note).to_have_css("direction", "ltr")
    expect(page.locator("main")).to_have_css("direction", "rtl")


@pytest.mark.browser_context_args(has_touch=True)
def test_a_finger_meets_every_entry_of_the_contents(page: Page) -> None:
    page.set_viewport_size({"width": PHONE, "height": 900})
    page.goto("/guide/")
    heights = (
        contents(page)
        .get_by_role("link")
        .evaluate_all("links => links.map(link => link.getBoundingClientRect().height)")
    )
    assert min(heights) >= 44
