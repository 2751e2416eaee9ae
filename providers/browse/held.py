"""Parts of an answer, made by something that a slow reader must not hold."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from tempfile import SpooledTemporaryFile
from time import monotonic

# For so long the parts are made as they are taken.
HOLD_S = 5.0
# What is left then is kept in memory up to this size, and in a file beyond it.
_IN_MEMORY = 256 * 1024
_PART = 64 * 1024
# Whoever has not taken the file by then keeps a thread of the server from others.
LONGEST_S = 30 * 60.0


class TooSlowError(Exception):
    """The file breaks off without its end, which HTTP shows to whoever reads it."""


def let_go(parts: Generator[bytes], hold_s: float = HOLD_S) -> Iterator[bytes]:
    """`parts` as they come; after `hold_s` seconds the rest is made at once and waits in a file.

    The transaction behind them is over then, however slowly the file is taken.
    """
    until = monotonic() + hold_s
    with closing(parts):
        for part in parts:
            yield part
            if monotonic() > until:
                yield from _spooled(parts)


def _spooled(parts: Generator[bytes]) -> Iterator[bytes]:
    until = monotonic() + LONGEST_S
    with SpooledTemporaryFile(max_size=_IN_MEMORY) as rest:
        for part in parts:
            rest.write(part)
        rest.seek(0)
        while part := rest.read(_PART):
            if monotonic() > until:
                raise TooSlowError
            yield part
