"""`python -m gpucompare.alive web|worker|beat`: exit status 0 if that process here is well.

For health checks of containers: it needs no other program, starts no Django and takes a tenth of a
second. Web is asked for /healthz. Worker and clock leave a mark in LOCAL_DIR while they are at it
and Redis hears them; where the mark is old, they hang or have lost it.
"""

from __future__ import annotations

import http.client
import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

PATIENCE_S = 5
# A worker leaves its mark every two seconds, the clock every half minute.
LONGEST_SILENCE_S = 120


def leave_mark(folder: Path, process: str) -> None:
    """Says that `process` goes on. A folder that is away or full must not end it."""
    try:
        _mark(folder, process).touch()
    except OSError as fault:
        # Where that cannot be told either, the mark that grows old tells it.
        with suppress(OSError):
            print(f"{process} cannot leave its mark: {fault}", file=sys.stderr)  # noqa: T201


def fault_of(process: str, environ: Mapping[str, str]) -> str:
    """What is wrong with web, worker or beat; "" where nothing is."""
    if process == "web":
        return _fault_of_web(environ)
    mark = _mark(Path(environ.get("GPUCOMPARE_LOCAL_DIR", ".local")), process)
    try:
        silent_s = time.time() - mark.stat().st_mtime
    except OSError as fault:
        return f"{process} left no mark: {fault}"
    return f"{process} is silent for {silent_s:.0f} seconds" if silent_s > LONGEST_SILENCE_S else ""


def _mark(folder: Path, process: str) -> Path:
    return folder / f"{process}-alive"


def _fault_of_web(environ: Mapping[str, str]) -> str:
    host, port = environ.get("HOST") or "127.0.0.1", int(environ.get("PORT") or "8000")
    near = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound
    connection = http.client.HTTPConnection(near, port, timeout=PATIENCE_S)
    try:
        connection.request("GET", "/healthz", headers={"Host": _name(environ)})
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as fault:
        return f"{near}:{port} does not answer: {fault}"
    finally:
        connection.close()
    return "" if status == http.client.OK else f"/healthz answers {status}"


def _name(environ: Mapping[str, str]) -> str:
    """A name that the site answers to."""
    first = environ.get("GPUCOMPARE_ALLOWED_HOSTS", "").split(",")[0].strip().removeprefix(".")
    return "localhost" if first in {"", "*"} else first


def main(asked: list[str], environ: Mapping[str, str]) -> str | int:
    """For sys.exit: 0, or the line that is printed."""
    if len(asked) != 1 or asked[0] not in {"web", "worker", "beat"}:
        return "which one: web, worker or beat?"
    return fault_of(asked[0], environ) or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
