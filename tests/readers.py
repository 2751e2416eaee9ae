"""Many readers at once: each asks for one page after another, on a connection that it keeps."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Thread
from time import monotonic

# Longer than any answer may take: whoever waits for it hangs.
PATIENCE_S = 30.0


@dataclass
class Met:
    """What all readers met in one phase."""

    statuses: Counter[int] = field(default_factory=Counter)
    paths: Counter[str] = field(default_factory=Counter)  # that were answered well
    longest_s: float = 0.0
    broken: list[str] = field(default_factory=list)  # answers that did not come, or not whole
    without_advice: list[str] = field(default_factory=list)  # 503 that do not say when to come back

    def add(self, path: str, status: int, head: dict[str, str], took_s: float) -> None:
        self.statuses[status] += 1
        self.longest_s = max(self.longest_s, took_s)
        if status == 200:
            self.paths[path] += 1
        if status == 503 and "retry-after" not in head:
            self.without_advice.append(path)

    @property
    def errors(self) -> dict[int, int]:
        return {status: n for status, n in self.statuses.items() if status >= 500}


class Readers:
    """`count` readers of the site at `port`, each with an address of its own."""

    def __init__(self, port: int, count: int, paths: Sequence[str]) -> None:
        self.met = Met()
        self._port, self._count, self._paths = port, count, paths
        self._over = False
        self._thread = Thread(target=lambda: asyncio.run(self._all()), daemon=True)

    def next_phase(self) -> Met:
        """What was met so far; what comes is counted anew."""
        met, self.met = self.met, Met()
        return met

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._over = True
        self._thread.join(PATIENCE_S + 10)

    async def _all(self) -> None:
        async with asyncio.TaskGroup() as group:
            for number in range(self._count):
                group.create_task(self._read(number))

    async def _read(self, number: int) -> None:
        chance, line = random.Random(number), _Line(self._port, number)
        while not self._over:
            path, began = chance.choice(self._paths), monotonic()
            try:
                async with asyncio.timeout(PATIENCE_S):
                    status, head = await line.ask(path)
            except (OSError, EOFError, TimeoutError) as fault:
                line.hang_up()
                self.met.broken.append(f"{path} after {monotonic() - began:.1f} s: {fault!r}")
                await asyncio.sleep(0.05)
            else:
                self.met.add(path, status, head, monotonic() - began)
        line.hang_up()


class _Line:
    """A reader's connection, made anew when the site has ended it."""

    def __init__(self, port: int, number: int) -> None:
        self._port = port
        self._client = f"10.0.{number // 256}.{number % 256}"
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, path: str) -> tuple[int, dict[str, str]]:
        """Status and head; the body is read to its end. Raises OSError or EOFError."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        answers, writer = self._streams
        lines = [f"GET {path} HTTP/1.1", "Host: 127.0.0.1", f"X-Forwarded-For: {self._client}"]
        writer.write("\r\n".join([*lines, "", ""]).encode())
        first, *others = (await answers.readuntil(b"\r\n\r\n")).decode().splitlines()
        head = {
            name.lower(): value.strip()
            for name, _colon, value in (line.partition(":") for line in others if line)
        }
        await _body(answers, head)
        if head.get("connection", "").lower() == "close":
            self.hang_up()
        return int(first.split()[1]), head

    def hang_up(self) -> None:
        if self._streams:
            self._streams[1].close()
            self._streams = None


async def _body(answers: asyncio.StreamReader, head: dict[str, str]) -> None:
    if head.get("transfer-encoding") != "chunked":
        await answers.readexactly(int(head.get("content-length", 0)))
        return
    while size := int(await answers.readuntil(b"\r\n"), 16):
        await answers.readexactly(size + 2)
    await answers.readuntil(b"\r\n")


@contextmanager
def reading(port: int, count: int, paths: Sequence[str]) -> Iterator[Readers]:
    readers = Readers(port, count, paths)
    readers.start()
    try:
        yield readers
    finally:
        readers.stop()
