"""One listing, opened: who says so and when, and what is known of the machine."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from providers.models import Listing, Offering, SourceState
from tests.factories import NOW, make_claim, make_gpu, make_listing
from tests.opened_listings import dated, fact, live, make_pods, opened, texts

pytestmark = pytest.mark.django_db
pods = pytest.fixture(make_pods)

# --- Where it comes from ------------------------------------------------------------------


def test_a_live_price_names_the_api_and_how_its_runs_went(pods: Offering) -> None:
    source = opened(live(pods)).source
    assert source.name == "The API of Acme"
    assert (source.host, source.url) == ("console.vast.ai", "https://console.vast.ai")
    assert source.status_url == "/status/#vast"


def test_a_source_that_is_read_no_more_has_no_address(pods: Offering) -> None:
    source = opened(live(pods, source="gone")).source
    assert (source.host, source.url) == ("", "")


def test_a_dated_price_names_its_page_and_its_day(client: Client, pods: Offering) -> None:
    listing = dated(pods)
    page = opened(listing)
    assert (page.source.name, page.source.host) == ("The bundled snapshot", "acme.example")
    assert (page.seen, page.source.status_url) == ("30 November 2026", "")
    html = client.get(f"/listings/{listing.pk}/").content.decode()
    assert 'href="https://acme.example/prices"' in html
    assert "How its runs went" not in html


def test_a_row_without_a_time_of_its_own_was_seen_when_its_source_was_read(
    pods: Offering,
) -> None:
    good_at = NOW - timedelta(minutes=12)
    SourceState.objects.create(slug="vast", good_at=good_at)
    page = opened(live(pods, seen_at=None))
    assert (page.seen, page.price.age) == ("30 November 2026, 11:48 UTC", "12\xa0minutes ago")
    assert (page.price.band, page.notices) == ("fresh", ())


def test_a_row_whose_source_has_no_state_was_seen_nobody_knows_when(pods: Offering) -> None:
    page = opened(live(pods, seen_at=None))
    assert (page.seen, page.price.age, page.price.band) == ("", "", "last_seen")


@pytest.mark.parametrize(
    ("hours", "band", "words"),
    [(3, "ageing", ""), (13, "stale", "is stale"), (30, "last_seen", "Only as last seen")],
)
def test_an_old_price_says_how_much_it_is_worth(
    pods: Offering, hours: int, band: str, words: str
) -> None:
    page = opened(live(pods, seen_at=NOW - timedelta(hours=hours)))
    assert page.price.band == band
    assert words in "".join(map(str, page.notices))
    assert bool(page.notices) == bool(words)


def test_a_withdrawn_row_stays_readable(client: Client, pods: Offering) -> None:
    SourceState.objects.create(slug="vast", good_at=NOW)
    listing = live(pods, seen_at=None, withdrawn_at=NOW - timedelta(days=2))
    page = opened(listing)
    assert "No longer offered" in str(page.notices[0])
    assert (page.withdrawn, page.seen) == ("28 November 2026, 12:00 UTC", "")
    html = client.get(f"/listings/{listing.pk}/").content.decode()
    assert "Not offered since" in html
    assert "$16.00" in html


@pytest.mark.parametrize("closed", ["offering", "provider"])
def test_what_is_closed_says_so(pods: Offering, closed: str) -> None:
    listing = live(pods)
    thing: Any = {"offering": listing.offering, "provider": listing.offering.provider}[closed]
    thing.status = "closed"
    thing.save()
    assert "closed" in str(opened(listing).notices[0])


def test_a_dated_price_gives_way_to_the_providers_own_api(pods: Offering) -> None:
    listing = dated(pods)
    assert "A dated price" in str(opened(listing).notices[0])
    spoken = live(pods)
    assert "API was read since" in str(opened(listing).notices[0])
    assert opened(spoken).notices == ()
    Listing.objects.filter(pk=spoken.pk).update(withdrawn_at=NOW)
    assert "A dated price" in str(opened(listing).notices[0])


# --- The machine --------------------------------------------------------------------------


def test_the_machine_is_told_with_what_its_source_calls_it(pods: Offering) -> None:
    gpu = make_gpu("h100-sxm", "h100", name="H100 SXM")
    told: dict[str, Any] = {"driver": "580.95.05", "cuda": "13.0", "vram_gb": 80, "tier": "secure"}
    page = opened(live(pods, gpu=gpu, family=gpu.family, gpu_name="H100_SXM5", **told))
    assert texts(page) == {
        "GPU": "H100 SXM",
        "Named by the source": "H100_SXM5",
        "GPU count": "8",
        "Memory": "80 GB each, 640 GB in all",
        "Region": "eu",
        "Tier": "secure",
        "Stock": "Unknown",
        "Can be had as spot": "Unknown",
        "Host driver": "580.95.05",
        "Highest CUDA": "13.0",
    }
    assert fact(page, "GPU").url == "/gpus/h100-sxm/"
    assert page.others_url == "/listings/?gpu=h100-sxm&sort=price"


def test_a_form_that_is_left_open_leads_to_its_family(pods: Offering) -> None:
    family = make_gpu("h100-sxm", "h100").family
    page = opened(make_listing(pods, family, usd_per_hour=Decimal(2)))
    assert fact(page, "GPU").url == "/gpus/h100/"
    assert page.others_url == "/listings/?gpu=h100&sort=price"


def test_what_nobody_tells_is_unknown_and_never_no(pods: Offering) -> None:
    page = opened(make_listing(pods))
    unknown = {str(f.label) for f in page.facts if not f.known or f.mark == "unknown"}
    assert unknown == {
        "GPU",
        "Memory",
        "Region",
        "Stock",
        "Can be had as spot",
        "Host driver",
        "Highest CUDA",
    }
    assert {f.text for f in page.facts if f.label in unknown} == {"Unknown"}
    assert page.others_url == ""


@pytest.mark.parametrize(
    ("fields", "text", "mark"),
    [
        ({"stock": "available", "stock_count": 3}, "In stock · 3", "yes"),
        ({"stock": "scarce"}, "Scarce", "partly"),
        ({"stock": "none", "stock_count": 0}, "Out of stock · 0", "no"),
    ],
)
def test_stock_is_a_word_a_mark_and_a_number_where_there_is_one(
    pods: Offering, fields: dict[str, Any], text: str, mark: str
) -> None:
    stock = fact(opened(live(pods, **fields)), "Stock")
    assert (stock.text, stock.mark) == (text, mark)


@pytest.mark.parametrize(("spot", "mark"), [(True, "yes"), (False, "no"), (None, "unknown")])
def test_spot_is_yes_no_or_unknown(pods: Offering, spot: bool | None, mark: str) -> None:
    assert fact(opened(live(pods, spot=spot)), "Can be had as spot").mark == mark


def test_the_seven_answers_of_its_offering_stand_with_it(pods: Offering) -> None:
    make_claim(pods, "docker_daemon", "root", read_on=None)
    answers = {cell.dimension: cell for cell in opened(live(pods)).answers}
    assert len(answers) == 7
    daemon = answers["docker_daemon"]
    assert (daemon.state, daemon.text, daemon.due) == ("yes", "Root", True)
    assert daemon.url == "/providers/acme/pods/docker_daemon/"
    assert (answers["custom_image"].state, answers["custom_image"].due) == ("unknown", False)
