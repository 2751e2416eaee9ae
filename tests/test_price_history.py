"""What a GPU has cost day by day: how long a price stands, and which is the lowest."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from providers.models import Gpu, Listing, Offering, Origin, PricePoint, SourceState
from providers.price_chart import OPEN_CHARTS
from providers.price_history import (
    KEPT_DAYS,
    Series,
    family_history,
    model_history,
    offerings_history,
)
from providers.refresh.facts import ListingFacts
from providers.refresh.merge import merge
from tests.factories import NOW, make_gpu, make_listing, make_offering, make_provider

pytestmark = pytest.mark.django_db

TODAY = NOW.date()


@pytest.fixture
def gpu() -> Gpu:
    return make_gpu("h100-sxm", "h100")


@pytest.fixture
def pods() -> Offering:
    return make_offering("pods", make_provider("acme"))


def priced(
    offering: Offering, gpu: Gpu | None, points: dict[float, str | None], **fields: Any
) -> Listing:
    """A listing with a price from so many days ago on; None: from then on it had no price."""
    listing = make_listing(offering, gpu, **({"source": "acme"} | fields))
    PricePoint.objects.bulk_create(
        PricePoint(
            listing=listing, at=NOW - timedelta(days=ago), usd_per_hour=price and Decimal(price)
        )
        for ago, price in points.items()
    )
    return listing


def merged(offering: Offering, gpu: Gpu, runs: dict[int, str | None], now: datetime = NOW) -> None:
    """A listing as runs of so many days ago brought it; None: they brought nothing."""
    for days, price in runs.items():
        usd = Decimal(price or 0)
        facts = ListingFacts(gpu.name, gpu.family_id, gpu.pk, gpu_count=1, usd_per_hour=usd)
        found = [((offering.pk, "acme:a"), facts)] if usd else []
        merge(Origin.LIVE, found, now=now - timedelta(days=days), source="acme")
    SourceState.objects.update_or_create(slug="acme", defaults={"good_at": now})


def ago(series: Series) -> dict[int, Decimal]:
    """The series by how many days ago, without the zeros of the database."""
    return {(TODAY - day).days: price.normalize() for day, price in series.items()}


def of(gpu: Gpu) -> dict[int, Decimal]:
    return ago(family_history(gpu.family_id, NOW))


# --- How long a price stands -----------------------------------------------------------------


def test_a_price_stands_until_the_next_point(pods: Offering, gpu: Gpu) -> None:
    priced(pods, gpu, {3: "3", 1: "2"})
    # On the day of the change both stood.
    assert of(gpu) == {3: 3, 2: 3, 1: 2, 0: 2}


def test_a_dearer_price_is_the_lowest_from_the_day_after_on(pods: Offering, gpu: Gpu) -> None:
    priced(pods, gpu, {2: "2", 1: "3"})
    assert of(gpu) == {2: 2, 1: 2, 0: 3}


def test_a_withdrawn_listing_has_no_price_any_more(pods: Offering, gpu: Gpu) -> None:
    priced(pods, gpu, {4: "3"}, withdrawn_at=NOW - timedelta(days=2))
    assert of(gpu) == {4: 3, 3: 3, 2: 3}


def test_a_listing_that_lost_its_price_leaves_a_gap_not_a_zero(pods: Offering, gpu: Gpu) -> None:
    priced(pods, gpu, {5: "3", 4: None, 1: "2"})
    assert of(gpu) == {5: 3, 4: 3, 1: 2, 0: 2}


def test_a_listing_that_went_away_and_came_back_at_its_price_leaves_a_gap(
    pods: Offering, gpu: Gpu
) -> None:
    merged(pods, gpu, {6: "3", 5: None, 2: "3"})
    assert of(gpu) == {6: 3, 5: 3, 2: 3, 1: 3, 0: 3}


def test_a_gap_of_one_listing_is_none_while_another_is_on_offer(pods: Offering, gpu: Gpu) -> None:
    merged(pods, gpu, {6: "3", 5: None, 2: "3"})
    priced(pods, gpu, {6: "4"})
    assert of(gpu) == {6: 3, 5: 3, 4: 4, 3: 4, 2: 3, 1: 3, 0: 3}


def test_a_price_stands_no_longer_than_its_source_was_read(pods: Offering, gpu: Gpu) -> None:
    SourceState.objects.create(slug="acme", good_at=NOW - timedelta(days=3))
    priced(pods, gpu, {5: "3"}, seen_at=None)
    assert of(gpu) == {5: 3, 4: 3, 3: 3}


def test_a_row_with_a_time_of_its_own_was_seen_then(pods: Offering, gpu: Gpu) -> None:
    SourceState.objects.create(slug="acme", good_at=NOW)
    priced(pods, gpu, {5: "3"}, seen_at=NOW - timedelta(days=4))
    assert of(gpu) == {5: 3, 4: 3}


def test_a_row_of_a_source_that_left_no_state_stands_on_its_own_day(
    pods: Offering, gpu: Gpu
) -> None:
    priced(pods, gpu, {5: "3"}, seen_at=None)
    assert of(gpu) == {5: 3}


def test_the_window_is_ninety_days_and_an_older_price_may_still_stand(
    pods: Offering, gpu: Gpu
) -> None:
    priced(pods, gpu, {200: "9", 120: "3", 1: "2"})
    found = of(gpu)
    assert sorted(found) == list(range(KEPT_DAYS))
    assert {found[n] for n in range(2, KEPT_DAYS)} == {3}
    assert found[0] == 2


def test_what_went_away_before_the_window_is_not_in_it(pods: Offering, gpu: Gpu) -> None:
    priced(pods, gpu, {200: "1"}, withdrawn_at=NOW - timedelta(days=100))
    priced(pods, gpu, {200: "1", 120: None})
    assert of(gpu) == {}


def test_days_are_those_of_utc(pods: Offering, gpu: Gpu) -> None:
    late = datetime(2026, 11, 28, 23, 59, tzinfo=UTC)
    listing = make_listing(pods, gpu, withdrawn_at=late + timedelta(minutes=2))
    PricePoint.objects.create(listing=listing, at=late, usd_per_hour=2)
    assert family_history(gpu.family_id, NOW) == {date(2026, 11, 28): 2, date(2026, 11, 29): 2}


# --- Which prices count ------------------------------------------------------------------------


def test_the_lowest_of_all_listings_counts_each_day(pods: Offering, gpu: Gpu) -> None:
    priced(pods, gpu, {3: "3"})
    priced(pods, gpu, {2: "2"}, withdrawn_at=NOW - timedelta(days=1))
    assert of(gpu) == {3: 3, 2: 2, 1: 2, 0: 3}


def test_prices_are_for_one_gpu(pods: Offering, gpu: Gpu) -> None:
    priced(pods, gpu, {1: "16"}, gpu_count=8)
    priced(pods, gpu, {1: "3"})
    assert of(gpu) == {1: 2, 0: 2}


def test_spot_prices_are_not_on_demand(pods: Offering, gpu: Gpu) -> None:
    listing = priced(pods, gpu, {1: "3"})
    other = priced(pods, gpu, {})
    PricePoint.objects.create(listing=other, at=NOW, spot_usd_per_hour=1)
    PricePoint.objects.filter(listing=listing).update(spot_usd_per_hour=1)
    assert of(gpu) == {1: 3, 0: 3}


def test_the_snapshot_makes_no_history(pods: Offering, gpu: Gpu) -> None:
    priced(pods, gpu, {3: "1"}, origin=Origin.SNAPSHOT, source="")
    assert of(gpu) == {}


def test_a_model_is_not_its_family(pods: Offering, gpu: Gpu) -> None:
    nvl = make_gpu("h100-nvl", "h100")
    priced(pods, gpu, {0: "3"})
    priced(pods, nvl, {0: "2"})
    priced(pods, None, {0: "1"}, family=gpu.family, gpu_name="H100")
    assert ago(model_history(gpu.pk, NOW)) == {0: 3}
    assert ago(model_history(nvl.pk, NOW)) == {0: 2}
    assert of(gpu) == {0: 1}


def test_a_provider_has_a_series_for_each_family_at_its_own_offerings(
    pods: Offering, gpu: Gpu
) -> None:
    l4 = make_gpu("l4")
    priced(pods, gpu, {0: "3"})
    priced(pods, l4, {0: "0.5"})
    priced(pods, None, {0: "0.1"})
    priced(make_offering(), gpu, {0: "1"})
    found = offerings_history([pods.pk], NOW)
    assert {family: ago(series) for family, series in found.items()} == {
        gpu.family_id: {0: 3},
        l4.family_id: {0: Decimal("0.5")},
    }


def test_nothing_known_is_an_empty_history(gpu: Gpu) -> None:
    assert family_history(gpu.family_id, NOW) == {}
    assert model_history(gpu.pk, NOW) == {}
    assert offerings_history([], NOW) == {}


# --- Against the plain rule ----------------------------------------------------------------------

Points = dict[int, int | None]
# Hours before NOW: a price, or none from then on.
points = st.dictionaries(st.integers(0, 24 * 120), st.none() | st.integers(1, 9), max_size=5)


def plain(listings: list[Points]) -> dict[date, int]:
    """The rule itself, hour by hour: the lowest price that stood at any hour of a day."""
    first = TODAY - timedelta(days=KEPT_DAYS - 1)
    found: dict[date, int] = {}
    for listing in listings:
        ordered = sorted(listing, reverse=True)
        for start, end in pairwise([*ordered, 0]):
            price = listing[start]
            for hour in range(end, start + 1):
                day = (NOW - timedelta(hours=hour)).date()
                if price is not None and day >= first:
                    found[day] = min(price, found.get(day, price))
    return found


class PlainRule(TestCase):
    @settings(max_examples=25, deadline=None)
    @given(st.lists(points, max_size=3))
    def test_the_query_answers_as_the_plain_rule_does(self, listings: list[Points]) -> None:
        gpu, offering = make_gpu("h100-sxm", "h100"), make_offering()
        for listing in listings:
            priced(offering, gpu, {h / 24: str(p) if p else None for h, p in listing.items()})
        assert family_history(gpu.family_id, NOW) == plain(listings)


# --- On the pages --------------------------------------------------------------------------------


@pytest.fixture
def two_days(pods: Offering, gpu: Gpu) -> None:
    """Prices up to the day before yesterday: gone by the time a page is asked for."""
    listing = make_listing(pods, gpu)
    now = datetime.now(UTC)
    for days, price in ((3, "3.25"), (2, "2.75")):
        at = now - timedelta(days=days)
        PricePoint.objects.create(listing=listing, at=at, usd_per_hour=Decimal(price))
    Listing.objects.update(seen_at=now)


@pytest.mark.usefixtures("two_days")
@pytest.mark.parametrize("path", ["/gpus/h100/", "/gpus/h100-sxm/", "/providers/acme/"])
@pytest.mark.parametrize("language", ["", "/ar"])
def test_pages_draw_the_history_with_its_table(client: Client, path: str, language: str) -> None:
    html = client.get(f"{language}{path}").content.decode()
    assert html.count('<path class="course" d="M0 0h10V200h30"/>') == 1
    assert 'dir="ltr"' in html
    assert '<table class="periods">' in html
    assert "$2.75" in html
    assert "$3.25" in html


@pytest.mark.parametrize("path", ["/gpus/h100/", "/gpus/h100-sxm/", "/providers/acme/"])
def test_pages_show_a_gap_as_days_of_which_nothing_is_known(
    client: Client, pods: Offering, gpu: Gpu, path: str
) -> None:
    merged(pods, gpu, {6: "3.25", 5: None, 2: "3.25"}, datetime.now(UTC))
    html = part(client, path)
    assert '<path class="course" d="M0 100h20M40 100h30"/>' in html
    assert html.count("Nothing known") == 1
    assert "Nothing is known of 2 days." in html


@pytest.mark.usefixtures("gpu", "pods")
@pytest.mark.parametrize("path", ["/gpus/h100/", "/gpus/h100-sxm/", "/providers/acme/"])
def test_pages_without_a_history_say_so(client: Client, path: str) -> None:
    html = client.get(path).content.decode()
    assert "No live prices were seen in the last 90 days." in html
    assert "<path class=" not in html


def test_a_history_is_one_query_however_many_listings(pods: Offering, gpu: Gpu) -> None:
    for number in range(30):
        priced(pods, gpu, {80: "3", number: "2"})
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert len(of(gpu)) == 81
    assert len(queries) == 1


def part(client: Client, path: str) -> str:
    """The part of a page that shows the history."""
    html = client.get(path).content.decode()
    return html[html.index('id="history"') :].partition("</section>")[0]


@pytest.mark.usefixtures("two_days")
@pytest.mark.parametrize("path", ["/gpus/h100/", "/providers/acme/", "/ar/providers/acme/"])
def test_a_drawing_has_a_name_and_a_description_and_no_style(client: Client, path: str) -> None:
    html = part(client, path)
    (labels,) = re.findall(r'<svg role="img" aria-labelledby="([^"]+)"', html)
    described = re.findall(r'<(title|desc) id="([^"]+)">[^<]+</', html)
    assert described == list(zip(("title", "desc"), labels.split(), strict=True))
    assert "style=" not in html
    assert "<script" not in html


@pytest.mark.usefixtures("two_days")
def test_the_drawing_is_as_wide_as_its_days(client: Client) -> None:
    assert 'viewBox="0 0 40 200"' in part(client, "/gpus/h100/")


@pytest.mark.usefixtures("two_days")
def test_a_provider_leads_to_the_gpu_and_the_gpu_not_to_itself(client: Client) -> None:
    assert '<a href="/gpus/h100/">' in part(client, "/providers/acme/")
    assert '<a href="/gpus/h100/">' not in part(client, "/gpus/h100/")


def test_a_provider_of_many_gpus_folds_the_last_and_repeats_no_id(
    client: Client, pods: Offering
) -> None:
    for number in range(OPEN_CHARTS + 2):
        priced(pods, make_gpu(f"g{number}"), {3: "2", 2: "3"})
    html = part(client, "/providers/acme/")
    before, after = html.split("<b>2 more GPUs</b>")
    assert before.count("<svg role") == OPEN_CHARTS
    assert after.count("<svg role") == 2
    ids = re.findall(r'id="(history-[^"]+)"', html)
    assert len(ids) == len(set(ids))


def test_a_history_of_one_day_is_said_with_its_day(
    client: Client, pods: Offering, gpu: Gpu
) -> None:
    now = datetime.now(UTC)
    listing = make_listing(pods, gpu, seen_at=now)
    PricePoint.objects.create(listing=listing, at=now, usd_per_hour=2)
    for path in ("/gpus/h100/", "/providers/acme/"):
        assert "Prices are kept since " in part(client, path)
        assert "<svg" not in part(client, path)
