"""The header: seven places, at hand on a desk, in a row of their own on a tablet, one press away on
a phone; all of it without script."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.matrix import GPUS, NOTHING

PHONE, TABLET, DESK = 390, 820, 1440
FINGER = 44

# As many as the header is to hold, the longest among them.
_FILL = """nav => {
    const list = nav.querySelector("ul");
    while (list.children.length < 7) list.append(list.children[0].cloneNode(true));
    list.lastElementChild.firstElementChild.textContent = "Check an image";
}"""
_WIDER_THAN_ITS_WINDOW = "document.documentElement.scrollWidth > innerWidth"


def places(page: Page) -> Locator:
    return page.get_by_role("navigation", name="Places")


def menu(page: Page) -> Locator:
    return page.get_by_role("button", name="Menu")


def go(page: Page, width: int, address: str = GPUS) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(address)


@pytest.mark.parametrize(("width", "rows"), [(PHONE, 1), (TABLET, 2), (DESK, 1)])
def test_seven_places_fit(page: Page, width: int, rows: int) -> None:
    go(page, width)
    page.locator("#places").evaluate(_FILL)
    assert not page.evaluate(_WIDER_THAN_ITS_WINDOW)
    height = page.get_by_role("banner").evaluate("header => header.clientHeight")
    assert height <= rows * 50
    if width == PHONE:
        menu(page).click()
    links = places(page).get_by_role("link").all()
    assert len(links) == 7
    for link in links:
        box = link.bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


@pytest.mark.parametrize("width", [TABLET, DESK])
def test_where_there_is_room_nothing_has_to_be_opened(page: Page, width: int) -> None:
    go(page, width)
    expect(menu(page)).to_be_hidden()
    expect(places(page).get_by_role("link", name="GPUs")).to_have_attribute("aria-current", "page")


@pytest.mark.browser_context_args(java_script_enabled=False)
def test_a_phone_opens_the_places_with_the_keyboard_and_without_script(page: Page) -> None:
    go(page, PHONE, NOTHING)
    expect(places(page)).to_be_hidden()
    menu(page).focus()
    page.keyboard.press("Enter")
    expect(places(page)).to_be_visible()
    page.keyboard.press("Escape")
    expect(places(page)).to_be_hidden()
    expect(menu(page)).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(places(page).get_by_role("link", name="Browse")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url("/")


@pytest.mark.browser_context_args(
    viewport={"width": PHONE, "height": 844}, is_mobile=True, has_touch=True
)
def test_a_thumb_hits_every_place(page: Page) -> None:
    page.goto(GPUS)
    menu(page).tap()
    targets = [menu(page), *places(page).get_by_role("link").all()]
    for target in targets:
        box = target.bounding_box()
        assert box
        assert box["height"] >= FINGER
        assert box["width"] >= FINGER
    places(page).get_by_role("link", name="Status").tap()
    expect(page).to_have_url("/status/")
