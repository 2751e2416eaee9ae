"""What tests of a listing's page share: listings, live and dated, and what their pages tell."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from providers.listing_facts import opened_listing
from providers.listing_page import ListingPage, listing_page
from providers.models import Listing, Offering
from tests.factories import NOW, make_listing, make_offering, make_provider


def make_pods() -> Offering:
    return make_offering("pods", make_provider("acme"), docker_daemon="root")


def opened(listing: Listing) -> ListingPage:
    found = opened_listing(listing.pk)
    assert found is not None
    return listing_page(found, NOW)


def live(offering: Offering, **fields: Any) -> Listing:
    """Eight GPUs at $16 an hour, as the source said it."""
    told: dict[str, Any] = {
        "gpu_count": 8,
        "usd_per_hour": Decimal(16),
        "stated_price": "16.00",
        "stated_unit": "USD / instance / hour",
        "source": "vast",
        "region": "eu",
    }
    return make_listing(offering, **(told | fields))


def dated(offering: Offering, **fields: Any) -> Listing:
    told: dict[str, Any] = {
        "origin": "snapshot",
        "source_url": "https://acme.example/prices",
        "usd_per_hour": Decimal(4),
    }
    return make_listing(offering, **(told | fields))


def fact(page: ListingPage, label: str) -> Any:
    (found,) = [fact for fact in page.facts if fact.label == label]
    return found


def texts(page: ListingPage) -> dict[str, str]:
    return {str(fact.label): str(fact.text) for fact in page.facts}
