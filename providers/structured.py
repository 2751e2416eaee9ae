"""A provider in the words of schema.org, for search engines and other programs.

Only what a page may be held to: prices that are live and not stale, and no stock.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from django.utils.safestring import SafeString, mark_safe

from providers.browse.query import Cheapest
from providers.browse.world import is_closed
from providers.claim_views import offering_url
from providers.models import Offering
from providers.queries import ProviderFacts

Data = dict[str, Any]
# A data block ends at its end tag, whatever it holds.
_ESCAPES = {ord("<"): "\\u003C", ord(">"): "\\u003E", ord("&"): "\\u0026"}


def data_block(data: Data) -> SafeString:
    """JSON that may stand inside a script element which no browser executes."""
    return mark_safe(json.dumps(data, ensure_ascii=False).translate(_ESCAPES))  # noqa: S308


def organization(facts: ProviderFacts, address: str, absolute: Callable[[str], str]) -> Data:
    """The provider of a page at `address`; `absolute` makes a path an address with its host."""
    provider = facts.provider
    found: Data = {
        "@context": "https://schema.org",
        "@type": "Organization",
        "name": provider.name,
        "url": provider.website,
        "mainEntityOfPage": address,
    }
    if provider.headquarters:
        found["address"] = {"@type": "PostalAddress", "addressCountry": provider.headquarters}
    open_ones = [o for o in facts.offerings if not is_closed(o)]
    if open_ones:
        found["makesOffer"] = [_service(o, facts, absolute) for o in open_ones]
    return found


def _service(offering: Offering, facts: ProviderFacts, absolute: Callable[[str], str]) -> Data:
    offer: Data = {
        "@type": "Offer",
        "name": offering.name,
        "url": absolute(offering_url(offering)),
        "itemOffered": {
            "@type": "Service",
            "name": f"{offering.provider.name} {offering.name}",
            "description": offering.summary,
            "serviceType": "Cloud GPU rental",
            "termsOfService": offering.docs,
        },
    }
    if prices := list(_prices(offering, facts)):
        offer["priceSpecification"] = prices
    return offer


def _prices(offering: Offering, facts: ProviderFacts) -> Iterator[Data]:
    for price in facts.prices:
        cheapest = price.cheapest
        if price.offering == offering.pk and cheapest and cheapest.trusted and not price.spot:
            yield _price(cheapest)


def _price(cheapest: Cheapest) -> Data:
    """Of the whole instance, as it is rented; the name says how many GPUs that is."""
    return {
        "@type": "UnitPriceSpecification",
        "name": f"{cheapest.gpu_count or 1} × {cheapest.gpu_name}",
        "price": f"{cheapest.instance.normalize():f}",
        "priceCurrency": "USD",
        "unitCode": "HUR",
        "validFrom": cheapest.seen_at.isoformat(timespec="seconds"),
        "valueAddedTaxIncluded": False,
    }
