"""What /cold-start/ is asked: its address, the reader's figures, and an image that is read."""

from __future__ import annotations

import re
from decimal import Decimal
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.test import Client

from checks import coldstart
from checks.coldstart import Weights
from checks.image.reasons import Reason
from tests.known_images import know_failure, know_reading
from tests.page_text import text
from tests.starting import COLD, IMAGE, SIZED, figures, known_image, market, notices, tables

pytestmark = pytest.mark.django_db


def canonical(response: Any) -> str:
    found = re.search(r'rel="canonical" href="http://testserver([^"]*)"', response.content.decode())
    assert found
    return unescape(found[1])


# --- The question ------------------------------------------------------------------------------


def test_the_page_without_a_question_says_what_it_is_for(client: Client) -> None:
    page = text(client.get("/cold-start/"))
    assert "Enter an image or its compressed size" in page


def test_what_is_usual_stays_out_of_the_address(client: Client) -> None:
    market("1")
    asked = "/cold-start/?hours=8&interruptions=1&disk_gb=0&ready_s=&cached=0&compressed_gb=016.30"
    assert canonical(client.get(asked)) == SIZED


def test_one_state_has_one_address(client: Client) -> None:
    market("1", "2")
    address = (
        "/cold-start/?compressed_gb=16.3&o=cloud-1/pods&o=cloud-0/pods&hours=0.5&interruptions=2"
        "&disk_gb=10&weights_gb=4&weights=hub&cached=1&ready_s=30&own_billing_increment_s=60"
        "&gpu=h100"
    )
    assert canonical(client.get(address)) == address
    mixed = "&".join(reversed(address.partition("?")[2].split("&")))
    swapped = canonical(client.get(f"/cold-start/?{mixed}"))
    # The order of offerings is the reader's own.
    assert sorted(parse_qsl(urlsplit(swapped).query)) == sorted(parse_qsl(urlsplit(address).query))


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("hours=abc", "ignored: hours=abc; allowed: a number from 0.01 to 100000"),
        ("hours=-1", "ignored: hours=-1; allowed: a number from 0.01 to 100000"),
        ("hours=NaN", "ignored: hours=NaN; allowed: a number from 0.01 to 100000"),
        ("ready_s=1e99", "ignored: ready_s=1e99; allowed: a number from 0 to 1000000000"),
        ("shared_share=2", "ignored: shared_share=2; allowed: a number from 0 to 1"),
        ("o=no/such", "ignored: no/such; there is no such offering"),
        ("weights=moon", "ignored: weights=moon; allowed: image, volume, hub"),
        (
            "weights_gb=4",
            "ignored: weights_gb=4; allowed: weights=image, weights=volume, weights=hub",
        ),
        ("cached=yes", "ignored: cached=yes; allowed: 1"),
        ("nonsense=1", "ignored: nonsense=1; there is no such filter"),
        ("gpu=h999", "ignored: gpu=h999; allowed: h100, h100-sxm"),
    ],
)
def test_what_is_not_understood_is_named_with_what_would_be(
    client: Client, query: str, said: str
) -> None:
    market("1")
    response = client.get(f"{SIZED}&{query}")
    assert response.status_code == 200
    assert notices(response) == [said]


def test_the_size_of_an_image_that_is_read_is_its_own(client: Client) -> None:
    known_image()
    market("1")
    response = client.get(f"{COLD}&compressed_gb=1")
    assert notices(response) == [
        "ignored: compressed_gb; the image's own size is read at its registry"
    ]


def test_the_criterion_and_the_assumption_of_one_name_are_two(client: Client) -> None:
    market("1", billing_increment_s=3600, billed_during_pull=True)
    rounded = tables(client.get(f"{SIZED}&billing_increment_s=3600"))["ranking"][0]
    exact = tables(client.get(f"{SIZED}&own_billing_increment_s=1"))["ranking"][0]
    assert Decimal(rounded[3][1][0]) == 1
    assert Decimal(exact[3][1][0]) < 1


def test_every_assumption_has_its_row_and_its_field(client: Client) -> None:
    market("1")
    html = client.get(f"{SIZED}&container_start_s=77").content.decode()
    for key in coldstart.assumption_rows():
        if "." not in key:
            assert f'id="assumed-{key}"' in html
    assert re.search(r'id="own-container_start_s" name="container_start_s" value="77"', html)
    fields = set(re.findall(r'form="start" id="own-[a-z_]+" name="([a-z_]+)"', html))
    assert len(fields) == sum("." not in key for key in coldstart.assumption_rows())


def test_a_figure_of_the_reader_is_the_basis_of_its_phase(client: Client) -> None:
    market("1")
    rows = tables(client.get(f"{SIZED}&container_start_s=77"))["phases"]
    assert figures(rows[3]) == [77, 77, 77]
    assert rows[3][4][0].startswith("Your figure")


def test_weights_from_the_layers_can_be_put_elsewhere(client: Client) -> None:
    known_image()
    market("1")
    (in_image, from_hub) = (
        figures(tables(client.get(f"{COLD}{more}"))["phases"][4])[1]
        for more in ("", f"&weights={Weights.HUB}")
    )
    assert from_hub > in_image > 0


def test_links_carry_the_question_along(client: Client) -> None:
    known_image()
    market("1")
    page = client.get(f"{COLD}&hours=3&gpu=h100&kind=container_cloud&ready_s=9")
    html = page.content.decode().partition("<main")[2]
    found = [unescape(h) for h in re.findall(r'href="(/[^"#]*\?[^"]*)"', html)]
    paths = {urlsplit(link).path for link in found}
    assert paths == {"/check/", "/cold-start/", "/launch/"}
    wanted = {("image", IMAGE), ("hours", "3"), ("kind", "container_cloud"), ("ready_s", "9")}
    assert [link for link in found if not wanted <= set(parse_qsl(urlsplit(link).query))] == []


def test_the_form_carries_the_filters_and_the_offering_along(client: Client) -> None:
    market("1")
    html = client.get(f"{SIZED}&o=cloud-0/pods&gpu=h100").content.decode()
    form = html[html.index('<form id="start"') : html.index("</form>")]
    hidden = re.findall(r'type="hidden" name="([^"]+)" value="([^"]+)"', form)
    assert hidden == [("o", "cloud-0/pods"), ("gpu", "h100")]


def test_htmx_gets_the_part_at_its_canonical_address(client: Client) -> None:
    market("1")
    response = client.get(f"{SIZED}&hours=8", headers={"HX-Request": "true"})
    assert response.content.decode().lstrip().startswith('<div id="browse"')
    assert response["HX-Push-Url"] == SIZED
    assert "HX-Request" in response["Vary"]


def test_only_reading_is_allowed(client: Client) -> None:
    assert client.post("/cold-start/").status_code == 405


# --- While the image is read -------------------------------------------------------------------


def test_an_image_that_is_being_read_lets_the_page_ask_again(client: Client) -> None:
    know_reading("acme/slow:1")
    response = client.get("/cold-start/?image=acme/slow:1&hours=3")
    html = response.content.decode()
    assert "The image is being read at its registry" in text(response)
    assert 'hx-get="/cold-start/?image=acme/slow:1&amp;hours=3"' in html
    assert '<meta http-equiv="refresh"' in html


def test_an_image_that_cannot_be_read_leaves_its_size(client: Client) -> None:
    know_failure("acme/gone:1", Reason.NO_SUCH_TAG)
    page = text(client.get("/cold-start/?image=acme/gone:1"))
    assert "The image could not be read" in page
    assert "enter its compressed size instead" in page


def test_a_name_that_is_none_says_why(client: Client) -> None:
    assert "Image names are lower case." in text(client.get("/cold-start/?image=Ubuntu"))


def test_an_image_that_was_told_has_its_size_from_that(client: Client) -> None:
    market("1")
    told = client.get("/cold-start/?software=cuda&toolkit=12.4&size=16300000000")
    sized = client.get(SIZED)
    assert tables(told)["phases"] == tables(sized)["phases"]
    assert tables(told)["ranking"][0][1][0] == "Runs"


def test_what_is_known_by_hand_still_needs_a_size(client: Client) -> None:
    market("1")
    page = client.get("/cold-start/?cuda=12.4")
    assert "Enter an image or its compressed size" in text(page)
    sized = client.get("/cold-start/?cuda=12.4&compressed_gb=5")
    assert "before it answers" in text(sized)
