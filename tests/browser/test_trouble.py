"""When something fails it is said, never swallowed; and pages that lead nowhere lead back."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Complaints
from tests.browser.matrix import FILTERED, SOME, chips, facet_value, rows

# htmx tells the console what it tells the page.
LOGGED = "console error: (htmx:|Response Status Error)"
ASKED = re.compile(rf"{re.escape(FILTERED)}$")


def cut(route: Route) -> None:
    route.abort("connectionfailed")


def break_down(route: Route) -> None:
    route.fulfill(status=503, body="out of order")


@pytest.mark.parametrize(
    ("fail", "complaint"), [(cut, "ERR_CONNECTION_FAILED"), (break_down, "503")]
)
def test_a_swap_that_fails_says_so_keeps_the_rows_and_can_be_tried_again(
    page: Page, complaints: Complaints, fail: object, complaint: str
) -> None:
    complaints.provoke(complaint)
    complaints.provoke(LOGGED)
    page.goto(SOME)
    before = rows(page)
    alert = page.get_by_role("alert")
    expect(alert).to_have_count(0)
    page.route(ASKED, fail)  # type: ignore[arg-type]
    facet_value(page, "docker_daemon", "Root").click()
    expect(alert).to_contain_text("That did not arrive")
    assert rows(page) == before
    page.unroute(ASKED)
    alert.get_by_role("link", name="Try again").click()
    expect(chips(page)).to_have_count(2)
    expect(alert).to_have_count(0)


def test_the_notice_can_be_dismissed(page: Page, complaints: Complaints) -> None:
    complaints.provoke("ERR_CONNECTION_FAILED")
    complaints.provoke(LOGGED)
    page.goto(SOME)
    page.route(ASKED, cut)
    facet_value(page, "docker_daemon", "Root").click()
    page.get_by_role("alert").get_by_role("button", name="Dismiss").click()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_an_address_without_a_page_looks_like_the_site_and_leads_back(
    page: Page, complaints: Complaints
) -> None:
    complaints.provoke("404")
    answer = page.goto("/providers/nobody/")
    assert answer
    assert answer.status == 404
    expect(page.get_by_role("heading", level=1)).to_have_text("There is nothing at this address")
    expect(page.get_by_role("banner")).to_contain_text("gpucompare")
    page.get_by_role("link", name="Browse all offerings").click()
    expect(page.locator("#results")).to_be_visible()


def test_a_provider_lists_its_offerings_with_their_sources_and_leads_back(page: Page) -> None:
    page.goto("/?q=runpod")
    page.locator("#matrix").get_by_role("link", name="RunPod", exact=True).click()
    expect(page.get_by_role("heading", name="RunPod", level=1)).to_be_visible()
    for offering in ("Pods", "Serverless"):
        section = page.get_by_role("region", name=offering, exact=True)
        expect(section).to_contain_text("documented", ignore_case=True)
        expect(section.locator("table a[href^='https://']").first).to_be_attached()
    page.get_by_role("link", name="All providers").click()
    expect(page.locator("#results")).to_be_visible()
    expect(chips(page)).to_have_count(0)


def test_a_row_leads_to_its_offering_on_the_page_of_the_provider(page: Page) -> None:
    page.goto("/?q=runpod")
    page.locator("#matrix").get_by_role("link", name="Serverless", exact=True).click()
    expect(page).to_have_url(re.compile("/providers/runpod/#serverless$"))
    expect(page.get_by_role("heading", name="Serverless", exact=True)).to_be_in_viewport()
