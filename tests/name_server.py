"""A name server for tests: it knows one name, as Compose's knows the containers of a service."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_A, _IN = 1, 1
_ANSWER, _NO_SUCH_NAME = 0x8180, 0x8183


class NameServer:
    """Answers questions for `name` with whatever `addresses` holds at the time."""

    def __init__(self, name: str) -> None:
        self.addresses: list[str] = []
        self._name = name
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                asked, client = self._socket.recvfrom(512)
                self._socket.sendto(self._answer(asked), client)
            except OSError:
                return

    def _answer(self, asked: bytes) -> bytes:
        end = asked.index(0, 12) + 1
        labels = asked[12:end]
        kind = struct.unpack("!H", asked[end : end + 2])[0]
        known = labels == bytes([len(self._name)]) + self._name.encode() + b"\0"
        found = self.addresses if known and kind == _A else []
        head = (_ANSWER if known else _NO_SUCH_NAME, 1, len(found), 0, 0)
        rows = b"".join(
            struct.pack("!HHHIH", 0xC00C, _A, _IN, 1, 4) + socket.inet_aton(address)
            for address in found
        )
        return asked[:2] + struct.pack("!5H", *head) + asked[12 : end + 4] + rows


@contextmanager
def name_server(name: str) -> Iterator[NameServer]:
    server = NameServer(name)
    try:
        yield server
    finally:
        server.close()
