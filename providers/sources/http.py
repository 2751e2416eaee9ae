"""The one HTTP client: patient within bounds, and bound to one provider's hosts.

Whatever happens ends as a SourceError. Its message names the address without its query, since
a key may stand there, and never a header.
"""

from __future__ import annotations

import json as json_text
import logging
import os
import random
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from time import monotonic
from typing import Any, TypeVar
from urllib.parse import urljoin, urlsplit

import requests
from limits import RateLimitItem, parse
from limits.errors import StorageError
from limits.storage.base import Storage
from requests.exceptions import ContentDecodingError, RequestException, Timeout
from urllib3.exceptions import DecodeError, HTTPError
from urllib3.exceptions import TimeoutError as Urllib3TimeoutError

from gpucompare.outside.answers import retry_after, root_of
from gpucompare.outside.turns import Memory, Turns
from gpucompare.outside.wire import (
    Address,
    NotAdmittedError,
    Resolve,
    Wire,
    is_loopback,
    is_public,
    resolve,
)
from providers.sources.base import (
    MalformedError,
    RefusedError,
    Source,
    TemporarySourceError,
    ThrottledError,
    UnreachableError,
)

USER_AGENT = "gpucompare/0.1 (compares GPU cloud prices)"
CHUNK = 64 * 1024
REDIRECTS = frozenset({301, 302, 303, 307, 308})

logger = logging.getLogger(__name__)

Result = TypeVar("Result")


@dataclass(frozen=True)
class Bounds:
    """How long, how much and how often. Seconds and bytes."""

    connect_s: float = 10
    read_s: float = 30  # between two bytes
    call_s: float = 120  # one call with all its tries
    stream_s: float = 1800  # one stream, with the time that its reader takes
    body_bytes: int = 64 * 1024**2  # after decompression
    stream_bytes: int = 4 * 1024**3
    tries: int = 4
    pause_s: float = 1  # before the second try; doubles each time, and half of it is chance
    pause_max_s: float = 30
    retry_after_max_s: float = 60
    redirects: int = 5


class Pace:
    """At most `rate` calls to one host, over all who share `storage`; waits, fails open.

    A storage shared through a server must be made with `wrap_exceptions=True`.
    """

    def __init__(self, rate: str = "5/second", storage: Storage | None = None) -> None:
        self._rate: RateLimitItem = parse(rate)
        self._limiter = Turns(storage or Memory())

    def wait(self, host: str, deadline: float) -> None:
        """Returns when it is the caller's turn. Raises ThrottledError if that is too late."""
        while (pause := self._pause(host)) > 0:
            if monotonic() + pause > deadline:
                raise ThrottledError(f"{host}: our own rate of calls left no turn in time")
            time.sleep(pause)

    def _pause(self, host: str) -> float:
        try:
            if self._limiter.hit(self._rate, host):
                return 0
            turn = self._limiter.get_window_stats(self._rate, host).reset_time
        except StorageError as fault:
            logger.warning("The rate of calls to %s is not kept: %s", host, fault)
            return 0
        return max(0.01, turn - time.time())


@cache
def _own_pace() -> Pace:
    """Shared by all clients of this process that are given no other."""
    return Pace()


@dataclass(frozen=True)
class Network:
    """What the client stands on: whose rate it keeps, who knows addresses, whom it trusts."""

    pace: Pace | None = None  # None: one for all clients of the process
    resolve: Resolve = resolve
    ca_file: str = ""  # certificates of authorities; "": the well-known ones


@dataclass(frozen=True)
class _Call:
    """One request of a source, before any redirect. Headers may hold a key: kept out of reprs."""

    method: str
    url: str
    params: Mapping[str, str | int] | None = field(default=None, repr=False)
    headers: Mapping[str, str] | None = field(default=None, repr=False)
    body: bytes | None = field(default=None, repr=False)

    def prepared(self, url: str, *, headed: bool) -> requests.PreparedRequest:
        """The request to `url`; `headed` unless it leads to another host, which gets no key."""
        headers = {
            "User-Agent": USER_AGENT,
            "Accept": "application/json, */*;q=0.5",
            "Accept-Encoding": "gzip, deflate",
        }
        if self.body is not None:
            headers["Content-Type"] = "application/json"
        if headed:
            headers |= self.headers or {}
        params = self.params if url == self.url else None
        return requests.Request(
            self.method, url, headers=headers, params=params, data=self.body
        ).prepare()


class HttpClient:
    """GET, POST and streams of one source; see :class:`providers.sources.base.Http`.

    `override` takes the place of the base address, and of every other host of the source, which
    stands there as a folder of that name. It alone may be http, and on this machine.
    """

    def __init__(
        self,
        base_url: str,
        hosts: tuple[str, ...] = (),
        *,
        override: str = "",
        bounds: Bounds = Bounds(),
        network: Network = Network(),
    ) -> None:
        self._base = (override or base_url).rstrip("/")
        self._hosts = hosts
        self._overridden = bool(override)
        if not override and not base_url.startswith("https://"):
            raise ValueError(f"{base_url}: a provider is asked over https")
        self._own = _own_origins(self._base, () if override else hosts)
        self._bounds = bounds
        self._network = network
        self._pace = network.pace or _own_pace()

    @classmethod
    def of(
        cls, source: type[Source], environ: Mapping[str, str] = os.environ, **options: Any
    ) -> HttpClient:
        """The client of a source, at the address that the environment gives it, if it does."""
        override = environ.get(f"GPUCOMPARE_SOURCE_{source.slug.upper()}_URL", "")
        return cls(source.base_url, source.hosts, override=override, **options)

    def get(
        self,
        path: str,
        *,
        params: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
        host: str = "",
    ) -> bytes:
        return self._whole(_Call("GET", self._address(path, host), params, headers))

    def post(
        self, path: str, *, json: Any, headers: Mapping[str, str] | None = None, host: str = ""
    ) -> bytes:
        body = json_text.dumps(json).encode()
        return self._whole(_Call("POST", self._address(path, host), None, headers, body))

    def stream(self, path: str, *, host: str = "") -> Generator[bytes, None, None]:
        call = _Call("GET", self._address(path, host))
        deadline = monotonic() + self._bounds.stream_s
        opened = self._patiently(call, deadline, lambda: self._open(call, deadline))
        with opened:
            yield from opened.chunks(self._bounds.stream_bytes)

    def _address(self, path: str, host: str) -> str:
        """Raises ValueError for a host that is not the source's: a fault of its code."""
        if not host:
            return self._base + path
        if host not in self._hosts:
            raise ValueError(f"{host} is none of the source's hosts: {', '.join(self._hosts)}")
        return f"{self._base}/{host}{path}" if self._overridden else f"https://{host}{path}"

    def _whole(self, call: _Call) -> bytes:
        deadline = monotonic() + self._bounds.call_s

        def attempt() -> bytes:
            with self._open(call, deadline) as opened:
                return b"".join(opened.chunks(self._bounds.body_bytes))

        return self._patiently(call, deadline, attempt)

    def _patiently(self, call: _Call, deadline: float, attempt: Callable[[], Result]) -> Result:
        """What the first good attempt gives. Temporary faults are tried again, others are not.

        The retries of urllib3's adapter end where the body begins and know no deadline.
        """
        tried = 0
        while True:
            self._pace.wait(urlsplit(call.url).netloc, deadline)
            try:
                return attempt()
            except TemporarySourceError as fault:
                tried += 1
                pause = self._pause(tried, fault.retry_after)
                if tried >= self._bounds.tries or monotonic() + pause >= deadline:
                    raise
                logger.info("%s; once more in %.1f s", fault, pause)
            time.sleep(pause)

    def _pause(self, tried: int, retry_after: float | None) -> float:
        if retry_after is not None:
            return min(retry_after, self._bounds.retry_after_max_s)
        longest = min(self._bounds.pause_s * 2.0 ** (tried - 1), self._bounds.pause_max_s)
        return longest * random.uniform(0.5, 1)  # noqa: S311 - not a secret

    def _open(self, call: _Call, deadline: float) -> _Answer:
        """The answer to `call` with its body unread, redirects followed by hand."""
        url, origin = call.url, _origin(call.url)
        for _hop in range(self._bounds.redirects + 1):
            answer = self._send(call.prepared(url, headed=_origin(url) == origin), deadline)
            if not answer.redirects:
                answer.check()
                return answer
            answer.close()
            url = self._next(call, url, answer.location)
        raise RefusedError(f"{_shown(call.url)}: more than {self._bounds.redirects} redirects")

    def _next(self, call: _Call, url: str, location: str) -> str:
        """Where a redirect leads. Raises RefusedError unless that is the source's own."""
        try:
            target = urljoin(url, location)
            own = _origin(target) in self._own
        except ValueError:
            own = False
        if not own:
            raise RefusedError(f"{_shown(call.url)}: a redirect to another host")
        if call.method != "GET":
            raise RefusedError(f"{_shown(call.url)}: a redirect of a {call.method}")
        return target

    def _send(self, request: requests.PreparedRequest, deadline: float) -> _Answer:
        wire = Wire(deadline, self._admits, self._network.resolve)
        where = _shown(str(request.url))
        try:
            with _in_our_words(where, wire):
                response = wire.send(
                    request,
                    stream=True,
                    timeout=(self._bounds.connect_s, self._bounds.read_s),
                    verify=self._network.ca_file or True,
                )
        except BaseException:
            wire.close()
            raise
        return _Answer(where, wire, response)

    def _admits(self, address: Address) -> bool:
        return is_public(address) or (self._overridden and is_loopback(address))


@dataclass
class _Answer:
    """An open response; closing it ends its connection."""

    where: str
    wire: Wire
    response: requests.Response

    def __enter__(self) -> _Answer:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def close(self) -> None:
        self.response.close()
        self.wire.close()

    @property
    def redirects(self) -> bool:
        return self.response.status_code in REDIRECTS

    @property
    def location(self) -> str:
        return self.response.headers.get("Location", "")

    def check(self) -> None:
        """Raises, and closes, unless the status is a good one."""
        status = self.response.status_code
        if 200 <= status < 300:
            return
        told = f"{self.where}: {status} {self.response.reason or ''}".rstrip()
        after = retry_after(self.response.headers.get("Retry-After"))
        self.close()
        if status == 429:
            raise ThrottledError(told, after)
        if status >= 500:
            raise UnreachableError(told, after)
        raise RefusedError(told)

    def chunks(self, most: int) -> Iterator[bytes]:
        """The body, decompressed. Raises MalformedError when it passes `most` bytes."""
        seen = 0
        with _in_our_words(self.where, self.wire):
            for chunk in self.response.iter_content(CHUNK):
                seen += len(chunk)
                if max(seen, self.response.raw.tell()) > most:
                    raise MalformedError(f"{self.where}: more than {most} bytes")
                yield chunk


@contextmanager
def _in_our_words(where: str, wire: Wire) -> Iterator[None]:
    """Faults of the libraries as ours. Their texts hold whole addresses: only their names go on."""
    try:
        yield
    except NotAdmittedError as fault:
        raise RefusedError(str(fault)) from None
    except (ContentDecodingError, DecodeError):
        raise MalformedError(f"{where}: a body that cannot be unpacked") from None
    except (RequestException, HTTPError, OSError) as fault:
        slow = wire.was_cut or isinstance(fault, Timeout | Urllib3TimeoutError)
        reason = "no full answer in time" if slow else type(root_of(fault)).__name__
        raise UnreachableError(f"{where}: {reason}") from None
    if wire.was_cut:
        raise UnreachableError(f"{where}: no full answer in time")


def _origin(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port. Raises ValueError for what is no such address."""
    parts = urlsplit(url)
    if not parts.hostname or parts.scheme not in ("http", "https") or "@" in parts.netloc:
        raise ValueError(f"{_shown(url)!r} is no address of a host")
    return parts.scheme, parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)


def _own_origins(base: str, hosts: tuple[str, ...]) -> frozenset[tuple[str, str, int | None]]:
    return frozenset(_origin(url) for url in (base, *(f"https://{host}" for host in hosts)))


def _shown(url: str) -> str:
    """The address without its query and fragment."""
    return url.partition("?")[0].partition("#")[0]
