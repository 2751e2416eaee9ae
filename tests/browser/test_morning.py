"""A curator's ten minutes: what waits is settled at the desk, and the public pages show it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Complaints
from tests.browser.desk import CONTRADICTION, desk_site, log_in, shell

# Ten rows stand; three come, at another price, and are kept out.
REJECTED = """
from tests.factories import make_gpu, make_offering, make_provider
from tests.refreshing import records, run
from providers.models import Gpu, RejectedBatch
acme = make_provider("acme")
for slug in ("pods", "vms"):
    make_offering(slug, acme)
run(*records(10))
run(*records(3, "3.125"))
print(RejectedBatch.objects.get().pk)
"""
VIEWER = """
from django.contrib.auth.models import Group, User
viewer = User.objects.create_user("viewer", password="looks-and-leaves-it", is_staff=True)
viewer.groups.add(Group.objects.get(name="viewer"))
"""
CELL = "/providers/runpod/pods/{}/"


class Desk(NamedTuple):
    site: str
    answers: str
    local: Path


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    with desk_site() as (address, local):
        pk = shell(local, CONTRADICTION).split()[-1]
        shell(local, REJECTED)
        shell(local, VIEWER)
        yield Desk(address, f"{address}/admin/providers/offering/{pk}/answers/", local)


def pile(page: Page, key: str) -> int:
    return int(page.locator(f"#pile-{key} strong").inner_text())


def corrected(page: Page, desk: Desk) -> str:
    """A reader says that something is wrong, and gets an address that tells what comes of it."""
    page.goto(desk.site + CELL.format("ssh"))
    page.get_by_role("link", name="Is this wrong?").click()
    page.get_by_role("radio", name="No", exact=True).check()
    page.get_by_label(re.compile("Where does it say so?")).fill("https://docs.runpod.io/pods/ssh")
    page.wait_for_timeout(3_100)  # nobody fills it in within three seconds
    page.get_by_role("button", name="Send to the curators").click()
    expect(page).to_have_url(re.compile(r"/corrections/\w+/$"))
    return page.url


def test_a_curators_morning(page: Page, desk: Desk, complaints: Complaints) -> None:
    complaints.tolerate("favicon")
    complaints.tolerate("format=patch")  # a download is no page: Chromium calls that aborted
    correction = corrected(page, desk)

    log_in(page, f"{desk.site}/admin/")
    assert pile(page, "contradictions")
    assert [pile(page, key) for key in ("corrections", "batches")] == [1, 1]

    # Three claims are confirmed, none of them of the contradiction, which that would settle.
    page.goto(desk.answers)
    waiting = page.locator("#docker_daemon ~ * [data-claim]:has([data-confirm])")
    count = waiting.count()
    for _ in range(3):
        waiting.first.get_by_role("button", name="Confirm as of today").click()
        page.wait_for_load_state()
    expect(waiting).to_have_count(count - 3)

    # A contradiction is resolved.
    right = page.locator("#jupyter [data-claim]", has_text="docs.example/no")
    right.get_by_role("button", name="This one is right: retire the other").click()
    expect(page.locator("#jupyter [data-claim]")).to_have_count(1)

    # The correction is taken over, in the place of what stood.
    page.goto(f"{desk.site}/admin/")
    page.locator("#pile-corrections a").click()
    page.locator("#result_list tbody th a").first.click()
    page.locator("#take").get_by_role("radio", name=re.compile("Instead of claim")).check()
    page.locator("#take").get_by_role("button", name="Take over").click()
    expect(page.locator(".messagelist")).to_be_visible()
    page.goto(f"{desk.site}/admin/")
    expect(page.locator("#pile-corrections strong")).to_have_text("0")

    # The batch is accepted.
    page.locator("#pile-batches a").click()
    page.locator("#result_list tbody th a").first.click()
    page.get_by_role("button", name=re.compile("^Accept")).click()
    expect(page.locator(".messagelist")).to_be_visible()
    page.goto(f"{desk.site}/admin/")
    expect(page.locator("#pile-batches strong")).to_have_text("0")

    # The catalog is dumped.
    page.get_by_role("link", name="The desk's work as a patch").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the patch").click()
    patch = Path(download.value.path()).read_text()
    assert "runpod.yaml" in patch
    assert "https://docs.runpod.io/pods/ssh" in patch

    # The public pages show it.
    page.goto(desk.site + CELL.format("jupyter"))
    expect(page.locator("article.detail .answer")).to_contain_text("No")
    page.goto(desk.site + "/listings/?provider=acme&sort=price")
    expect(page.locator(".listings tbody tr")).to_have_count(3)
    page.goto(correction)
    expect(page.get_by_text("Taken over")).to_be_visible()


def test_a_viewer_sees_the_desk_and_changes_nothing(
    page: Page, desk: Desk, complaints: Complaints
) -> None:
    complaints.tolerate("favicon")
    complaints.provoke("403")
    log_in(page, desk.answers, "viewer", "looks-and-leaves-it")
    expect(page.get_by_role("heading", name="Answers of RunPod Pods")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("Confirm|Save|Retire|right"))).to_have_count(
        0
    )
    before = page.locator("[data-claim]").all_inner_texts()
    claim = str(page.locator("[data-claim]").first.get_attribute("id")).removeprefix("claim-")
    # The form that is not there, sent all the same with all that it would hold.
    token = next(c for c in page.context.cookies() if c.get("name") == "csrftoken").get("value", "")
    answer = page.request.post(
        desk.answers,
        form={"csrfmiddlewaretoken": token, "deed": "confirm", "claim": claim},
        headers={"Referer": desk.answers},
    )
    assert answer.status == 403
    assert page.goto(f"{desk.site}/admin/providers/claim/add/").status == 403  # type: ignore[union-attr]
    page.goto(desk.answers)
    assert page.locator("[data-claim]").all_inner_texts() == before
