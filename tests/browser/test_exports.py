"""The table on the clipboard, and a comparison in a frame on another site."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Complaints

COMPARED = "/compare/?o=runpod/pods&o=vast-ai/docker-instances"
COPY = "Copy as Markdown"


@pytest.fixture
def other_site(tmp_path: Path, base_url: str) -> Iterator[str]:
    """The address of a page of somebody else's that frames the comparison and one other page."""
    frames = (f"{base_url}/embed{COMPARED}", f"{base_url}{COMPARED}")
    made = "".join(f'<iframe src="{url}" width="700" height="400"></iframe>' for url in frames)
    (tmp_path / "index.html").write_text(
        f'<!doctype html><link rel="icon" href="data:,">{made}', encoding="utf-8"
    )
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("path", [COMPARED, "/providers/runpod/", "/gpus/", "/?gpu=h100"])
def test_a_click_puts_the_table_on_the_clipboard(page: Page, path: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(path)
    page.get_by_text("Export", exact=True).click()
    page.get_by_role("button", name=COPY).click()
    expect(page.locator("#announce")).to_have_text("Copied as a Markdown table")
    expect(page.get_by_role("button", name="Copied as a Markdown table")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "| --- |" in copied
    assert "CC-BY-4.0" in copied


def test_a_table_that_does_not_arrive_is_said(page: Page, complaints: Complaints) -> None:
    complaints.provoke(r"format=md")
    page.goto("/gpus/")
    page.route("**/*format=md", lambda route: route.abort())
    page.get_by_text("Export", exact=True).click()
    page.get_by_role("button", name=COPY).click()
    expect(page.locator("#announce")).to_have_text("It could not be copied: follow the link to MD")


def test_a_table_that_is_too_long_is_no_paste(page: Page, complaints: Complaints) -> None:
    complaints.tolerate(r"format=md: net::ERR_ABORTED")  # the rest of it is not wanted
    page.goto("/gpus/")
    page.route("**/*format=md", lambda route: route.fulfill(body="| a |\n" * 200_000))
    page.get_by_text("Export", exact=True).click()
    page.get_by_role("button", name=COPY).click()
    said = "Too long for the clipboard: follow a link above"
    expect(page.locator("#announce")).to_have_text(said)


def test_another_site_frames_the_comparison_and_no_other_page(
    page: Page, other_site: str, complaints: Complaints
) -> None:
    complaints.provoke(r"ERR_BLOCKED_BY_RESPONSE")
    complaints.provoke(r"frame-ancestors")
    page.goto(other_site)
    embedded, refused = page.frame_locator("iframe").nth(0), page.frame_locator("iframe").nth(1)
    expect(embedded.get_by_text("What Docker support means at each")).to_be_visible()
    expect(embedded.get_by_role("link", name="gpucompare")).to_be_visible()
    expect(refused.get_by_text("RunPod")).to_have_count(0)
