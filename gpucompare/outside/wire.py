"""Connections of one call: only to addresses that were checked, and cut when its time is up.

A name is resolved once, and the connection goes to an address that came out of that, so that no
second answer of a name server can lead elsewhere. Proxies are not used: they would resolve anew.
"""

from __future__ import annotations

import ipaddress
import logging
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from threading import Timer
from time import monotonic
from typing import Any

from requests import PreparedRequest
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import ConnectTimeoutError, NewConnectionError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Sequence[Address]]

# At DEBUG it writes whole addresses, and a key may stand in their query.
logging.getLogger("urllib3.connectionpool").setLevel(logging.INFO)

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
# All that is given out of IPv6; beside it lie old and local schemes that may lead inside.
_GIVEN_OUT = ipaddress.ip_network("2000::/3")
# What the libraries of Python 3.11 still hold for public, and what hosts of clouds answer at.
_INSIDE = [
    ipaddress.ip_network(text)
    for text in (
        "192.0.0.0/24",  # RFC 6890; Oracle's metadata among them
        "168.63.129.16/32",  # Azure's host
        "3fff::/20",  # RFC 9637
    )
]


class NotAdmittedError(Exception):
    """A name leads to an address that may not be called; the message names both."""


def resolve(host: str, port: int) -> list[Address]:
    """Every address of `host`, without repeats. Raises OSError."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as fault:  # a label that is empty or too long
        raise OSError(f"{host} is no name of a host") from fault
    names = dict.fromkeys(str(entry[4][0]).partition("%")[0] for entry in found)
    return [ipaddress.ip_address(name) for name in names]


def is_public(address: Address) -> bool:
    """Whether the address, and any IPv4 address packed into it, is one of the open internet."""
    if address.version == 6 and not (address in _GIVEN_OUT or address in _NAT64):
        return False
    return all(_is_outside(each) for each in (address, *_packed(address)))


def _is_outside(address: Address) -> bool:
    inside = any(address in network for network in _INSIDE)
    return address.is_global and not address.is_multicast and not inside


def is_loopback(address: Address) -> bool:
    return any(each.is_loopback for each in (address, *_packed(address)))


def _packed(address: Address) -> list[Address]:
    """The IPv4 addresses that an IPv6 address of a transition scheme stands for."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    found = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64:
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [packed for packed in found if packed is not None]


class _Dialling:
    """What both kinds of connection have in common: the wire opens their sockets."""

    _dial: Callable[[HTTPConnection], socket.socket]

    def _new_conn(self: Any) -> socket.socket:
        opened: socket.socket = self._dial(self)
        return opened


class _Connection(_Dialling, HTTPConnection):
    def __init__(self, *args: Any, dial: Any, **options: Any) -> None:
        self._dial = dial
        super().__init__(*args, **options)


class _TlsConnection(_Dialling, HTTPSConnection):
    def __init__(self, *args: Any, dial: Any, **options: Any) -> None:
        self._dial = dial
        super().__init__(*args, **options)


class Wire(HTTPAdapter):
    """The connections of one call until `deadline` (of the monotonic clock); then all are cut.

    Time-outs of a socket start anew with every byte; a provider that drips its headers, its
    handshake or its body could hold a worker for ever without the cut.
    """

    def __init__(
        self, deadline: float, admits: Callable[[Address], bool], resolve: Resolve = resolve
    ) -> None:
        super().__init__(pool_connections=1, pool_maxsize=1)
        self._deadline = deadline
        self._admits = admits
        self._resolve = resolve
        self._ends: list[socket.socket] = []
        # A body without a length ends with its connection: a cut one looks whole.
        self.was_cut = False
        self._timer = Timer(max(0.0, deadline - monotonic()), self._cut)
        self._timer.daemon = True
        self._timer.start()

    def close(self) -> None:
        self._timer.cancel()
        super().close()
        for end in self._ends:
            end.close()

    def _cut(self) -> None:
        self.was_cut = True
        for end in self._ends:
            with suppress(OSError):  # already closed by the other side
                end.shutdown(socket.SHUT_RDWR)

    def get_connection_with_tls_context(
        self,
        request: PreparedRequest,
        verify: bool | str | None,
        proxies: Mapping[str, str] | None = None,
        cert: Any = None,
    ) -> HTTPConnectionPool:
        pool = super().get_connection_with_tls_context(request, verify, None, cert)
        if not isinstance(pool, HTTPConnectionPool):
            raise TypeError(f"{type(pool).__name__} is no pool whose connections can be pinned")
        tls = isinstance(pool, HTTPSConnectionPool)
        pool.ConnectionCls = _TlsConnection if tls else _Connection
        pool.conn_kw["dial"] = self._dial
        return pool

    def _dial(self, connection: HTTPConnection) -> socket.socket:
        """An open socket. Raises NotAdmittedError for an address that is not."""
        host, port = connection.host.strip("[]"), connection.port
        try:
            addresses = self._checked(host, port)
            opened = self._first_open(addresses, connection)
        except TimeoutError as fault:
            raise ConnectTimeoutError(connection, f"{host}: {fault}") from fault
        except OSError as fault:
            raise NewConnectionError(connection, f"{host}: {fault}") from fault
        # A second handle on the same connection: TLS takes the first one over.
        self._ends.append(opened.dup())
        if self.was_cut:
            self._cut()
        return opened

    def _checked(self, host: str, port: int) -> Sequence[Address]:
        addresses = self._resolve(host, port)
        for address in addresses:
            if not self._admits(address):
                raise NotAdmittedError(f"{host} is at {address}, which is no public address")
        return addresses

    def _first_open(
        self, addresses: Sequence[Address], connection: HTTPConnection
    ) -> socket.socket:
        fault: OSError = OSError("no address")
        for address in addresses:
            patience = min(float(connection.timeout or 0), self._deadline - monotonic())
            if patience <= 0:
                raise TimeoutError("out of time")
            try:
                opened = socket.create_connection((str(address), connection.port), patience)
            except OSError as this:
                fault = this
                continue
            for option in connection.socket_options or ():
                opened.setsockopt(*option)
            return opened
        raise fault
