"""Names of hosts, as operators and references of images write them."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from enum import StrEnum

_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_HOST_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_HOST = re.compile(r"(?P<name>\[[0-9a-fA-F:]+\]|[^:\[\]]+)(?::(?P<port>[0-9]+))?")


class HostFault(StrEnum):
    NAME = "name"
    PORT = "port"


def host_fault(text: str) -> tuple[HostFault, str] | None:
    """What is wrong with a host such as ghcr.io, localhost:5000 or [::1]:5000, and where."""
    found = _HOST.fullmatch(text)
    if not found or not _is_name(found["name"]):
        return HostFault.NAME, text
    port = found["port"]
    if port is not None and not (len(port) <= 5 and 0 < int(port) < 65536):
        return HostFault.PORT, port
    return None


def allowed_hosts(named: Iterable[str]) -> frozenset[str]:
    """Hosts, or host:port, as operators write them, in the form that they are compared in.

    Raises ValueError for what is no such name.
    """
    allowed = frozenset(name.strip().lower() for name in named)
    for name in allowed:
        if host_fault(name):
            raise ValueError(f"{name!r} is not a host such as registry.example or localhost:5000")
    return frozenset(re.sub(r"[\[\]]", "", name) for name in allowed)


def _is_name(name: str) -> bool:
    if not name.startswith("["):
        return len(name) <= 253 and _HOST_NAME.fullmatch(name) is not None
    try:
        ipaddress.IPv6Address(name[1:-1])
    except ValueError:
        return False
    return True
