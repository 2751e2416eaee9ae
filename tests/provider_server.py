"""A real HTTP server on this machine that plays providers, and misbehaves when told.

It answers under `/<source>/…` as `tests/samples/<source>/routes.json` says; see the README there.
"""

from __future__ import annotations

import gzip
import json
import socket
import ssl
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.utils import formatdate
from fnmatch import fnmatchcase
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qsl, urlsplit

SAMPLES = Path(__file__).parent / "samples"
PAUSE_S = 0.02  # between two drops of a drip


@dataclass(frozen=True)
class Seen:
    """One request as it came in; header names are in lower case."""

    method: str
    path: str
    params: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Exchange:
    """A request and the means to answer it. `over` is set when the server is to stop."""

    seen: Seen
    handler: BaseHTTPRequestHandler
    over: Event

    def head(self, status: int, headers: Mapping[str, str]) -> None:
        self.handler.send_response(status)
        for name, value in headers.items():
            self.handler.send_header(name, value)
        self.handler.end_headers()

    def write(self, data: bytes) -> None:
        if self.seen.method == "HEAD":
            return
        self.handler.wfile.write(data)
        self.handler.wfile.flush()

    def whole(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        kind = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        self.head(status, kind | dict(headers or {}))
        self.write(body)


Answer = Callable[[Exchange], None]


# --- Answers ------------------------------------------------------------------------


def body(data: bytes, headers: Mapping[str, str] | None = None) -> Answer:
    return lambda exchange: exchange.whole(200, data, headers)


def status(code: int, headers: Mapping[str, str] | None = None) -> Answer:
    return lambda exchange: exchange.whole(code, b'{"error": "no"}', headers)


def throttled(retry_after: str = "") -> Answer:
    return status(429, {"Retry-After": retry_after} if retry_after else None)


def throttled_until(seconds: float) -> Answer:
    """A 429 whose Retry-After is a date, that many seconds from the answer on."""

    def answer(exchange: Exchange) -> None:
        throttled(formatdate(time.time() + seconds, usegmt=True))(exchange)

    return answer


def redirect(target: str, code: int = 302) -> Answer:
    return status(code, {"Location": target})


def sample(exchange: Exchange) -> None:
    """What the provider's sample says."""
    code, data, headers = sample_answer(exchange.seen)
    exchange.whole(code, data, headers)


def altered(change: Callable[[bytes], bytes]) -> Answer:
    """The sample's body with a change."""

    def answer(exchange: Exchange) -> None:
        code, data, headers = sample_answer(exchange.seen)
        exchange.whole(code, change(data) if code == 200 else data, headers)

    return answer


html = body(b"<!doctype html><title>Just a moment</title>", {"Content-Type": "text/html"})
half_a_json = altered(lambda data: data[: len(data) // 2])


def silence(exchange: Exchange) -> None:
    """Takes the request and never says a word."""
    exchange.over.wait(30)


def cut(exchange: Exchange) -> None:
    """Promises more than it sends, and hangs up."""
    exchange.head(200, {"Content-Length": "1000000"})
    exchange.write(b"[" * 500_000)


def drip(exchange: Exchange) -> None:
    """One byte at a time, for ever."""
    exchange.head(200, {"Content-Type": "application/json"})
    _drop(exchange, b" ")


def drip_of_headers(exchange: Exchange) -> None:
    exchange.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    _drop(exchange, b"x")


def endless(exchange: Exchange) -> None:
    """As fast as it is read, for ever."""
    exchange.head(200, {"Content-Type": "application/json"})
    while not exchange.over.is_set():
        exchange.write(b"[" * 65536)


def gzip_bomb(exchange: Exchange) -> None:
    """Two hundred megabytes in two hundred kilobytes."""
    exchange.whole(200, _bomb(), {"Content-Encoding": "gzip"})


def bad_gzip(exchange: Exchange) -> None:
    exchange.whole(200, b"\x1f\x8b\x08\x00 this is no gzip", {"Content-Encoding": "gzip"})


def _drop(exchange: Exchange, data: bytes) -> None:
    while not exchange.over.wait(PAUSE_S):
        exchange.write(data)


@cache
def _bomb() -> bytes:
    return gzip.compress(b" " * 2**20) * 200  # members follow each other freely


# --- Samples ------------------------------------------------------------------------


@dataclass(frozen=True)
class Route:
    """One line of a routes.json."""

    path: str
    body: str = ""
    method: str = "GET"
    status: int = 200
    sent: str = ""
    needs_header: str = ""
    params: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def takes(self, seen: Seen, path: str) -> bool:
        return (
            seen.method == self.method
            and fnmatchcase(path, self.path)
            and self.params.items() <= seen.params.items()
            and self.sent.encode() in seen.body
        )


@cache
def routes_of(source: str) -> tuple[Route, ...]:
    """Raises FileNotFoundError for a source without samples."""
    return tuple(
        Route(**line) for line in json.loads((SAMPLES / source / "routes.json").read_text())
    )


def sample_answer(seen: Seen) -> tuple[int, bytes, Mapping[str, str]]:
    source, _slash, rest = seen.path.lstrip("/").partition("/")
    for route in routes_of(source):
        if route.takes(seen, f"/{rest}"):
            if route.needs_header and route.needs_header.lower() not in seen.headers:
                return 401, b'{"error": "a key is needed"}', {}
            data = (SAMPLES / source / route.body).read_bytes() if route.body else b""
            return route.status, data, route.headers
    return 404, b'{"error": "no such route"}', {}


# --- The server ---------------------------------------------------------------------


class ProviderServer:
    """`then` holds answers for the next calls, each used once; `always` is for all others."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.then: deque[Answer] = deque()
        self.always: Answer = sample
        self._over = Event()
        self._server = _Listener(("127.0.0.1", 0), _Handler)
        self._server.player = self
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def start(self, certificate: Path | None = None) -> None:
        """Over TLS when it is given a certificate with its key."""
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
            self.url = self.url.replace("http://127.0.0.1", "https://localhost")
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()

    def base(self, source: str) -> str:
        """What to set GPUCOMPARE_SOURCE_<SOURCE>_URL to."""
        return f"{self.url}/{source}"

    def answer(self, seen: Seen, handler: BaseHTTPRequestHandler) -> None:
        self.seen.append(seen)
        answer = self.then.popleft() if self.then else self.always
        answer(Exchange(seen, handler, self._over))


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    player: ProviderServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Silent: clients that hang up are what is tested."""


class _Handler(BaseHTTPRequestHandler):
    server: _Listener
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        split = urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        self.close_connection = True
        seen = Seen(
            method=self.command,
            path=split.path,
            params=dict(parse_qsl(split.query)),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=self.rfile.read(length),
        )
        with suppress(ConnectionError):
            self.server.player.answer(seen, self)

    def do_POST(self) -> None:
        self.do_GET()

    def do_HEAD(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: Any) -> None:
        """Silent: the output is the tests' own."""


@contextmanager
def running(certificate: Path | None = None) -> Iterator[ProviderServer]:
    server = ProviderServer()
    server.start(certificate)
    try:
        yield server
    finally:
        server.stop()


def nobody() -> str:
    """An address on this machine where nobody answers."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port: int = held.getsockname()[1]
    return f"http://127.0.0.1:{port}"
