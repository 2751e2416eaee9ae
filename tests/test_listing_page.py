"""One listing, opened: its address, its price with every divisor, what was stated, its course."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from providers.listing_facts import POINTS_SHOWN
from providers.models import Listing, Offering, PricePoint
from tests.factories import NOW, make_claim, make_gpu, make_listing
from tests.opened_listings import dated, live, make_pods, opened

pytestmark = pytest.mark.django_db
pods = pytest.fixture(make_pods)

# --- Its address --------------------------------------------------------------------------


def test_a_listing_has_a_page_that_names_its_offering(client: Client, pods: Offering) -> None:
    listing = live(pods, gpu_name="H100 SXM")
    response = client.get(f"/listings/{listing.pk}/")
    assert response.status_code == 200
    page = response.content.decode()
    assert "8 × H100 SXM" in page
    assert 'href="/providers/acme/#pods"' in page


@pytest.mark.parametrize("number", ["0", "99999999", "9" * 40])
def test_a_listing_that_is_not_there_is_told_on_a_page_of_the_site(
    client: Client, number: str
) -> None:
    response = client.get(f"/listings/{number}/")
    assert response.status_code == 404
    assert "There is nothing at this address" in response.content.decode()


def test_what_only_the_catalog_names_is_no_listing(client: Client, pods: Offering) -> None:
    named = make_listing(pods, make_gpu("l4"), origin="catalog")
    assert client.get(f"/listings/{named.pk}/").status_code == 404


def test_it_is_read_and_not_posted_to(client: Client, pods: Offering) -> None:
    assert client.post(f"/listings/{live(pods).pk}/").status_code == 405


def test_htmx_gets_the_opened_listing_alone(client: Client, pods: Offering) -> None:
    path = f"/listings/{live(pods).pk}/"
    whole = client.get(path).content.decode()
    response = client.get(path, headers={"HX-Request": "true"})
    part = response.content.decode().strip()
    assert part.startswith("<article")
    assert part in whole
    assert "HX-Request" in response["Vary"]


def test_a_row_of_the_table_leads_to_it(client: Client, pods: Offering) -> None:
    listing = live(pods)
    (row,) = client.get("/listings/").context["page"].rows
    assert row.url == f"/listings/{listing.pk}/"
    assert f'data-cells><a href="{row.url}"' in client.get("/listings/").content.decode()


def test_opening_costs_the_same_with_more_prices_and_claims(client: Client, pods: Offering) -> None:
    def queries_made(listing: Listing) -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get(f"/listings/{listing.pk}/")
        return len(captured)

    listing = live(pods, seen_at=None)
    few = queries_made(listing)
    for hours in range(40):
        moved(listing, hours, 10)
    make_claim(pods, "docker_daemon", "root")
    make_claim(pods, "custom_image", "any")
    assert queries_made(listing) == few == queries_made(dated(pods)) == 5


def test_what_others_wrote_is_text_and_never_markup(client: Client, pods: Offering) -> None:
    evil = "<script>alert(1)</script>"
    listing = live(pods, gpu_name=evil, region=evil, tier=evil, stated_price=evil)
    page = client.get(f"/listings/{listing.pk}/").content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


# --- Prices -------------------------------------------------------------------------------


def test_the_price_of_one_gpu_stands_with_its_divisor(pods: Offering) -> None:
    page = opened(live(pods))
    assert (page.price.amount, page.price.divisor) == ("2.00", "$16.00 ÷ 8")
    assert f"{page.sign}{page.price.amount}{page.divisors}" == "$2.00 / GPU / hour"


def test_every_price_is_told_for_an_hour_a_day_and_730_hours(pods: Offering) -> None:
    page = opened(live(pods, spot_usd_per_hour=Decimal(8)))
    assert {str(line.label): line.amounts for line in page.lines} == {
        "On demand, one GPU": ("$2.00", "$48.00", "$1460.00"),
        "On demand, the instance": ("$16.00", "$384.00", "$11680.00"),
        "Spot, one GPU": ("$1.00", "$24.00", "$730.00"),
        "Spot, the instance": ("$8.00", "$192.00", "$5840.00"),
    }


def test_one_gpu_is_its_instance(pods: Offering) -> None:
    page = opened(live(pods, gpu_count=1))
    assert [line.label for line in page.lines] == ["On demand, one GPU"]
    assert page.price.divisor == ""


def test_a_spot_price_that_stands_alone_says_that_it_is_one(client: Client, pods: Offering) -> None:
    listing = live(pods, usd_per_hour=None, spot_usd_per_hour=Decimal(4))
    page = opened(listing)
    assert (page.price.amount, page.price.spot) == ("0.50", True)
    assert "<span>spot</span>" in client.get(f"/listings/{listing.pk}/").content.decode()


def test_without_a_price_it_is_not_called_free(client: Client, pods: Offering) -> None:
    listing = live(pods, usd_per_hour=None, stated_price="")
    assert opened(listing).lines == ()
    assert "does not make it free" in client.get(f"/listings/{listing.pk}/").content.decode()


# --- What was stated ----------------------------------------------------------------------


def test_what_the_source_stated_stands_as_it_wrote_it(client: Client, pods: Offering) -> None:
    listing = live(pods, stated_price="1600", stated_unit="EUR / gpu / month")
    stated = opened(listing).stated
    assert (stated.price, stated.unit) == ("1600", "EUR / GPU / month")
    assert [str(step).partition(":")[0] for step in stated.steps] == [
        "Stated for one GPU",
        "Stated for a month",
        "Stated in EUR",
    ]
    page = client.get(f"/listings/{listing.pk}/").content.decode()
    assert '<code class="ltr">1600</code>' in page
    assert "8 times that" in page
    assert "one of 730" in page


def test_what_was_stated_for_an_instance_in_dollars_needs_no_step(pods: Offering) -> None:
    assert opened(live(pods)).stated.steps == ()


@pytest.mark.parametrize("unit", ["", "USD", "USD / rack / hour", "USD / gpu / year"])
def test_a_unit_that_is_not_understood_is_left_out(pods: Offering, unit: str) -> None:
    stated = opened(live(pods, stated_unit=unit)).stated
    assert (stated.price, stated.unit, stated.steps) == ("16.00", "", ())


def test_a_dated_price_was_stated_for_one_gpu(pods: Offering) -> None:
    stated = opened(dated(pods, gpu_count=8, usd_per_hour=Decimal("19.92"))).stated
    assert (stated.price, stated.spot, stated.unit) == ("2.49", "", "USD / GPU / hour")
    assert "8 times" in str(stated.steps[0])


# --- How its price moved ------------------------------------------------------------------


def moved(listing: Listing, hours_ago: int, usd: int | str | None) -> PricePoint:
    return listing.price_points.create(
        at=NOW - timedelta(hours=hours_ago),
        usd_per_hour=None if usd is None else Decimal(usd),
    )


def test_prices_stand_from_the_latest_with_their_steps(pods: Offering) -> None:
    listing = live(pods)
    for hours, usd in ((1, 16), (5, 20), (9, 20), (20, 10)):
        moved(listing, hours, usd)
    points = opened(listing).points
    assert [(point.price, point.change) for point in points] == [
        ("2.00", "−20.0 %"),
        ("2.50", ""),
        ("2.50", "+100.0 %"),
        ("1.25", ""),
    ]
    assert (points[0].at, points[0].iso) == ("30 Nov 2026, 11:00", "2026-11-30T11:00:00+00:00")


def test_a_price_that_came_or_went_has_no_step(pods: Offering) -> None:
    listing = live(pods)
    for hours, usd in ((1, 16), (5, None), (9, 8)):
        moved(listing, hours, usd)
    assert [(p.price, p.change) for p in opened(listing).points] == [
        ("2.00", ""),
        ("", ""),
        ("1.00", ""),
    ]


def test_a_single_price_has_not_moved(client: Client, pods: Offering) -> None:
    listing = live(pods)
    moved(listing, 5, 16)
    assert opened(listing).unmoved == "30 Nov 2026, 07:00"
    assert "has not moved since" in client.get(f"/listings/{listing.pk}/").content.decode()


def test_the_latest_prices_stand_and_older_ones_are_said_to_be_kept(
    client: Client, pods: Offering
) -> None:
    listing = live(pods)
    for hours in range(POINTS_SHOWN):
        moved(listing, hours, hours + 1)
    assert (len(opened(listing).points), opened(listing).older) == (POINTS_SHOWN, False)
    moved(listing, POINTS_SHOWN, 1)
    page = opened(listing)
    assert (len(page.points), page.older) == (POINTS_SHOWN, True)
    assert page.points[-1].change == "+2900.0 %"  # its step is from one that is not shown
    assert "Older prices are kept" in client.get(f"/listings/{listing.pk}/").content.decode()


def test_one_reading_of_a_page_is_no_course(pods: Offering) -> None:
    listing = dated(pods)
    moved(listing, 5, 4)
    assert opened(listing).points == ()
