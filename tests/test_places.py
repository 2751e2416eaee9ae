"""The places of the header: one list, with the one that a page belongs to marked."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.urls import get_resolver

from gpucompare.places import PLACES, place_links
from tests.factories import make_offering, make_provider

_LINK = re.compile(r'<li><a href="([^"]*)"(?: aria-current="(\w+)")?>')


def shown(html: str) -> list[tuple[str, str]]:
    """(address, aria-current) of every place."""
    (nav,) = re.findall(r'<nav id="places".*?</nav>', html, re.DOTALL)
    return _LINK.findall(nav)


def names_within() -> Iterator[str]:
    for place in PLACES:
        yield from (place.name, *place.within)


def test_every_name_is_one_of_an_address_and_stands_once() -> None:
    found = list(names_within())
    assert len(found) == len(set(found))
    known = {name for name in get_resolver().reverse_dict if isinstance(name, str)}
    assert set(found) <= known


def test_a_place_that_is_shown_is_the_page_and_what_lies_within_is_true() -> None:
    assert [link.current for link in place_links("gpus")].count("page") == 1
    (current,) = [link for link in place_links("gpu") if link.current]
    assert (current.url, current.current) == ("/gpus/", "true")
    assert not any(link.current for link in place_links(""))
    assert not any(link.current for link in place_links("elsewhere"))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "place", "current"),
    [
        ("/", "/", "page"),
        ("/compare/", "/", "true"),
        ("/providers/acme/", "/", "true"),
        ("/providers/acme/pods/spot/", "/", "true"),
        ("/listings/", "/listings/?sort=price", "page"),
        ("/gpus/", "/gpus/", "page"),
        ("/status/", "/status/", "page"),
        ("/ar/gpus/", "/ar/gpus/", "page"),
    ],
)
def test_a_page_marks_the_place_it_belongs_to(
    client: Client, path: str, place: str, current: str
) -> None:
    make_offering("pods", make_provider("acme"))
    found = shown(client.get(path).content.decode())
    assert len(found) == len(PLACES)
    assert [pair for pair in found if pair[1]] == [(place, current)]


def test_where_nothing_is_no_place_is_marked(client: Client) -> None:
    found = shown(client.get("/nowhere/").content.decode())
    assert len(found) == len(PLACES)
    assert not any(current for _address, current in found)


def test_the_page_of_a_server_error_leads_to_every_place() -> None:
    found = shown(render_to_string("500.html"))
    assert [address for address, _current in found] == [link.url for link in place_links("")]


def test_a_phone_opens_the_places_without_script() -> None:
    html = render_to_string("404.html")
    assert 'popovertarget="places"' in html
    assert re.search(r'<nav id="places" popover aria-label="[^"]+">', html)
