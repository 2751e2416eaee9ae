"""What one unit of a currency is worth in USD, by the latest rates that were fetched."""

from __future__ import annotations

from decimal import Decimal

from providers.models import ExchangeRate


def usd_rates() -> dict[str, Decimal]:
    """The latest rate of every currency that is known; USD is 1."""
    latest = ExchangeRate.objects.order_by("currency", "-day").distinct("currency")
    return dict(latest.values_list("currency", "usd")) | {"USD": Decimal(1)}
