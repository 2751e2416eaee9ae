"""Listings that a page has shown are not fetched for the next one, unless something was written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from itertools import product
from typing import Any

import pytest
from django.http import QueryDict
from django.utils import translation

from gpucompare.snapshot import one_snapshot
from providers.browse import kept, world
from providers.browse.criteria import Criteria
from providers.browse.kept import Few
from providers.browse.listings import ListedRow, every_row, listings
from providers.browse.present_listings import listings_page
from providers.browse.world import World
from providers.models import Listing
from tests.factories import NOW, make_listing, make_offering
from tests.query_counts import queries_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def offering() -> Iterator[None]:
    pods = make_offering("pods")
    for n in range(60):
        prices: dict[str, Any] = {
            "usd_per_hour": Decimal(n + 1),
            "spot_usd_per_hour": Decimal(n + 1) / 2,
        }
        make_listing(pods, key=f"pods-{n:02}", gpu_count=n % 3 + 1, **prices)
    kept._found.clear()
    yield
    kept._found.clear()


def page(asked: str = "") -> tuple[ListedRow, ...]:
    with one_snapshot():
        world = World.read()
        criteria, _ignored = Criteria.parse(QueryDict(asked), world.vocabulary)
        return listings(criteria.put("per", "instance"), world, NOW).rows


def prices(rows: tuple[ListedRow, ...]) -> list[Decimal | None]:
    return [row.usd_per_hour for row in rows]


def cost(asked: str) -> int:
    return queries_of(lambda: page(asked))


def test_the_next_page_with_the_same_rows_asks_for_none_of_them() -> None:
    page("max_price=90")
    shown_before, others = cost("max_price=80"), cost("max_price=80&sort=-price")
    assert others == shown_before + 1
    assert prices(page("max_price=80")) == [Decimal(n) for n in range(1, 51)]


def test_what_was_written_since_is_fetched() -> None:
    page()
    Listing.objects.filter(key="pods-00").update(region="Oslo")
    assert page()[0].region == "Oslo"


def test_those_that_are_kept_stay_few_and_pages_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(world, "_MOST_LISTED", 5)
    for asked in ("max_price=3", "sort=-price", "max_price=2", ""):
        assert len(page(asked)) == {"max_price=3": 3, "max_price=2": 2}.get(asked, 50)
        assert len(World.read().listed) <= 5 + 51


ASKED = ("", "per=instance", "period=month", "currency=EUR", "currency=GBP", "spot_only=1")
# A pound that is worth a dollar is told apart by its sign alone.
RATES = {"USD": Decimal(1), "EUR": Decimal("1.25"), "GBP": Decimal(1)}
LATER = NOW + timedelta(minutes=3)


def test_what_is_told_of_a_row_is_what_would_be_told_of_it_alone() -> None:
    with one_snapshot():
        read = World.read()
        vocabulary = replace(read.vocabulary, currencies=RATES)
        for language, asked, now in product(("en", "ar"), ASKED, (NOW, LATER)):
            criteria, ignored = Criteria.parse(QueryDict(asked), vocabulary)
            assert ignored == []
            result = listings(criteria, read, now)
            alone = replace(result, told=Few(0))
            with translation.override(language):
                assert listings_page(result, [], now).rows == listings_page(alone, [], now).rows
        before = len(read.told)
        listings_page(result, [], now)
        assert len(read.told) == before > 0


def test_a_row_is_told_anew_each_minute() -> None:
    with one_snapshot():
        result = listings(Criteria(), World.read(), NOW)
        ages = {listings_page(result, [], at).rows[0].price.age for at in (NOW, LATER)}
    assert len(ages) == 2


def test_an_export_keeps_none() -> None:
    with every_row(Criteria(), NOW) as (world, rows):
        assert len(list(rows)) == 60
        assert world.listed == {}
