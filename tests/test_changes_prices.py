"""Changes of prices and stock at a refresh: the cheapest of each offering for each GPU."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as st

from providers.changes.keep import figures
from providers.changes.prices import Standing, moved
from providers.models import Change, Gpu, GpuFamily, GpuStanding, Listing, What, Why
from providers.refresh.run import accept
from providers.sources.base import ListingRecord, StockLevel, UnreachableError, price
from tests.factories import make_offering, make_provider
from tests.query_counts import queries_of
from tests.refreshing import record, records, run

db = pytest.mark.django_db
FIVE = Decimal("0.05")


@pytest.fixture(autouse=True)
def _offerings(request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("django_db"):
        provider = make_provider("acme")
        make_offering("pods", provider)
        make_offering("vms", provider)


def told(**fields: Any) -> list[Change]:
    """On-demand changes that are no digest, in order."""
    shown = {"spot": False, "notable": True} | fields
    return list(Change.objects.exclude(what=What.DIGEST).filter(**shown).order_by("pk"))


def steps(**fields: Any) -> list[Any]:
    return [(c.what, c.usd_before, c.usd_after) for c in told(**fields)]


# --- Pure --------------------------------------------------------------------------------

_PRICES = st.none() | st.decimals("0.01", "99", places=2)
_SEEN = st.none() | st.builds(Standing, _PRICES, st.sampled_from([None, True, False]))
_THRESHOLDS = st.sampled_from([Decimal(0), FIVE, Decimal("0.5")])


@given(st.lists(_SEEN, max_size=12), _THRESHOLDS)
def test_each_change_begins_where_the_last_one_ended(
    history: list[Standing | None], threshold: Decimal
) -> None:
    standing: Standing | None = None
    for seen in history:
        found, after = moved(standing, seen, threshold)
        at = standing
        for step in found:
            assert step.before == at or step.before is None is at
            at = step.after
        assert (at is None) == (seen is None)
        if after is not None and seen is not None:
            assert after.usd == seen.usd
            assert after.in_stock == (after.in_stock if seen.in_stock is None else seen.in_stock)
            assert at is None or (at.usd, at.told) == (after.usd, after.told)
        standing = after


@given(_SEEN, _THRESHOLDS)
def test_what_stands_as_it_stood_is_no_change(seen: Standing | None, threshold: Decimal) -> None:
    _, standing = moved(None, seen, threshold)
    assert moved(standing, seen, threshold) == ([], standing)


@given(st.lists(st.decimals("0.01", "99", places=2), min_size=1, max_size=12), _THRESHOLDS)
def test_the_price_last_told_is_never_off_by_the_threshold(
    prices: list[Decimal], threshold: Decimal
) -> None:
    standing: Standing | None = None
    for usd in prices:
        _, standing = moved(standing, Standing(usd), threshold)
        assert standing is not None
        assert standing.told is not None
        assert abs(usd - standing.told) < threshold * standing.told or usd == standing.told


@pytest.mark.parametrize(
    ("usd", "notable"), [("1.91", False), ("1.90", True), ("2.09", False), ("2.10", True)]
)
def test_a_step_is_notable_from_the_threshold_on(usd: str, notable: bool) -> None:
    old = Standing(Decimal(2), None, Decimal(2))
    [step], _ = moved(old, Standing(Decimal(usd)), FIVE)
    assert (step.what, step.notable) == (What.PRICE, notable)


def test_small_steps_one_way_are_told_in_the_end() -> None:
    standing, notable = Standing(Decimal(100), None, Decimal(100)), []
    for usd in (98, 96, 94, 92):
        [step], after = moved(standing, Standing(Decimal(usd)), FIVE)
        assert after is not None
        standing = after
        notable.append(step.notable)
    assert notable == [False, False, True, False]
    assert standing.told == 94


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [(True, False, True), (False, True, True), (None, True, False), (True, None, False)],
)
def test_only_stock_that_goes_or_comes_is_told(
    before: bool | None, after: bool | None, told: bool
) -> None:
    old = Standing(Decimal(2), before, Decimal(2))
    found, _ = moved(old, Standing(Decimal(2), after), FIVE)
    assert [step.what for step in found] == ([What.STOCK] if told else [])


def test_stock_that_was_not_told_for_a_while_is_as_it_was_before() -> None:
    standing: Standing | None = Standing(Decimal(2), True, Decimal(2))
    _, standing = moved(standing, Standing(Decimal(2), None), FIVE)
    found, _ = moved(standing, Standing(Decimal(2), False), FIVE)
    assert [step.what for step in found] == [What.STOCK]


# --- A refresh ------------------------------------------------------------------------------


@db
def test_the_first_refresh_of_a_source_is_one_digest() -> None:
    run(record("a"), record("b", gpu_name="H100 SXM"), record("c", offering="acme/vms"))
    [digest] = Change.objects.all()
    assert (digest.what, digest.why, digest.source) == (What.DIGEST, Why.REFRESH, "told")
    assert digest.figures == {"first": {"offerings": 2, "gpus": 2, "prices": 3}}


@db
def test_a_refresh_that_changes_nothing_tells_nothing() -> None:
    for _ in range(3):
        run(record("a", 2, stock=StockLevel.AVAILABLE))
    assert Change.objects.count() == 1


@db
def test_the_cheapest_price_of_a_gpu_that_changes_is_told() -> None:
    run(record("a", 3), record("b", 4))
    later = run(record("a", 2), record("b", 4))
    [found] = told()
    assert steps() == [(What.PRICE, 3, 2)]
    assert (found.run, found.source, found.why) == (later, "told", Why.REFRESH)
    assert found.family == GpuFamily.objects.get(slug="l4")
    assert found.gpu == Gpu.objects.filter(slug="l4").first()


@db
def test_a_dearer_listing_that_changes_is_not_told() -> None:
    run(record("a", 3), record("b", 4))
    run(record("a", 3), record("b", 9))
    assert told() == []


@db
def test_prices_are_per_gpu() -> None:
    run(record("a", 8, gpu_count=4))
    run(record("a", 4, gpu_count=4))
    assert steps() == [(What.PRICE, 2, 1)]


@db
def test_a_small_step_is_kept_but_not_told() -> None:
    run(record("a", 2))
    run(record("a", "1.99"))
    assert told() == []
    assert steps(notable=False) == [(What.PRICE, 2, Decimal("1.99"))]


@db
@override_settings(PRICE_CHANGE_PERCENT=0.1)
def test_the_threshold_is_a_setting() -> None:
    run(record("a", 2))
    run(record("a", "1.99"))
    assert steps() == [(What.PRICE, 2, Decimal("1.99"))]


@db
def test_a_notable_price_is_told_from_the_one_last_told() -> None:
    for usd in ("2", "1.95", "1.88"):
        run(record("a", usd))
    [found] = told()
    assert found.usd_told == 2
    assert found.usd_before == Decimal("1.95")


@db
def test_a_gpu_that_is_newly_listed_and_one_that_goes_are_told() -> None:
    run(record("a", 3))
    run(record("a", 3), record("b", 5, gpu_name="H100 SXM"))
    run(record("b", 5, gpu_name="H100 SXM"))
    assert steps() == [(What.LISTED, None, 5), (What.WITHDRAWN, 3, None)]


@db
def test_a_listing_of_another_region_is_no_news_of_a_gpu() -> None:
    run(record("a", 3, region="eu"))
    run(record("a", 3, region="eu"), record("b", 3, region="us"))
    assert told() == []


@db
def test_stock_that_goes_and_comes_is_told_with_the_price() -> None:
    for stock in (StockLevel.AVAILABLE, StockLevel.NONE, StockLevel.SCARCE):
        run(record("a", 3, stock=stock))
    found: list[Any] = [(c.what, c.before, c.after, c.usd_after) for c in told()]
    assert found == [
        (What.STOCK, True, False, 3),
        (What.STOCK, False, True, 3),
    ]


@db
def test_a_gpu_is_in_stock_while_any_of_its_listings_is() -> None:
    run(record("a", 3, stock=StockLevel.AVAILABLE), record("b", 3, stock=StockLevel.AVAILABLE))
    run(record("a", 3, stock=StockLevel.NONE), record("b", 3, stock=StockLevel.AVAILABLE))
    assert told() == []


@db
def test_spot_prices_are_a_track_of_their_own() -> None:
    run(record("a", 3, spot_price=price(1)))
    run(record("a", 3, spot_price=price("0.5")))
    assert told() == []
    assert steps(spot=True) == [(What.PRICE, 1, Decimal("0.5"))]


@db
def test_volatile_figures_are_no_change() -> None:
    run(record("a", 3, extras={"disk_gb": Decimal(10)}))
    run(record("a", 3, extras={"disk_gb": Decimal(11)}, driver="580.65.06"))
    assert Change.objects.count() == 1


@db
def test_a_gpu_without_a_name_that_is_known_is_not_told() -> None:
    run(record("a", 3), record("b", 1, gpu_name="Mystery 9000"))
    run(record("a", 3), record("b", 9, gpu_name="Mystery 9000"))
    assert told() == []


@db
def test_a_run_that_fails_tells_nothing() -> None:
    run(record("a", 3))
    run(fault=UnreachableError("told: away"))
    assert Change.objects.count() == 1


@db
def test_a_batch_that_a_curator_accepts_is_told() -> None:
    run(*records(40))
    rejected = run(*records(40, 90))
    assert told() == []
    accept(rejected.rejected_batch)
    assert steps() == [(What.PRICE, 2, 90)]


@db
def test_what_stands_is_kept_once_for_each_gpu() -> None:
    for usd in (3, 2, 1):
        run(record("a", usd, spot_price=price(usd)))
    kept: Any = {(s.spot, s.usd, s.usd_told) for s in GpuStanding.objects.all()}
    assert kept == {
        (False, 1, 1),
        (True, 1, 1),
    }
    run(record("b", 1, offering="acme/vms"))
    assert [s.offering.slug for s in GpuStanding.objects.all()] == ["vms"]


@db
def test_what_a_gpu_costs_follows_from_its_changes() -> None:
    for usd in ("3", "2.9", "2", "2.01", "4"):
        run(record("a", usd))
    chain = list(Change.objects.filter(what=What.PRICE).order_by("pk"))
    assert [c.usd_before for c in chain] == [3, *(c.usd_after for c in chain[:-1])]
    assert (
        chain[-1].usd_after == GpuStanding.objects.get().usd == Listing.objects.get().usd_per_hour
    )


# --- Many at once --------------------------------------------------------------------------


def _names(count: int) -> list[str]:
    return list(Gpu.objects.order_by("pk").values_list("name", flat=True)[:count])


def many(rows: int, names: list[str], usd: object) -> list[ListingRecord]:
    return [
        record(
            f"row-{n}",
            usd,
            gpu_name=names[n % len(names)],
            offering=("acme/pods", "acme/vms")[n % len(names) % 2],
        )
        for n in range(rows)
    ]


@db
def test_a_refresh_that_changes_ten_thousand_prices_is_one_digest() -> None:
    run(record("a"))
    names = _names(60)
    run(*many(10_000, names, "2"))
    Change.objects.all().delete()
    later = run(*many(10_000, names, "1.5"))

    assert later.changed == 10_000
    [digest] = Change.objects.filter(digest=None)
    assert digest.what == What.DIGEST
    assert digest.figures["counts"] == {"price": 60}
    assert (digest.figures["fell"], digest.figures["rose"]) == (60, 0)
    assert digest.figures["fall"]["percent"] == -25.0
    assert "rise" not in digest.figures
    assert digest.members.count() == 60


@db
def test_telling_takes_as_many_queries_for_many_gpus_as_for_few() -> None:
    run(record("a"))
    names = _names(60)
    run(*many(60, names, "2"))
    few = queries_of(lambda: run(*many(60, [*names[:1], *names[1:]], "1.5")))
    many_more = queries_of(lambda: run(*many(600, names, "1")))
    assert many_more <= few + 1


@db
@override_settings(CHANGES_SINGLY=2)
def test_spot_steps_stand_behind_the_digest_but_are_not_counted() -> None:
    names = ["L4", "H100 SXM", "A100 SXM 80GB"]

    def all_at(usd: object) -> list[ListingRecord]:
        return [record(name, usd, gpu_name=name, spot_price=price(usd)) for name in names]

    run(*all_at(2))
    run(*all_at(1))
    digest = Change.objects.get(what=What.DIGEST, figures__has_key="counts")
    assert digest.figures["counts"] == {"price": 3}
    assert digest.members.count() == 6


def test_figures_name_the_steepest_steps() -> None:
    def step(before: str, after: str, offering: int) -> Change:
        usd = {"usd_before": Decimal(before), "usd_after": Decimal(after)}
        return Change(what=What.PRICE, offering_id=offering, family_id=1, **usd)

    found = figures([step("2", "1", 1), step("4", "3", 2), step("1", "3", 3)])
    assert (found["fall"]["offering"], found["fall"]["percent"]) == (1, -50.0)
    assert (found["rise"]["offering"], found["rise"]["percent"]) == (3, 200.0)
    assert (found["fell"], found["rose"], found["offerings"], found["gpus"]) == (2, 1, 3, 1)
