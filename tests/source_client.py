"""The HTTP client with bounds for tests, at the address of a server on this machine."""

from __future__ import annotations

from dataclasses import replace

from providers.sources.http import Bounds, HttpClient, Network, Pace
from tests.provider_server import Answer, ProviderServer

QUICK = Bounds(
    connect_s=1,
    read_s=5,
    call_s=20,
    stream_s=20,
    body_bytes=2**20,
    stream_bytes=4 * 2**20,
    tries=3,
    pause_s=0.01,
    retry_after_max_s=0.2,
    redirects=3,
)
IMPATIENT = replace(QUICK, read_s=0.5, tries=2)
FREELY = Network(pace=Pace("1000/second"))


def client(
    address: str, bounds: Bounds = QUICK, network: Network = FREELY, hosts: tuple[str, ...] = ()
) -> HttpClient:
    return HttpClient(
        "https://api.example.com", hosts, override=address, bounds=bounds, network=network
    )


def get(server: ProviderServer, *answers: Answer, bounds: Bounds = QUICK) -> bytes:
    """GET /plans, answered with `answers` in turn, the last of them again and again."""
    server.then.extend(answers[:-1])
    server.always = answers[-1]
    return client(server.url, bounds).get("/plans")
