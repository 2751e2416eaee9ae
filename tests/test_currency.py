"""Prices in another currency: shown, limited, sorted and exported at the day's rate."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from django.http import QueryDict
from django.test import Client

from providers.browse.criteria import Criteria
from providers.browse.listings import listings
from providers.browse.present_listings import listings_page
from providers.browse.world import World
from providers.models import ExchangeRate
from providers.rates import usd_rates
from providers.refresh.rates import parse_rates
from providers.sources.base import MalformedError
from tests.factories import NOW, make_listing, make_offering

pytestmark = pytest.mark.django_db

BANK = b"""<Cube><Cube time='2026-11-27'>
<Cube currency='USD' rate='1.2'/><Cube currency='JPY' rate='180'/></Cube></Cube>"""


@pytest.fixture(autouse=True)
def _rate() -> None:
    ExchangeRate.objects.create(currency="EUR", day=date(2026, 11, 26), usd=Decimal("1.1"))
    ExchangeRate.objects.create(currency="EUR", day=date(2026, 11, 27), usd=Decimal("1.25"))


def ask(query: str) -> tuple[Criteria, list[str]]:
    criteria, ignored = Criteria.parse(QueryDict(query), World.read().vocabulary)
    return criteria, [part.value for part in ignored]


def test_the_latest_rate_of_a_currency_counts() -> None:
    assert usd_rates() == {"USD": Decimal(1), "EUR": Decimal("1.25")}


def test_a_currency_is_part_of_the_address_and_the_dollar_is_left_out() -> None:
    assert ask("currency=eur")[0].query() == "currency=EUR"
    assert ask("currency=USD")[0].query() == ""


def test_a_currency_without_a_rate_is_named_and_ignored() -> None:
    assert ask("currency=XYZ")[1] == ["XYZ"]


def test_the_rate_is_no_part_of_the_state() -> None:
    euro = ask("currency=EUR")[0]
    assert euro == Criteria.of({"currency": ("EUR",)})
    assert euro.put("sort", "price").usd_per_unit == Decimal("1.25")


def test_prices_are_shown_and_limited_in_the_asked_currency() -> None:
    make_listing(
        make_offering(), gpu_count=2, usd_per_hour=Decimal(5), spot_usd_per_hour=Decimal(1)
    )
    criteria, _ = ask("currency=EUR&max_price=2")
    result = listings(criteria, World.read(), NOW)
    (row,) = listings_page(result, [], NOW).rows
    assert (row.price.amount, row.other, row.spot) == ("2.00", "4.00", "0.40")
    assert row.price.divisor == "€4.00 ÷ 2"
    assert listings(ask("currency=EUR&max_price=1.99")[0], World.read(), NOW).rows == ()
    assert listings(ask("max_price=2")[0], World.read(), NOW).rows == ()


def test_a_limit_says_its_currency() -> None:
    page = Client().get("/?currency=EUR&max_price=2").content.decode()
    assert "€2 / GPU / hour" in page
    assert "€ / GPU / hour" in page


def test_currencies_are_offered_once_a_rate_is_known() -> None:
    assert 'id="unit-currency-EUR"' in Client().get("/").content.decode()
    ExchangeRate.objects.all().delete()
    assert "unit-currency" not in Client().get("/").content.decode()


def test_exports_name_the_currency_in_the_column() -> None:
    make_listing(make_offering(), usd_per_hour=Decimal(5))
    response = Client().get("/listings/?currency=EUR&format=csv")
    head, row = b"".join(response).decode().splitlines()
    assert dict(zip(head.split(","), row.split(","), strict=True))["eur_per_gpu_hour"] == "4"


def test_the_banks_rates_become_dollars_for_a_unit() -> None:
    day, usd = parse_rates(BANK)
    assert day == date(2026, 11, 27)
    assert usd == {"EUR": Decimal("1.2"), "JPY": Decimal("0.006666667")}


@pytest.mark.parametrize("body", [b"", b"<html>", BANK.replace(b"USD", b"GBP")])
def test_an_answer_without_a_dollar_rate_is_malformed(body: bytes) -> None:
    with pytest.raises(MalformedError):
        parse_rates(body)
