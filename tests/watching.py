"""A site on this machine whose pages claims cite, and that does with them what it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest

from gpucompare.outside.fetch import Network
from gpucompare.outside.hosts import allowed_hosts
from providers.models import Claim, Offering, SourceReview
from providers.watch.fetch import Bounds, Visitor
from providers.watch.round import Chosen, Told, watch
from tests import provider_server as play
from tests.factories import make_claim
from tests.provider_server import Answer, Exchange, ProviderServer

FIRST_DAY = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
SAYS = "Pods run no Docker daemon; images can be built with Bazel."
OTHER = SAYS.replace("no Docker", "a rootless Docker")
QUICK = Bounds(call_s=3)


def html(text: str = SAYS, more: str = "Prices are elsewhere.") -> Answer:
    return sent(f"<h1>Pods</h1><p>{more}</p><h2>Building</h2><p>{text}</p>".encode(), "text/html")


def sent(body: bytes, kind: str, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return play.body(body, {"Content-Type": kind, **named})


def tagged(text: str, etag: str) -> Answer:
    """A page that says 304 to whoever has it."""

    def answer(exchange: Exchange) -> None:
        named = {"Content-Type": "text/html", "ETag": etag}
        if exchange.seen.headers.get("if-none-match") == etag:
            exchange.whole(304, b"", named)
        else:
            exchange.whole(200, f"<h2>Building</h2><p>{text}".encode(), named)

    return answer


def near(text: str) -> str:
    return f"# Building\n{text}"


class Site:
    """`pages` by path; what is not there is a 404, robots.txt too."""

    def __init__(self, server: ProviderServer) -> None:
        self.server = server
        self.host = urlsplit(server.url).netloc
        self.pages: dict[str, Answer] = {}
        server.always = self._answer

    def _answer(self, exchange: Exchange) -> None:
        self.pages.get(exchange.seen.path, play.status(404))(exchange)

    def url(self, path: str = "/pods") -> str:
        return f"{self.server.url}{path}"

    def asked(self) -> list[str]:
        """The paths that were asked for, without robots.txt."""
        return [seen.path for seen in self.server.seen if seen.path != "/robots.txt"]

    def visitor(self, pause_s: float = 0, bounds: Bounds = QUICK) -> Visitor:
        network = Network(allowed_hosts([self.host]), plain=True)
        return Visitor(network, pause_s=pause_s, bounds=bounds)

    def claim(self, offering: Offering, path: str = "/pods", **fields: object) -> Claim:
        note = {"note": "Images can be built with Bazel, which needs no daemon."}
        says = {"source": self.url(path), **note, **fields}
        return make_claim(offering, "docker_daemon", "none", **says)


@contextmanager
def playing() -> Iterator[Site]:
    with play.running() as server:
        yield Site(server)


def played() -> Iterator[Site]:
    with playing() as site:
        yield site


def days(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Sets the day; within it, every look at the clock is a moment later."""
    now = [FIRST_DAY]

    def tick() -> datetime:
        now[0] += timedelta(milliseconds=1)
        return now[0]

    def go(number: int) -> None:
        now[0] = FIRST_DAY + timedelta(days=number)

    monkeypatch.setattr("django.utils.timezone.now", tick)
    return go


def once(site: Site, **chosen: Any) -> Told:
    return watch(site.visitor(), replace(Chosen(), **chosen))


def waiting() -> list[tuple[str, str, str]]:
    rows = SourceReview.objects.filter(settled_at=None).order_by("pk")
    return [(row.kind, row.before, row.after) for row in rows]
