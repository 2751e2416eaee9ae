"""Names are looked up within the time of a call."""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Sequence
from threading import BoundedSemaphore, Event

import pytest

from gpucompare.outside import names
from gpucompare.outside.names import resolve_by
from gpucompare.outside.wire import Address, resolve

SOMEWHERE = ipaddress.ip_address("198.51.100.7")


def test_an_answer_in_time_is_passed_on() -> None:
    within = resolve_by(time.monotonic() + 5, lambda _host, _port: [SOMEWHERE])
    assert within("host.example", 443) == [SOMEWHERE]


def test_a_fault_of_the_resolver_is_the_callers() -> None:
    def fails(_host: str, _port: int) -> Sequence[Address]:
        raise OSError("no such name")

    with pytest.raises(OSError, match="no such name"):
        resolve_by(time.monotonic() + 5, fails)("host.example", 443)


def test_a_late_answer_is_not_waited_for() -> None:
    over = Event()

    def late(_host: str, _port: int) -> Sequence[Address]:
        over.wait(20)
        return [SOMEWHERE]

    began = time.monotonic()
    with pytest.raises(TimeoutError):
        resolve_by(began + 0.2, late)("host.example", 443)
    assert time.monotonic() - began < 2
    over.set()


def test_look_ups_that_were_given_up_are_bounded_in_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(names, "_LOOKUPS", BoundedSemaphore(1))
    over, begun = Event(), []

    def late(host: str, _port: int) -> Sequence[Address]:
        begun.append(host)
        over.wait(20)
        return [SOMEWHERE]

    for host in ("first.example", "second.example"):
        with pytest.raises(TimeoutError):
            resolve_by(time.monotonic() + 0.1, late)(host, 443)
    assert begun == ["first.example"]
    over.set()
    assert resolve_by(time.monotonic() + 5, late)("third.example", 443) == [SOMEWHERE]


@pytest.mark.parametrize("host", ["a..b", "a" * 70 + ".example"])
def test_what_can_be_no_name_has_no_address(host: str) -> None:
    with pytest.raises(OSError, match="is no name of a host"):
        resolve(host, 443)
