"""What every page keeps in every language and at every width, and how to find what does not."""

from __future__ import annotations

from axe_playwright_python.base import AxeResults
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.conftest import Complaints
from tests.browser.matrix import listing_address
from tests.pages import MISSING, PAGES, TOO_LONG

PHONE, TABLET, DESK = 390, 820, 1440
DOCS = "/api/v1/docs"
# Pages whose addresses are only known once the site runs.
OPENED = ("listing", "share")
# Those that are an error, and its status.
ERRORS = {"missing": "404", "refused": "414"}
NAMES = (*PAGES, *OPENED, *ERRORS, "docs")
SPOKEN_DIRECTION = {"en": "ltr", "ar": "rtl", "ur": "rtl", "tr": "ltr", "bn": "ltr"}

ALL = {"resultTypes": ["violations"]}
# The rest of axe's rules read the same markup in the dark.
LIT = {"runOnly": ["color-contrast"], "resultTypes": ["violations"]}

# Sideways scrolling of the page, and whose edge causes it. A root that hides what overflows would
# only hide the fault from this check.
STICKS_OUT = """() => {
    const root = document.documentElement, width = root.clientWidth;
    const hidden = [root, document.body].filter(e => getComputedStyle(e).overflowX !== "visible");
    if (root.scrollWidth <= width && !hidden.length) return [];
    const outside = [...document.querySelectorAll("body *")].filter(element => {
        const box = element.getBoundingClientRect();
        return box.width && (box.right > width + 0.5 || box.left < -0.5);
    });
    const first = outside.slice(0, 5).map(element => element.outerHTML.slice(0, 120));
    return [`${root.scrollWidth} > ${width}`, ...first];
}"""

# Boxes that are narrower or lower than what is in them and show no more of it: those that hide
# what overflows, and controls, whose words may not stand outside their border. Lines of a control
# may be lower than the tallest letters of the font, but not by half a letter.
# What only a reader hears is clipped away, the clock of a due answer stands for its words, and
# the kind of a provider goes from the matrix where it has no room beside the name.
_CUT = """() => {
    const CONTROLS = ".button, .chip, .mark, summary, button, .places a, thead th";
    const MEANT = ".matrix em, .matrix th b";
    const heard = (e) => e && (getComputedStyle(e).clipPath !== "none" || heard(e.parentElement));
    const cut = (element) => {
        const style = getComputedStyle(element);
        if (style.display === "inline" || style.display === "contents") return false;
        const control = element.matches(CONTROLS);
        const hides = (overflow) => ["hidden", "clip"].includes(overflow);
        const wider = element.scrollWidth - element.clientWidth;
        const higher = element.scrollHeight - element.clientHeight;
        return (hides(style.overflowX) || control) && wider > 1
            || hides(style.overflowY) && higher > 1
            || control && higher > parseFloat(style.fontSize) / 2;
    };
    return [...document.querySelectorAll("body *")]
        .filter((e) => e.checkVisibility() && e.textContent.trim() && !e.closest("svg"))
        .filter((e) => cut(e) && !e.matches(MEANT) && !heard(e))
        .slice(0, 5)
        .map((e) => `${e.scrollWidth}x${e.scrollHeight} in ${e.clientWidth}x${e.clientHeight}: `
            + e.outerHTML.slice(0, 160));
}"""


def in_language(address: str, language: str) -> str:
    if address.startswith(DOCS):
        return address if language == "en" else f"{address}?lang={language}"
    return address if language == "en" else f"/{language}{address}"


def share_address(page: Page) -> str:
    """The address of a share of the comparison."""
    made = page.request.post(
        "/s/",
        form={"kind": "compare", "address": PAGES["compare"]},
        headers={"Accept": "application/json", "Sec-Fetch-Site": "same-origin"},
    )
    assert made.ok, made.text()
    return "/s/" + str(made.json()["url"]).partition("/s/")[2]


def address(page: Page, name: str) -> str:
    if name == "listing":
        return listing_address(page)
    if name == "share":
        return share_address(page)
    return {**PAGES, "missing": MISSING, "refused": TOO_LONG, "docs": DOCS}[name]


def open_in(page: Page, complaints: Complaints, name: str, language: str) -> None:
    """The page of that name, in a language, which it says it speaks."""
    if name in ERRORS:
        complaints.provoke(ERRORS[name])
    page.goto(in_language(address(page, name), language))
    root = page.locator("html")
    spoken = [root.get_attribute("lang"), root.get_attribute("dir")]
    assert spoken == [language, SPOKEN_DIRECTION[language]]


def check_fit(page: Page, width: int) -> None:
    """Nothing sticks out of the window, and nothing out of the box that shows it."""
    page.set_viewport_size({"width": width, "height": 900})
    for look in (STICKS_OUT, _CUT):
        found = page.evaluate(look)
        assert not found, f"{width} px: {found}"


# What is on its way to another colour is there; what moves for ever stays as it is.
_SETTLE = """() => document.getAnimations()
    .filter((each) => each.effect.getComputedTiming().endTime < Infinity)
    .forEach((each) => each.finish())"""


def read_by_axe(page: Page, options: dict[str, list[str]]) -> AxeResults:
    page.evaluate(_SETTLE)
    return Axe().run(page, options=options)


def check_axe(page: Page, options: dict[str, list[str]]) -> None:
    found = read_by_axe(page, options)
    assert found.violations_count == 0, found.generate_report()
