"""The head and the names of the matrix stay in sight while its cells scroll."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page

SCROLL = "([right, down]) => { const box = document.querySelector('#matrix'); \
box.scrollBy(document.dir === 'rtl' ? -right : right, down); \
return [Math.abs(box.scrollLeft), box.scrollTop]; }"


def corner(locator: Locator) -> tuple[float, float]:
    box = locator.bounding_box()
    assert box
    return box["x"], box["y"]


@pytest.mark.parametrize("address", ["/", "/ar/"])
def test_on_a_tablet_names_and_head_stay_while_the_cells_scroll(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 820, "height": 900})
    page.goto(address)
    row = page.locator("#matrix tbody:not(.section) tr").nth(12)
    name, cell = row.locator("th"), row.locator("td").nth(1)
    head = page.locator("#matrix thead th").first
    stood = {one: corner(one) for one in (name, cell, head)}

    right, down = page.evaluate(SCROLL, [60, 120])
    assert (right, down) == (60, 120)
    assert corner(head) == stood[head]
    assert corner(name) == (stood[name][0], stood[name][1] - down)
    moved = right if address == "/ar/" else -right
    assert corner(cell) == (stood[cell][0] + moved, stood[cell][1] - down)


def test_on_a_desk_the_head_stays_at_the_top_of_the_window(page: Page) -> None:
    page.goto("/")
    page.mouse.wheel(0, 2500)
    page.wait_for_function("scrollY > 2000")
    assert corner(page.locator("#matrix thead th").nth(2))[1] == 0
