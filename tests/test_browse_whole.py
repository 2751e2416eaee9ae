"""The browse page over the project's own catalog and prices, loaded once for all tests here."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.html import escape

from providers.browse.criteria import Criteria
from providers.browse.presets import PRESETS, PresetQuestion
from providers.browse.query import browse
from providers.browse.world import World
from providers.models import Offering, Provider
from tests.factories import NOW
from tests.whole_catalog import whole_catalog

HTMX = {"HX-Request": "true"}
EVERYTHING = "/?docker_daemon=root&gpu=h100&max_price=9&in_stock=1&sort=price&min_cuda=12.4"


@pytest.fixture(scope="module", autouse=True)
def catalog(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    with django_db_blocker.unblock(), whole_catalog():
        yield


@pytest.fixture(scope="module")
def world() -> World:
    return World.read()


def compressed(client: Client, url: str, **headers: str) -> int:
    """Bytes of a page as they go over the wire."""
    response = client.get(url, headers=headers)
    assert response.status_code == 200
    return len(gzip.compress(response.content, 6))


def test_every_provider_of_the_catalog_is_named(client: Client) -> None:
    page = client.get("/").content.decode()
    names = Provider.objects.values_list("name", flat=True)
    assert len(names) == len(list(settings.CATALOG_DIR.glob("*.yaml")))
    assert [name for name in names if escape(name) not in page] == []


def test_every_offering_of_the_catalog_is_a_row(client: Client) -> None:
    page = client.get("/").context["page"]
    shown = {row.key for s in page.sections for group in s.groups for row in group.rows}
    held = Offering.objects.values_list("provider__slug", "slug")
    assert shown == {f"{provider}/{offering}" for provider, offering in held}


def test_the_page_keeps_to_its_budget(client: Client) -> None:
    assert compressed(client, "/") <= 60_000


@pytest.mark.parametrize("url", ["/", "/?docker_daemon=root", EVERYTHING])
def test_what_htmx_swaps_keeps_to_its_budget(client: Client, url: str) -> None:
    assert compressed(client, url, **HTMX) <= 25_000


@pytest.mark.parametrize("url", ["/", EVERYTHING, "/?q=h100&format=csv"])
def test_twelve_queries_are_enough(client: Client, url: str) -> None:
    with CaptureQueriesContext(connection) as queries:
        client.get(url)
    assert len(queries) <= 12


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.key)
def test_a_ready_made_question_finds_offerings_and_leaves_some_out(
    preset: PresetQuestion, world: World
) -> None:
    result = browse(preset.applied(Criteria()), world, NOW)
    assert 0 < len(result.match) < result.total


def test_the_snapshots_day_is_told(client: Client) -> None:
    page = client.get("/").content.decode()
    assert "Prices marked as a snapshot were read on" in page
