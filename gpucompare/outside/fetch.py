"""Single calls to hosts that strangers name: public addresses, bounded in time and bytes.

Every address is checked before it is called, that of a redirect too, and the connection goes to
the very address that was checked. Nothing is kept between calls: no cookies, no credentials.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from time import monotonic
from urllib.parse import SplitResult, urljoin, urlsplit

import requests
from requests.exceptions import RequestException, Timeout
from urllib3.exceptions import HTTPError
from urllib3.exceptions import TimeoutError as Urllib3TimeoutError

from gpucompare.outside.answers import root_of
from gpucompare.outside.names import resolve_by
from gpucompare.outside.wire import Address, NotAdmittedError, Resolve, Wire, is_public, resolve

CHUNK = 64 * 1024
REDIRECTS = frozenset({301, 302, 303, 307, 308})


class Fault(StrEnum):
    """Why a call was not made, or gave no whole answer."""

    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    BAD_TLS = "bad_tls"
    ADDRESS_NOT_PUBLIC = "address_not_public"
    NOT_HTTPS = "not_https"
    TOO_MANY_REDIRECTS = "too_many_redirects"
    MALFORMED = "malformed"
    TOO_LARGE = "too_large"


class CallError(Exception):
    """A call failed. The message is for logs; it holds no query and no header."""

    def __init__(self, fault: Fault, told: str) -> None:
        super().__init__(f"{fault}: {told}")
        self.fault = fault
        self.told = told


@dataclass(frozen=True)
class Network:
    """Where calls may lead, beside the open internet, and who knows addresses."""

    allowed: frozenset[str] = frozenset()  # of `allowed_hosts`: these may be private or plain http
    resolve: Resolve = resolve
    ca_file: str = ""  # certificates of authorities; "": the well-known ones
    plain: bool = False  # whether public hosts may be called over http as well

    def allows(self, host: str, port: int) -> bool:
        """Whether the operator named it. A name without a port stands for all its ports."""
        return not self.allowed.isdisjoint({host, f"{host}:{port}"})

    def admitted(self, url: str) -> SplitResult:
        """The parts of an address that may be called, its name resolved or not."""
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", port_of(parts)
        except ValueError:
            raise CallError(Fault.MALFORMED, "an address that is none") from None
        if not host or "@" in parts.netloc or parts.scheme not in ("http", "https"):
            raise CallError(Fault.MALFORMED, "an address that is none")
        if parts.scheme == "http" and not (self.plain or self.allows(host, port)):
            raise CallError(Fault.NOT_HTTPS, shown(url))
        return parts

    def wire(self, url: str, deadline: float) -> Wire:
        parts = urlsplit(url)
        allowed = self.allows(parts.hostname or "", port_of(parts))

        def admits(address: Address) -> bool:
            return allowed or is_public(address)

        return Wire(deadline, admits, resolve_by(deadline, self.resolve))


# Where calls may lead unless an operator says more.
PUBLIC = Network()


@dataclass(frozen=True)
class Answer:
    """A whole answer, whatever its status. Header names are in lower case."""

    shown: str  # the address without its query
    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)

    @property
    def is_good(self) -> bool:
        return 200 <= self.status < 300


def send(
    request: requests.PreparedRequest,
    network: Network,
    deadline: float,
    read: Callable[[requests.Response], bytes],
) -> Answer:
    """The answer to one request to an admitted address, its body as `read` takes it.

    `deadline` is of the monotonic clock. Redirects are not followed. Raises CallError.
    """
    url = str(request.url)
    wire = network.wire(url, deadline)
    try:
        with _in_our_words(shown(url), wire):
            left = max(0.01, deadline - monotonic())
            response = wire.send(
                request, stream=True, timeout=(left, left), verify=network.ca_file or True
            )
            with response:
                body = read(response)
        return Answer(shown(url), response.status_code, _lower(response.headers), body)
    finally:
        wire.close()


def chunks(response: requests.Response, most: int) -> Iterator[bytes]:
    """The body, byte for byte as it was sent. Raises CallError when it passes `most` bytes."""
    told, seen = shown(str(response.request.url)), 0
    length = response.headers.get("Content-Length", "")
    if length.isdecimal() and int(length[:20]) > most:
        raise CallError(Fault.TOO_LARGE, told)
    for chunk in response.raw.stream(CHUNK, decode_content=False):
        seen += len(chunk)
        if seen > most:
            raise CallError(Fault.TOO_LARGE, told)
        yield chunk


@contextmanager
def _in_our_words(told: str, wire: Wire) -> Iterator[None]:
    """Faults of the libraries as ours. Their texts hold whole addresses: only their names go on."""
    try:
        yield
    except NotAdmittedError as fault:
        raise CallError(Fault.ADDRESS_NOT_PUBLIC, str(fault)) from None
    except (RequestException, HTTPError, OSError) as fault:
        raise _named(told, fault, cut=wire.was_cut) from None
    # A body without a length ends with its connection: a cut one looks whole.
    if wire.was_cut:
        raise CallError(Fault.TIMEOUT, told)


def _named(told: str, fault: Exception, *, cut: bool) -> CallError:
    root = root_of(fault)
    if cut or isinstance(root, TimeoutError) or isinstance(fault, Timeout | Urllib3TimeoutError):
        return CallError(Fault.TIMEOUT, told)
    kind = Fault.BAD_TLS if isinstance(root, ssl.SSLError) else Fault.UNREACHABLE
    return CallError(kind, f"{told}: {type(root).__name__}")


def joined(url: str, location: str) -> str:
    """Where a redirect leads; checked by nobody yet."""
    try:
        return urljoin(url, location)
    except ValueError:
        raise CallError(Fault.MALFORMED, "a redirect to no address") from None


def port_of(parts: SplitResult) -> int:
    """Raises ValueError for a port that is none."""
    return parts.port or (443 if parts.scheme == "https" else 80)


def origin(parts: SplitResult) -> tuple[str, str, int]:
    return parts.scheme, parts.hostname or "", port_of(parts)


def shown(url: str) -> str:
    """The address without its query and fragment."""
    return url.partition("?")[0].partition("#")[0]


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}
