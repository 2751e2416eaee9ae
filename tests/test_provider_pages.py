"""A provider in two minutes: main answers first, prices, what is open and how to settle it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from providers import queries
from providers.browse.criteria import Criteria
from providers.dimensions import DIMENSIONS, MAIN
from providers.models import Gpu, Offering, Origin, Provider
from providers.provider_pages import ProviderPage, provider_page
from providers.resolve import resolve_offerings
from tests.factories import (
    NOW,
    make_claim,
    make_gpu,
    make_listing,
    make_offering,
    make_provider,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def acme() -> Provider:
    return make_provider("acme")


@pytest.fixture
def pods(acme: Provider) -> Offering:
    return make_offering("pods", acme, name="Pods")


@pytest.fixture
def h100() -> Gpu:
    return make_gpu("h100-sxm", "h100", name="H100 SXM")


def say(offering: Offering, dimension: str, value: Any, **fields: Any) -> None:
    make_claim(offering, dimension, value, **fields)
    resolve_offerings([offering.pk])


def page_of(provider: Provider, **units: list[str]) -> ProviderPage:
    criteria = Criteria.of(units)
    facts = queries.provider_facts(provider.slug, criteria, NOW)
    assert facts
    return provider_page(facts, criteria, NOW)


def price_texts(page: ProviderPage) -> dict[str, list[str]]:
    """The amounts on demand by name of GPU, one an offering."""
    rows = (*page.prices, *page.unpriced)
    return {row.gpu.name: [o.on_demand.amount for o in row.offered] for row in rows}


# --- What it is ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("public", "told"), [(True, "Public"), (False, "With a key"), (None, "Unknown")]
)
def test_the_pricing_api_is_public_or_has_a_key_or_is_not_known(
    public: bool | None, told: str
) -> None:
    provider = make_provider("acme", pricing_api_public=public)
    assert page_of(provider).pricing_api == told


def test_it_says_since_when_it_has_ended(client: Client) -> None:
    make_provider("acme", status="closed", status_note="Ended in May 2026.")
    html = client.get("/providers/acme/").content.decode()
    assert '<b>Closed.</b> <span lang="en" dir="ltr">Ended in May 2026.</span>' in html


def test_freshness_tells_the_days_and_what_is_due(acme: Provider, pods: Offering) -> None:
    say(pods, "ssh", True, read_on=date(2026, 11, 1))
    say(pods, "spot", True, read_on=date(2026, 1, 31))
    say(pods, "jupyter", True, read_on=None)
    fresh = page_of(acme).freshness
    assert (fresh.claims, fresh.due, fresh.undated) == (3, 2, 1)
    assert (fresh.oldest, fresh.newest) == ("31 January 2026", "1 November 2026")


def test_a_claim_that_decides_nothing_is_not_due(acme: Provider, pods: Offering) -> None:
    say(pods, "ssh", True, read_on=date(2026, 11, 1))
    say(pods, "ssh", False, read_on=date(2024, 1, 1), basis="reported")
    assert page_of(acme).freshness.due == 0


def test_a_provider_of_which_nothing_is_said_has_a_page(client: Client, acme: Provider) -> None:
    assert page_of(acme).freshness.newest == ""
    assert client.get("/providers/acme/").status_code == 200


# --- Side by side ----------------------------------------------------------------------


def test_main_questions_are_rows_and_offerings_columns(acme: Provider, pods: Offering) -> None:
    make_offering("vm", acme, position=1)
    say(pods, "docker_daemon", "none")
    rows = page_of(acme).questions
    assert [row.label for row in rows] == [d.label for d in MAIN]
    daemon = next(row for row in rows if row.label == DIMENSIONS["docker_daemon"].label)
    assert [cell.state for cell in daemon.cells] == ["no", "unknown"]
    assert [cell.url for cell in daemon.cells] == [
        "/providers/acme/pods/docker_daemon/",
        "/providers/acme/vm/docker_daemon/",
    ]


def test_several_offerings_can_be_compared(acme: Provider, pods: Offering) -> None:
    assert page_of(acme).compare_url == ""
    make_offering("vm", acme, position=1)
    assert page_of(acme).compare_url == "/compare/?o=acme/pods&o=acme/vm"


def test_no_more_are_compared_than_stand_side_by_side(acme: Provider) -> None:
    for n in range(8):
        make_offering(f"o-{n}", acme, position=n)
    assert page_of(acme).compare_url.count("o=") == 6


# --- Prices ----------------------------------------------------------------------------


def test_prices_stand_by_gpu_and_offering(acme: Provider, pods: Offering, h100: Gpu) -> None:
    vm = make_offering("vm", acme, position=1)
    make_listing(pods, h100, usd_per_hour=Decimal("2.49"))
    make_listing(vm, h100, usd_per_hour=Decimal(16), gpu_count=8)
    make_listing(vm, make_gpu("l4", name="L4"), usd_per_hour=Decimal("0.5"))
    page = page_of(acme)
    assert price_texts(page) == {"H100 SXM": ["2.49", "2.00"], "L4": ["", "0.50"]}
    assert page.prices[0].offered[1].on_demand.divisor == "$16.00 ÷ 8"
    assert page.prices[1].offered[0].url == ""


def test_a_price_leads_to_its_listings_in_the_same_unit(
    acme: Provider, pods: Offering, h100: Gpu
) -> None:
    make_listing(pods, h100, usd_per_hour=Decimal(2), spot_usd_per_hour=Decimal(1))
    (row,) = page_of(acme, period=["day"]).prices
    assert row.offered[0].url == "/listings/?provider=acme&gpu=h100-sxm&period=day"
    assert (row.offered[0].on_demand.amount, row.offered[0].spot.amount) == ("48.00", "24.00")
    assert row.gpu.url == "/gpus/h100-sxm/"


def test_a_gpu_of_unknown_name_has_no_page(acme: Provider, pods: Offering) -> None:
    make_listing(pods, None, usd_per_hour=Decimal(2), gpu_name="Mystery 1")
    (row,) = page_of(acme).prices
    assert (row.gpu.name, row.gpu.url) == ("Mystery 1", "")
    assert row.offered[0].url == "/listings/?provider=acme"


def test_gpus_without_a_price_stand_apart(acme: Provider, pods: Offering, h100: Gpu) -> None:
    make_listing(pods, h100, origin=Origin.CATALOG, gpu_count=None)
    page = page_of(acme)
    assert page.prices == ()
    assert [row.gpu.name for row in page.unpriced] == ["H100 SXM"]


def test_an_open_form_is_named_as_such(acme: Provider, pods: Offering, h100: Gpu) -> None:
    make_gpu("h100-pcie", "h100")
    make_listing(pods, h100.family, usd_per_hour=Decimal(2))
    (row,) = page_of(acme).prices
    assert (row.gpu.name, row.gpu.form_open, row.gpu.url) == ("H100", True, "/gpus/h100/")


def test_units_are_addresses_that_come_back_to_the_prices(acme: Provider) -> None:
    page = page_of(acme, per=["instance"])
    assert page.price_unit == "$ / instance / hour"
    urls = {choice.key: choice.url for choice in page.units}
    assert urls["per-gpu"] == "/providers/acme/#prices"
    assert urls["period-month"] == "/providers/acme/?per=instance&period=month#prices"


# --- What is open ----------------------------------------------------------------------


def test_every_question_can_be_settled_by_a_look() -> None:
    for key, dimension in DIMENSIONS.items():
        assert len(str(dimension.settled_by.text)) > 20, key
    commands = [d.settled_by.command for d in DIMENSIONS.values() if d.settled_by.command]
    assert len(commands) > len(DIMENSIONS) / 2
    assert DIMENSIONS["docker_daemon"].settled_by.command == "docker info"


def test_what_is_open_names_where_and_what_would_settle_it(acme: Provider, pods: Offering) -> None:
    make_offering("vm", acme, name="VM", position=1)
    say(pods, "docker_daemon", "none")
    page = page_of(acme)
    daemon = next(q for q in page.open_main if q.label == DIMENSIONS["docker_daemon"].label)
    assert [(at.name, at.url) for at in daemon.at] == [("VM", "/providers/acme/vm/docker_daemon/")]
    assert daemon.look.command == "docker info"
    assert len(page.open_main) + len(page.open_rest) == len(DIMENSIONS)


def test_an_answered_question_is_not_open(acme: Provider, pods: Offering) -> None:
    say(pods, "ssh", True)
    assert DIMENSIONS["ssh"].label not in [q.label for q in page_of(acme).open_rest]


def test_a_contradiction_is_open_and_stands_unfolded(acme: Provider, pods: Offering) -> None:
    say(pods, "spot", True)
    say(pods, "spot", False)
    page = page_of(acme)
    spot = next(q for q in page.open_rest if q.label == DIMENSIONS["spot"].label)
    assert [at.contradicted for at in spot.at] == [True]
    unfolded = [group for group in page.offerings[0].groups if group.open]
    assert [(group.contradicted, group.known) for group in unfolded] == [(1, 0)]


def test_nobody_is_sent_to_look_at_what_is_closed(acme: Provider) -> None:
    make_offering("old", acme, status="closed")
    page = page_of(acme)
    assert (page.open_main, page.open_rest) == ((), ())


def test_an_unknown_cell_says_how_to_find_out(client: Client, pods: Offering) -> None:
    html = client.get("/providers/acme/pods/docker_daemon/").content.decode()
    assert "How anyone could find out" in html
    assert '<code class="ltr">docker info</code>' in html
    say(pods, "docker_daemon", "root")
    html = client.get("/providers/acme/pods/docker_daemon/").content.decode()
    assert "How anyone could find out" not in html


# --- Addresses -------------------------------------------------------------------------


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize("slug", ["nobody", "ACME", "acme-", "a" * 300, "-"])
def test_a_slug_of_nobody_is_not_found_in_the_sites_look(client: Client, slug: str) -> None:
    response = client.get(f"/providers/{slug}/")
    assert response.status_code == 404
    assert b"There is nothing at this address" in response.content


@pytest.mark.usefixtures("pods")
@pytest.mark.parametrize(
    "query", ["?per=%00", "?per=a&per=b&period=%F0%9F%92%A9", "?" + "x=1&" * 900]
)
def test_a_hostile_query_changes_nothing(client: Client, query: str) -> None:
    assert client.get(f"/providers/acme/{query}").status_code == 200


def test_the_page_costs_the_same_with_more_of_everything(
    client: Client, acme: Provider, pods: Offering
) -> None:
    def cost() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get("/providers/acme/").status_code == 200
        return len(captured)

    make_listing(pods, make_gpu("l4"), usd_per_hour=Decimal(1))
    few = cost()
    for n in range(5):
        offering = make_offering(f"more-{n}", acme)
        make_listing(offering, make_gpu(f"gpu-{n}"), usd_per_hour=Decimal(n + 1))
        say(offering, "ssh", True)
    assert cost() == few <= 15
