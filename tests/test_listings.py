"""Priced rows: each once, in order, page by page, with counts that equal the rows."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from random import Random

import pytest
from django.http import QueryDict
from django.utils import timezone

from providers.browse.criteria import Criteria
from providers.browse.judge import Truth
from providers.browse.listings import PAGE_SIZE, ListedRow, ListingsResult, every_row, listings
from providers.browse.world import World
from providers.models import Listing, Offering
from tests.factories import NOW, make_gpu, make_listing, make_offering, make_provider

pytestmark = pytest.mark.django_db


def ask(query: str) -> ListingsResult:
    world = World.read()
    criteria, ignored = Criteria.parse(QueryDict(query), world.vocabulary)
    assert ignored == []
    return listings(criteria, world, NOW)


def go_on(result: ListingsResult) -> ListingsResult:
    criteria = result.criteria.put("after", result.rows[-1].after)
    return listings(criteria, World.read(), NOW)


def pages(query: str) -> list[ListingsResult]:
    found = [ask(query)]
    while found[-1].more:
        found.append(go_on(found[-1]))
    return found


def rows(query: str) -> list[ListedRow]:
    return [row for page in pages(query) for row in page.rows]


def fill(count: int, seed: int = 1) -> list[Offering]:
    """Many listings of a few offerings; prices repeat, so that ties are many."""
    random = Random(seed)
    gpus = [make_gpu("h100-sxm", "h100"), make_gpu("l4"), None]
    made = [
        make_offering("root", docker_daemon="root"),
        make_offering("none", docker_daemon="none"),
        make_offering("unsaid"),
    ]
    Listing.objects.bulk_create(
        Listing(
            offering=offering,
            key=f"many-{n}",
            origin="snapshot" if offering.slug == "unsaid" else "live",
            gpu_name="H100",
            gpu=gpu,
            family=gpu.family if gpu else None,
            gpu_count=random.choice([1, 2, 8]),
            usd_per_hour=random.choice([None, Decimal("1.5"), Decimal(3), Decimal(n + 1) / 7]),
            stock=random.choice(["available", "none", "unknown"]),
            first_seen=NOW,
            seen_at=NOW - timedelta(hours=random.choice([0, 1, 13, 40])),
        )
        for n in range(count)
        for gpu in [random.choice(gpus)]
        for offering in [random.choice(made)]
    )
    return made


SORTS = ["name", "price", "-price", "freshness", "known"]


@pytest.mark.parametrize("count", [1000, pytest.param(5000, marks=pytest.mark.soak)])
@pytest.mark.parametrize("sort", SORTS)
def test_paging_shows_each_of_many_rows_exactly_once(sort: str, count: int) -> None:
    fill(count)
    world = World.read()
    criteria, _ = Criteria.parse(QueryDict(f"sort={sort}"), world.vocabulary)
    with every_row(criteria, NOW) as (_world, rows):
        found = [row.id for row in rows]
    assert sorted(found) == sorted(Listing.objects.values_list("pk", flat=True))


@pytest.mark.parametrize("sort", SORTS)
def test_pages_of_fifty_follow_each_other_like_one_long_table(sort: str) -> None:
    fill(230)
    query = f"sort={sort}&docker_daemon=root&max_price=3"
    world = World.read()
    criteria, _ = Criteria.parse(QueryDict(query), world.vocabulary)
    found = pages(query)
    assert [len(page.rows) for page in found[:-1]] == [PAGE_SIZE] * (len(found) - 1)
    with every_row(criteria, NOW) as (_world, rows):
        whole = [row.id for row in rows]
    assert [row.id for page in found for row in page.rows] == whole
    assert len(whole) == found[0].match + found[0].may


@pytest.mark.parametrize("sort", ["price", "name", "freshness"])
def test_rows_that_come_and_go_between_pages_move_no_other(sort: str) -> None:
    offerings = fill(400)
    stayed = set(Listing.objects.values_list("pk", flat=True))
    random, seen = Random(7), []
    page = ask(f"sort={sort}")
    while True:
        seen += [row.id for row in page.rows]
        if not page.more:
            break
        gone = random.sample(sorted(stayed), 5)
        Listing.objects.filter(pk__in=gone).update(withdrawn_at=NOW)
        stayed -= set(gone)
        for _ in range(5):
            price = Decimal(random.randint(1, 90))
            make_listing(random.choice(offerings[:2]), usd_per_hour=price)
        page = go_on(page)
    assert len(seen) == len(set(seen))
    assert stayed <= set(seen)


def test_matches_stand_before_rows_that_may_match() -> None:
    fill(120)
    truths = [row.truth for row in rows("docker_daemon=root&sort=-price")]
    assert truths == sorted(truths, reverse=True)
    assert set(truths) == {Truth.YES, Truth.MAYBE}


def test_hidden_unknowns_are_left_out_of_rows_but_still_counted() -> None:
    fill(120)
    hidden = ask("docker_daemon=root&unknown=hide")
    assert {row.truth for row in hidden.rows} == {Truth.YES}
    assert hidden.may > 0


def test_live_prices_stand_before_dated_ones_however_cheap() -> None:
    offering = make_offering()
    snapshot = make_listing(make_offering(), origin="snapshot", usd_per_hour=Decimal(1))
    stale = make_listing(offering, usd_per_hour=Decimal(2), seen_at=NOW - timedelta(hours=13))
    fresh = make_listing(offering, usd_per_hour=Decimal(9))
    unpriced = make_listing(offering)
    expected = [fresh.pk, snapshot.pk, stale.pk, unpriced.pk]
    assert [row.id for row in rows("sort=price")] == expected


def test_what_only_the_catalog_names_is_no_listing() -> None:
    make_listing(make_offering(), make_gpu("l4"), origin="catalog")
    assert ask("").rows == ()
    assert ask("").match == ask("").may == 0


def test_listings_of_closed_offerings_and_withdrawn_ones_are_not_shown() -> None:
    make_listing(make_offering(status="closed"))
    make_listing(make_offering(provider=make_provider(status="closed")))
    make_listing(make_offering(), withdrawn_at=NOW)
    assert ask("").rows == ()


def test_each_row_says_what_is_unknown_of_it() -> None:
    make_listing(make_offering(), usd_per_hour=Decimal(2), origin="snapshot")
    result = ask("docker_daemon=root&max_price=3&region=eu")
    (row,) = result.rows
    assert list(row.unknown) == [
        "docker_daemon",
        "region",
        "max_price",
    ]


def test_the_price_shown_follows_the_divisor() -> None:
    make_listing(make_offering(), gpu_count=8, usd_per_hour=Decimal(16))
    assert [row.shown for row in ask("").rows] == [Decimal(2)]
    assert [row.shown for row in ask("per=instance").rows] == [Decimal(16)]
    assert ask("max_price=2").match == 1
    assert ask("max_price=15&per=instance").match == 0
    assert ask("max_price=48&period=day").match == 1


def test_spot_only_shows_and_limits_the_spot_price() -> None:
    make_listing(make_offering(), usd_per_hour=Decimal(4), spot_usd_per_hour=Decimal(1))
    (row,) = ask("spot_only=1&max_price=2").rows
    assert (row.truth, row.shown, row.is_spot) == (Truth.YES, Decimal(1), True)
    assert ask("max_price=2").rows == ()


@pytest.mark.parametrize(
    "query",
    [
        "docker_daemon=root&docker_daemon=none&in_stock=1",
        "gpu=h100&max_price=2",
        "gpu=h100-sxm&gpu_count=8&freshness=fresh",
        "max_price=1&per=instance&freshness=ageing&freshness=snapshot",
    ],
)
def test_facet_counts_equal_the_rows_that_a_click_brings(query: str) -> None:
    fill(150)
    result = ask(query)
    for name, facet in result.facets.items():
        for count in facet:
            clicked = listings(result.criteria.put(name, count.value), World.read(), NOW)
            assert (count.match, count.may) == (clicked.match, clicked.may), (name, count.value)


def test_totals_equal_the_rows() -> None:
    fill(150)
    for query in ("docker_daemon=root", "gpu=h100&in_stock=1", "max_price=2&gpu_count=2"):
        truths = [row.truth for row in rows(query)]
        result = ask(query)
        assert (truths.count(2), truths.count(1)) == (result.match, result.may)


def test_a_place_that_nobody_gave_out_is_named_and_ignored() -> None:
    world = World.read()
    for place in ("x", "9_1_1_1", "0_1_1", "0_1_1_1; DROP TABLE", "0_99999999999_1_1"):
        query = QueryDict(mutable=True)
        query["after"] = place
        criteria, ignored = Criteria.parse(query, world.vocabulary)
        assert [part.name for part in ignored] == ["after"]
        assert listings(criteria, world, timezone.now()).rows == ()
