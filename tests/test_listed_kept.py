"""Listings that a page has shown are not fetched for the next one, unless something was written."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest
from django.http import QueryDict

from gpucompare.snapshot import one_snapshot
from providers.browse import kept, query
from providers.browse.criteria import Criteria
from providers.browse.listings import ListedRow, every_row, listings
from providers.browse.world import World
from providers.models import Listing
from tests.factories import NOW, make_listing, make_offering
from tests.query_counts import queries_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def offering() -> Iterator[None]:
    pods = make_offering("pods")
    for n in range(60):
        make_listing(pods, key=f"pods-{n:02}", usd_per_hour=Decimal(n + 1))
    kept._found.clear()
    yield
    kept._found.clear()


def page(asked: str = "") -> tuple[ListedRow, ...]:
    with one_snapshot():
        world = World.read()
        criteria, _ignored = Criteria.parse(QueryDict(asked), world.vocabulary)
        return listings(criteria, world, NOW).rows


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
    monkeypatch.setattr(query, "_MOST_LISTED", 5)
    for asked in ("max_price=3", "sort=-price", "max_price=2", ""):
        assert len(page(asked)) == {"max_price=3": 3, "max_price=2": 2}.get(asked, 50)
        assert len(World.read().listed) <= 5 + 51


def test_an_export_keeps_none() -> None:
    with every_row(Criteria(), NOW) as (world, rows):
        assert len(list(rows)) == 60
        assert world.listed == {}
