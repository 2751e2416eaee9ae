"""Which changes criteria show: those of what met them before, or meets them after."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.changes.catalog import CONTRADICTED
from providers.changes.select import Limits, behind, page_of, place_of
from providers.models import Change, Gpu, Offering, Provider, What, Why
from tests.changing import make_answer, make_change, make_price, selection, shown
from tests.factories import NOW, make_gpu, make_listing, make_offering, make_provider
from tests.query_counts import queries_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def acme() -> Provider:
    return make_provider("acme", kind="marketplace")


@pytest.fixture
def pods(acme: Provider) -> Offering:
    return make_offering("pods", acme, docker_daemon="root")


@pytest.fixture
def sxm() -> Gpu:
    return make_gpu("h100-sxm", "h100")


@pytest.fixture
def l4() -> Gpu:
    return make_gpu("l4")


# --- Without criteria ---------------------------------------------------------------------


def test_all_that_is_told_is_shown(pods: Offering, sxm: Gpu) -> None:
    told = [
        make_answer(pods, None, "root"),
        make_change(What.STATUS, pods, before="active", after="closed"),
        make_price(pods, sxm, 2, 1),
        make_change(What.DIGEST, None, figures={"first": {}}),
    ]
    make_price(pods, sxm, 2, "1.99", notable=False)
    make_price(pods, sxm, 2, 1, spot=True)
    make_price(pods, sxm, 2, 1, digest=told[-1])
    assert shown() == [change.pk for change in told]


def test_how_rows_are_shown_is_no_filter(pods: Offering) -> None:
    change = make_answer(pods, None, "root")
    assert shown("sort=price&columns=spot&period=month&unknown=hide") == [change.pk]


# --- About offerings ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("provider=acme", True),
        ("provider=other", False),
        ("kind=marketplace", True),
        ("kind=hyperscaler", False),
        ("q=pods", True),
        ("q=nothing", False),
        ("docker_daemon=root", True),
        ("docker_daemon=none", False),
        ("spot=yes", True),  # nobody says: it may match
        ("spot=yes&unknown=hide", False),
    ],
)
def test_a_change_is_shown_where_its_offering_matches(
    pods: Offering, query: str, found: bool
) -> None:
    make_offering("other", make_provider("other"))
    change = make_answer(pods, None, True, "ports")
    status = make_change(What.STATUS, pods, before="active", after="acquired")
    assert shown(query) == ([change.pk, status.pk] if found else [])


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("none", "root", True),  # starts
        ("root", "none", True),  # stops
        (None, "root", True),
        (None, "none", True),  # may have matched
        ("none", "nested", False),
        ("none", CONTRADICTED, True),
    ],
)
def test_an_answer_that_is_asked_for_is_shown_where_a_side_matches(
    acme: Provider, before: Any, after: Any, found: bool
) -> None:
    now = None if after == CONTRADICTED else after
    change = make_answer(make_offering("a", acme, docker_daemon=now), before, after)
    assert shown("docker_daemon=root") == ([change.pk] if found else [])


@pytest.mark.parametrize(
    ("before", "after", "effect"),
    [("none", "root", True), ("root", "none", True), (None, "none", False), (None, "root", True)],
)
def test_without_the_unknown_a_side_must_match_for_certain(
    acme: Provider, before: Any, after: Any, effect: bool
) -> None:
    change = make_answer(make_offering("a", acme, docker_daemon=after), before, after)
    assert shown("docker_daemon=root&unknown=hide") == ([change.pk] if effect else [])


def test_what_an_offering_that_matches_by_now_once_was_is_not_shown(pods: Offering) -> None:
    make_answer(pods, "none", "nested")
    starts = make_answer(pods, "nested", "root")
    assert shown("docker_daemon=root") == [starts.pk]


def test_an_answer_that_stops_matching_must_match_the_other_criteria(acme: Provider) -> None:
    offering = make_offering("a", acme, docker_daemon="none", spot=False)
    make_answer(offering, "root", "none")
    assert shown("docker_daemon=root&spot=yes") == []


def test_the_status_of_a_provider_is_shown_where_an_offering_of_it_matches(pods: Offering) -> None:
    status = {"provider": pods.provider, "before": "active", "after": "closed"}
    change = make_change(What.STATUS, None, **status)
    assert shown("docker_daemon=root") == [change.pk]
    assert shown("docker_daemon=none") == []


def test_an_offering_that_closed_is_still_found(acme: Provider) -> None:
    closed = make_offering("a", acme, docker_daemon="root", status="closed")
    change = make_change(What.STATUS, closed, before="active", after="closed")
    assert shown("docker_daemon=root") == [change.pk]


# --- About GPUs and prices ------------------------------------------------------------------


def test_a_model_shows_its_own_changes_and_those_that_leave_the_form_open(
    pods: Offering, sxm: Gpu, l4: Gpu
) -> None:
    own = make_price(pods, sxm, 3, 2)
    pcie = make_price(pods, make_gpu("h100-pcie", "h100"), 3, 2)
    form_open = make_price(pods, sxm.family, 3, 2)
    make_price(pods, l4, 3, 2)
    assert shown("gpu=h100-sxm") == [own.pk, form_open.pk]
    assert shown("gpu=h100-sxm&unknown=hide") == [own.pk]
    assert shown("gpu=h100") == [own.pk, pcie.pk, form_open.pk]


def test_an_answer_is_shown_under_a_gpu_that_its_offering_lists(
    pods: Offering, sxm: Gpu, l4: Gpu
) -> None:
    make_listing(pods, sxm)
    change = make_answer(pods, "none", "root")
    assert shown("gpu=h100-sxm") == [change.pk]
    assert shown("gpu=l4") == []


def test_who_names_a_gpu_is_told_what_a_digest_holds(pods: Offering, sxm: Gpu) -> None:
    digest = make_change(What.DIGEST, None, source="acme", figures={"counts": {}})
    inside = make_price(pods, sxm, 3, 2, digest=digest)
    assert shown() == [digest.pk]
    assert shown("gpu=h100-sxm") == [inside.pk]
    assert shown("provider=acme") == [digest.pk]
    assert shown("docker_daemon=none") == []


def test_the_answers_of_a_load_are_told_one_by_one_under_criteria(pods: Offering) -> None:
    digest = make_change(What.DIGEST, None, why=Why.CATALOG, figures={"counts": {}})
    inside = make_answer(pods, None, "root", digest=digest)
    assert shown() == [digest.pk]
    assert shown("provider=acme") == [inside.pk]


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        (3, 2, True),  # at most: 2 itself meets it
        ("2.01", "1.99", True),
        ("1.99", "2.01", True),
        (3, "2.01", False),
        ("1.9", "1.5", False),  # stays below
        (None, 1, True),
        (1, None, True),
    ],
)
def test_a_limit_shows_the_steps_across_it_however_small(
    pods: Offering, sxm: Gpu, before: object, after: object, found: bool
) -> None:
    rows = [make_price(pods, sxm, before, after, notable=notable) for notable in (True, False)]
    expected = [row.pk for row in rows] if found else []
    assert shown("gpu=h100-sxm&docker_daemon=root&max_price=2") == expected


def test_a_limit_counts_in_the_period_and_the_currency_that_are_asked(
    pods: Offering, sxm: Gpu
) -> None:
    change = make_price(pods, sxm, 3, 2)
    assert shown("max_price=48&period=day") == [change.pk]
    assert shown("max_price=47&period=day") == []


def test_a_gpu_that_is_listed_below_the_limit_starts_to_match(pods: Offering, sxm: Gpu) -> None:
    listed = make_price(pods, sxm, None, "1.5", What.LISTED)
    gone = make_price(pods, sxm, "1.5", None, What.WITHDRAWN)
    make_price(pods, sxm, None, 5, What.LISTED)
    assert shown("max_price=2") == [listed.pk, gone.pk]


@pytest.mark.parametrize("hide", ["", "&unknown=hide"])
def test_a_limit_and_stock_must_hold_together(pods: Offering, sxm: Gpu, hide: str) -> None:
    sold_out: dict[str, Any] = {"before": False, "after": False}
    there: dict[str, Any] = {"before": True, "after": True}
    make_price(pods, sxm, 3, 1, **sold_out)
    fell = make_price(pods, sxm, 3, 1, **there)
    came = make_price(pods, sxm, 1, 1, What.STOCK, before=False, after=True)
    make_price(pods, sxm, 3, 3, What.STOCK, before=False, after=True)
    assert shown(f"in_stock=1&max_price=2{hide}") == [fell.pk, came.pk]


def test_stock_that_nobody_tells_may_be_there(pods: Offering, sxm: Gpu) -> None:
    change = make_price(pods, sxm, 3, 1)
    assert shown("in_stock=1&max_price=2") == [change.pk]
    assert shown("in_stock=1&max_price=2&unknown=hide") == []


def test_spot_alone_shows_the_spot_prices(pods: Offering, sxm: Gpu) -> None:
    make_price(pods, sxm, 3, 2)
    spot = make_price(pods, sxm, 2, 1, spot=True)
    assert shown("spot_only=1&gpu=h100") == [spot.pk]


def test_what_a_price_cannot_say_its_listings_say_now(pods: Offering, sxm: Gpu, l4: Gpu) -> None:
    make_listing(pods, sxm, region="eu", usd_per_hour=2)
    make_listing(pods, l4, region="us", usd_per_hour=2)
    there = make_price(pods, sxm, 3, 2)
    make_price(pods, l4, 3, 2)
    gone = make_price(pods, make_gpu("a100"), 3, None, What.WITHDRAWN)
    assert shown("region=eu") == [there.pk, gone.pk]
    assert shown("region=eu&unknown=hide") == [there.pk]


_USD = st.none() | st.sampled_from([Decimal(1), Decimal(2), Decimal(3)])
_STOCK = st.sampled_from([None, True, False])
_LIMITS = st.builds(Limits, st.none() | st.just(Decimal(2)), st.booleans(), st.booleans())


@given(_LIMITS)
def test_a_limit_judges_in_the_database_as_it_does_here(limits: Limits) -> None:
    Change.objects.all().delete()
    whats = (What.LISTED, What.WITHDRAWN, What.PRICE)
    sides = product(whats, (None, 1, 2, 3), (None, True, False))
    offering = Offering.objects.first() or make_offering()
    gpu = Gpu.objects.first() or make_gpu("l4")
    rows = [
        make_price(offering, gpu, value, value, what, before=stock, after=stock)
        for what, value, stock in sides
    ]
    for side in ("before", "after"):
        found = set(Change.objects.filter(limits.met(side)).values_list("pk", flat=True))
        assert found == {row.pk for row in rows if limits.keeps(row, side)}
        assert (
            set(Change.objects.filter(~limits.met(side)).values_list("pk", flat=True))
            == {row.pk for row in rows} - found
        )


# --- Pages and cost ---------------------------------------------------------------------------


def test_pages_hold_every_change_once_in_order(pods: Offering) -> None:
    rows = [make_answer(pods, None, "root", at=NOW) for _ in range(5)]
    rows += [make_answer(pods, None, "root", at=NOW + timedelta(microseconds=n)) for n in (1, 2)]
    chosen, place, seen = selection(), "", []
    for _ in range(len(rows)):
        page, more = page_of(chosen, place, 2)
        seen += [change.pk for change in page]
        if not more:
            break
        place = place_of(page[-1])
    assert seen == [rows[i].pk for i in (6, 5, 4, 3, 2, 1, 0)]


@given(st.timedeltas(timedelta(0), timedelta(days=200_000)), st.integers(1, 10**12))
def test_a_place_is_one_that_the_criteria_take(since: timedelta, pk: int) -> None:
    place = place_of(Change(pk=pk, at=datetime(1970, 1, 1, tzinfo=UTC) + since))
    assert selection(f"after={place}").criteria.one("after") == place
    assert behind(place).children


@pytest.mark.parametrize("place", ["0_0_999999999999999999_1", "2_9_-5.5_1", "0_0_0_0"])
def test_a_place_that_no_change_ever_had_is_the_end_or_the_start(
    pods: Offering, place: str
) -> None:
    make_answer(pods, None, "root")
    assert page_of(selection(), place, 2) in (([], False), (list(Change.objects.all()), False))


QUERIES = [
    "",
    "docker_daemon=root",
    "docker_daemon=root&gpu=h100-sxm&max_price=2",
    "region=eu&in_stock=1",
]


@pytest.mark.parametrize("query", QUERIES)
def test_more_changes_cost_no_more_queries(
    acme: Provider, pods: Offering, sxm: Gpu, query: str
) -> None:
    def ask() -> None:
        list(chosen.changes()[:50])

    make_price(pods, sxm, 3, 1)
    chosen = selection(query)
    few = queries_of(ask)
    for n in range(20):
        offering = make_offering(f"o{n}", acme, docker_daemon="root")
        make_listing(offering, sxm, usd_per_hour=1)
        make_price(offering, sxm, 3, 1)
        make_answer(offering, "none", "root")
    chosen = selection(query)
    # Ten of them read the listings twice, which a test keeps nowhere.
    assert queries_of(ask) == few <= 13
