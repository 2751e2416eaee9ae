"""Filters, chips, presets, sort, columns: every state is an address; a swap keeps the place."""

import csv
import re

import pytest
from playwright.sync_api import Page, expect
from pytest_playwright import CreateContextCallback

from tests.browser.conftest import Complaints
from tests.browser.matrix import (
    FILTERED,
    MATCHES,
    NOTHING,
    PRICED,
    SOME,
    chips,
    counts,
    facet_value,
    facet_values,
    matches,
    prices,
    rows,
)


def test_a_filter_becomes_a_chip_and_its_address_shows_the_same_rows_elsewhere(
    page: Page, new_context: CreateContextCallback
) -> None:
    page.goto("/")
    everything = matches(page)
    facet_value(page, "docker_daemon", "Root").click()
    expect(chips(page)).to_have_text(["Remove: Docker daemon Root"])
    expect(page).to_have_url(re.compile(r"/\?docker_daemon=root$"))
    here = rows(page)
    assert 0 < len(here[MATCHES]) < len(everything)
    assert set(here[MATCHES]) < set(everything)
    elsewhere = new_context().new_page()
    elsewhere.goto(page.url)
    expect(chips(elsewhere)).to_have_text(["Remove: Docker daemon Root"])
    assert rows(elsewhere) == here


def test_a_chip_removes_its_own_filter_and_the_last_link_all_of_them(page: Page) -> None:
    page.goto(FILTERED)
    both = matches(page)
    chips(page).filter(has_text="Docker daemon").click()
    expect(chips(page)).to_have_count(1)
    expect(page).to_have_url(SOME)
    one = matches(page)
    page.locator("#clear").click()
    expect(chips(page)).to_have_count(0)
    expect(page).to_have_url("/")
    assert len(both) < len(one) < len(matches(page))


@pytest.mark.parametrize("facet", ["custom_image", "registry_auth", "gpu"])
def test_the_counts_beside_a_facet_value_are_the_rows_that_a_click_shows(
    page: Page, facet: str
) -> None:
    page.goto(SOME)
    value = facet_values(page, facet).first
    promised = counts(value)
    value.click()
    expect(chips(page)).to_have_count(2)
    shown = rows(page)
    assert promised.match > 0
    assert len(shown[MATCHES]) == promised.match
    assert len(shown.get("May match", [])) == promised.may


def test_where_nothing_matches_the_page_says_what_to_relax_and_what_that_brings_back(
    page: Page,
) -> None:
    page.goto(NOTHING)
    expect(page.get_by_role("heading", name="No offering matches")).to_be_visible()
    assert matches(page) == []
    costs = page.get_by_role("table", name="What each filter costs")
    expect(costs.get_by_role("rowheader")).to_have_count(2)
    best = costs.get_by_role("row").filter(has_text="Relax this one").first
    regained = int(best.get_by_role("cell").nth(1).inner_text())
    best.get_by_role("link").click()
    expect(chips(page)).to_have_count(1)
    assert regained > 0
    assert len(matches(page)) == regained


def test_a_preset_sets_its_filters_and_a_second_click_takes_them_away(page: Page) -> None:
    page.goto("/?gpu=h100-sxm&sort=price")
    preset = page.get_by_role("link", name="Build images on the box")
    preset.click()
    expect(preset).to_have_attribute("aria-current", "true")
    expect(chips(page)).to_have_count(3)
    expect(page).to_have_url(
        re.compile(r"/\?docker_daemon=root&docker_daemon=rootless&docker_daemon=nested&sort=price$")
    )
    preset.click()
    expect(chips(page)).to_have_count(0)
    expect(page).to_have_url("/?sort=price")


def test_the_head_of_the_price_sorts_upwards_and_then_downwards(page: Page) -> None:
    page.goto(PRICED)
    head = page.get_by_role("columnheader", name="Price")
    for order, downwards in (("ascending", False), ("descending", True)):
        head.get_by_role("link").click()
        expect(head).to_have_attribute("aria-sort", order)
        found = prices(page)
        known = [price for price in found if price is not None]
        assert len(set(known)) > 5
        assert found == [*sorted(known, reverse=downwards), *[None] * (len(found) - len(known))]


def test_the_sort_menu_orders_the_rows(page: Page) -> None:
    page.goto(FILTERED)
    by_name = matches(page)
    page.locator("#sort").click()
    page.get_by_role("link", name="Best known first").click()
    expect(page).to_have_url(f"{FILTERED}&sort=known")
    expect(page.locator("#sort-known")).to_have_attribute("aria-current", "true")
    assert matches(page) != by_name
    assert sorted(matches(page)) == sorted(by_name)


def test_columns_are_chosen_in_a_menu_that_stays_open(page: Page) -> None:
    page.goto(FILTERED)
    head = page.locator("#matrix").get_by_role("columnheader")
    expect(head).to_have_count(9)
    page.locator("#columns > summary").click()
    page.locator("#columns").get_by_role("link", name="SSH", exact=True).click()
    expect(head).to_have_count(10)
    expect(page.get_by_role("columnheader", name="SSH")).to_be_visible()
    page.locator("#columns").get_by_role("link", name="Own image", exact=True).click()
    expect(page.get_by_role("columnheader", name="Own image")).to_have_count(0)
    expect(head).to_have_count(9)
    expect(page.locator("#column-ssh")).to_be_visible()


def test_a_search_finds_offerings_by_their_gpu(page: Page) -> None:
    page.goto(SOME)
    everything = matches(page)
    box = page.get_by_role("searchbox", name="Provider, offering or GPU")
    box.fill("MI300X")
    box.press("Enter")
    expect(chips(page).first).to_have_text("Remove: Search MI300X")
    expect(page).to_have_url("/?q=MI300X&kind=marketplace")
    expect(box).to_have_value("MI300X")
    found = matches(page)
    assert 0 < len(found) < len(everything)
    assert set(found) < set(everything)
    for address in found[:2]:
        assert "MI300X" in page.request.get(address).text(), address


def test_limits_are_typed_in_and_empty_ones_stay_out_of_the_address(page: Page) -> None:
    page.goto(SOME)
    page.get_by_role("textbox", name="VRAM at least").fill("80")
    page.get_by_role("button", name="Apply limits").click()
    expect(page).to_have_url(f"{SOME}&min_vram=80")
    expect(chips(page)).to_have_count(2)
    expect(page.get_by_role("textbox", name="VRAM at least")).to_have_value("80")


def test_rows_that_may_match_stand_under_a_heading_and_can_be_hidden(page: Page) -> None:
    page.goto(FILTERED)
    shown = rows(page)
    may_match = page.get_by_role("heading", name="May match 1", exact=True)
    assert list(shown)[:2] == [MATCHES, "May match"]
    expect(may_match).to_be_visible()
    page.get_by_role("link", name="Hide rows that may match").click()
    expect(page.get_by_role("link", name="Show rows that may match")).to_be_visible()
    assert rows(page) == {heading: shown[heading] for heading in shown if heading != "May match"}
    page.get_by_role("link", name="Show rows that may match").click()
    expect(may_match).to_be_visible()
    assert rows(page) == shown


def test_the_focus_stays_on_the_facet_and_the_count_is_announced(page: Page) -> None:
    page.goto(SOME)
    value = facet_value(page, "docker_daemon", "Root")
    value.focus()
    page.keyboard.press("Enter")
    expect(chips(page)).to_have_count(2)
    expect(value).to_be_focused()
    heading = page.locator("#results").inner_text()
    assert f"{len(matches(page))} offerings" in heading
    expect(page.get_by_role("status")).to_have_text(heading)


def test_a_facet_that_was_folded_open_stays_open(page: Page) -> None:
    page.goto(SOME)
    ssh = page.locator("#facet-ssh")
    ssh.locator("summary").click()
    facet_value(page, "docker_daemon", "Root").click()
    expect(chips(page)).to_have_count(2)
    expect(ssh.get_by_role("link").first).to_be_visible()


def test_back_and_forward_restore_filters_and_rows(page: Page) -> None:
    page.goto(SOME)
    seen = [rows(page)]
    for facet, label in (("docker_daemon", "Root"), ("persistent_volume", "Network")):
        facet_value(page, facet, label).click()
        expect(chips(page)).to_have_count(len(seen) + 1)
        seen.append(rows(page))
    assert len({len(found[MATCHES]) for found in seen}) == 3
    for step, go in ((1, page.go_back), (0, page.go_back), (1, page.go_forward)):
        go()
        expect(chips(page)).to_have_count(step + 1)
        assert rows(page) == seen[step]


def test_what_an_address_asks_in_vain_is_named_and_the_rest_holds(page: Page) -> None:
    page.goto("/?docker_daemon=maybe&custom_image=any&kind=marketplace")
    notice = "ignored: docker_daemon=maybe; allowed: root, rootless, nested"
    expect(page.get_by_text(notice)).to_be_visible()
    expect(chips(page)).to_have_count(2)
    expect(chips(page).first).to_have_text("Remove: Own image Any image")


def test_the_export_menu_downloads_the_rows_on_the_page(page: Page, complaints: Complaints) -> None:
    complaints.provoke("format=csv: net::ERR_ABORTED")  # so Chromium calls what became a file
    page.goto(FILTERED)
    shown = rows(page)
    page.get_by_text("Export").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    with download.value.path().open(newline="") as file:
        exported = list(csv.DictReader(file))
    assert [row["match"] for row in exported].count("yes") == len(shown[MATCHES])
    assert len(exported) == sum(map(len, shown.values()))
