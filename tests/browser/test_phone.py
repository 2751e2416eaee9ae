"""A phone: filters in a sheet that stays through a swap, cards, and targets a thumb can hit."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from tests.browser.matrix import (
    FILTERED,
    NOTHING,
    PROVIDER,
    SOME,
    cell,
    chips,
    facet_value,
    matches,
)

pytestmark = pytest.mark.browser_context_args(
    viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True
)


def sheet(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Filters")


def test_the_filters_open_stay_open_through_a_swap_and_close_with_their_button(page: Page) -> None:
    page.goto(SOME)
    expect(sheet(page)).to_be_hidden()
    page.get_by_role("button", name="Filters (1)").tap()
    expect(sheet(page)).to_be_visible()
    facet_value(page, "docker_daemon", "Root").tap()
    expect(page).to_have_url(FILTERED)
    expect(chips(page)).to_have_count(2)
    expect(sheet(page)).to_be_visible()
    found = len(matches(page))
    sheet(page).get_by_role("button", name=f"Show {found}", exact=True).tap()
    expect(sheet(page)).to_be_hidden()
    expect(page.get_by_role("button", name="Filters (2)")).to_be_visible()


def test_the_sheet_closes_with_its_cross_and_clears_all(page: Page) -> None:
    page.goto(FILTERED)
    page.get_by_role("button", name="Filters (2)").tap()
    sheet(page).get_by_role("link", name="Clear all").tap()
    expect(page).to_have_url("/")
    expect(sheet(page)).to_be_visible()
    sheet(page).get_by_role("button", name="Close").tap()
    expect(sheet(page)).to_be_hidden()


def test_a_card_names_its_answers_and_opens_them(page: Page) -> None:
    page.goto(FILTERED)
    answer = cell(page, matches(page)[0], "Docker daemon")
    expect(answer.get_by_text("Docker daemon")).to_be_visible()
    answer.tap()
    dialog = page.get_by_role("dialog", name="Docker daemon")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Close").tap()
    expect(dialog).to_be_hidden()


@pytest.mark.parametrize("address", [FILTERED, NOTHING, PROVIDER])
def test_every_target_is_24_px_or_stands_that_far_from_the_next(page: Page, address: str) -> None:
    page.goto(address)
    wanted = {"runOnly": ["target-size"], "rules": {"target-size": {"enabled": True}}}
    found = Axe().run(page, options=wanted)
    assert found.violations_count == 0, found.generate_report()
    assert found.response["passes"], "nothing was measured"


def test_the_targets_in_the_sheet_are_24_px_too(page: Page) -> None:
    page.goto(FILTERED)
    page.get_by_role("button", name="Filters (2)").tap()
    targets = sheet(page).locator("a, button, summary, input").filter(visible=True)
    sizes = targets.evaluate_all(
        "all => all.map(e => e.getBoundingClientRect()).map(r => Math.min(r.width, r.height))"
    )
    assert len(sizes) > 20
    assert min(sizes) >= 24
