"""Bodies that are slow to come take some threads of a web process, never all of them."""

from __future__ import annotations

import io
from collections.abc import Iterable
from threading import Event, Thread
from typing import Any

import pytest

from gpucompare.bodies import READ_AHEAD_BYTES, BodiesInTurn


def echo(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    start_response("200 OK", [])
    return [environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))]


class Waiting(io.BytesIO):
    """A body of which nothing comes until it is let go."""

    def __init__(self) -> None:
        super().__init__(b"late")
        self.asked, self.go = Event(), Event()

    def read(self, size: int | None = -1) -> bytes:
        self.asked.set()
        assert self.go.wait(20)
        return super().read(size)


class Asked:
    """One request with that body, and what came back."""

    def __init__(self, site: BodiesInTurn, body: io.BytesIO, length: object) -> None:
        self.status = ""
        self.head: dict[str, str] = {}
        environ = {"wsgi.input": body, "CONTENT_LENGTH": str(length)}
        self.answer = b"".join(site(environ, self._start))

    def _start(self, status: str, head: list[tuple[str, str]]) -> None:
        self.status, self.head = status, dict(head)


@pytest.fixture
def held() -> Iterable[tuple[BodiesInTurn, list[Waiting]]]:
    """A site that reads two bodies at a time, both of which keep it waiting."""
    site, bodies = BodiesInTurn(echo, at_a_time=2), [Waiting(), Waiting()]
    threads = [Thread(target=Asked, args=(site, body, 4)) for body in bodies]
    for thread in threads:
        thread.start()
    assert all(body.asked.wait(20) for body in bodies)
    yield site, bodies
    for body in bodies:
        body.go.set()
    for thread in threads:
        thread.join()


def test_a_body_reaches_the_application_as_it_was_sent() -> None:
    asked = Asked(BodiesInTurn(echo, at_a_time=1), io.BytesIO(b"body and more"), 4)
    assert (asked.status, asked.answer) == ("200 OK", b"body")


def test_a_large_body_is_left_to_whoever_wants_it() -> None:
    body = io.BytesIO(b"x" * (READ_AHEAD_BYTES + 1))

    def looks(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        assert environ["wsgi.input"] is body
        return echo(environ, start_response)

    site = BodiesInTurn(looks, at_a_time=1)
    assert len(Asked(site, body, READ_AHEAD_BYTES + 1).answer) == READ_AHEAD_BYTES + 1


def test_one_body_too_many_is_told_to_come_again(
    held: tuple[BodiesInTurn, list[Waiting]],
) -> None:
    asked = Asked(held[0], io.BytesIO(b"body"), 4)
    assert asked.status == "503 Service Unavailable"
    assert asked.head["Retry-After"] == "1"
    assert asked.head["Content-Length"] == str(len(asked.answer))


@pytest.mark.parametrize("length", ["", "0", "-4", "many", "9" * 5000])
def test_a_request_without_a_body_waits_for_none(
    held: tuple[BodiesInTurn, list[Waiting]], length: str
) -> None:
    site = BodiesInTurn(lambda *_: [b"page"], at_a_time=1)
    site._turns = held[0]._turns
    assert Asked(site, io.BytesIO(), length).answer == b"page"


def test_a_body_that_came_makes_room_for_the_next(
    held: tuple[BodiesInTurn, list[Waiting]],
) -> None:
    site, bodies = held
    bodies[0].go.set()
    answers = {Asked(site, io.BytesIO(b"body"), 4).status for _ in range(40)}
    assert "200 OK" in answers


def test_an_application_that_fails_gives_its_turn_back() -> None:
    def fails(*_: object) -> Iterable[bytes]:
        raise ValueError

    site = BodiesInTurn(fails, at_a_time=1)
    for _ in range(3):
        with pytest.raises(ValueError, match=r"^$"):
            Asked(site, io.BytesIO(b"x"), READ_AHEAD_BYTES + 1)
