"""The benchmark of sizes asks every site as often, in turn."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from bench import sizes

paths: list[tuple[int, str]] = []


class Site(BaseHTTPRequestHandler):
    status = 200
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        paths.append((int(self.headers["Host"].partition(":")[2]), self.path))
        self.send_response(self.status)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *told: object) -> None:
        pass


class Failing(Site):
    status = 503


def served(handler: type[Site]) -> Iterator[int]:
    server = HTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.fixture
def one() -> Iterator[int]:
    paths.clear()
    yield from served(Site)


@pytest.fixture
def other() -> Iterator[int]:
    yield from served(Site)


@pytest.fixture
def failing() -> Iterator[int]:
    yield from served(Failing)


def test_every_size_is_asked_in_turn_for_another_page_each_time(one: int, other: int) -> None:
    found = dict(sizes.medians({1000: one, 20: other}))
    assert list(found) == [20, 1000]
    ports = [port for port, _path in paths]
    assert ports[::2] == [one] * (sizes.ROUNDS + 5)
    assert ports[1::2] == [other] * (sizes.ROUNDS + 5)
    assert len({path for _port, path in paths}) == len(paths)
    assert statistics.fmean(found.values()) > 0


def test_a_site_that_does_not_answer_with_a_page_ends_it(failing: int) -> None:
    with pytest.raises(RuntimeError, match="503"):
        next(sizes.medians({1000: failing}))


@pytest.mark.parametrize("argument", ["1000", "many=8000", "1=2=3"])
def test_what_names_no_size_and_port_is_refused(argument: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        sizes.asked(argument)
