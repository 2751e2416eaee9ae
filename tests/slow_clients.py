"""Clients that take their time: they hold a connection open and a request half sent."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

# A request that never ends: its head, its body, or the reading of its answer.
HALF = {
    "heads": b"GET / HTTP/1.1\r\nHost: %s\r\nX-Slow: ",
    "bodies": b"POST /api/v1/check HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"
    b"Content-Length: 100000\r\n\r\n{",
}
PAUSE_S = 0.5


@contextmanager
def slow_clients(count: int, kind: str, address: tuple[str, int], host: str) -> Iterator[None]:
    """That many of them, each of which sends another byte twice a second."""
    gone = threading.Event()
    held = [socket.create_connection(address, timeout=10) for _ in range(count)]
    for client in held:
        client.sendall(HALF[kind] % host.encode())

    def drip() -> None:
        while not gone.wait(PAUSE_S):
            for client in held:
                with suppress(OSError):
                    client.send(b"a")

    dripping = threading.Thread(target=drip)
    dripping.start()
    try:
        yield
    finally:
        gone.set()
        dripping.join()
        for client in held:
            client.close()
