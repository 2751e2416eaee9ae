"""Whether a host speaks TLS, for hosts that may do without."""

from __future__ import annotations

import socket
import ssl
from time import monotonic

from gpucompare.outside.names import resolve_by
from gpucompare.outside.wire import Resolve


def speaks_tls(host: str, port: int, deadline: float, resolve: Resolve) -> bool:
    """Whether it shakes hands before `deadline` of the monotonic clock.

    It is only asked if it speaks TLS; who it is, the calls that follow check.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        address = str(resolve_by(deadline, resolve)(host, port)[0])
        left = max(0.01, deadline - monotonic())
        with (
            # Its time-out is that of the handshake as a whole, not of each byte.
            socket.create_connection((address, port), left) as plain,
            context.wrap_socket(plain, server_hostname=host),
        ):
            return True
    except (OSError, IndexError):
        return False
