"""One look at a page that a claim cites: polite, bounded, and never an exception.

A page of strangers may be anything. What comes of a look is a word for how it ended, and the
blocks of text where there are some.
"""

from __future__ import annotations

import re
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from time import monotonic

import requests
from django.conf import settings
from requests.exceptions import RequestException

from gpucompare.outside.fetch import (
    REDIRECTS,
    Answer,
    CallError,
    Fault,
    Network,
    chunks,
    joined,
    send,
    shown,
)
from gpucompare.outside.hosts import allowed_hosts
from providers.models import Look
from providers.watch.html import Block
from providers.watch.robots import NOWHERE, Robots, parse
from providers.watch.texts import blocks

AGENT = "gpucompare"
USER_AGENT = f"{AGENT}/0.1 (reads the pages that its comparison cites, once a week)"
_ACCEPT = "text/html, text/markdown, text/plain;q=0.9, application/json;q=0.8, */*;q=0.1"
_PERMANENT = frozenset({301, 308})
_LONGEST_DELAY_S = 30.0
_LONGEST_ADDRESS = 500
# Code and text on GitHub, as it is instead of in the page that a script draws.
_GITHUB_FILE = re.compile(r"https://github\.com/([^/?#]+)/([^/?#]+)/blob/([^?#]+)")
_LOOKS = {
    Fault.TOO_LARGE: Look.TOO_LARGE,
    Fault.ADDRESS_NOT_PUBLIC: Look.UNSAFE,
    Fault.MALFORMED: Look.UNSAFE,
    Fault.NOT_HTTPS: Look.UNSAFE,
}


@dataclass(frozen=True)
class Bounds:
    """Seconds and bytes; a page may take `call_s` for each redirect."""

    call_s: float = 20
    page_bytes: int = 4 * 1024**2  # after decompression
    redirects: int = 5


@dataclass(frozen=True)
class Known:
    """What the server said of the page when it was read."""

    etag: str = ""
    last_modified: str = ""

    def headers(self) -> dict[str, str]:
        asked = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in asked.items() if value}


@dataclass(frozen=True)
class Found:
    """How a look ended. `why` is for people who run the site."""

    look: Look
    why: str = ""
    blocks: list[Block] = field(default_factory=list, repr=False)
    known: Known = Known()
    moved_to: str = ""  # where it leads for good, if that is elsewhere


class _RefusedError(Exception):
    """The site does not want us there."""


class Visitor:
    """Looks at pages, one call at a time: waits between two to a host, asks its robots.txt once."""

    def __init__(self, network: Network, *, pause_s: float, bounds: Bounds = Bounds()) -> None:
        self._network = network
        self._pause_s = pause_s
        self._bounds = bounds
        self._turn: dict[str, float] = {}  # by host: when it may be called again
        self._robots: dict[str, Robots | CallError] = {}  # by scheme, host and port

    def look(self, address: str, known: Known = Known()) -> Found:
        try:
            answer, moved_to = self._follow(_read_at(address), known.headers())
        except CallError as fault:
            return Found(_LOOKS.get(fault.fault, Look.UNREACHABLE), str(fault))
        except _RefusedError as fault:
            return Found(Look.REFUSED, str(fault))
        found = _found(answer, asked_for_changes=bool(known.headers()))
        moved = moved_to if len(moved_to) <= _LONGEST_ADDRESS else ""
        return replace(found, moved_to=moved)

    def _body(self, response: requests.Response) -> bytes:
        if not response.ok or response.status_code in REDIRECTS | {304}:
            return b""
        return b"".join(_unpacked(response, self._bounds.page_bytes))

    def _follow(
        self, address: str, headers: dict[str, str], *, asks: bool = True
    ) -> tuple[Answer, str]:
        """The answer at the end of all redirects, and the address that those for good lead to."""
        url, moved_to, for_good = address, "", True
        for _hop in range(self._bounds.redirects + 1):
            if asks:
                self._ask_leave(url)
            answer = self._send(url, headers)
            if answer.status not in REDIRECTS:
                return answer, moved_to
            url = joined(url, answer.headers.get("location", ""))
            for_good = for_good and answer.status in _PERMANENT
            moved_to = url.partition("#")[0] if for_good else moved_to
        raise CallError(Fault.TOO_MANY_REDIRECTS, shown(address))

    def _send(self, url: str, headers: dict[str, str]) -> Answer:
        host = self._network.admitted(url).netloc
        self._wait(host)
        ours = {"User-Agent": USER_AGENT, "Accept": _ACCEPT, "Accept-Encoding": "gzip"}
        try:
            request = requests.Request("GET", url, headers=ours | headers).prepare()
        except (RequestException, ValueError):
            raise CallError(Fault.MALFORMED, "an address that is none") from None
        try:
            return send(request, self._network, monotonic() + self._bounds.call_s, self._body)
        finally:
            self._turn[host] = monotonic() + self._pause_s

    def _wait(self, host: str) -> None:
        time.sleep(max(0.0, self._turn.get(host, 0.0) - monotonic()))

    def _ask_leave(self, url: str) -> None:
        """Raises _RefusedError where the robots.txt of a host keeps us out.

        A host that cannot even say so, because it is away, is not called: CallError.
        """
        parts = self._network.admitted(url)
        site = f"{parts.scheme}://{parts.netloc}"
        if site not in self._robots:
            self._robots[site] = self._robots_of(site)
        robots = self._robots[site]
        if isinstance(robots, CallError):
            raise robots
        path = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
        if not robots.allows(path):
            raise _RefusedError(f"{shown(url)}: robots.txt")
        delay = min(robots.delay_s, _LONGEST_DELAY_S)
        if delay > self._pause_s and parts.netloc in self._turn:
            self._turn[parts.netloc] += delay - self._pause_s

    def _robots_of(self, site: str) -> Robots | CallError:
        try:
            answer, _moved = self._follow(f"{site}/robots.txt", {}, asks=False)
        except CallError as fault:
            if fault.fault is Fault.TOO_LARGE:
                return NOWHERE
            # Its rules lead astray; the page itself is judged by where it leads.
            return Robots() if fault.fault in _LOOKS else fault
        if answer.is_good:
            return parse(answer.body.decode("utf-8", "replace"), AGENT)
        if answer.status >= 500:
            return CallError(Fault.UNREACHABLE, f"{answer.shown}: {answer.status}")
        return Robots()


def visitor() -> Visitor:
    """For the open internet, over http as well: nothing secret is asked or told."""
    network = Network(allowed_hosts(settings.WATCH_ALLOW), plain=True)
    return Visitor(network, pause_s=settings.WATCH_PAUSE_S)


def _read_at(address: str) -> str:
    file = _GITHUB_FILE.fullmatch(address)
    return "https://raw.githubusercontent.com/{}/{}/{}".format(*file.groups()) if file else address


def _found(answer: Answer, *, asked_for_changes: bool) -> Found:
    told = f"{answer.shown}: {answer.status}"
    match answer.status:
        case 304 if asked_for_changes:
            return Found(Look.UNCHANGED)
        case 404 | 410:
            return Found(Look.GONE, told)
        case status if 400 <= status < 500:
            return Found(Look.REFUSED, told)
        case _ if not answer.is_good:
            return Found(Look.UNREACHABLE, told)
    found = blocks(answer.body, answer.headers.get("content-type", ""))
    if found is None:
        return Found(Look.NOT_TEXT, f"{answer.shown}: {answer.headers.get('content-type', '')}")
    return Found(Look.READ, blocks=found, known=_known(answer))


def _known(answer: Answer) -> Known:
    """One that is longer than we keep is worth nothing cut off."""
    etag = answer.headers.get("etag", "")
    modified = answer.headers.get("last-modified", "")
    plain = re.compile(r"[\x21-\x7e][\x20-\x7e]*")
    return Known(
        etag if len(etag) <= 200 and plain.fullmatch(etag) else "",
        modified if len(modified) <= 64 and plain.fullmatch(modified) else "",
    )


def _unpacked(response: requests.Response, most: int) -> Iterator[bytes]:
    """The body without its packing. Raises CallError when it passes `most` bytes either way."""
    sent = chunks(response, most)
    packing = response.headers.get("Content-Encoding", "identity").strip().lower()
    told = shown(str(response.request.url))
    if packing in ("", "identity"):
        yield from sent
    elif packing in ("gzip", "x-gzip", "deflate"):
        yield from _inflated(sent, most, told)
    else:
        raise CallError(Fault.UNREACHABLE, f"{told}: packed as nobody asked for")


def _inflated(sent: Iterator[bytes], most: int, told: str) -> Iterator[bytes]:
    """Piece by piece, so that a bomb is noticed before it has room; its members follow freely."""
    inflating, seen, ended = zlib.decompressobj(47), 0, False
    for chunk in sent:
        left = chunk
        while left:
            try:
                out = inflating.decompress(left, most + 1 - seen)
            except zlib.error:
                if ended:  # what follows the last member is no member
                    return
                raise CallError(Fault.UNREACHABLE, f"{told}: cannot be unpacked") from None
            seen += len(out)
            if seen > most:
                raise CallError(Fault.TOO_LARGE, told)
            yield out
            left, ended = inflating.unconsumed_tail, inflating.eof
            if ended:
                left, inflating = inflating.unused_data, zlib.decompressobj(47)
    if not ended:
        raise CallError(Fault.UNREACHABLE, f"{told}: ends within its packing")
