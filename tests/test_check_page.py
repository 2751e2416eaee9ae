"""The page /check/ as it is asked for by hand and by filters, in every language, by everyone."""

from __future__ import annotations

import csv
import json
import re
from decimal import Decimal
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.check_pages import BY_HAND, market
from tests.factories import make_gpu, make_listing, make_offering, make_provider
from tests.page_text import text

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}

# --- Cost --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    ["", "&gpu=h100&docker_daemon=root&verdict=runs&verdict=unknown&sort=price", "&format=csv"],
)
def test_more_offerings_take_no_more_queries(client: Client, query: str) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            b"".join(client.get(BY_HAND + query))
        return len(captured)

    market(1)
    few = queries()
    for n in range(30):
        make_offering(f"more-{n}")
    assert queries() == few <= 17  # six of them read the listings, which a test keeps nowhere


# --- By hand -----------------------------------------------------------------------------------


def test_the_sentence_comes_before_the_table(client: Client) -> None:
    market()
    make_offering(custom_image="curated_only")
    page = text(client.get(BY_HAND))
    assert "Where will torch 2.6.0, CUDA 12.4 run?" in page
    sentence = page.index("Runs unchanged at 1 offering of 1 provider ; 1 fails .")
    assert sentence < page.index("Only images from the provider's own selection can be started.")


def test_a_row_says_how_many_listings_run_and_what_the_cheapest_costs(client: Client) -> None:
    market()
    page = text(client.get(BY_HAND))
    assert "Runs 2 of 2 listings The driver is as new as the image's CUDA, or newer." in page
    assert "2.00" in page


def test_a_release_without_its_cuda_runs_under_a_condition_that_is_named(client: Client) -> None:
    market()
    page = text(client.get("/check/?framework=torch&release=2.6.0"))
    assert "No offering is known to run it unchanged ; 1 needs a condition ." in page
    assert "CUDA works. What the image asks of the host was not read." in page
    assert "Set NVIDIA_DISABLE_REQUIRE=1 for the container" in page


def test_the_verdict_is_a_filter_with_chip_and_facet(client: Client) -> None:
    market()
    make_offering("curated", custom_image="curated_only")
    response = client.get(f"{BY_HAND}&verdict=fails")
    page = response.content.decode()
    assert "Remove: Verdict Fails" in text(response)
    assert 'id="f-verdict-runs"' in page
    assert "Acme" not in text(response).partition("Fails 1")[2]
    assert "curated" in page


def test_every_link_carries_the_question_along(client: Client) -> None:
    market()
    page = unescape(client.get(f"{BY_HAND}&gpu=h100").content.decode())
    links = [h for h in re.findall(r'href="(/check/\?[^"]*)"', page) if "format=" not in h]
    assert len(links) > 30
    wanted = {("cuda", "12.4"), ("framework", "torch"), ("release", "2.6.0")}
    assert [h for h in links if not wanted <= set(parse_qsl(urlsplit(h).query))] == []


def test_columns_can_be_added_and_taken_away(client: Client) -> None:
    market()
    heads = re.compile(r'role="columnheader"[^>]*>(?:<a[^>]*>)?([^<]+)')
    usual = heads.findall(client.get(BY_HAND).content.decode())
    assert usual[:4] == ["Offering", "Verdict", "Own image", "Private registry"]
    asked = heads.findall(client.get(f"{BY_HAND}&columns=ssh").content.decode())
    assert asked[:3] == ["Offering", "Verdict", "SSH"]


def test_what_is_not_understood_is_named_and_the_page_works(client: Client) -> None:
    market()
    page = text(client.get(f"{BY_HAND}&colour=red&verdict=perhaps&release=x.y"))
    assert "ignored: colour=red; there is no such filter" in page
    assert "ignored: verdict=perhaps; allowed: runs, condition, unknown, fails" in page
    assert "“x.y” is no release and was left out." in page
    assert "Runs unchanged" in page


def test_a_value_of_no_meaning_is_no_question(client: Client) -> None:
    page = text(client.get("/check/?cuda=new"))
    assert "“new” is no CUDA version and was left out." in page
    assert "Enter an image to see where it runs" in page


def test_the_place_in_the_header_leads_to_a_page_that_asks(client: Client) -> None:
    page = client.get("/check/")
    assert "Enter an image to see where it runs" in text(page)
    assert '<form class="search" action="/check/"' in page.content.decode()
    assert '<a href="/check/">Check an image</a>' in client.get("/").content.decode()


# --- What opens behind a verdict ---------------------------------------------------------------


def opened(client: Client) -> list[str]:
    """The verdict cells from the top, as text."""
    page = client.get(BY_HAND).content.decode()
    cells = re.findall(r'<td role="cell" class="v .*?</td>', page, re.S)
    return [" ".join(unescape(re.sub(r"<[^>]+>", " ", cell)).split()) for cell in cells]


def test_a_verdict_names_the_gpus_that_work_and_those_that_do_not(client: Client) -> None:
    pods = make_offering(custom_image="any", gpu_passthrough="automatic")
    for slug, driver in (("h100-sxm", "580.65.06"), ("l4", "470.82.01")):
        make_listing(pods, make_gpu(slug), driver=driver, usd_per_hour=Decimal(1))
    (cell,) = opened(client)
    assert cell.startswith("Verdict Runs 1 of 2 listings")
    assert "Runs H100-SXM" in cell
    assert "Fails L4 The driver is older than the lowest" in cell


def test_a_verdict_says_where_else_the_image_can_go(client: Client) -> None:
    market(3)
    make_offering("curated", custom_image="curated_only")
    runs, *_others, fails = opened(client)
    assert "If nothing is free here Acme Pods-3-1 Acme Pods-3-2" in runs
    assert "If nothing is free here" not in fails


def test_a_condition_leads_to_the_claim_that_it_rests_on(client: Client) -> None:
    make_offering("notebooks", make_provider("acme"), custom_image="curated_only")
    page = client.get(BY_HAND).content.decode()
    assert '<a data-cell href="/providers/acme/notebooks/custom_image/">Only images from' in page


# --- From browse -------------------------------------------------------------------------------


def test_browse_leads_here_with_all_criteria_kept(client: Client) -> None:
    response = client.get("/?image=a/b:1&gpu=h100&docker_daemon=root")
    assert response.status_code == 302
    found = set(parse_qsl(urlsplit(response["Location"]).query))
    assert found == {("image", "a/b:1"), ("gpu", "h100"), ("docker_daemon", "root")}
    assert urlsplit(response["Location"]).path == "/check/"
    assert client.get("/ar/?image=a")["Location"].startswith("/ar/check/")


def test_the_box_in_browse_takes_the_criteria_along(client: Client) -> None:
    make_offering(docker_daemon="root")
    page = client.get("/?docker_daemon=root&q=acme").content.decode()
    box = re.findall(r'<form class="image-box".*?</form>', page, re.S)[0]
    assert 'action="/check/"' in box
    assert '<input type="hidden" name="docker_daemon" value="root">' in box
    assert '<input type="hidden" name="q" value="acme">' in box


# --- htmx and exports --------------------------------------------------------------------------


def test_other_methods_are_not_taken(client: Client) -> None:
    assert client.put("/check/").status_code == 405
    assert client.head("/check/").status_code == 200


def test_htmx_gets_the_part_and_the_canonical_address(client: Client) -> None:
    market()
    response = client.get(f"{BY_HAND}&sort=name&gpu=h100", headers=HTMX)
    assert response.content.decode().lstrip().startswith('<div id="browse"')
    assert response["HX-Push-Url"] == f"{BY_HAND}&gpu=h100"
    assert "HX-Request" in response["Vary"]


def test_the_canonical_address_is_told_to_robots(client: Client) -> None:
    page = client.get("/check/?release=2.6.0&framework=torch&cuda=12.4&sort=name").content.decode()
    (address,) = re.findall(r'<link rel="canonical" href="([^"]*)"', page)
    assert unescape(address) == f"http://testserver{BY_HAND}"


def rows(client: Client, query: str = "") -> list[dict[str, str]]:
    body = b"".join(client.get(f"{BY_HAND}&format=csv{query}"))
    return list(csv.DictReader(body.decode().splitlines()))


def test_the_table_is_exported_with_keys_in_no_language(client: Client) -> None:
    market()
    (row,) = rows(client)
    assert (row["verdict"], row["run"], row["match"]) == ("runs", "runs", "yes")
    assert (row["listings_alike"], row["listings"], row["gpus_alike"]) == ("2", "2", "H100-SXM")
    assert "backward" in row["reasons"].split()
    assert row["usd_per_gpu_hour"] == "2"


def test_json_and_markdown_hold_the_same_rows(client: Client) -> None:
    market()
    body = b"".join(client.get(f"{BY_HAND}&format=json"))
    (row,) = json.loads(body)["rows"]
    assert row["verdict"] == "runs"
    assert row["conditions"] == []
    table = b"".join(client.get(f"{BY_HAND}&format=md")).decode()
    assert "| Runs |" in table


def test_rows_that_may_match_are_marked_and_can_be_hidden(client: Client) -> None:
    market()
    make_offering("bare")
    assert [row["match"] for row in rows(client, "&docker_daemon=root")] == ["yes", "may"]
    assert len(rows(client, "&docker_daemon=root&unknown=hide")) == 1


# --- Hostile -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [
        "image=%00",
        "image=%ff%fe",
        "image=" + "a" * 100_000,
        "image=169.254.169.254/latest/meta-data",
        "software=cuda&require=" + "x" * 100_000,
        "software=cuda&build=" + "&build=".join(["torch:2:12"] * 900),
        "software=%00&size=9999999999999999999",
        "cuda=99999.99999&framework=torch&release=" + "9" * 300,
        "cuda=12.4&verdict=%00&verdict=" + "&verdict=runs" * 400,
        "cuda=12.4&page=100000",
        "paste=x&cuda=12.4",
    ],
    ids=lambda query: query[:24],
)
def test_no_query_string_breaks_the_page(client: Client, query: str, settings: Any) -> None:
    settings.REGISTRY_READS = 0
    client.raise_request_exception = False
    market()
    response = client.get("/check/", QUERY_STRING=query)
    assert response.status_code in (200, 400, 414)


def test_what_is_asked_for_is_shown_as_text(client: Client) -> None:
    page = client.get("/check/", {"image": '"><script>alert(1)</script>'}).content.decode()
    assert "<script>alert" not in page


@pytest.mark.parametrize(("url", "direction"), [("/ar/check/", "rtl"), ("/tr/check/", "ltr")])
def test_the_page_speaks_every_language(client: Client, url: str, direction: str) -> None:
    market()
    page = client.get(f"{url}?cuda=12.4&framework=torch&release=2.6.0").content.decode()
    assert f'dir="{direction}"' in page
    content = page.partition("<main")[2].partition("</main>")[0]
    assert re.findall(r'(?:href|action)="/(?!(?:ar|tr)/|static/)[^"]*"', content) == []
