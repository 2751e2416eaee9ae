"""The page /cold-start/: what it shows of one start, way by way, and what it costs."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from checks import coldstart
from providers.models import ExchangeRate, Listing, Offering
from tests.factories import NOW, make_claim, make_gpu, make_listing, make_offering
from tests.page_text import text
from tests.query_counts import queries_of
from tests.starting import CASES, COLD, SIZED, figures, known_image, market, tables

pytestmark = pytest.mark.django_db

API = "/api/v1/cold-start"

# --- Cost --------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", [COLD, SIZED, f"{COLD}&o=cloud-0/pods&hours=100&gpu=h100"])
def test_more_offerings_take_no_more_queries(client: Client, address: str) -> None:
    known_image()
    market("2")
    few = queries_of(lambda: client.get(address))
    for n in range(20):
        offering = make_offering(f"more-{n}", custom_image="any")
        make_listing(offering, make_gpu(f"gpu-{n}"), usd_per_hour=n + 1)
    # Six of them read the listings, which a test keeps nowhere.
    assert queries_of(lambda: client.get(address)) == few <= 20


# --- The figures -------------------------------------------------------------------------------


def test_a_sentence_with_minutes_and_money_comes_first(client: Client) -> None:
    market("2.19", billed_during_pull=True, billing_increment_s=1, isolation="container")
    page = text(client.get(SIZED))
    assert "About 3 minutes and $0.091 before it answers at Cloud-0 Pods" in page
    assert page.index("About 3 minutes") < page.index("Image is pulled")
    assert "For 1 × H100-SXM at $2.19 an hour" in page


sizes = st.decimals(min_value="0.1", max_value=300, places=2)
prices = st.decimals(min_value="0.05", max_value=50, places=2)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sizes,
    prices,
    st.none() | st.integers(1, 20_000),
    st.tuples(st.none() | st.booleans(), st.booleans()),
)
def test_the_page_shows_the_figures_of_the_api(
    client: Client,
    size: Decimal,
    price: Decimal,
    down: int | None,
    flags: tuple[bool | None, bool],
) -> None:
    billed, cached = flags
    offering = _only_offering(price, down, billed)
    page = {"compressed_gb": str(size), "o": "cloud-0/pods", "ready_s": "30"}
    page |= _flags(cached=cached)
    found = tables(client.get("/cold-start/", page))
    told = {
        "compressed_gb": str(size),
        "usd_per_hour": str(price),
        "kind": str(offering.provider.kind),
        "increment_s": "60",
        "given": "ready_s:30",
    } | _flags(cached=cached, billed_during_pull=billed)
    api = client.get(API, told | ({"down_mbps": str(down)} if down else {})).json()
    for row, phase in zip(found["phases"], [*api["phases"], api["total_s"]], strict=True):
        assert figures(row) == [_exact(phase[case]) for case in CASES]
    (ranked,) = found["ranking"]
    start, usd = api["total_s"], api["usd"]
    assert _spanned(ranked[2][1]) == {_exact(start[case]) for case in CASES}
    assert _spanned(ranked[3][1]) <= {_exact(usd[case]) for case in CASES}
    assert ranked[3][1][0] == f"{_exact(usd['likely']).normalize():f}"


def _only_offering(price: Decimal, down: int | None, billed: bool | None) -> Offering:
    if not Offering.objects.exists():
        market("1", billing_increment_s=60)
    extras = {"inet_down_mbps": str(down)} if down else {}
    Listing.objects.update(usd_per_hour=price, extras=extras)
    Offering.objects.update(billed_during_pull=billed)
    return Offering.objects.select_related("provider").get()


def _flags(**told: bool | None) -> dict[str, str]:
    return {name: str(int(value)) for name, value in told.items() if value is not None}


def _exact(figure: float) -> Decimal:
    return Decimal(str(figure))


def _spanned(told: list[str]) -> set[Decimal]:
    return {Decimal(figure) for figure in told}


def test_what_nobody_knows_about_paying_for_the_pull_is_shown_both_ways(client: Client) -> None:
    market("2")
    page = text(client.get(SIZED))
    assert "It is not known whether you pay while the image is pulled: both are shown." in page
    assert "On the bill, if the pull is not paid" in page
    assert "On the bill, if the pull is paid" in page
    Offering.objects.update(billed_during_pull=False)
    page = text(client.get(SIZED))
    assert "both are shown" not in page
    assert "if the pull is paid" not in page


def test_without_a_price_there_are_minutes_and_no_money(client: Client) -> None:
    market("")
    response = client.get(SIZED)
    assert "before it answers at Cloud-0 Pods; what it costs is not known" in text(response)
    assert "No price is known there under these filters." in text(response)
    assert tables(response)["ranking"][0][1][0] == "no price"


def test_a_spot_price_alone_is_the_price(client: Client) -> None:
    market("3")
    Listing.objects.update(usd_per_hour=None, spot_usd_per_hour=1)
    assert "For 1 × H100-SXM at $1.00 an hour as spot" in text(client.get(SIZED))


def test_a_listing_that_was_measured_is_the_basis_of_the_pull(client: Client) -> None:
    market("2")
    Listing.objects.update(extras={"inet_down_mbps": "100"}, source_url="https://api.example/x")
    (pull,) = (row for row in tables(client.get(SIZED))["phases"] if "pulled" in row[0][0])
    assert "Measured on this listing : 100 Mbit/s" in pull[4][0]
    assert "the line of the host decides" in pull[4][0]
    assert "https://api.example/x" in client.get(SIZED).content.decode()


@pytest.mark.parametrize("extras", [{"inet_down_mbps": "0"}, {"inet_down_mbps": "1e12"}])
def test_a_figure_that_cannot_be_is_a_figure_not_known(
    client: Client, extras: dict[str, str]
) -> None:
    market("2")
    Listing.objects.update(extras=extras | {"disk_usd_gb_month": "-1"})
    (pull,) = (row for row in tables(client.get(SIZED))["phases"] if "pulled" in row[0][0])
    assert pull[4][0].startswith("Assumed")


def test_what_the_provider_documents_has_its_source(client: Client) -> None:
    (offering,) = market("2")
    type(offering.provider).objects.update(slug="beam")
    Offering.objects.update(slug="sandboxes-pods")
    first = tables(client.get(SIZED))["phases"][0]
    documented = coldstart.documented()["beam/sandboxes-pods", "provision_s"]
    assert first[4][0].startswith("Documented : docs.beam.cloud read: day not recorded")
    assert documented.source in client.get(SIZED).content.decode()


def test_the_bar_draws_each_phase_by_its_likely_length(client: Client) -> None:
    market("2")
    html = client.get(SIZED).content.decode()
    widths = [Decimal(w) for w in re.findall(r'<rect[^>]* width="([\d.]+)%"', html)]
    rows = tables(client.get(SIZED))["phases"]
    likely = [figures(row)[1] for row in rows[:6]]
    total = figures(rows[6])[1]
    assert sum(likely) == total
    expected = [seconds / total * 100 for seconds in likely if seconds]
    assert [round(w, 1) for w in widths] == [round(w, 1) for w in expected]
    assert "Image is pulled: 38 s" in html
    assert len(re.findall('class="longest"', html)) == 1


def test_money_follows_the_currency(client: Client) -> None:
    ExchangeRate.objects.create(currency="EUR", usd=2, day=NOW.date())
    market("3")
    page = text(client.get(f"{SIZED}&currency=EUR"))
    assert "at €1.50 an hour" in page
    assert "$" not in page.partition("Assumptions")[0]


def test_old_snapshots_are_no_reason_to_fail(client: Client) -> None:
    market("2")
    Listing.objects.update(origin="snapshot", seen_at=NOW - timedelta(days=400))
    assert client.get(SIZED).status_code == 200


def test_claims_of_the_bill_can_be_opened(client: Client) -> None:
    (offering,) = market("2")
    make_claim(offering, "billed_during_pull", value=True)
    assert "/providers/cloud-0/pods/billed_during_pull/" in client.get(SIZED).content.decode()


# --- Ways side by side -------------------------------------------------------------------------


def test_the_ways_use_the_real_layers(client: Client) -> None:
    known_image()
    market("2")
    ways = {row[0][0]: row for row in tables(client.get(COLD))["plain"] if len(row) == 4}
    cold = figures(ways["Cold: the host has nothing of it"])[0]
    for way in (
        "Cached: the host has the image",
        "On the runtime base instead of devel",
        "Weights on a volume",
    ):
        assert figures(ways[way])[0] < cold
        assert "shorter than cold" in ways[way][3][0]


def test_a_way_of_which_nothing_can_be_said_says_why(client: Client) -> None:
    market("2")
    page = text(client.get(SIZED))
    assert "Not known: the build steps of its layers were not read." in page
    assert "No layer shows weights. Give their size above to see this." in page
    by_size = text(client.get(f"{SIZED}&weights_gb=4&weights=image"))
    assert "By the size that you gave: no layer shows them." in by_size


def test_spot_is_held_against_on_demand(client: Client) -> None:
    market("2")
    Listing.objects.update(spot_usd_per_hour=1)
    page = text(client.get(f"{SIZED}&hours=24&interruptions=3"))
    assert "On spot, with 3 restarts" in page
    assert re.search(r"Both cost the same at about [\d.]+ interruptions a day of work", page)
    Listing.objects.update(spot_usd_per_hour=2)
    assert "Spot is not cheaper here." in text(client.get(SIZED))


def test_interruptions_without_end_are_called_so(client: Client) -> None:
    market("2")
    Listing.objects.update(spot_usd_per_hour=1)
    assert "it may never end" in text(client.get(f"{SIZED}&interruptions=1000"))
