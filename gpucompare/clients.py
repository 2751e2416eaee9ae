"""How often one client may ask for something: one rate limiter for pages, readings and the API."""

from __future__ import annotations

import ipaddress
import logging
import math
import time
from dataclasses import dataclass
from functools import cache
from threading import Lock

from django.conf import settings
from django.http import HttpRequest
from limits import parse
from limits.errors import StorageError
from limits.storage import RedisStorage

from gpucompare import metrics
from gpucompare.outside.turns import Memory, Turns
from gpucompare.proxies import FOR, client_behind

# A Redis that is away must not hold up a page: the rate is then not kept.
REDIS_PATIENCE_S = 0.5

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Window:
    """Where a client stands in its window of time."""

    allowed: bool
    limit: int
    left: int
    reset_s: int  # until the oldest request of the window no longer counts


def client_of(request: HttpRequest) -> str:
    """The address of whoever asks; "" where the server does not tell. Nobody else reads it."""
    peer, told = (str(request.META.get(name) or "") for name in ("REMOTE_ADDR", FOR))
    return client_behind(peer, told, settings.PROXIES)


def take(rate: str, purpose: str, client: str) -> Window | None:
    """One turn of `client` under `rate` ("10/minute"). None: nobody in particular, or not kept."""
    if not client:
        return None
    asked = parse(rate)
    names = (purpose, client_key(client))
    try:
        allowed = limiter().hit(asked, *names)
        stats = limiter().get_window_stats(asked, *names)
    except StorageError as fault:
        logger.warning("The rate of %s is not kept: %s", purpose, fault)
        metrics.rate_not_kept(purpose)
        return None
    reset_s = max(1, math.ceil(stats.reset_time - time.time()))
    return Window(allowed, asked.amount, max(0, stats.remaining), reset_s)


def limiter() -> Turns:
    """One for all processes through Redis, if there is one, else this one's own."""
    # The first requests come at once: a limiter each would count none of the others' turns.
    with _making:
        return _made()


_making = Lock()


@cache
def _made() -> Turns:
    if not settings.REDIS_URL:
        return Turns(Memory())
    return Turns(
        RedisStorage(
            settings.REDIS_URL,
            wrap_exceptions=True,
            socket_connect_timeout=REDIS_PATIENCE_S,
            socket_timeout=REDIS_PATIENCE_S,
        )
    )


def forget_turns() -> None:
    """As in a process that has counted nobody."""
    _made.cache_clear()


def client_key(client: str) -> str:
    """An IPv6 client has a whole /64 to choose its address from."""
    try:
        address = ipaddress.ip_address(client)
    except ValueError:
        return client
    if isinstance(address, ipaddress.IPv4Address):
        return client
    return str(address.ipv4_mapped or ipaddress.ip_network((address, 64), strict=False))
