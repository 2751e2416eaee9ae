"""`make run`: one process that readies the database, serves the site and leaves nothing behind.

It answers on HOST (127.0.0.1) and PORT (8000). INT and TERM stop all that it started. Should it be
killed outright, its workers end by themselves and the next start adopts the database.

`python -m gpucompare.serve prepare` only readies the database, `… web` only serves: so do
containers, of which there may be several.
"""

import http.client
import os
import signal
import socket
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import OperationalError, connections
from granian import Granian
from granian.constants import Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels

from gpucompare import allocator
from gpucompare.background import end_with_parent, queue_due
from gpucompare.bodies import BodiesInTurn

# Each is idempotent, and quick when nothing has changed.
PREPARATION: tuple[tuple[str, dict[str, Any]], ...] = (
    ("migrate", {"interactive": False, "verbosity": 0}),
    ("load_gpus", {}),
    ("load_catalog", {}),
    ("load_listings", {}),
    ("load_content", {}),
    ("translations compile", {}),
)
WORKERS = 2
# Every thread may hold a connection, and PostgreSQL allows a hundred.
THREADS_PER_WORKER = 8
# Request line and headers together: an address as long as is read, cookies, and as much again.
HEAD_BYTES = 64 * 1024
# How long a request may still take after the stop.
GRACE_S = 5
STOPPED_EARLY = 128 + signal.SIGINT


class StartError(Exception):
    """One line: why the site cannot be served and what to do."""


def address(environ: Mapping[str, str]) -> tuple[str, int]:
    """The numeric host and the port to serve on, as HOST and PORT ask."""
    host, port = environ.get("HOST") or "127.0.0.1", environ.get("PORT") or "8000"
    if not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise StartError(f"PORT is a number from 1 to 65535, not {port!r}")
    try:
        found = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)
    except socket.gaierror as fault:
        raise StartError(
            f"HOST={host} is not an address of this machine: {fault.strerror}"
        ) from None
    return str(found[0][4][0]), int(port)


def require_free(host: str, port: int) -> None:
    """Raise StartError unless the site may listen there.

    The server itself would share a port with another of its kind, and neither would notice.
    """
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except PermissionError:
            raise StartError(f"port {port} is for root only: `PORT=8000 make run`") from None
        except OSError as fault:
            other = port + 1 if port < 65535 else 8000
            raise StartError(
                f"{host}:{port} cannot be used ({fault.strerror}): `PORT={other} make run`"
            ) from None


def set_up() -> None:
    """Django, with its settings and models."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gpucompare.settings")
    django.setup()


def prepare() -> None:
    """Bring the database, wherever it is, to the state of this checkout, and queue what is due."""
    set_up()
    _load()
    # A clock that starts for the first time waits a whole interval, an hour or a day.
    if settings.REDIS_URL:
        queue_due()
    # Workers are forked and must not share a connection.
    connections.close_all()


def _load() -> None:
    """Bring schema and data up to date. A conflict with the desk leaves what stands."""
    from providers.catalog.commands import ConflictError  # noqa: PLC0415 - needs Django set up

    left = False
    for command, options in PREPARATION:
        try:
            call_command(*command.split(), **options, stdout=_Heard())
        except ConflictError as met:
            left = True
            _say(f"{command}: {met}")
        except CommandError as fault:
            # It may name what was not loaded just now; all that stands can still be served.
            if not (left and command.startswith("load_")):
                raise
            _say(f"{command}: {fault}")
    if left:
        _say("the site starts with what stood before")


@contextmanager
def background() -> Iterator[None]:
    """A worker and its clock for as long as the site is served, unless GPUCOMPARE_REFRESH is 0."""
    from gpucompare import background as workers  # noqa: PLC0415 - needs Django to be set up

    children = workers.start() if settings.REFRESH_BESIDE_WEB else []
    connections.close_all()
    try:
        yield
    finally:
        workers.stop(children)


def serve(host: str, port: int) -> None:
    """Answer requests until INT, TERM or HUP."""
    require_free(host, port)
    server = Granian(
        "gpucompare.wsgi:application",
        address=host,
        port=port,
        interface=Interfaces.WSGI,
        websockets=False,
        workers=WORKERS,
        blocking_threads=THREADS_PER_WORKER,
        http1_settings=HTTP1Settings(max_buffer_size=HEAD_BYTES),
        respawn_failed_workers=True,
        workers_kill_timeout=GRACE_S,
        log_level=LogLevels.error,
        log_dictconfig=settings.LOGGING,
    )
    hangup = signal.getsignal(signal.SIGHUP)

    @server.on_startup
    def _started() -> None:
        # The server takes HUP for "reload": a closed terminal would leave it behind.
        ignored = hangup is signal.SIG_IGN
        signal.signal(signal.SIGHUP, hangup if ignored else server.signal_handler_interrupt)
        threading.Thread(target=_announce, args=(host, port), daemon=True).start()

    server.serve(target_loader=_application, wrap_loader=False)


def _application() -> Callable[..., Any]:
    """What a worker serves; called in the worker."""
    # Ctrl-C in a terminal is for the supervisor; a worker that gets it too stops badly.
    os.setpgrp()
    # Until the worker listens to TERM itself, the supervisor's handler would swallow it.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=end_with_parent, daemon=True).start()
    threading.Thread(target=allocator.give_back_regularly, daemon=True).start()
    # A checkout serves its static files from where they are; nothing was collected.
    warnings.filterwarnings("ignore", message="No directory at", category=UserWarning)
    from gpucompare.wsgi import application  # noqa: PLC0415 - in the worker, not before the fork

    return BodiesInTurn(application, THREADS_PER_WORKER // 2)


def _announce(host: str, port: int) -> None:
    """Say where the site is as soon as it answers."""
    near = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound
    while not _answers(near, port):
        time.sleep(0.05)
    shown = f"[{near}]" if ":" in near else near
    _Heard().write(f"gpucompare answers at http://{shown}:{port}/ (Ctrl-C stops it)\n")


def _answers(host: str, port: int) -> bool:
    probe = http.client.HTTPConnection(host, port, timeout=30)
    try:
        probe.request("GET", "/healthz")
        probe.getresponse()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        probe.close()
    return True


def _site() -> None:
    host, port = address(os.environ)
    require_free(host, port)
    prepare()
    with background():
        serve(host, port)


def _web() -> None:
    host, port = address(os.environ)
    require_free(host, port)
    set_up()
    serve(host, port)


def _run(part: str) -> None:
    parts: dict[str, Callable[[], None]] = {"": _site, "prepare": prepare, "web": _web}
    if part not in parts:
        raise StartError(f"{part!r} is no part of the site: prepare, web, or nothing for all")
    parts[part]()


def main(part: str = "") -> int:
    """Run until done or stopped; returns the exit status."""
    for stop in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(stop) is not signal.SIG_IGN:
            signal.signal(stop, signal.default_int_handler)
    try:
        _run(part)
    except KeyboardInterrupt:
        return STOPPED_EARLY
    except OperationalError as fault:
        # libpq adds lines of advice about servers that are not ours.
        return _refuse(f"the database does not answer: {str(fault).splitlines()[0]}")
    except (StartError, CommandError, ImproperlyConfigured, OSError) as fault:
        return _refuse(str(fault))
    finally:
        # What is left is stopping PostgreSQL, which another Ctrl-C must not cut short.
        for stop in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(stop, signal.SIG_IGN)
    return 0


def _refuse(reason: str) -> int:
    _say(reason)
    return 1


def _say(text: str) -> None:
    with suppress(OSError):
        print(f"gpucompare: {text}", file=sys.stderr, flush=True)


class _Heard:
    """The standard output, at once. A disk that is full of it is no reason not to serve."""

    def write(self, text: str) -> None:
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except OSError:
            # What it still holds would fail again, at the latest at the end.
            sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
