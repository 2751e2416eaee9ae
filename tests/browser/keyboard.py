"""Getting about with the keys alone, and seeing where one is."""

from playwright.sync_api import Locator, Page

MOST_TABS = 400

# The ring is drawn round what has the focus, or round the whole cell of a link that fills one.
_RINGED = """element => element === document.activeElement && [null, "::after"].some((part) => {
    const style = getComputedStyle(element, part);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
})"""


def tab_to(page: Page, target: str | Locator) -> None:
    """Presses Tab until what is named has the focus, and a ring to be seen."""
    place = page.locator(target) if isinstance(target, str) else target
    for _ in range(MOST_TABS):
        if place.evaluate("element => element === document.activeElement"):
            assert place.evaluate(_RINGED), f"nobody sees that {target} has the focus"
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no way to {target} with the Tab key")
