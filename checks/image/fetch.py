"""HTTP calls to registries: https, public addresses, bounded in time and bytes.

Every hop of a redirect is checked as the first address is, as `gpucompare.outside.fetch` has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from urllib.parse import SplitResult, urlsplit

import requests

from checks.image.reasons import Reason, RegistryError
from gpucompare.outside.fetch import (
    PUBLIC,
    REDIRECTS,
    Answer,
    CallError,
    Network,
    chunks,
    joined,
    origin,
    port_of,
    send,
    shown,
)
from gpucompare.outside.probe import speaks_tls

USER_AGENT = "gpucompare/0.1 (reads manifests of images, pulls no layers)"
# What is read of an answer that is no success: enough for its error codes.
_ERROR_BYTES = 64 * 1024
_HANDSHAKE_S = 2.0


@dataclass(frozen=True)
class Bounds:
    """Seconds and bytes. A call is one document with all its redirects."""

    call_s: float = 10
    read_s: float = 25  # one image
    document_bytes: int = 4 * 1024**2
    redirects: int = 5


@dataclass(frozen=True)
class Call:
    """What is asked. The token goes to the first host only and is kept out of reprs."""

    url: str
    method: str = "GET"
    accept: str = "*/*"
    token: str = field(default="", repr=False)

    def prepared(self, url: str, *, with_token: bool) -> requests.PreparedRequest:
        headers = {
            "User-Agent": USER_AGENT,
            "Accept": self.accept,
            # Digests are over the bytes as stored, and nothing can swell.
            "Accept-Encoding": "identity",
        }
        if self.token and with_token:
            headers["Authorization"] = f"Bearer {self.token}"
        return requests.Request(self.method, url, headers=headers).prepare()


class Fetcher:
    """The calls of one reading; its clock starts when it is made."""

    def __init__(self, network: Network = PUBLIC, bounds: Bounds = Bounds()) -> None:
        self._network = network
        self._bounds = bounds
        self._deadline = monotonic() + bounds.read_s

    def fetch(self, call: Call) -> Answer:
        """The answer at the end of all redirects. Raises RegistryError."""
        deadline = min(self._deadline, monotonic() + self._bounds.call_s)
        with _as_registry_errors():
            url, first = call.url, origin(self._network.admitted(call.url))
            for _hop in range(self._bounds.redirects + 1):
                here = origin(self._network.admitted(url))
                answer = self._send(call, url, deadline, with_token=here == first)
                if answer.status not in REDIRECTS:
                    return answer
                url = joined(url, answer.headers.get("location", ""))
        raise RegistryError(Reason.TOO_MANY_REDIRECTS, answer.shown)

    def scheme_of(self, host: str) -> str:
        """ "https"; "http" for an allowed host, such as localhost:5000, that speaks no TLS."""
        parts: SplitResult = urlsplit(f"https://{host}")
        if not self._network.allows(parts.hostname or "", port_of(parts)):
            return "https"
        # Who waits for a line of text instead of TLS's first bytes is not waited for.
        deadline = min(self._deadline, monotonic() + _HANDSHAKE_S)
        tls = speaks_tls(parts.hostname or "", port_of(parts), deadline, self._network.resolve)
        return "https" if tls else "http"

    def _send(self, call: Call, url: str, deadline: float, *, with_token: bool) -> Answer:
        request = call.prepared(url, with_token=with_token)
        return send(request, self._network, deadline, lambda got: self._body(call, url, got))

    def _body(self, call: Call, url: str, response: requests.Response) -> bytes:
        if call.method == "HEAD" or response.status_code in REDIRECTS:
            return b""
        if not response.ok:
            return bytes(response.raw.read(_ERROR_BYTES, decode_content=False))
        if response.headers.get("Content-Encoding", "identity").lower() != "identity":
            told = f"{shown(url)}: packed, though asked not to be"
            raise RegistryError(Reason.MALFORMED, told)
        return b"".join(chunks(response, self._bounds.document_bytes))


@contextmanager
def _as_registry_errors() -> Iterator[None]:
    try:
        yield
    except CallError as fault:
        raise RegistryError(Reason(fault.fault.value), fault.told) from None
