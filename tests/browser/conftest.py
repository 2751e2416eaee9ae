"""Chromium over the site as `make run` serves it, with the whole catalog and the bundled prices.

The tests only read, so one site serves them all. They touch no database of their own.
"""

import os
import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, Request, Response, WebError, expect
from pytest_playwright import CreateContextCallback

from tests.big_images import big
from tests.played_registry import CERTIFICATE, PlayedRegistry, playing
from tests.prepared import prepared
from tests.processes import Site, local_folder

HERE = Path(__file__).parent
# The one without windows opens a page five times as fast.
CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, CHROMIUMS)), None)
# Playwright leaves an event loop in the thread, which Django takes for a reason to refuse queries,
# also those of other tests in the same process.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if CHROMIUM is None:
                item.add_marker(pytest.mark.skip(reason="there is no Chromium on this machine"))


@pytest.fixture(scope="session")
def registry() -> Iterator[PlayedRegistry]:
    """The only registry of this machine that the site may read; it holds one image
    under a tag for each test that sees it being read."""
    with playing() as registry:
        for tag in ("latest", "read-with-script", "read-without"):
            registry.hold(big(), tag)
        yield registry


@pytest.fixture(scope="session")
def site(registry: PlayedRegistry) -> Iterator[Site]:
    allowed = {
        "GPUCOMPARE_REGISTRY_ALLOW": registry.host,
        "GPUCOMPARE_REGISTRY_CA_FILE": str(CERTIFICATE),
    }
    with local_folder() as local:
        prepared(local)
        site = Site(local, **allowed)
        try:
            site.wait_until_it_answers()
            yield site
        finally:
            site.end(signal.SIGTERM)
        assert "Traceback" not in site.said, site.said


@pytest.fixture(scope="session")
def base_url(site: Site) -> str:
    return f"http://127.0.0.1:{site.port}"


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    # Root, as in a container of a CI, has no sandbox; and nothing may call home.
    options = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": options}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    expect.set_options(timeout=15_000)  # a busy machine is no fault of the page
    return {**browser_context_args, "viewport": {"width": 1440, "height": 900}}


class Complaints:
    """What browsers complained about, against what the test provokes on purpose."""

    def __init__(self) -> None:
        self._contexts: list[BrowserContext] = []
        self._heard: list[str] = []
        self._provoked: list[str] = []
        self._tolerated: list[str] = []

    def listen(self, context: BrowserContext) -> None:
        self._contexts.append(context)
        context.on("console", self._on_console)
        context.on("weberror", self._on_error)
        context.on("requestfailed", self._on_failure)
        context.on("response", self._on_response)

    def provoke(self, pattern: str) -> None:
        """Complaints that match are right, and there has to be one."""
        self._provoked.append(pattern)

    def tolerate(self, pattern: str) -> None:
        """Complaints that match are right, and whether there is one is a matter of speed."""
        self._tolerated.append(pattern)

    def unexpected(self) -> list[str]:
        """What was not provoked, and what was and did not come."""
        for context in self._contexts:
            for page in context.pages:
                page.evaluate("0")  # whatever the page said before this has arrived after it
        known = [(p, re.compile(p)) for p in self._provoked]
        expected = [*(p for _, p in known), *map(re.compile, self._tolerated)]
        wild = [heard for heard in self._heard if not any(p.search(heard) for p in expected)]
        missed = [text for text, p in known if not any(map(p.search, self._heard))]
        return wild + [f"expected, but never heard: {text}" for text in missed]

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning", "assert"}:
            where = message.location["url"]
            self._heard.append(f"console {message.type}: {message.text} ({where})")

    def _on_error(self, error: WebError) -> None:
        self._heard.append(f"uncaught: {error.error}")

    def _on_failure(self, request: Request) -> None:
        self._heard.append(f"failed: {request.url}: {request.failure}")

    def _on_response(self, response: Response) -> None:
        if response.status >= 400:
            self._heard.append(f"status {response.status}: {response.url}")


@pytest.fixture
def complaints() -> Complaints:
    return Complaints()


@pytest.fixture
def new_context(
    new_context: CreateContextCallback, complaints: Complaints
) -> CreateContextCallback:
    """A browser of one more visitor, listened to."""

    def listened(**options: Any) -> BrowserContext:
        context = new_context(**options)
        complaints.listen(context)
        return context

    return cast("CreateContextCallback", listened)


@pytest.fixture(autouse=True)
def _no_browser_complains(
    new_context: CreateContextCallback, complaints: Complaints
) -> Iterator[None]:
    # Named `new_context` so that this check comes before the contexts are closed.
    yield
    assert complaints.unexpected() == []
