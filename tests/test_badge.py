"""A provider's badge: what it says, for eyes and ears, and since when."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.test import Client
from django.utils import timezone

from gpucompare.caching.control import with_stale
from providers.models import Offering
from tests.factories import make_claim, make_offering, make_provider

pytestmark = pytest.mark.django_db
SVG = "{http://www.w3.org/2000/svg}"


def drawn(client: Client, slug: str = "acme", prefix: str = "", show: str = "") -> ET.Element:
    response = client.get(f"{prefix}/badge/{slug}.svg", {"show": show} if show else {})
    assert response.status_code == 200
    assert response["Content-Type"] == "image/svg+xml"
    return ET.fromstring(response.content)  # noqa: S314 -- our own


def texts(svg: ET.Element) -> list[str]:
    return [str(text.text) for text in svg.iter(f"{SVG}text")]


def said(client: Client, slug: str = "acme") -> str:
    return texts(drawn(client, slug))[1]


def make_acme(**answers: Any) -> Offering:
    return make_offering("pods", make_provider("acme", name="Acme"), **answers)


def test_it_says_what_runs_and_how_much_is_known(client: Client) -> None:
    pods = make_acme(custom_image="any", docker_daemon="none")
    make_claim(pods, "custom_image", "any", read_on=date(2026, 11, 24))
    make_claim(pods, "docker_daemon", "none", read_on=date(2026, 11, 28))
    assert said(client) == "image: any image · daemon: none · 2 of 7 known · read 24 Nov 2026"


def test_the_day_is_that_of_the_two_answers_and_of_no_other(client: Client) -> None:
    pods = make_acme(docker_daemon="none", ssh=True)
    make_claim(pods, "docker_daemon", "none", read_on=date(2026, 11, 28))
    make_claim(pods, "ssh", True, read_on=date(2025, 1, 1))
    make_claim(pods, "custom_image", "any", read_on=date(2024, 1, 1), decides=False)
    assert said(client).endswith("· read 28 Nov 2026")


def test_a_day_stays_in_one_piece_where_reading_starts_at_the_right(client: Client) -> None:
    make_claim(make_acme(ssh=True), "docker_daemon", "none", read_on=date(2026, 11, 28))
    text = texts(drawn(client, prefix="/ar"))[1]
    assert re.search(r"\u206828 .+ 2026\u2069", text)
    assert "\u2068" not in said(client)


def test_an_answer_without_a_day_makes_the_day_unknown(client: Client) -> None:
    pods = make_acme(custom_image="any", docker_daemon="none")
    make_claim(pods, "custom_image", "any", read_on=None)
    make_claim(pods, "docker_daemon", "none", read_on=date(2026, 11, 28))
    assert said(client).endswith("· day not recorded")


def test_unknown_and_contradicted_are_not_no(client: Client) -> None:
    make_acme(contradicted=["docker_daemon"])
    assert said(client) == "image: unknown · daemon: contradicted · 0 of 7 known"


def test_offerings_that_differ_are_both_named_and_many_are_not(client: Client) -> None:
    pods = make_acme(custom_image="any", docker_daemon="none")
    make_offering("vms", pods.provider, custom_image="any", docker_daemon="root")
    assert "image: any image · daemon: none / root · 4 of 14 known" in said(client)
    make_offering("more", pods.provider, custom_image="any", docker_daemon=None)
    assert "daemon: differs by offering · 5 of 21 known" in said(client)


def test_closed_offerings_say_nothing(client: Client) -> None:
    pods = make_acme(docker_daemon="none")
    make_offering("old", pods.provider, docker_daemon="root", status="closed")
    assert "daemon: none · 1 of 7 known" in said(client)


@pytest.mark.parametrize(("status", "text"), [("closed", "closed"), ("active", "nothing to rent")])
def test_a_provider_without_anything_open_says_so(client: Client, status: str, text: str) -> None:
    make_provider("acme", status=status)
    assert said(client) == text


def test_it_is_read_aloud(client: Client) -> None:
    make_acme()
    svg = drawn(client)
    title = svg.find(f"{SVG}title")
    assert title is not None
    assert svg.get("role") == "img"
    assert svg.get("aria-labelledby") == title.get("id")
    assert title.text == "Acme: image: unknown · daemon: unknown · 0 of 7 known"


def test_it_needs_no_style_no_script_and_nothing_from_elsewhere(client: Client) -> None:
    make_acme()
    raw = client.get("/badge/acme.svg").content.decode()
    assert not re.search(r"<style|<script|<image|href=|style=|url\(h", raw)


def test_hostile_names_stay_text(client: Client) -> None:
    make_provider("acme", name='</text><script>x("')
    svg = drawn(client)
    assert texts(svg)[0] == '</text><script>x("'
    assert not list(svg.iter(f"{SVG}script"))


@pytest.mark.parametrize("prefix", ["", "/ar", "/ur", "/tr", "/bn"])
def test_places_are_whole_numbers_in_every_language(client: Client, prefix: str) -> None:
    make_acme()
    svg = drawn(client, prefix=prefix)
    assert re.fullmatch(r"\d+", str(svg.get("width")))
    for each in svg.iter():
        for place in ("x", "y", "width"):
            assert re.fullmatch(r"\d+(\.5)?", each.get(place, "0"))


@pytest.mark.parametrize(("prefix", "way"), [("", "ltr"), ("/ar", "rtl")])
def test_the_name_stands_where_reading_starts(client: Client, prefix: str, way: str) -> None:
    make_acme()
    svg = drawn(client, prefix=prefix)
    name, text = svg.iter(f"{SVG}text")
    assert (int(name.get("x", "")) < int(text.get("x", ""))) is (way == "ltr")
    group = [g for g in svg.iter(f"{SVG}g") if g.get("direction")]
    assert [g.get("direction") for g in group] == [way]


def test_a_longer_text_has_more_room(client: Client) -> None:
    make_provider("short", name="A")
    make_provider("long", name="A provider with a long name")
    wide = [int(drawn(client, slug).get("width", "")) for slug in ("short", "long")]
    assert wide[1] > wide[0] + 150


def test_it_is_kept_for_an_hour_and_not_sent_twice(client: Client) -> None:
    make_acme()
    response = client.get("/badge/acme.svg")
    assert response["Cache-Control"] == with_stale("public, max-age=3600")
    assert "Set-Cookie" not in response
    again = client.get("/badge/acme.svg", headers={"if-none-match": response["ETag"]})
    assert again.status_code == 304


def test_nobody_has_no_badge(client: Client) -> None:
    assert client.get("/badge/nobody.svg").status_code == 404


# --- Of coverage -------------------------------------------------------------------------


def coverage(client: Client, slug: str = "acme", prefix: str = "") -> str:
    return texts(drawn(client, slug, prefix, "coverage"))[1]


def days_ago(days: int) -> date:
    return timezone.now().date() - timedelta(days=days)


def test_it_says_how_much_is_known_and_how_old_that_is(client: Client) -> None:
    pods = make_acme(custom_image="any", docker_daemon="none", ssh=True)
    for n, key in enumerate(("custom_image", "docker_daemon", "ssh")):
        make_claim(pods, key, pods.answer(key), read_on=days_ago(10 + n))
    assert coverage(client) == "2 of 7 main questions known (28.5 %) · median age: 11 days"


def test_a_median_without_a_day_is_said_as_such(client: Client) -> None:
    make_claim(make_acme(ssh=True), "ssh", True, read_on=None)
    assert coverage(client) == "0 of 7 main questions known (0 %) · day not recorded"


def test_without_an_answer_there_is_no_age(client: Client) -> None:
    make_acme(contradicted=["ssh"])
    assert coverage(client) == "0 of 7 main questions known (0 %)"


@pytest.mark.parametrize(("status", "text"), [("closed", "closed"), ("active", "nothing to rent")])
def test_coverage_of_nothing_says_why(client: Client, status: str, text: str) -> None:
    provider = make_provider("acme", status=status)
    make_offering("old", provider, status="closed", ssh=True)
    assert coverage(client) == text


def test_a_kind_of_badge_that_there_is_not_is_the_usual_one(client: Client) -> None:
    make_acme(custom_image="any")
    usual = client.get("/badge/acme.svg").content
    for query in ("show=moon", "show=", "show=coverage&show=%00", "colour=red"):
        assert client.get(f"/badge/acme.svg?{query}").content == usual, query


def test_the_badge_of_coverage_is_kept_and_as_safe_as_the_other(client: Client) -> None:
    make_offering("pods", make_provider("acme", name='</text><script>x("'))
    address = "/badge/acme.svg?show=coverage"
    response = client.get(address)
    assert response["Cache-Control"] == with_stale("public, max-age=3600")
    assert "Set-Cookie" not in response
    assert not re.search(r"<style|<script|<image|href=|style=|url\(h", response.content.decode())
    again = client.get(address, headers={"if-none-match": response["ETag"]})
    assert again.status_code == 304
    assert client.get("/badge/nobody.svg?show=coverage").status_code == 404


@pytest.mark.parametrize("prefix", ["/ar", "/ur", "/tr", "/bn"])
def test_coverage_is_drawn_in_every_language(client: Client, prefix: str) -> None:
    make_claim(make_acme(ssh=True), "ssh", True, read_on=days_ago(3))
    assert re.search(r"\b3\b", coverage(client, prefix=prefix))
