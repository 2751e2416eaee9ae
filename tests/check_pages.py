"""What tests of the page /check/ share: a market, and ways to ask."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.test import Client

from tests.factories import make_claim, make_gpu, make_listing, make_offering, make_provider

BY_HAND = "/check/?cuda=12.4&framework=torch&release=2.6.0"
FROM_HERE = {"Origin": "http://testserver"}


def market(count: int = 1) -> None:
    """Offerings on which CUDA 12.4 runs, each with a GPU of its own and two listings."""
    h100 = make_gpu("h100-sxm", "h100")
    for _ in range(count):
        offering = make_offering(
            f"pods-{count}-{_}",
            make_provider(name="Acme"),
            custom_image="any",
            gpu_passthrough="automatic",
            docker_daemon="root",
        )
        make_claim(offering, "custom_image", "any")
        for region in ("eu", "us"):
            price = Decimal(2)
            make_listing(offering, h100, region=region, usd_per_hour=price, driver="580.65.06")


def paste(client: Client, what: str, headers: dict[str, str] = FROM_HERE, **fields: str) -> Any:
    return client.post("/check/", {"paste": what, **fields}, headers=headers)
