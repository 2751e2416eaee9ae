"""The contract: what every registered source makes of its provider's sample answers.

Each is read over real HTTP from the server that plays it. Odd rows are part of the samples; what
they are to become is said in the source's own tests.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from providers.gpus import GpuMatch, exception, resolve
from providers.sources import SOURCES
from providers.sources.base import BadRow, Found, ListingRecord, Page, Price, Source, SourceError
from providers.sources.http import HttpClient, Network, Pace
from tests import provider_server as play
from tests.provider_server import SAMPLES, ProviderServer
from tests.recorded_http import Call, RecordedHttp

CATALOG = Path(__file__).parents[1] / "fixtures" / "catalog"
KEY = "an-id:a-secret"
WRONG: list[Any] = [None, "", "x", [], {}, [None], {"x": None}, -1, 0, 1e9, True, [[]], "½", "NaN"]
FREELY = Network(pace=Pace("10000/second"))

every_source = pytest.mark.parametrize("slug", sorted(SOURCES))


@pytest.fixture(scope="module")
def server() -> Iterator[ProviderServer]:
    with play.running() as running:
        yield running


def client(slug: str, server: ProviderServer) -> HttpClient:
    environ = {f"GPUCOMPARE_SOURCE_{slug.upper()}_URL": server.base(slug)}
    return HttpClient.of(SOURCES[slug], environ, network=FREELY)


def pages(slug: str, server: ProviderServer) -> list[Page]:
    return list(SOURCES[slug](KEY).fetch(client(slug, server)))


@pytest.fixture
def rows(slug: str, server: ProviderServer) -> list[Found]:
    return list(SOURCES[slug]().parse(pages(slug, server)))


@pytest.fixture
def records(rows: list[Found]) -> list[ListingRecord]:
    return [row for row in rows if isinstance(row, ListingRecord)]


def unknown_names(slug: str) -> set[str]:
    """Names in the samples that are unknown on purpose."""
    file = SAMPLES / slug / "expected.json"
    return set(json.loads(file.read_text())["unknown_names"]) if file.exists() else set()


@cache
def catalog_offerings() -> frozenset[str]:
    files: list[dict[str, Any]] = [
        yaml.load(file.read_text(), yaml.CSafeLoader) for file in CATALOG.glob("*.yaml")
    ]
    return frozenset(
        f"{provider['slug']}/{offering['slug']}"
        for provider in files
        for offering in provider["offerings"]
    )


def prices(records: list[ListingRecord]) -> list[Price]:
    both = [price for row in records for price in (row.price, row.spot_price)]
    return [price for price in both if price is not None]


@every_source
def test_a_source_declares_itself(slug: str) -> None:
    source = SOURCES[slug]
    assert source.base_url.startswith("https://")
    assert not source.base_url.endswith("/")
    assert set(source.offerings) <= catalog_offerings()
    assert source.offerings
    assert source.interval.total_seconds() >= 600


@every_source
def test_a_key_is_not_shown_by_the_source_that_has_it(slug: str) -> None:
    assert KEY not in repr(SOURCES[slug](KEY))


@every_source
def test_the_sample_answers_become_listings(
    slug: str, rows: list[Found], records: list[ListingRecord]
) -> None:
    assert records, "an answer without listings proves nothing"
    assert len(records) > len(rows) / 2
    assert {row.offering for row in records} <= set(SOURCES[slug].offerings)


@every_source
def test_a_listing_is_itself_and_no_other(slug: str, records: list[ListingRecord]) -> None:
    twice = [
        key for key, times in Counter((r.offering, r.key) for r in records).items() if times > 1
    ]
    assert not twice
    assert all(0 < len(row.key) <= 200 for row in records)


@every_source
def test_reading_the_same_answers_twice_gives_the_same_rows(
    slug: str, server: ProviderServer, records: list[ListingRecord]
) -> None:
    again = SOURCES[slug]().parse(pages(slug, server))
    assert [row for row in again if isinstance(row, ListingRecord)] == records


@every_source
def test_prices_are_exact_above_zero_and_never_absurd(
    slug: str, records: list[ListingRecord]
) -> None:
    found = prices(records)
    assert found, "samples without a price prove nothing"
    for price in found:
        assert isinstance(price.amount, Decimal)
        assert 0 < price.amount < 1000
        assert price.raw
        assert price.currency.isalpha()
        assert price.currency == price.currency.upper()
        assert len(price.currency) == 3


@every_source
def test_figures_are_within_what_the_database_takes(
    slug: str, records: list[ListingRecord]
) -> None:
    for row in records:
        assert 1 <= row.gpu_count <= 128
        assert row.vram_gb is None or 1 <= row.vram_gb <= 1024
        assert row.stock_count is None or row.stock_count >= 0
        assert len(row.gpu_name) <= 120
        assert max(len(row.region), len(row.tier)) <= 64
        assert len(row.driver) <= 32
        assert len(row.cuda) <= 16
        assert all(isinstance(figure, Decimal) for figure in row.extras.values())


@every_source
def test_every_gpu_name_is_known_or_known_to_mean_none(
    slug: str, records: list[ListingRecord]
) -> None:
    unknown = {
        row.gpu_name
        for row in records
        for provider in [row.offering.partition("/")[0]]
        if resolve(row.gpu_name, row.vram_gb, provider) == GpuMatch()
        and not exception(row.gpu_name, provider)
    }
    assert unknown == unknown_names(slug)


@every_source
def test_a_bad_row_says_where_and_why(slug: str, rows: list[Found]) -> None:
    for row in rows:
        if isinstance(row, BadRow):
            assert row.where
            assert row.reason


@every_source
def test_an_answer_with_a_wrong_value_never_ends_in_a_crash(slug: str) -> None:
    for seed in range(20):
        crash_of(slug, seed)


@every_source
@pytest.mark.soak
def test_no_answer_with_a_wrong_value_ends_in_a_crash(slug: str) -> None:
    for seed in range(20, 2000):
        crash_of(slug, seed)


def crash_of(slug: str, seed: int) -> None:
    """Reads a source whose answers hold wrong values. Raises whatever is no SourceError."""
    origin = SOURCES[slug](KEY)
    with suppress(SourceError):
        for row in origin.parse(list(origin.fetch(WrongValues(slug, seed)))):
            assert isinstance(row, Found)


class WrongValues(RecordedHttp):
    """The samples, with a few values of each answer replaced by others; the same for a seed."""

    def __init__(self, slug: str, seed: int) -> None:
        super().__init__(slug)
        self.chance = random.Random(f"{slug} {seed}")

    def _answer(self, call: Call) -> bytes:
        whole = super()._answer(call)
        try:
            content = json.loads(whole)
        except ValueError:
            return whole[: self.chance.randrange(len(whole))]
        for _time in range(self.chance.randint(1, 3)):
            content = self._changed(content)
        return json.dumps(content).encode()

    def _changed(self, value: Any) -> Any:
        """`value` with something wrong in its place or, more likely, somewhere within."""
        if isinstance(value, dict | list) and value and self.chance.random() < 0.9:
            places: list[Any] = list(value if isinstance(value, dict) else range(len(value)))
            place = self.chance.choice(places)
            value[place] = self._changed(value[place])
            return value
        return deepcopy(self.chance.choice(WRONG))


def test_every_file_of_a_source_is_registered_under_its_name() -> None:
    assert {"verda", "vultr", "scaleway", "linode", "thundercompute", "ovhcloud"} <= set(SOURCES)
    assert all(source.slug == slug for slug, source in SOURCES.items())
    assert all(issubclass(source, Source) for source in SOURCES.values())


def test_samples_belong_to_sources() -> None:
    folders = {folder.name for folder in SAMPLES.iterdir() if folder.is_dir()}
    assert folders - {"images", "cuda"} == set(SOURCES)


def test_a_source_that_is_not_named_like_its_file_is_a_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(SOURCES["verda"], "slug", "datacrunch")
    with pytest.raises(TypeError, match="its source calls itself 'datacrunch'"):
        list(type(SOURCES)())
