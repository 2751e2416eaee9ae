"""One look at a page: whatever a server does, it ends in a word, in time and in bounds."""

from __future__ import annotations

import gzip
import time
from typing import Any

import pytest

from gpucompare.outside.fetch import Network
from providers.models import Look
from providers.watch.fetch import USER_AGENT, Bounds, Known, Visitor, _read_at
from tests import provider_server as play
from tests.provider_server import Answer, Exchange
from tests.watching import QUICK, Site, html, played, sent, tagged

site = pytest.fixture(played)

TIGHT = Bounds(call_s=1.5, page_bytes=200_000)


def hang_up(exchange: Exchange) -> None:
    exchange.handler.connection.close()


def half_a_gzip(exchange: Exchange) -> None:
    body = gzip.compress(b"<p>Docker daemon " * 5000)[:-20]
    kind = {"Content-Type": "text/html", "Content-Encoding": "gzip"}
    exchange.whole(200, body, kind)


def many_headers(exchange: Exchange) -> None:
    exchange.head(200, {f"X-{n}": "x" for n in range(5000)})


def no_http(exchange: Exchange) -> None:
    exchange.write(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")


def packed(body: bytes, name: str = "gzip") -> Answer:
    return sent(body, "text/html", Content_Encoding=name)


@pytest.mark.parametrize(
    ("answer", "look"),
    [
        (html(), Look.READ),
        (packed(gzip.compress(b"<p>Docker")), Look.READ),
        (packed(gzip.compress(b"<p>Dock") + gzip.compress(b"er")), Look.READ),
        (packed(gzip.compress(b"<p>Docker") + b"\0\0"), Look.READ),
        (sent(b"\xff\xfe\xff", "text/html; charset=utf-8"), Look.READ),
        (sent(b"a", "text/html; charset=no-such\xa0thing"), Look.READ),
        (sent(b'{"a": 1}', "application/json"), Look.READ),
        (sent(b"", "text/html"), Look.READ),
        (sent(b"<a " * 60_000, "text/html"), Look.READ),
        (play.status(404), Look.GONE),
        (play.status(410), Look.GONE),
        (play.status(401), Look.REFUSED),
        (play.status(403), Look.REFUSED),
        (play.throttled("3600"), Look.REFUSED),
        (play.status(304), Look.UNREACHABLE),  # nobody asked for changes
        (play.status(500), Look.UNREACHABLE),
        (play.status(503), Look.UNREACHABLE),
        (hang_up, Look.UNREACHABLE),
        (no_http, Look.UNREACHABLE),
        (many_headers, Look.UNREACHABLE),
        (play.cut, Look.TOO_LARGE),
        (play.silence, Look.UNREACHABLE),
        (play.drip, Look.UNREACHABLE),
        (play.drip_of_headers, Look.UNREACHABLE),
        (play.endless, Look.TOO_LARGE),
        (sent(b"x" * 200_001, "text/html"), Look.TOO_LARGE),
        (play.gzip_bomb, Look.TOO_LARGE),
        (packed(gzip.compress(b" " * 10_000_000)), Look.TOO_LARGE),  # small when it is sent
        (play.bad_gzip, Look.UNREACHABLE),
        (half_a_gzip, Look.UNREACHABLE),
        (packed(b"x", "br"), Look.UNREACHABLE),
        (sent(b"%PDF-1.7", "application/pdf"), Look.NOT_TEXT),
        (sent(b"\x89PNG\0\0", "text/html"), Look.NOT_TEXT),
        (play.redirect("/pods"), Look.UNREACHABLE),  # in a circle
        (play.redirect("http://127.0.0.2:{port}/x"), Look.UNSAFE),
        (play.redirect("http://169.254.169.254/latest/meta-data"), Look.UNSAFE),
        (play.redirect("http://[::1]/"), Look.UNSAFE),
        (play.redirect("http://2130706433/"), Look.UNSAFE),
        (play.redirect("file:///etc/passwd"), Look.UNSAFE),
        (play.redirect("http://user@127.0.0.1/"), Look.UNSAFE),
        (play.redirect("http://[/"), Look.UNSAFE),
        (play.redirect("http://a..b.example/"), Look.UNREACHABLE),
        (play.redirect(""), Look.UNREACHABLE),
    ],
)
def test_every_answer_ends_in_its_word_and_in_time(site: Site, answer: Answer, look: Look) -> None:
    site.pages["/pods"] = answer
    begun = time.monotonic()
    assert site.visitor(bounds=TIGHT).look(site.url()).look is look
    assert time.monotonic() - begun < 10


def test_a_page_of_a_host_that_is_away_is_unreachable() -> None:
    away = play.nobody()
    network = Network(frozenset({away.removeprefix("http://")}), plain=True)
    assert Visitor(network, pause_s=0).look(f"{away}/pods").look is Look.UNREACHABLE


@pytest.mark.parametrize("address", ["http://10.0.0.1/", "http://localhost/x", "ftp://a.example/"])
def test_no_private_address_is_called(address: str) -> None:
    visitor = Visitor(Network(plain=True), pause_s=0, bounds=QUICK)
    assert visitor.look(address).look is Look.UNSAFE


def test_only_the_hosts_that_are_named_may_be_private(site: Site) -> None:
    site.pages["/pods"] = html()
    assert Visitor(Network(plain=True), pause_s=0).look(site.url()).look is Look.UNSAFE
    assert site.server.seen == []


def test_a_page_that_did_not_change_is_not_sent_again(site: Site) -> None:
    site.pages["/pods"] = tagged("Docker.", '"one"')
    first = site.visitor().look(site.url())
    assert first.known == Known(etag='"one"')
    assert site.visitor().look(site.url(), first.known).look is Look.UNCHANGED


@pytest.mark.parametrize("etag", ["x" * 201, "é", "a\tb"])
def test_a_mark_that_cannot_be_sent_back_whole_is_not_kept(site: Site, etag: str) -> None:
    site.pages["/pods"] = sent(b"<p>a", "text/html", ETag=etag)
    found = site.visitor().look(site.url())
    assert (found.look, found.known) == (Look.READ, Known())


def test_a_call_says_who_calls(site: Site) -> None:
    site.pages["/pods"] = html()
    site.visitor().look(site.url())
    assert {seen.headers["user-agent"] for seen in site.server.seen} == {USER_AGENT}
    assert "cookie" not in site.server.seen[-1].headers


# --- Redirects --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("codes", "moved"),
    [
        ((301,), "/1"),
        ((308,), "/1"),
        ((302,), ""),
        ((307,), ""),
        ((301, 301), "/2"),
        ((301, 302), "/1"),
        ((302, 301), ""),
    ],
)
def test_a_page_moved_as_far_as_it_did_for_good(
    site: Site, codes: tuple[int, ...], moved: str
) -> None:
    for number, code in enumerate(codes):
        path = f"/{number}" if number else "/pods"
        site.pages[path] = play.redirect(f"/{number + 1}#part", code)
    site.pages[f"/{len(codes)}"] = html()
    found = site.visitor().look(site.url())
    assert (found.look, found.moved_to) == (Look.READ, site.url(moved) if moved else "")


def test_an_address_that_is_too_long_is_not_taken_for_the_new_one(site: Site) -> None:
    path = "/" + "x" * 600
    site.pages |= {"/pods": play.redirect(path, 301), path: html()}
    found = site.visitor().look(site.url())
    assert (found.look, found.moved_to) == (Look.READ, "")


@pytest.mark.parametrize(
    ("address", "read_at"),
    [
        (
            "https://github.com/acme/docs/blob/HEAD/a/b.md",
            "https://raw.githubusercontent.com/acme/docs/HEAD/a/b.md",
        ),
        ("https://github.com/acme/docs/issues/1", "https://github.com/acme/docs/issues/1"),
        ("https://acme.example/a/b/blob/c", "https://acme.example/a/b/blob/c"),
    ],
)
def test_a_file_on_github_is_read_as_it_is(address: str, read_at: str) -> None:
    assert _read_at(address) == read_at


# --- Manners ----------------------------------------------------------------------------


def robots(text: str) -> Answer:
    return sent(text.encode(), "text/plain")


@pytest.mark.parametrize(
    ("rules", "look", "asked"),
    [
        (robots("User-agent: *\nDisallow: /"), Look.REFUSED, []),
        (robots("User-agent: *\nDisallow: /p*s$"), Look.REFUSED, []),
        (
            robots("User-agent: *\nDisallow: /\nUser-agent: gpucompare\nAllow: /"),
            Look.READ,
            ["/pods"],
        ),
        (robots("<html>nonsense"), Look.READ, ["/pods"]),
        (play.status(403), Look.READ, ["/pods"]),
        (play.redirect("http://10.0.0.1/"), Look.READ, ["/pods"]),
        (play.status(503), Look.UNREACHABLE, []),
        (play.drip, Look.UNREACHABLE, []),
        (play.endless, Look.REFUSED, []),
    ],
)
def test_a_robots_file_is_obeyed(site: Site, rules: Answer, look: Look, asked: list[str]) -> None:
    site.pages |= {"/pods": html(), "/robots.txt": rules}
    assert site.visitor(bounds=TIGHT).look(site.url()).look is look
    assert site.asked() == asked


def test_the_robots_file_of_where_a_redirect_leads_is_obeyed_too(site: Site) -> None:
    site.pages |= {
        "/pods": play.redirect("/secret"),
        "/secret": html(),
        "/robots.txt": robots("User-agent: *\nDisallow: /secret"),
    }
    assert site.visitor().look(site.url()).look is Look.REFUSED
    assert site.asked() == ["/pods"]


def test_a_host_is_asked_for_its_rules_once_and_waited_for_between_two_calls(site: Site) -> None:
    site.pages |= {"/pods": html(), "/other": html()}
    visitor = site.visitor(pause_s=0.3)
    begun = time.monotonic()
    for path in ("/pods", "/other"):
        visitor.look(site.url(path))
    assert [seen.path for seen in site.server.seen] == ["/robots.txt", "/pods", "/other"]
    assert time.monotonic() - begun >= 0.6


def test_a_host_that_asks_for_more_time_gets_it(site: Site) -> None:
    site.pages |= {"/pods": html(), "/robots.txt": robots("User-agent: *\nCrawl-delay: 1")}
    begun = time.monotonic()
    site.visitor().look(site.url())
    assert time.monotonic() - begun >= 1


def test_a_page_is_not_kept_in_what_is_logged(site: Site) -> None:
    site.pages["/pods"] = html()
    found: Any = site.visitor().look(site.url())
    assert "Bazel" not in repr(found)
