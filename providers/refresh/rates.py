"""What one unit of a currency is worth in USD, by the European Central Bank's daily rates."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal

from providers.models import ExchangeRate
from providers.sources.base import Http, MalformedError

ECB_URL = "https://www.ecb.europa.eu"
ECB_PATH = "/stats/eurofxref/eurofxref-daily.xml"
_DAY = re.compile(rb"time=['\"](\d{4}-\d{2}-\d{2})['\"]")
_RATE = re.compile(rb"currency=['\"]([A-Z]{3})['\"]\s+rate=['\"](\d{1,9}(?:\.\d{1,9})?)['\"]")


def fetch_rates(http: Http) -> int:
    """Store today's rates; how many are new. Raises SourceError."""
    day, usd = parse_rates(http.get(ECB_PATH))
    rates = [ExchangeRate(currency=code, day=day, usd=rate) for code, rate in usd.items()]
    before = ExchangeRate.objects.filter(day=day).count()
    ExchangeRate.objects.bulk_create(rates, ignore_conflicts=True)
    return ExchangeRate.objects.filter(day=day).count() - before


def parse_rates(body: bytes) -> tuple[date, dict[str, Decimal]]:
    """The day of the rates and USD per unit of each currency. Raises MalformedError.

    The bank states units of each currency per euro; two of those make a rate to the dollar.
    """
    stated = _DAY.search(body)
    per_euro = {code.decode(): Decimal(rate.decode()) for code, rate in _RATE.findall(body)}
    if stated is None or not per_euro.get("USD"):
        raise MalformedError("rates: no day or no USD rate in the answer")
    dollar = per_euro["USD"]
    usd = {code: round(dollar / rate, 9) for code, rate in per_euro.items() if rate}
    usd.pop("USD")
    return date.fromisoformat(stated[1].decode()), usd | {"EUR": dollar}
