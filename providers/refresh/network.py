"""The network as refreshes use it: the rate of calls to a provider is kept by the whole fleet."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache

from django.conf import settings
from limits.storage import RedisStorage

from providers.refresh.rates import ECB_URL
from providers.sources import SOURCES
from providers.sources.http import HttpClient, Network, Pace

# A Redis that is away must not hold up a refresh: its rate is then not kept.
REDIS_PATIENCE_S = 2


@cache
def network() -> Network:
    """With a pace that all processes share through Redis, if there is one, else this one's own."""
    if not settings.REDIS_URL:
        return Network()
    storage = RedisStorage(
        settings.REDIS_URL,
        wrap_exceptions=True,
        socket_connect_timeout=REDIS_PATIENCE_S,
        socket_timeout=REDIS_PATIENCE_S,
    )
    return Network(pace=Pace(storage=storage))


def client(slug: str) -> HttpClient:
    """The client of a source, at the address that the environment gives it, if it does."""
    return HttpClient.of(SOURCES[slug], network=network())


def rates_client(environ: Mapping[str, str] = os.environ) -> HttpClient:
    """The client of the bank whose exchange rates are read."""
    override = environ.get("GPUCOMPARE_RATES_URL", "")
    return HttpClient(ECB_URL, override=override, network=network())
