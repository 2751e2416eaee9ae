"""On /check/: the first start beside each verdict, and the total of a job as an order of rows."""

from __future__ import annotations

import re
from decimal import Decimal
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.test import Client

from checks.start.figures import money, short
from providers.browse.criteria import Criteria
from providers.models import Listing, Offering
from tests.factories import make_claim, make_gpu, make_listing, make_offering
from tests.page_text import text
from tests.query_counts import queries_of
from tests.starting import COLD, IMAGE, known_image, market, notices, tables

pytestmark = pytest.mark.django_db

CHECK = f"/check/?image={IMAGE}"
BY_HAND = "/check/?cuda=12.4&framework=torch&release=2.6.0"


def first_starts(response: Any) -> list[str]:
    """What stands beside the verdicts, in the order of the rows."""
    found = re.findall(r'<p class="first">(.*?)</p>', response.content.decode())
    return [" ".join(unescape(re.sub(r"<[^>]+>", " ", one)).split()) for one in found]


def links(response: Any, path: str) -> list[str]:
    html = response.content.decode().partition("<main")[2]
    return [unescape(link) for link in re.findall(rf'href="({path}\?[^"]*)"', html)]


@pytest.fixture(autouse=True)
def _known() -> None:
    known_image()


def test_each_offering_shows_minutes_and_money_of_its_first_start(client: Client) -> None:
    market("2", "")
    shown = first_starts(client.get(CHECK))
    assert re.fullmatch(
        r"First start Cloud-0 Pods 1.9 min, \$[\d.]+ · Launch Cloud-0 Pods", shown[0]
    )
    assert shown[1] == "First start Cloud-1 Pods 1.9 min · Launch Cloud-1 Pods"


def test_the_figures_are_those_of_the_first_start_s_own_page(client: Client) -> None:
    market("3", "1", "2")
    ranking = tables(client.get(f"{COLD}&hours=20"))["ranking"]
    shown = first_starts(client.get(f"{CHECK}&hours=20&sort=total"))
    assert len(shown) == len(ranking) == 3
    for row, line in zip(ranking, shown, strict=True):
        name, start, usd, total = (row[at] for at in (0, 3, 4, 5))
        minutes, cost, whole = (Decimal(told[1][0]) for told in (start, usd, total))
        assert line.startswith(
            f"First start {name[0]} {short(minutes)}, {money(cost, Criteria())}; "
            f"20 h: {money(whole, Criteria())}, without traffic"
        )


def test_the_total_stands_there_where_hours_are_given(client: Client) -> None:
    market("2")
    assert " h: " not in first_starts(client.get(CHECK))[0]
    assert "; 3 h: $6." in first_starts(client.get(f"{CHECK}&hours=3"))[0]


def test_the_total_is_one_of_the_orders(client: Client) -> None:
    market("3", "1", "2")
    response = client.get(f"{CHECK}&sort=total")
    names = [re.match(r"First start (\S+)", one) for one in first_starts(response)]
    assert [n and n[1] for n in names] == ["Cloud-1", "Cloud-2", "Cloud-0"]
    assert "Lowest total of a job first" in text(response)
    assert notices(response) == []


def test_a_long_start_counts_in_the_order_that_the_price_does_not_see(client: Client) -> None:
    """A short job is cheaper where the pull is free, though the hour is dearer."""
    free, paid = market("2.1", "2", billing_increment_s=1)
    Offering.objects.filter(pk=free.pk).update(billed_during_pull=False)
    Offering.objects.filter(pk=paid.pk).update(billed_during_pull=True)

    def first(query: str) -> str:
        return first_starts(client.get(f"{CHECK}&{query}"))[0].split()[2]

    assert first("sort=price") == "Cloud-1"
    assert first("sort=total&hours=0.1") == "Cloud-0"
    assert first("sort=total&hours=500") == "Cloud-1"


def test_where_it_runs_stands_before_what_is_cheaper(client: Client) -> None:
    cheap, _dear = market("1", "5")
    Offering.objects.filter(pk=cheap.pk).update(custom_image="contract")
    shown = first_starts(client.get(f"{CHECK}&sort=total"))
    assert shown[0].startswith("First start Cloud-1")


def test_links_lead_to_the_first_start_and_the_launch_with_all_criteria(client: Client) -> None:
    market("2")
    response = client.get(f"{CHECK}&gpu=h100&kind=container_cloud&hours=3&ready_s=9")
    wanted = {
        ("image", IMAGE),
        ("o", "cloud-0/pods"),
        ("kind", "container_cloud"),
        ("hours", "3"),
        ("ready_s", "9"),
    }
    for path, gpu in (("/cold-start/", "h100"), ("/launch/", "h100-sxm")):
        (link,) = (link for link in links(response, path) if "&o=" in link)
        assert set(parse_qsl(urlsplit(link).query)) == wanted | {("gpu", gpu)}
        assert client.get(link).status_code == 200


def test_every_link_of_the_page_keeps_the_job(client: Client) -> None:
    market("2")
    response = client.get(f"{CHECK}&hours=3&cached=1")
    found = [link for link in links(response, "/check/") if "format=" not in link]
    assert len(found) > 20
    wanted = {("image", IMAGE), ("hours", "3"), ("cached", "1")}
    assert [one for one in found if not wanted <= set(parse_qsl(urlsplit(one).query))] == []


def test_the_form_ranks_by_the_total_under_the_same_filters(client: Client) -> None:
    market("2")
    html = client.get(f"{CHECK}&gpu=h100&hours=3").content.decode()
    form = html[html.index('<div class="job">') :].partition("</form>")[0]
    assert 'name="hours" value="3"' in form
    hidden = re.findall(r'type="hidden" name="([^"]+)" value="([^"]+)"', form)
    assert hidden == [("image", IMAGE), ("gpu", "h100"), ("sort", "total")]


def test_the_first_start_is_there_in_full_also_where_the_size_is_still_to_be_told(
    client: Client,
) -> None:
    market("2")
    (link,) = links(client.get(f"{BY_HAND}&gpu=h100"), "/cold-start/")
    assert link == f"{BY_HAND.replace('check', 'cold-start')}&gpu=h100"
    assert "or its compressed size, GB" in text(client.get(link))


def test_without_a_size_nothing_is_said_of_a_start(client: Client) -> None:
    market("2")
    response = client.get(BY_HAND)
    assert first_starts(response) == []
    assert "Lowest total of a job first" not in text(response)
    assert first_starts(client.get(f"{BY_HAND}&compressed_gb=5")) != []


def test_an_order_that_cannot_be_is_that_of_cost(client: Client) -> None:
    """A page whose image has no size is asked for a total: it stands as it would without."""
    market("3", "1")
    assert client.get(f"{BY_HAND}&sort=total").status_code == 200


@pytest.mark.parametrize("path", ["/", "/listings/"])
def test_pages_that_compute_no_total_know_no_such_order(client: Client, path: str) -> None:
    allowed = "allowed: name, price, -price, freshness, known"
    assert f"ignored: sort=total; {allowed}" in text(client.get(f"{path}?sort=total"))


def test_the_api_has_the_orders_that_it_computes(client: Client) -> None:
    assert client.get("/api/v1/check?cuda=12.4&sort=total").status_code == 422


def test_what_of_a_job_is_not_understood_is_named(client: Client) -> None:
    market("2")
    assert notices(client.get(f"{CHECK}&hours=long")) == [
        "ignored: hours=long; allowed: a number from 0.01 to 100000"
    ]
    assert notices(client.get(f"{CHECK}&o=cloud-0/pods")) == [
        "ignored: o=cloud-0/pods; there is no such filter"
    ]


def test_exports_keep_the_order(client: Client) -> None:
    market("3", "1")
    told = b"".join(client.get(f"{CHECK}&sort=total&format=csv")).decode()
    assert told.index("Cloud-1") < told.index("Cloud-0")


@pytest.mark.parametrize("query", ["", "&hours=10", "&sort=total&gpu=h100"])
def test_more_offerings_take_no_more_queries(client: Client, query: str) -> None:
    market("2")
    few = queries_of(lambda: client.get(CHECK + query))
    for n in range(20):
        offering = make_offering(f"more-{n}", custom_image="any")
        make_claim(offering, "custom_image", "any")
        make_listing(offering, make_gpu(f"gpu-{n}", "h100"), usd_per_hour=n + 1)
    # Six of them read the listings, which a test keeps nowhere.
    assert queries_of(lambda: client.get(CHECK + query)) == few <= 20


def test_a_listing_that_went_away_meanwhile_is_a_price_not_known(client: Client) -> None:
    market("2")
    Listing.objects.all().delete()
    assert client.get(CHECK).status_code == 200
