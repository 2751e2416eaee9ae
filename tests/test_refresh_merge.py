"""A merge writes what differs and nothing else, and loses nothing."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import F
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from providers.models import Listing, Origin, PricePoint
from providers.refresh.facts import Key, ListingFacts
from providers.refresh.merge import Counts, merge
from tests.factories import NOW, make_gpu, make_listing, make_offering

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)


def facts(**fields: Any) -> ListingFacts:
    defaults: dict[str, Any] = {"gpu_name": "H100", "family_id": None, "gpu_id": None}
    return ListingFacts(**(defaults | {"gpu_count": 1} | fields))


def live(rows: Mapping[Key, ListingFacts], **options: Any) -> Counts:
    defaults: dict[str, Any] = {"now": NOW, "source": "vast"}
    return merge(Origin.LIVE, rows.items(), **(defaults | options))


@pytest.fixture
def key() -> Key:
    return make_offering().pk, "vast:1"


def the_listing() -> Listing:
    return Listing.objects.get()


def test_a_new_row_is_inserted_with_its_facts_and_a_price_point(key: Key) -> None:
    gpu = make_gpu("h100-sxm", "h100")
    row = facts(
        gpu_id=gpu.pk,
        family_id=gpu.family_id,
        usd_per_hour=Decimal("2.5"),
        driver="580.126.20",
        cuda="13.0",
        stated_price="250",
        stated_unit="cents",
        extras={"disk_gb": 8},
    )
    assert live({key: row}) == Counts(new=1)
    listing = the_listing()
    assert (listing.offering_id, listing.key) == key
    assert (listing.gpu, listing.driver_key, listing.cuda_key) == (gpu, [580, 126, 20], [13, 0])
    assert (listing.first_seen, listing.seen_at, listing.extras) == (NOW, None, {"disk_gb": 8})
    assert list(listing.price_points.values_list("at", "usd_per_hour")) == [(NOW, Decimal("2.5"))]


def test_an_unchanged_row_is_not_written(key: Key) -> None:
    live({key: facts(usd_per_hour=Decimal(2))})
    before = row_version()
    counts = live({key: facts(usd_per_hour=Decimal("2.000"))}, now=LATER)
    assert counts == Counts(unchanged=1)
    assert row_version() == before
    assert PricePoint.objects.count() == 1


def row_version() -> tuple[Any, ...]:
    """Where the row lies on disk and who wrote it: both change with every write."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT ctid, cmin::text FROM providers_listing")
        return tuple(cursor.fetchall())


def test_volatile_figures_are_no_change_but_go_along_with_one(key: Key) -> None:
    live({key: facts(extras={"disk_gb": 1})})
    assert live({key: facts(extras={"disk_gb": 2})}, now=LATER) == Counts(unchanged=1)
    live({key: facts(extras={"disk_gb": 3}, region="eu")}, now=LATER)
    assert the_listing().extras == {"disk_gb": 3}


def test_another_price_appends_a_point_and_another_fact_does_not(key: Key) -> None:
    live({key: facts(usd_per_hour=Decimal(2))})
    assert live({key: facts(usd_per_hour=Decimal(3))}, now=LATER) == Counts(changed=1)
    live({key: facts(usd_per_hour=Decimal(3), region="eu")}, now=LATER + timedelta(hours=1))
    points = list(PricePoint.objects.order_by("at").values_list("at", "usd_per_hour"))
    assert points == [(NOW, Decimal(2)), (LATER, Decimal(3))]


def test_a_row_that_went_away_is_withdrawn_and_comes_back_as_itself(key: Key) -> None:
    live({key: facts(usd_per_hour=Decimal(2))})
    first = the_listing()
    assert live({}, now=LATER) == Counts(withdrawn=1)
    assert the_listing().withdrawn_at == LATER
    assert live({}, now=LATER) == Counts()
    assert live({key: facts(usd_per_hour=Decimal(2))}, now=LATER) == Counts(changed=1)
    assert (the_listing().pk, the_listing().withdrawn_at) == (first.pk, None)


EVEN_LATER = LATER + timedelta(hours=1)
TWO, THREE = facts(usd_per_hour=Decimal(2)), facts(usd_per_hour=Decimal(3))


def price_points() -> list[tuple[datetime, Decimal | None, Decimal | None]]:
    names = ("at", "usd_per_hour", "spot_usd_per_hour")
    return list(PricePoint.objects.order_by("at").values_list(*names))


@pytest.mark.parametrize("after", [TWO, THREE])
def test_a_listing_that_comes_back_leaves_a_gap_in_its_prices(
    key: Key, after: ListingFacts
) -> None:
    live({key: TWO})
    live({}, now=LATER)
    live({key: after}, now=EVEN_LATER)
    assert price_points() == [
        (NOW, Decimal(2), None),
        (LATER, None, None),
        (EVEN_LATER, after.usd_per_hour, None),
    ]


def test_a_listing_that_has_only_a_spot_price_leaves_a_gap_too(key: Key) -> None:
    row = facts(spot_usd_per_hour=Decimal(1))
    for now, batch in ((NOW, {key: row}), (LATER, {}), (EVEN_LATER, {key: row})):
        live(batch, now=now)
    assert price_points() == [
        (NOW, None, Decimal(1)),
        (LATER, None, None),
        (EVEN_LATER, None, Decimal(1)),
    ]


def test_a_withdrawal_writes_no_price_and_what_stays_away_is_not_written_again(key: Key) -> None:
    live({key: TWO})
    live({}, now=LATER)
    assert price_points() == [(NOW, Decimal(2), None)]
    before = row_version()
    live({}, now=EVEN_LATER)
    assert (row_version(), PricePoint.objects.count()) == (before, 1)


def test_a_listing_that_never_had_a_price_leaves_none_behind(key: Key) -> None:
    for now, batch in ((NOW, {key: facts()}), (LATER, {}), (EVEN_LATER, {key: facts()})):
        live(batch, now=now)
    assert price_points() == []


def test_a_listing_that_comes_back_without_its_price_has_none_from_its_withdrawal_on(
    key: Key,
) -> None:
    for now, batch in ((NOW, {key: TWO}), (LATER, {}), (EVEN_LATER, {key: facts()})):
        live(batch, now=now)
    assert price_points()[:2] == [(NOW, Decimal(2), None), (LATER, None, None)]
    assert {usd for _at, usd, _spot in price_points()[2:]} <= {None}


def test_a_listing_that_goes_and_comes_at_one_time_keeps_its_price_at_that_time(key: Key) -> None:
    live({key: TWO})
    live({}, now=NOW)
    live({key: TWO}, now=NOW)
    assert price_points() == [(NOW, Decimal(2), None)]


def test_two_gaps_are_two(key: Key) -> None:
    for hour, batch in enumerate(({key: TWO}, {}, {key: TWO}, {}, {key: TWO})):
        live(batch, now=NOW + timedelta(hours=hour))
    assert [usd for _at, usd, _spot in price_points()] == [2, None, 2, None, 2]


def test_a_dated_row_that_comes_back_as_of_before_has_no_gap(key: Key) -> None:
    dated: dict[str, Any] = {"source": "", "dated": True}
    row = {key: facts(usd_per_hour=Decimal(2), seen_at=NOW)}
    for now, batch in ((NOW, row), (LATER, {}), (EVEN_LATER, row)):
        merge(Origin.SNAPSHOT, batch.items(), now=now, **dated)
    assert price_points() == [(NOW, Decimal(2), None)]


def test_a_kept_row_stays_though_the_batch_could_not_read_it(key: Key) -> None:
    live({key: facts()})
    assert live({}, kept=[key], now=LATER) == Counts()
    assert the_listing().withdrawn_at is None


def test_a_row_that_had_a_time_of_its_own_loses_it_when_seen_again(key: Key) -> None:
    live({key: facts()})
    Listing.objects.update(seen_at=NOW)
    assert live({key: facts()}, now=LATER) == Counts(changed=1)
    assert the_listing().seen_at is None


def test_other_sources_and_origins_are_left_alone(key: Key) -> None:
    offering_id, _ = key
    snapshot = make_listing(make_offering(), origin=Origin.SNAPSHOT)
    live({key: facts()}, source="runpod")
    live({(offering_id, "vast:2"): facts()})
    assert live({}) == Counts(withdrawn=1)
    still = Listing.objects.filter(withdrawn_at=None)
    assert set(still.values_list("key", flat=True)) == {snapshot.key, "vast:1"}


def test_a_key_of_another_source_is_an_error_not_a_theft(key: Key) -> None:
    live({key: facts()}, source="runpod")
    with pytest.raises(IntegrityError), transaction.atomic():
        live({key: facts()})


def test_the_database_refuses_a_price_of_zero_whatever_the_batch_says(key: Key) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        live({key: facts(usd_per_hour=Decimal(0))})
    assert not Listing.objects.exists()


def test_two_merges_fit_in_one_transaction(key: Key) -> None:
    with transaction.atomic():
        live({key: facts()})
        live({key: facts(region="eu")})
    assert the_listing().region == "eu"


PRICES = st.sampled_from([None, Decimal(1), Decimal(2)])
BATCHES = st.dictionaries(
    st.sampled_from(["a", "b", "c", "d"]), st.tuples(PRICES, PRICES, st.sampled_from(["", "eu"]))
)


@settings(
    max_examples=30,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(BATCHES, min_size=1, max_size=4))
@example([{"a": (Decimal(2), None, "")}, {}, {"a": (Decimal(2), None, "")}])
def test_after_any_batches_the_table_says_what_the_last_one_said(batches: list[Any]) -> None:
    with transaction.atomic():
        offering = make_offering().pk
        seen: set[str] = set()
        for hour, batch in enumerate(batches):
            rows = {
                (offering, key): facts(usd_per_hour=usd, spot_usd_per_hour=spot, region=region)
                for key, (usd, spot, region) in batch.items()
            }
            counts = live(rows, now=NOW + timedelta(hours=hour))
            assert counts.new == len(batch.keys() - seen)
            assert counts.new + counts.changed + counts.unchanged == len(batch)
            seen |= batch.keys()
        said = Listing.objects.filter(withdrawn_at=None).values_list(
            "key", "usd_per_hour", "spot_usd_per_hour", "region"
        )
        assert {k: (usd, spot, region) for k, usd, spot, region in said} == batches[-1]
        assert Listing.objects.count() == len(seen)
        assert_last_points_are_current()
        for key in seen:
            said_each_hour = [batch.get(key, (None, None))[:2] for batch in batches]
            assert kept_each_hour(key, len(batches)) == said_each_hour
        transaction.set_rollback(True)


def kept_each_hour(key: str, hours: int) -> list[tuple[Decimal | None, Decimal | None]]:
    """The prices of each hour as a reader of the points finds them."""
    listing = Listing.objects.get(key=key)
    found: list[tuple[Decimal | None, Decimal | None]] = []
    for at in (NOW + timedelta(hours=hour) for hour in range(hours)):
        gone = listing.withdrawn_at is not None and listing.withdrawn_at <= at
        point = None if gone else listing.price_points.filter(at__lte=at).order_by("-at").first()
        found.append((point.usd_per_hour, point.spot_usd_per_hour) if point else (None, None))
    return found


def assert_last_points_are_current() -> None:
    for listing in Listing.objects.exclude(usd_per_hour=None, spot_usd_per_hour=None):
        last = listing.price_points.order_by(F("at").desc()).first()
        assert last is not None
        assert (last.usd_per_hour, last.spot_usd_per_hour) == (
            listing.usd_per_hour,
            listing.spot_usd_per_hour,
        )
