"""What an index takes for each listing, while it is built and afterwards."""

from __future__ import annotations

import gc
import tracemalloc
from decimal import Decimal

import numpy as np
import pytest
from django.http import QueryDict

from gpucompare.snapshot import one_snapshot
from providers.browse import listing_index, listing_rows
from providers.browse.criteria import Criteria
from providers.browse.listings import listings
from providers.browse.query import browse
from providers.browse.units import Units
from providers.browse.world import World
from providers.models import Listing
from tests.factories import NOW, make_gpu, make_listing, make_offering
from tests.test_export_many import fill

ROWS = 20_000
OF_A_ROW = ("id", "price", "spot_price", "place", "cell", "spot_sorted")


def asked(query: str) -> tuple[Criteria, World]:
    world = World.read()
    return Criteria.parse(QueryDict(query), world.vocabulary)[0], world


def units_held() -> set[int]:
    gc.collect()
    # Not by isinstance: it would ask whatever is lazy what it is.
    return {id(one) for one in gc.get_objects() if type(one) is Units}


@pytest.mark.django_db
def test_a_listing_takes_26_bytes_at_most() -> None:
    fill(3000)
    index = listing_index.build()
    arrays = [getattr(index, name) for name in OF_A_ROW] + [index.hosts.of_row]
    assert sum(array.nbytes for array in arrays) <= 26 * 3000


@pytest.mark.django_db
def test_a_listing_takes_less_than_sixty_bytes_while_the_index_is_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(listing_rows, "_CHUNK", ROWS // 20)
    fill(ROWS)
    Listing.objects.update(region="eu")
    listing_index.build()  # what a process loads once is no part of it
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        listing_index.build()
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    assert peak < 60 * ROWS


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("query", ["min_cuda=12.4", "min_driver=550&max_price=5", "region=eu"])
def test_a_result_that_is_kept_holds_no_rows(query: str) -> None:
    make_listing(make_offering(), make_gpu("l4"), region="eu", usd_per_hour=1)
    before = units_held()
    with one_snapshot():
        result = browse(*asked(query), NOW)
        assert result.facets
        assert browse(result.criteria, asked(query)[1], NOW) is result
    assert units_held() <= before


@pytest.mark.django_db
@pytest.mark.parametrize("usd", ["4294.967294", "4294.967295", "70000.5"])
def test_what_is_too_dear_for_few_bytes_is_counted_as_exactly(usd: str) -> None:
    offering, gpu = make_offering(), make_gpu("l4")
    make_listing(
        offering, gpu, usd_per_hour=Decimal(usd), spot_usd_per_hour=Decimal(usd), spot=True
    )
    make_listing(offering, gpu, usd_per_hour=None)
    for asks in ("", "&spot_only=1"):
        enough, too_little = (
            listings(*asked(f"max_price={limit}&per=instance{asks}"), NOW)
            for limit in (usd, Decimal(usd) - Decimal("0.0001"))
        )
        assert [row.instance for row in enough.rows][:1] == [Decimal(usd)]
        assert (enough.match, too_little.match) == (1, 0)


def test_taking_some_at_a_time_takes_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing_index, "BLOCK", 3)
    values, numbers = np.arange(10, 20), np.array([9, 0, 3, 3, 7, 1, 8], np.int32)
    assert listing_index.taken(values, numbers).tolist() == values[numbers].tolist()


def test_units_are_looked_at_together_until_their_rows_are_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(listing_index, "BLOCK", 4)
    length = np.array([1, 1, 9, 1, 1, 1, 0, 1])
    together = [part.tolist() for part in listing_index.together(np.arange(8), length)]
    assert [n for part in together for n in part] == list(range(8))
    assert max(sum(length[part]) for part in together) <= 4 + 9
    assert [part.tolist() for part in listing_index.together(np.arange(0), length)] == [[]]
