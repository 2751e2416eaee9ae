"""What a visitor sees on the browse page, read from it."""

import re
from typing import NamedTuple

from playwright.sync_api import Locator, Page

# Some twenty offerings: what a page of all of them costs, a test should need.
SOME = "/?kind=marketplace"
# Prices enough to sort by.
PRICED = "/?kind=container_cloud&kind=marketplace"
# Some offerings match, some may, some would but are closed.
FILTERED = "/?docker_daemon=root&kind=marketplace"
NOTHING = "/?custom_image=curated_only&docker_daemon=rootless"
CELL = "/providers/runpod/pods/docker_daemon/"
PROVIDER = "/providers/runpod/"
GPUS = "/gpus/"
FAMILY = "/gpus/h200/"
ARM = "/gpus/gh200/"
STATUS = "/status/"
# Two pages of priced rows; a few of which something that was asked for is not known.
LISTINGS = "/listings/?sort=price"
SOME_LISTINGS = "/listings/?gpu=h100&docker_daemon=root&sort=price"

# An image against some twenty offerings, known by its CUDA and its framework.
CHECK = "/check/?cuda=12.4&framework=torch&release=2.6.0&kind=marketplace"
CHECK_FAULT = "/check/?image=Ubuntu"
# The first start of an image that is known by its size, at some offerings and at one.
COLD = "/cold-start/?cuda=12.4&compressed_gb=16.3&kind=marketplace"
COLD_HERE = "/cold-start/?compressed_gb=16.3&o=runpod/pods"
LAUNCH = "/launch/?image=acme/trainer:1&o=runpod/pods&gpu=h100-sxm&private=1"
LAUNCH_VM = "/launch/?image=acme/trainer:1&o=lambda/on-demand&gpu=h100-sxm"

MATCHES = ""

_READ_HEADERS = """all => all.map(th => [
    th.querySelector(":scope > a")?.getAttribute("href") ?? null,
    th.querySelector("h3")?.firstChild.textContent.trim() ?? null,
])"""
_READ_PRICES = (
    "rows => rows.map(row => row.lastElementChild.querySelector('b')?.textContent ?? null)"
)


def rows(page: Page) -> dict[str, list[str]]:
    """The offerings' addresses by the heading they stand under; matches stand under none."""
    found: dict[str, list[str]] = {}
    heading = MATCHES
    for address, title in page.locator("#matrix tbody th").evaluate_all(_READ_HEADERS):
        if title is not None:
            heading = title
        else:
            found.setdefault(heading, []).append(address)
    return found


def matches(page: Page) -> list[str]:
    return rows(page).get(MATCHES, [])


def prices(page: Page) -> list[float | None]:
    """The last column, from the top."""
    table_rows = page.locator("#matrix tbody tr:has(td)")
    return [text and float(text) for text in table_rows.evaluate_all(_READ_PRICES)]


def listing_address(page: Page) -> str:
    """The page of a row of the listings; rows bear numbers that differ from load to load."""
    page.goto(SOME_LISTINGS)
    address = page.locator(".listings [data-cells] a").first.get_attribute("href")
    assert address
    return address


class Counts(NamedTuple):
    match: int
    may: int


def counts(facet_value: Locator) -> Counts:
    """The two numbers beside a value of a facet: `Root 45 +12`."""
    text = " ".join(facet_value.inner_text().split())
    read = re.search(r" (\d+)(?: \+(\d+))?$", text)
    assert read, text
    return Counts(int(read[1]), int(read[2] or 0))


def facet_values(page: Page, key: str) -> Locator:
    return page.locator(f"#facet-{key}").get_by_role("link")


def facet_value(page: Page, key: str, label: str) -> Locator:
    return facet_values(page, key).filter(has_text=re.compile(rf"^\s*{label}\b"))


def chips(page: Page) -> Locator:
    """Filters in use, without the link that clears them all."""
    listed = page.get_by_role("list", name="Filters in use").get_by_role("link")
    return listed.filter(has_text="Remove:")


def cell(page: Page, offering: str, column: str) -> Locator:
    """The link of an offering's answer; `offering` is its address: /providers/runpod/#pods."""
    row = (
        page.locator("#matrix")
        .get_by_role("row")
        .filter(has=page.locator(f'th > a[href="{offering}"]'))
    )
    return row.get_by_role("link", name=re.compile(rf"^{column}\b"))
