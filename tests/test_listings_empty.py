"""Listings when no row is left: which filter costs what, instead of a table."""

from decimal import Decimal

import pytest
from django.test import Client

from tests.factories import make_gpu, make_listing, make_offering

pytestmark = pytest.mark.django_db


def test_a_filter_that_leaves_nothing_says_what_lifting_it_brings_back(client: Client) -> None:
    make_listing(make_offering(docker_daemon="none"), make_gpu("l4"), usd_per_hour=Decimal(1))
    response = client.get("/listings/?docker_daemon=root")
    html = response.content.decode()
    assert response.status_code == 200
    assert "Nothing matches all of the filters" in html
    assert "measured against all listings" in html
    (relaxation,) = response.context["page"].relaxations
    assert (relaxation.removes, relaxation.regained, relaxation.url) == (1, 1, "/listings/")


def test_browse_measures_its_filters_against_offerings(client: Client) -> None:
    make_offering(docker_daemon="none")
    html = client.get("/?docker_daemon=root").content.decode()
    assert "measured against the 1 offering there is" in html
