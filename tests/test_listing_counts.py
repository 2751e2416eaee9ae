"""Totals and facet counts of listings equal brute force over generated data, whatever is asked."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from providers.browse.criteria import Criteria
from providers.browse.judge import Truth
from providers.browse.listings import ListingsResult, listings
from providers.browse.world import World
from providers.models import Offering, Origin
from tests.factories import NOW
from tests.few_at_once import few_at_once  # noqa: F401 -- for all tests here
from tests.test_browse_counts import (
    ASKED,
    LISTING_NAMES,
    LISTINGS,
    OFFERINGS,
    all3,
    criteria_of,
    current,
    listing_says,
    offering_says,
    store,
)

pytestmark = pytest.mark.django_db

# Few offerings with many rows: what is counted together must be told apart.
WORLDS = st.lists(st.tuples(OFFERINGS, st.lists(LISTINGS, max_size=8)), min_size=1, max_size=3)
LIVE = {
    **{"gpu": "l4", "origin": "live", "gpu_count": 8, "vram_gb": 24, "region": "eu", "spot": True},
    **{"usd_per_hour": 24, "spot_usd_per_hour": 1, "stock": "available", "driver": "580"},
    **{"cuda": "", "hours_old": 0, "withdrawn": False},
}


def said(offerings: list[Offering], criteria: Criteria) -> list[bool | None]:
    """What the criteria say of every priced row of an open offering."""
    filters = dict(criteria.filters())
    about = {n: v for n, v in filters.items() if n in LISTING_NAMES}
    found = []
    for offering in (o for o in offerings if o.status != "closed"):
        own = all3(offering_says(offering, n, v) for n, v in filters.items() if n not in about)
        for row in current(offering):
            if row.origin != Origin.CATALOG:
                its = [listing_says(row, offering, n, v, criteria) for n, v in about.items()]
                found.append(all3([own, *its]))
    return found


def counts(offerings: list[Offering], criteria: Criteria) -> tuple[int, int]:
    each = said(offerings, criteria)
    return each.count(True), each.count(None)


def check(offerings: list[Offering], result: ListingsResult) -> None:
    assert (result.match, result.may) == counts(offerings, result.criteria)
    truths = [row.truth for row in result.rows]
    assert (truths.count(Truth.YES), truths.count(Truth.MAYBE)) == (result.match, result.may)
    for name, facet in result.facets.items():
        for count in facet:
            clicked = result.criteria.put(name, count.value)
            expected = counts(offerings, clicked)
            assert (count.match, count.may) == expected, (name, count.value)


@settings(
    deadline=None,
    # A failing world is small enough to read; shrinking it costs minutes of inserts.
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(WORLDS, ASKED)
@example([({}, [LIVE, LIVE])], {"min_driver": ["580.65"], "max_price": ["2"], "spot_only": "1"})
@example([({}, [LIVE, LIVE])], {"region": ["us", "asia"], "gpu": ["h100"], "in_stock": "1"})
def test_totals_and_facet_counts_equal_brute_force(world: Any, asked: dict[str, Any]) -> None:
    with transaction.atomic():
        offerings = store(world)
        known = World.read()
        check(offerings, listings(criteria_of(asked, known), known, NOW))
        transaction.set_rollback(True)
