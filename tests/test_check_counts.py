"""Hosts, standings, rows and every count of a check equal brute force over generated data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from checks.verdicts import CheckResult, check
from providers.browse.criteria import Criteria
from providers.browse.judge import Truth
from providers.browse.picked import NOWHERE, on_hosts
from providers.browse.query import ready
from providers.browse.ranks import HostKey
from providers.browse.world import World
from providers.models import Offering
from tests.checking import ASKED as IMAGE
from tests.checking import counts, open_to_all, said_of, speaking, standing_of, with_verdict
from tests.factories import NOW
from tests.few_at_once import few_at_once  # noqa: F401 -- for all tests here
from tests.test_browse_counts import (
    ASKED,
    LISTING_NAMES,
    WORLDS,
    all3,
    criteria_of,
    current,
    listing_says,
    price_of,
    store,
    trusted,
)

pytestmark = pytest.mark.django_db

VERDICTS = st.sampled_from([[], [], ["runs"], ["condition", "unknown"], ["fails"]])
# Two that leave their region open: one in stock of which nothing is known, and one that may be in
# stock and runs. In any region both only may match, and an offering stands by the one that runs.
_LIVE = {
    **{"origin": "live", "gpu_count": 1, "vram_gb": 80, "usd_per_hour": 2, "hours_old": 0},
    **{"spot_usd_per_hour": None, "spot": None, "cuda": "", "withdrawn": False},
}
OPEN_REGIONS = [
    {**_LIVE, "gpu": None, "driver": "", "region": "", "stock": "available"},
    {**_LIVE, "gpu": "h100-sxm", "driver": "580", "region": "", "stock": "unknown"},
    {**_LIVE, "gpu": "l4", "driver": "", "region": "eu", "stock": "none"},
]
TRUTHS = {True: Truth.YES, None: Truth.MAYBE, False: Truth.NO}


def with_world(check_it: Callable[[list[Offering], Criteria, World], None]) -> Any:
    """Stores generated data in a transaction that is rolled back."""

    @settings(
        max_examples=max(40, settings().max_examples),
        phases=(Phase.explicit, Phase.reuse, Phase.generate),
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
    @given(WORLDS, ASKED, VERDICTS, st.sampled_from(["any", "contract", None]))
    @example([({}, OPEN_REGIONS)], {"in_stock": "1"}, ["unknown"], "any")
    def run(world: Any, asked: dict[str, Any], verdicts: list[str], own_image: str | None) -> None:
        with transaction.atomic():
            offerings = store(world)
            open_to_all(offerings)
            open_to_all(offerings[:1], custom_image=own_image)
            known = World.read()
            criteria = criteria_of(asked, known).put("verdict", *verdicts)
            check_it(offerings, criteria, known)
            transaction.set_rollback(True)

    return run


def _checked(criteria: Criteria, world: World) -> CheckResult:
    return check(IMAGE, criteria, world, NOW)


# --- Hosts ---------------------------------------------------------------------------------


def _hosts_are_right(offerings: list[Offering], criteria: Criteria, world: World) -> None:
    asked = {name: v for name, v in criteria.filters() if name in LISTING_NAMES}
    expected: dict[HostKey, list[Any]] = {}
    for offering in offerings:
        for row in current(offering):
            key = HostKey(offering.pk, row.family_id, row.gpu_id, row.driver, row.cuda)
            truth = all3(listing_says(row, offering, n, v, criteria) for n, v in asked.items())
            expected.setdefault(key, []).append((row, TRUTHS[truth]))
    found = on_hosts(ready(criteria.without("verdict"), world, NOW).listings.units)
    assert sorted(map(str, found.hosts.keys)) == sorted(map(str, expected))
    for number, key in enumerate(found.hosts.keys):
        rows = expected[key]
        able = [row for row, truth in rows if truth is not Truth.NO]
        assert found.truth[number] == max(truth for _, truth in rows)
        assert found.listings[number] == sum(row.origin != "catalog" for row in able)
        priced = [row for row in able if price_of(row, criteria) is not None]
        place = found.place[number]
        assert bool(place == NOWHERE) is (not priced)
        if priced:
            best = min(priced, key=lambda row: _place(row, criteria))
            assert found.id[place] == best.pk


def _place(row: Any, criteria: Criteria) -> tuple[Any, ...]:
    """Live before dated, fresh before stale, then the price; the elder listing of equal ones."""
    trust = 0 if trusted(row) else 1 if row.origin == "live" else 2
    return trust, price_of(row, criteria), row.pk


test_the_hosts_of_each_offering_equal_brute_force = with_world(_hosts_are_right)

# --- Offerings -----------------------------------------------------------------------------


def _rows_are_right(offerings: list[Offering], criteria: Criteria, world: World) -> None:
    result = _checked(criteria, world)
    truths = {o.slug: TRUTHS[with_verdict(o, criteria, world)] for o in offerings}
    found = {one.row.offering.slug: one for one in (*result.rows, *result.closed)}
    expected = {slug: truth for slug, truth in truths.items() if truth is not Truth.NO}
    assert {slug: one.row.truth for slug, one in found.items()} == expected
    for offering in offerings:
        if offering.slug in found:
            stand = found[offering.slug].stand
            assert stand.standing is standing_of(offering, criteria, world)
            able = speaking(offering, criteria)
            assert stand.listings == sum(row.origin != "catalog" for row, _ in able)


def _cheapest_is_right(offerings: list[Offering], criteria: Criteria, world: World) -> None:
    by_pk = {offering.pk: offering for offering in offerings}
    for one in _checked(criteria, world).rows:
        offering = by_pk[one.row.offering.pk]
        alike = [
            row
            for row, _ in speaking(offering, criteria)
            if said_of(offering, row, world).standing is one.stand.standing
        ]
        priced = [row for row in alike if price_of(row, criteria) is not None]
        best = min(priced, key=lambda row: _place(row, criteria), default=None)
        assert (one.row.cheapest is None) is (best is None)
        if best and one.row.cheapest:
            assert one.row.cheapest.shown == price_of(best, criteria)
            assert one.row.cheapest.trusted is trusted(best)


test_rows_and_standings_equal_brute_force = with_world(_rows_are_right)
test_the_cheapest_listing_is_one_that_stands_as_the_offering_does = with_world(_cheapest_is_right)

# --- Counts --------------------------------------------------------------------------------


def _facets_are_right(offerings: list[Offering], criteria: Criteria, world: World) -> None:
    result = _checked(criteria, world)
    assert len(result.facets["verdict"]) == 4
    for name, facet in result.facets.items():
        for count in facet:
            alone = criteria.put(name, count.value)
            expected = counts(offerings, alone, world)
            assert (count.match, count.may) == expected, (name, count.value)


def _costs_are_right(offerings: list[Offering], criteria: Criteria, world: World) -> None:
    result = _checked(criteria, world)
    assert bool(result.costs) is (not result.match and any(True for _ in criteria.filters()))
    open_ones = [o for o in offerings if o.status != "closed"]
    for cost in result.costs:
        alone = Criteria.of({n: v for n, v in criteria.values if n in (cost.name, "per")})
        removes = [with_verdict(o, alone, world) for o in open_ones].count(False)
        assert cost.removes == removes, cost.name
        lifted = criteria.without(cost.name)
        assert cost.regained == counts(offerings, lifted, world)[0], cost.name


def _the_sentence_is_right(offerings: list[Offering], criteria: Criteria, world: World) -> None:
    """It counts what the facet counts: the offerings that match all else, by their standing."""
    result = _checked(criteria, world)
    told = {standing.value: len(of_it) for standing, of_it in result.counts.items()}
    assert told == {count.value: count.match for count in result.facets["verdict"]}


test_facet_counts_equal_brute_force_also_under_a_verdict = with_world(_facets_are_right)
test_what_each_filter_costs_equals_brute_force = with_world(_costs_are_right)
test_the_sentence_says_what_the_facet_counts = with_world(_the_sentence_is_right)
