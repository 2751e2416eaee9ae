"""What is said of a client in front of the site is believed of the proxies that settings name."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable, Sequence

from django.conf import settings
from django.http import HttpRequest, HttpResponse

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Networks = Sequence[ipaddress.IPv4Network | ipaddress.IPv6Network]

FOR = "HTTP_X_FORWARDED_FOR"
PROTO = "HTTP_X_FORWARDED_PROTO"

# 192.0.2.1:80, [2001:db8::1]:443, [2001:db8::1]
_WITH_PORT = re.compile(r"(?:(\d{1,3}(?:\.\d{1,3}){3})|\[([^\]]*)\])(?::\d{1,5})?")


def proxy_networks(named: Iterable[str]) -> Networks:
    """The networks of GPUCOMPARE_PROXIES. Raises ValueError with the one that is none."""
    return tuple(ipaddress.ip_network(text.strip()) for text in named if text.strip())


def address_of(text: str) -> Address | None:
    """An address as proxies write it, with or without a port; None for anything else."""
    text = text.strip()
    found = _WITH_PORT.fullmatch(text)
    bare = (found[1] or found[2]) if found else text
    try:
        address = ipaddress.ip_address(bare.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def is_proxy(text: str, proxies: Networks) -> bool:
    address = address_of(text)
    return address is not None and any(address in network for network in proxies)


def client_behind(peer: str, told: str, proxies: Networks) -> str:
    """Who asks, where `peer` is connected to us and `told` is its X-Forwarded-For.

    Each proxy appends whom it heard from: from the right, the first that is no proxy of ours is
    the client, and all that stands left of it may be made up.
    """
    client = peer
    for said in reversed(told.split(",") if told else []):
        if not is_proxy(client, proxies):
            break
        address = address_of(said)
        if address is None:  # nobody can be told by it: whoever wrote it is the client
            break
        client = str(address)
    return client


class ProxyMiddleware:
    """Forgets X-Forwarded-Proto unless a proxy of ours says it. Stands before all that reads it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        said = request.META.pop(PROTO, None)
        if said and is_proxy(str(request.META.get("REMOTE_ADDR") or ""), settings.PROXIES):
            # What stands before the last comma came from further away.
            request.META[PROTO] = said.rpartition(",")[2].strip().lower()
        return self._get_response(request)
