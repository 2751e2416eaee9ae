"""A curator at the desk, on a site of their own: the tests write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.browser.conftest import Complaints
from tests.browser.desk import CONTRADICTION, desk_site, log_in, shell
from tests.browser.every_page import ALL, LIT, read_by_axe

CELL = "/providers/runpod/pods/{}/"


@pytest.fixture(scope="module")
def answers() -> Iterator[str]:
    """The address of the answers of RunPod's pods."""
    with desk_site() as (address, local):
        pk = shell(local, CONTRADICTION).split()[-1]
        yield f"{address}/admin/providers/offering/{pk}/answers/"


@pytest.fixture
def desk(page: Page, answers: str, complaints: Complaints) -> Page:
    """A page at the answers, after logging in."""
    complaints.tolerate("favicon")  # the admin names none, so that browsers guess
    log_in(page, answers)
    expect(page.get_by_role("heading", name="Answers of RunPod Pods")).to_be_visible()
    return page


def public(page: Page, answers: str, dimension: str) -> str:
    """What the public page of a cell says."""
    page.goto(answers.partition("/admin/")[0] + CELL.format(dimension))
    return page.locator("article.detail .answer").inner_text()


def waiting(page: Page) -> list[str]:
    """The claims that were not read today, in their order."""
    rows = page.locator("[data-claim]:has([data-confirm])")
    return [str(row.get_attribute("id")) for row in rows.all()]


def test_three_claims_are_confirmed_by_three_keys(desk: Page, answers: str) -> None:
    in_reach = desk.locator("#docker_daemon [data-claim], #docker_daemon ~ * [data-claim]")
    rows = [str(row.get_attribute("id")) for row in in_reach.all()][:3]
    desk.locator(f"#{rows[0]}").focus()
    for row in rows:
        expect(desk.locator(f"#{row}")).to_be_focused()
        desk.keyboard.press("c")
        expect(desk.locator(f"#{row} .done")).to_have_text("Read today")
        # The page comes back to the claim that was confirmed.
        expect(desk.locator(f"#{row}")).to_be_focused()
        desk.keyboard.press("j")
    assert not set(rows) & set(waiting(desk))
    today = desk.locator(f"#{rows[0]} .evidence").last.inner_text().partition("Read: ")[2]
    day = today.removesuffix(" Current").strip()
    assert day in public(desk, answers, "docker_daemon")


def test_a_key_does_nothing_where_something_is_typed(desk: Page, answers: str) -> None:
    desk.goto(f"{answers}?add=cold_start")
    before = waiting(desk)
    desk.get_by_label("Value").press_sequentially("cjk")
    assert waiting(desk) == before


def test_a_contradiction_is_resolved_by_one_press(desk: Page, answers: str) -> None:
    assert "Contradicted" in public(desk, answers, "jupyter")
    desk.goto(answers)
    right = desk.locator("#jupyter [data-claim]", has_text="docs.example/no")
    right.get_by_role("button", name="This one is right: retire the other").click()
    expect(desk.locator("#jupyter [data-claim]")).to_have_count(1)
    expect(desk.locator("#jupyter .page")).to_contain_text("No")
    answer = public(desk, answers, "jupyter")
    assert answer.startswith("No")
    assert "docs.example" in answer


def test_what_was_typed_is_not_lost_to_another_button(desk: Page, answers: str) -> None:
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    desk.on("dialog", stay)
    desk.goto(f"{answers}?add=cold_start")
    desk.get_by_label("Value").press_sequentially("A minute")
    desk.get_by_role("link", name="Replace").first.click()
    expect(desk.get_by_label("Value")).to_have_value("A minute")
    assert asked == ["beforeunload"]
    # Its own buttons ask nothing.
    desk.get_by_role("button", name="Preview").click()
    expect(desk.get_by_text("The page would stay as it is")).to_be_visible()
    assert asked == ["beforeunload"]


@pytest.mark.browser_context_args(java_script_enabled=False)
def test_without_script_a_claim_is_replaced_after_a_look_at_what_the_page_would_say(
    desk: Page, answers: str
) -> None:
    desk.locator("#ssh").get_by_role("link", name="Replace").first.click()
    desk.get_by_label("Value").fill("no")
    desk.get_by_role("button", name="Preview").click()
    expect(desk.locator(".preview .mark")).to_have_text("No")
    desk.get_by_role("button", name="Save").click()
    expect(desk.locator("#ssh .page")).to_contain_text("No")
    assert public(desk, answers, "ssh").startswith("No")


THEMES: dict[Literal["light", "dark"], dict[str, list[str]]] = {"light": ALL, "dark": LIT}


def serious(page: Page, options: dict[str, list[str]]) -> str:
    """What axe finds that keeps anybody out; nothing where nothing does."""
    found = read_by_axe(page, options)
    weights = {each["impact"] for each in found.response["violations"]}
    return str(found.generate_report()) if weights & {"serious", "critical"} else ""


@pytest.mark.soak  # eight readings by axe at each width
@pytest.mark.parametrize("width", [390, 820, 1440])
def test_axe_finds_nothing_serious_and_nothing_is_cut_off(
    desk: Page, answers: str, width: int
) -> None:
    desk.set_viewport_size({"width": width, "height": 900})
    sources = answers.partition("offering/")[0] + "claim/by-source/"
    desk.goto(sources)
    desk.locator("#content tbody th a").first.click()
    expect(desk.get_by_role("heading", name="Claims of one source")).to_be_visible()
    for address in (desk.url, sources, answers, f"{answers}?add=docker_daemon#entry"):
        for theme, read in THEMES.items():
            desk.emulate_media(color_scheme=theme)
            desk.goto(address)
            assert desk.evaluate("document.documentElement.scrollWidth <= innerWidth")
            found = serious(desk, read)
            assert not found, f"{address}, {theme}: {found}"
