"""The ranking of /cold-start/: which offerings stand in it, in which order, and as a download."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from providers.models import Listing, Offering
from tests.factories import NOW, make_listing
from tests.page_text import text
from tests.starting import CASES, COLD, SIZED, known_image, market, notices, tables

pytestmark = pytest.mark.django_db


def names(response: Any) -> list[str]:
    """The offerings of the ranking in their order."""
    return [row[0][0] for row in tables(response)["ranking"]]


def test_offerings_are_ranked_by_the_total_of_the_job(client: Client) -> None:
    market("3", "1", "2")
    response = client.get(f"{SIZED}&hours=10")
    assert names(response) == ["Cloud-1 Pods", "Cloud-2 Pods", "Cloud-0 Pods"]
    totals = [Decimal(row[4][1][0]) for row in tables(response)["ranking"]]
    assert totals == sorted(totals)
    assert totals[0] > 10
    assert "A job of 10 hours at 3 offerings" in text(response)


def test_a_dear_long_start_can_turn_the_order(client: Client) -> None:
    """A short job is cheaper where the pull is free, a long one where the hour is."""
    free, paid = market("2.1", "2")
    Offering.objects.filter(pk=free.pk).update(billed_during_pull=False, billing_increment_s=1)
    Offering.objects.filter(pk=paid.pk).update(billed_during_pull=True, billing_increment_s=1)
    assert names(client.get(f"{SIZED}&hours=0.1"))[0] == "Cloud-0 Pods"
    assert names(client.get(f"{SIZED}&hours=100"))[0] == "Cloud-1 Pods"


def test_dated_prices_stand_behind_live_ones(client: Client) -> None:
    market("1", "2")
    Listing.objects.filter(usd_per_hour=1).update(origin="snapshot", seen_at=NOW)
    response = client.get(SIZED)
    assert names(response) == ["Cloud-1 Pods", "Cloud-0 Pods"]
    assert "Prices marked as a snapshot were read on 30 November 2026." in text(response)


def test_where_it_fails_is_left_out_and_counted(client: Client) -> None:
    known_image()
    fails, _runs = market("1", "2")
    Offering.objects.filter(pk=fails.pk).update(custom_image="curated_only")
    response = client.get(COLD)
    assert names(response) == ["Cloud-1 Pods"]
    assert "1 offering is left out: the image fails there." in text(response)


def test_an_offering_that_is_named_stands_there_although_it_fails(client: Client) -> None:
    known_image()
    fails, _runs = market("1", "2")
    Offering.objects.filter(pk=fails.pk).update(custom_image="curated_only")
    response = client.get(f"{COLD}&o=cloud-0/pods")
    assert names(response) == ["Cloud-0 Pods"]
    assert tables(response)["ranking"][0][1][0] == "Fails"


def test_of_an_image_known_by_its_size_there_is_no_verdict(client: Client) -> None:
    market("1")
    assert "Verdict" not in text(client.get(SIZED))


def test_the_price_counts_that_the_filters_leave(client: Client) -> None:
    (offering,) = market("1")
    make_listing(offering, None, region="eu", usd_per_hour=5)
    page = text(client.get(f"{SIZED}&region=eu"))
    assert "at $5.00 an hour" in page


def test_filters_that_leave_nothing_say_so(client: Client) -> None:
    market("1")
    response = client.get(f"{SIZED}&provider=cloud-0&docker_daemon=root&unknown=hide&max_price=0.1")
    assert "No offering is left under these filters" in text(response)
    assert "/check/?" in response.content.decode()


def test_disk_is_part_of_the_total_where_its_price_is_known(client: Client) -> None:
    market("1", "1")
    first = Listing.objects.order_by("pk")[0]
    Listing.objects.filter(pk=first.pk).update(
        extras={"disk_usd_gb_month": "0.73", "inet_down_usd_gb": "0"}
    )
    rows = {row[0][0]: row for row in tables(client.get(f"{SIZED}&disk_gb=1000"))["ranking"]}
    assert "without" not in rows["Cloud-0 Pods"][4][0]
    assert rows["Cloud-1 Pods"][4][0].endswith("without disk, traffic")
    known, unknown = (Decimal(rows[f"Cloud-{n} Pods"][4][1][0]) for n in (0, 1))
    assert known - unknown > 8


def test_the_ranking_can_be_downloaded_with_its_exact_figures(client: Client) -> None:
    market("3", "", "1")
    page = tables(client.get(f"{SIZED}&hours=10"))["ranking"]
    response = client.get(f"{SIZED}&hours=10&format=json")
    rows = json.loads(b"".join(response))["rows"]
    assert [row["provider"] for row in rows] == ["cloud-2", "cloud-0", "cloud-1"]
    for shown, row in zip(page, rows, strict=True):
        likely, low, high = map(Decimal, shown[2][1])
        assert [Decimal(row[f"start_{case}_s"]) for case in CASES] == [low, likely, high]
        assert (row["total_likely_usd"] is None) == (shown[4][1] == [])
    first = rows[0]
    assert (first["gpu"], first["usd_per_hour"], first["hours"]) == ("H100-SXM", "1.000000", "10")
    assert first["verdict"] is None
    assert first["not_in_total"] == ["traffic"]


@pytest.mark.parametrize("wanted", ["csv", "md"])
def test_other_formats_hold_the_same_rows(client: Client, wanted: str) -> None:
    market("3", "1")
    told = b"".join(client.get(f"{SIZED}&format={wanted}")).decode()
    assert told.index("cloud-1") < told.index("cloud-0")
    assert (
        f"{SIZED.replace('&', '&amp;')}&amp;format={wanted}" in client.get(SIZED).content.decode()
    )


def test_a_format_that_there_is_not_is_named(client: Client) -> None:
    market("1")
    (said,) = notices(client.get(f"{SIZED}&format=pdf"))
    assert said.startswith("ignored: format=pdf; allowed: csv, json, md")
