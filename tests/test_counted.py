"""The work of the program is counted where it is done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from checks.image.reading import read_now
from checks.image.reasons import RegistryError
from gpucompare.clients import forget_turns, take
from providers.browse import kept as module
from providers.browse.kept import kept
from providers.refresh.run import refresh
from providers.sources.base import ThrottledError
from tests import provider_server as play
from tests import registry_images as images
from tests.counting import Counted
from tests.factories import make_offering, make_provider
from tests.played_registry import PlayedRegistry
from tests.reading_aside import of, reading_registry
from tests.refreshing import NO_NETWORK, Told, records, run

registry = pytest.fixture(reading_registry)


def refreshes(outcome: str) -> Counted:
    return Counted("gpucompare_refreshes_total", source="told", outcome=outcome)


@pytest.fixture
def _nothing_kept() -> Iterator[None]:
    module._found.clear()
    yield
    module._found.clear()


@pytest.mark.usefixtures("_nothing_kept")
@pytest.mark.django_db(transaction=True)
def test_kept_results_are_hits_or_misses() -> None:
    hit, miss = (
        Counted("gpucompare_kept_results_total", outcome=outcome) for outcome in ("hit", "miss")
    )
    assert [kept("a", lambda: 1) for _ in range(3)] == [1, 1, 1]
    assert (hit.more, miss.more) == (2, 1)


@pytest.mark.django_db(transaction=True)
def test_an_image_that_was_read_is_counted(registry: PlayedRegistry) -> None:
    registry.hold(images.image())
    reads = Counted("gpucompare_registry_reads_total", outcome="read")
    read_now(of(registry))
    read_now(of(registry))  # known by now
    assert reads.more == 1


@pytest.mark.django_db(transaction=True)
def test_an_image_that_was_not_read_is_counted_by_its_reason(registry: PlayedRegistry) -> None:
    registry.hold(images.image())
    missing = Counted("gpucompare_registry_reads_total", outcome="no_such_tag")
    with pytest.raises(RegistryError):
        read_now(of(registry, "gone"))
    assert missing.more == 1


def test_a_rate_that_is_not_kept_is_counted_by_what_it_is_of(settings: Any) -> None:
    settings.REDIS_URL = play.nobody().replace("http", "redis")
    forget_turns()
    try:
        api, share = (
            Counted("gpucompare_rate_limits_not_kept_total", purpose=purpose)
            for purpose in ("api", "share")
        )
        assert take("2/minute", "api", "198.51.100.7") is None
        assert (api.more, share.more) == (1, 0)
    finally:
        forget_turns()


@pytest.fixture
def _acme() -> None:
    make_offering("pods", make_provider("acme"))


@pytest.mark.usefixtures("_acme")
@pytest.mark.django_db
def test_refreshes_are_counted_by_how_they_ended() -> None:
    ended = {
        outcome: refreshes(outcome)
        for outcome in ("merged", "throttled", "empty", "failed", "running")
    }
    run(*records(2))
    run(fault=ThrottledError("slower"))
    run()
    run(fault=ZeroDivisionError("our own"))
    assert {outcome: counted.more for outcome, counted in ended.items()} == {
        **dict.fromkeys(ended, 1),
        "running": 0,
    }


@pytest.mark.usefixtures("_acme")
@pytest.mark.django_db
def test_a_dry_run_is_no_refresh() -> None:
    merged = refreshes("merged")
    refresh(Told(records(2)), NO_NETWORK, dry_run=True)
    assert merged.more == 0
