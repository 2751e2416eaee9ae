"""Comparing over the project's own catalog and prices, loaded once for all tests here."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from providers.browse.criteria import Criteria
from providers.browse.judge import Truth
from providers.browse.presets import PRESETS, PresetQuestion
from providers.browse.query import browse
from providers.browse.world import World
from providers.compare import suggest
from providers.compare.selection import LIMIT
from tests.factories import NOW
from tests.whole_catalog import whole_catalog

BUDGET = 80_000


class Read(HTMLParser):
    """The ids of a page, and the words of each of its links."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[list[str]] = []
        self._inside = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag == "a":
            self._inside = True
            self.links.append([dict(attrs).get("href") or ""])

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "a"

    def handle_data(self, data: str) -> None:
        if self._inside and data.strip():
            self.links[-1].append(data.strip())


@pytest.fixture(scope="module", autouse=True)
def catalog(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    with django_db_blocker.unblock(), whole_catalog():
        yield


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


@pytest.mark.parametrize("language", ["", "/ar", "/ur", "/tr", "/bn"])
@pytest.mark.parametrize("more", ["", "&equal=fold&gpu=h100&per=instance&period=month"])
def test_every_link_has_a_place_and_words_and_every_id_is_one_thing(
    client: Client, world: World, language: str, more: str
) -> None:
    response = client.get(language + address(sixes(world)[2]) + more)
    read = Read(response.content.decode())
    assert [name for name, times in Counter(read.ids).items() if times > 1] == []
    assert [link for link in read.links if not link[0] or len(link) < 2] == []


def test_addresses_of_a_page_are_canonical(client: Client, world: World) -> None:
    page = client.get(address(sixes(world)[1]) + "&gpu=h100&period=day").context["page"]
    leads = [page.fold.url, *(choice.url for choice in (*page.units, *page.gpus[:5]))]
    for column in page.columns:
        leads += [column.base_url, column.earlier_url, column.later_url, column.remove_url]
    for url in leads:
        assert client.get(url).context["page"].canonical_url == url


@pytest.mark.parametrize("wanted", ["csv", "json", "md"])
def test_every_offering_is_exported(client: Client, world: World, wanted: str) -> None:
    for keys in sixes(world)[:4]:
        response = client.get(f"{address(keys)}&format={wanted}")
        text = b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]
        names = [str(world.by_key[key]) for key in keys] if wanted == "md" else keys
        assert [name for name in names if name not in text] == []
