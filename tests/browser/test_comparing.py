"""From ticks in the matrix to a comparison that anyone can be sent, by every way of using it."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect
from pytest_playwright import CreateContextCallback

from tests.browser.every_page import ALL, DESK, PHONE, STICKS_OUT, check_axe, check_fit
from tests.browser.matrix import facet_value

THREE = ["runpod/pods", "lambda/on-demand", "vast-ai/docker-instances"]
ADDRESS = "/compare/?" + "&".join(f"o={key}" for key in THREE)
SIX = f"{ADDRESS}&o=modal/functions&o=aws/ec2-dlami&o=coreweave/cks"
MANY = 500


def tick(page: Page, key: str) -> Locator:
    return page.locator(f'#matrix input[value="{key}"]')


def tray(page: Page) -> Locator:
    return page.get_by_role("form", name="Picked to compare")


def picked(page: Page) -> Locator:
    return tray(page).get_by_role("listitem")


def compare(page: Page) -> Locator:
    return tray(page).get_by_role("button", name=re.compile("^Compare"))


def columns(page: Page) -> list[str]:
    """The keys of the columns, from their removing links."""
    links = page.locator('#matrix thead [id^="remove-"]')
    return [link.removeprefix("remove-") for link in links.evaluate_all("a => a.map(e => e.id)")]


def column_names(page: Page) -> Locator:
    return page.locator("#matrix thead tr:first-child th:not(:first-child)")


def baseline(page: Page) -> int:
    """Which column the others are measured against."""
    heads = column_names(page).evaluate_all("all => all.map(e => e.classList.contains('base'))")
    return list(heads).index(True)


def asked(page: Page) -> list[tuple[str, str]]:
    return parse_qsl(urlsplit(page.url).query)


def press_tab_until(page: Page, wanted: Locator) -> None:
    reached = wanted.evaluate_handle("wanted => () => document.activeElement === wanted")
    for _stop in range(MANY):
        page.keyboard.press("Tab")
        if reached.evaluate("reached => reached()"):
            return
    pytest.fail("the keyboard does not get there")


def pick_three(page: Page) -> None:
    page.goto("/?gpu=h100-sxm")
    for key in THREE:
        tick(page, key).check()
    compare(page).click()
    expect(column_names(page)).to_have_count(3)


def test_pick_compare_fold_rebase_open_and_send_the_address(
    page: Page, new_context: CreateContextCallback
) -> None:
    pick_three(page)
    assert columns(page) == THREE
    assert ("gpu", "h100-sxm") in asked(page)
    expect(page.locator("#results")).to_contain_text(re.compile(r"^Differs in \d of 7"))

    before = page.locator("#matrix tbody tr").count()
    page.get_by_role("link", name="Fold equal rows").click()
    expect(page.get_by_role("link", name="Show equal rows")).to_be_focused()
    assert page.locator("#matrix tbody tr").count() < before

    page.get_by_role("link", name="Make baseline Lambda").click()
    expect(page).to_have_url(re.compile("base=lambda/on-demand"))
    assert baseline(page) == 1

    page.locator("#row-docker_daemon td a").nth(1).click()
    dialog = page.get_by_role("dialog", name="Docker daemon")
    expect(dialog).to_contain_text("Source")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()

    other = new_context().new_page()
    other.goto(page.url)
    seen = [p.locator("#browse").inner_text() for p in (page, other)]
    assert seen[0] == seen[1]
    assert baseline(other) == 1


def test_columns_move_by_keyboard_and_the_focus_stays_on_the_arrow(page: Page) -> None:
    page.goto(ADDRESS)
    later = page.get_by_role("link", name="Later: RunPod Pods")
    press_tab_until(page, later)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"\?o=lambda/on-demand&o=runpod/pods&o=vast"))
    expect(later).to_be_focused()
    assert baseline(page) == 1
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"&o=runpod/pods&base=runpod/pods$"))
    expect(later).to_be_focused()
    expect(later).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Enter")
    expect(later).to_be_focused()
    assert columns(page)[-1] == "runpod/pods"
    page.go_back()
    expect(page).to_have_url(re.compile(r"\?o=lambda/on-demand&o=runpod/pods&o=vast"))


def test_the_keyboard_alone_picks_compares_folds_and_opens(page: Page) -> None:
    page.goto("/?q=runpod")
    for key in ("runpod/pods", "runpod/serverless"):
        press_tab_until(page, tick(page, key))
        page.keyboard.press("Space")
    expect(picked(page)).to_have_count(2)
    page.keyboard.press("Enter")  # in a ticked box, as in every form
    expect(column_names(page)).to_have_count(2)
    press_tab_until(page, page.locator("#fold"))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("equal=fold"))
    press_tab_until(page, page.locator("#matrix tbody td a").first)
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_ticks_survive_filters_sorts_and_rows_that_leave_the_page(page: Page) -> None:
    page.goto("/")
    expect(tray(page)).to_be_hidden()
    tick(page, "runpod/pods").check()
    facet_value(page, "docker_daemon", "Root").click()
    expect(tick(page, "runpod/pods")).to_have_count(0)
    expect(picked(page)).to_have_text(["RunPod Pods"])
    tick(page, "lambda/on-demand").check()
    expect(compare(page)).to_have_text(re.compile(r"Compare\s+2"))
    page.get_by_role("link", name="Clear all").first.click()
    expect(tick(page, "runpod/pods")).to_be_checked()
    compare(page).click()
    expect(column_names(page)).to_have_count(2)
    assert columns(page) == ["runpod/pods", "lambda/on-demand"]


def test_six_are_the_most_and_one_taken_away_makes_room(page: Page) -> None:
    page.goto("/")
    boxes = page.locator('#matrix input[form="tray"]')
    for place in range(6):
        boxes.nth(place).check()
    expect(boxes.nth(6)).to_be_disabled()
    expect(tray(page)).to_contain_text("Six is the most")
    expect(page.locator("#announce")).to_contain_text("Six is the most")
    picked(page).first.get_by_role("checkbox").click()
    expect(boxes.nth(0)).not_to_be_checked()
    expect(boxes.nth(6)).to_be_enabled()
    tray(page).get_by_role("button", name="Clear").click()
    expect(tray(page)).to_be_hidden()
    expect(page.locator('#matrix input[form="tray"]:checked')).to_have_count(0)


def test_ticks_are_there_again_on_the_way_back(page: Page) -> None:
    pick_three(page)
    page.wait_for_load_state("networkidle")
    page.go_back()
    expect(picked(page)).to_have_count(3)
    expect(tick(page, THREE[1])).to_be_checked()


def test_an_offering_is_added_from_the_page_itself(page: Page) -> None:
    page.goto("/compare/")
    for name in ("RunPod Pods", "Lambda On-demand instances"):
        page.get_by_role("combobox", name="Add an offering").select_option(name)
        page.get_by_role("button", name="Add").click()
        expect(column_names(page).last).to_contain_text(name.split()[-1])
    assert columns(page) == THREE[:2]


class TestWithoutScript:
    pytestmark = pytest.mark.browser_context_args(java_script_enabled=False)

    def test_pick_compare_fold_rebase_and_open(self, page: Page) -> None:
        page.goto("/?gpu=h100-sxm&per=instance")
        expect(tray(page)).to_be_hidden()
        for key in THREE:
            tick(page, key).check()
        expect(compare(page)).to_be_visible()
        compare(page).click()
        expect(column_names(page)).to_have_count(3)
        assert sorted(columns(page)) == sorted(THREE)
        assert {("gpu", "h100-sxm"), ("per", "instance")} <= set(asked(page))
        page.get_by_role("link", name="Fold equal rows").click()
        expect(page.get_by_role("link", name="Show equal rows")).to_be_visible()
        page.get_by_role("link", name="Make baseline RunPod").click()
        page.get_by_role("link", name="Later: RunPod Pods").click()
        page.locator("#row-docker_daemon td a").first.click()
        expect(page.get_by_role("heading", name="Docker daemon", level=1)).to_be_visible()

    def test_the_surplus_is_named(self, page: Page) -> None:
        page.goto("/")
        boxes = page.locator('#matrix input[form="tray"]')
        for place in range(7):
            boxes.nth(place).check()
        compare(page).click()
        expect(column_names(page)).to_have_count(6)
        expect(page.get_by_text("at most 6 can be compared at once")).to_be_visible()

    def test_clear_takes_all_ticks_away(self, page: Page) -> None:
        page.goto("/")
        tick(page, "runpod/pods").check()
        tray(page).get_by_role("button", name="Clear").click()
        expect(tick(page, "runpod/pods")).not_to_be_checked()
        expect(tray(page)).to_be_hidden()


class TestOnAPhone:
    pytestmark = pytest.mark.browser_context_args(
        viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True
    )

    def test_names_of_questions_stay_while_the_columns_scroll(self, page: Page) -> None:
        page.goto(SIX)
        table = page.locator("#matrix")
        name = page.locator("#row-docker_daemon th")
        answer = page.locator("#row-docker_daemon td").first
        name.scroll_into_view_if_needed()
        left, before = name.bounding_box(), answer.bounding_box()
        table.evaluate("table => table.scrollBy({ left: 300, behavior: 'instant' })")
        assert left
        assert before
        moved, after = name.bounding_box(), answer.bounding_box()
        assert moved
        assert after
        assert moved["x"] == left["x"] >= 0
        assert after["x"] == pytest.approx(before["x"] - 300, abs=1)
        assert moved["width"] < 390 / 2
        assert page.evaluate(STICKS_OUT) == []

    def test_the_head_stays_while_the_rows_scroll(self, page: Page) -> None:
        page.goto(SIX)
        table = page.locator("#matrix")
        table.evaluate("table => table.scrollBy({ top: 600, behavior: 'instant' })")
        box, head = table.bounding_box(), column_names(page).first.bounding_box()
        assert box
        assert head
        assert head["y"] == pytest.approx(box["y"], abs=2)

    def test_cards_are_ticked_with_a_thumb(self, page: Page) -> None:
        page.goto("/?q=runpod")
        tick(page, "runpod/pods").tap()
        tick(page, "runpod/serverless").tap()
        expect(picked(page)).to_have_count(2)
        compare(page).tap()
        expect(column_names(page)).to_have_count(2)


FOLDED = f"{ADDRESS}&equal=fold&o=nobody/x"


@pytest.mark.parametrize(
    ("address", "width"),
    [
        (SIX, DESK),
        (FOLDED, PHONE),
        pytest.param(SIX, PHONE, marks=pytest.mark.soak),
        pytest.param(FOLDED, DESK, marks=pytest.mark.soak),
    ],
)
def test_six_columns_and_folded_rows_fit_and_axe_finds_nothing(
    page: Page, address: str, width: int
) -> None:
    page.goto(address)
    for each in (PHONE + DESK - width, width):
        check_fit(page, each)
    check_axe(page, ALL)


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_axe_finds_nothing_in_the_tray(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto("/?q=runpod")
    tick(page, "runpod/pods").check()
    check_axe(page, ALL)


def test_paper_shows_no_controls_and_the_sources_the_address_and_the_day(page: Page) -> None:
    page.goto(ADDRESS)
    page.emulate_media(media="print")
    for control in ("#fold", "#add", '[id^="later-"]', '[id^="base-"]', ".next"):
        expect(page.locator(control).first).to_be_hidden()
    expect(page.get_by_role("heading", name="Sources of these answers")).to_be_visible()
    expect(page.locator(".on-paper")).to_contain_text(f"{ADDRESS} · ")
