"""Comparing over the project's own catalog and prices, loaded once for all tests here."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from providers.browse.criteria import Criteria
from providers.browse.judge import Truth
from providers.browse.presets import PRESETS, PresetQuestion
from providers.browse.query import browse
from providers.browse.world import World
from providers.catalog.store import load
from providers.compare import suggest
from providers.compare.selection import LIMIT
from providers.models import Offering
from providers.refresh.snapshot import load_snapshot
from tests.factories import NOW

BUDGET = 80_000


@pytest.fixture(scope="module", autouse=True)
def catalog(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """What `make run` shows."""
    with django_db_blocker.unblock(), transaction.atomic():
        load(settings.CATALOG_DIR)
        load_snapshot(settings.LISTINGS_DIR)
        yield
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def world() -> World:
    return World.read()


def address(keys: list[str]) -> str:
    return "/compare/?" + "&".join(f"o={key}" for key in keys)


def sixes(world: World) -> list[list[str]]:
    """Every offering once, six at a time."""
    keys = sorted(world.by_key)
    return [keys[n : n + LIMIT] for n in range(0, len(keys), LIMIT)]


def test_every_offering_can_be_compared_within_the_budget(client: Client, world: World) -> None:
    seen = []
    for keys in sixes(world):
        with CaptureQueriesContext(connection) as queries:
            response = client.get(address(keys))
        assert len(queries) <= 15
        assert len(gzip.compress(response.content, 6)) <= BUDGET
        page = response.context["page"]
        assert page.notices == ()
        seen += [column.key for column in page.columns]
    assert seen == sorted(world.by_key)


def test_every_suggestion_leads_to_what_it_promises(client: Client, world: World) -> None:
    page = client.get(address(sixes(world)[3][:3])).context["page"]
    assert page.others
    for link in page.others:
        found = client.get(link.url).context["page"]
        assert found.match >= link.count
    for link in page.neighbours:
        added = client.get(link.url).context["page"]
        assert len(added.columns) == len(page.columns) + 1


def test_every_ready_comparison_is_one(client: Client) -> None:
    ready = client.get("/compare/").context["page"].ready
    assert len(ready) == len(PRESETS)
    for link in ready:
        page = client.get(link.url).context["page"]
        assert page.notices == ()
        assert page.canonical_url == link.url
        assert len({column.provider for column in page.columns}) == len(page.columns) > 1


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.key)
def test_what_gives_an_answer_here_matches_on_the_browse_page(
    preset: PresetQuestion, world: World
) -> None:
    found = browse(Criteria.of(preset.asks), world, NOW)
    here = {o.pk for o in world.offerings if suggest.gives(o, preset.asks) is Truth.YES}
    closed = {row.offering.pk for row in found.closed}
    assert here
    assert {row.offering.pk for row in found.match} == here - closed


def test_the_matrix_with_its_ticks_keeps_the_budgets_of_browse(client: Client) -> None:
    page = client.get("/").content
    assert page.count(b'form="tray"') == page.count(
        b'<tr role="row"><th role="rowheader" scope="row">'
    )
    assert len(gzip.compress(page, 6)) <= 60_000
    part = client.get("/", headers={"HX-Request": "true"}).content
    assert len(gzip.compress(part, 6)) <= 25_000


def test_the_tray_takes_the_gpu_and_the_units_along_and_no_filter(client: Client) -> None:
    html = client.get("/?docker_daemon=root&gpu=h100&per=instance&period=day").content.decode()
    tray = html[html.index('id="tray"') :]
    tray = tray[: tray.index("</form>")]
    for name, value in (("gpu", "h100"), ("per", "instance"), ("period", "day")):
        assert f'<input type="hidden" name="{name}" value="{value}">' in tray
    assert "docker_daemon" not in tray
