"""Bodies that are slow to come must not take every thread of a web process.

The server hands a request over with its head; the thread that answers it waits for the body. Two
hundred clients that send a byte a second held all threads, and nobody else was answered. A proxy
that waits for whole bodies keeps such clients away; this holds where there is none.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from threading import BoundedSemaphore
from typing import Any

Application = Callable[..., Iterable[bytes]]

# Larger ones are read by whoever wants them, and so long count as being read.
READ_AHEAD_BYTES = 1024 * 1024
# How long a body waits for its turn: one that is there already takes a thousandth of that.
PATIENCE_S = 0.05
_BUSY = b"Too many bodies are on their way. Try again in a moment.\n"


class BodiesInTurn:
    """A WSGI application that reads at most so many bodies at a time; others get 503."""

    def __init__(self, application: Application, at_a_time: int) -> None:
        self._application = application
        self._turns = BoundedSemaphore(at_a_time)

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        length = _length(environ)
        if not length:
            return self._application(environ, start_response)
        if not self._turns.acquire(timeout=PATIENCE_S):
            return _busy(start_response)
        try:
            if length > READ_AHEAD_BYTES:
                return self._application(environ, start_response)
            environ["wsgi.input"] = io.BytesIO(environ["wsgi.input"].read(length))
        finally:
            self._turns.release()
        return self._application(environ, start_response)


def _length(environ: dict[str, Any]) -> int:
    """The announced bytes of the body: nothing is read where no number is announced."""
    try:
        return max(0, int(environ.get("CONTENT_LENGTH") or 0))
    except ValueError:  # no number, or one of thousands of digits
        return 0


def _busy(start_response: Any) -> Iterable[bytes]:
    head = [
        ("Content-Type", "text/plain; charset=utf-8"),
        ("Content-Length", str(len(_BUSY))),
        ("Retry-After", "1"),
    ]
    start_response("503 Service Unavailable", head)
    return [_BUSY]
