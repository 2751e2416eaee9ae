"""Whatever is asked, by whoever: an answer in time, no fault of ours, and memory that stays."""

from __future__ import annotations

import logging
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from itertools import islice
from time import monotonic
from typing import Any

import psutil
import pytest
from django.conf import settings as configured
from django.test import Client
from django.utils import timezone

from providers.catalog.store import load
from providers.models import SourceState
from providers.refresh.snapshot import load_snapshot
from providers.resolve import resolve_offerings
from tests.connections import bound_statements
from tests.factories import make_claim, make_gpu, make_listing, make_offering, make_provider
from tests.fuzzing import PATHS, Ask, Fuzz, public_names, public_paths

logger = logging.getLogger(__name__)

SEED = 20_261_201
CI_S, SOAK_S = 10.0, 300.0
# One answer. A statement is cut at ten seconds, and none may come near that.
LONGEST_S = 8.0
LARGEST = 8 * 1024 * 1024
# What a process may take more than after it has answered everything once.
MOST_GROWTH_MB = 200


@pytest.fixture
def as_in_a_web_process(settings: Any) -> Iterator[None]:
    settings.REGISTRY_READS = 0
    with bound_statements():
        yield


def market() -> None:
    """A little of everything."""
    now = timezone.now()
    gpu = make_gpu("h100-sxm", "h100", compute_capability="9.0", vram_gb=80)
    for slug, daemon in (("acme", "root"), ("other", "none")):
        offering = make_offering("pods", make_provider(slug))
        make_claim(offering, "docker_daemon", daemon)
        make_claim(offering, "ssh", True)
        make_claim(offering, "driver", "550-580")
        make_listing(offering, gpu, usd_per_hour=Decimal("2.5"), seen_at=now, region="eu")
        make_listing(offering, gpu.family, usd_per_hour=Decimal(9), origin="snapshot")
        resolve_offerings([offering.pk])
    SourceState.objects.create(slug="vast", good_at=now - timedelta(hours=3))


@dataclass
class Seen:
    """What a run of the fuzz met."""

    seed: int
    asked: int = 0
    faults: list[str] = field(default_factory=list)
    statuses: set[int] = field(default_factory=set)

    def look(self, ask: Ask, client: Client) -> None:
        since = monotonic()
        response = ask.sent(client)
        size = sum(map(len, response)) if response.streaming else len(response.content)
        took = monotonic() - since
        self.asked += 1
        self.statuses.add(response.status_code)
        if _is_ours(ask, response.status_code) or took > LONGEST_S or size > LARGEST:
            told = f"{response.status_code} after {took:.1f} s with {size} bytes"
            self.faults.append(f"seed {self.seed}, request {self.asked}: {told}: {ask}")


def _is_ours(ask: Ask, status: int) -> bool:
    """No registry is asked in tests, which what names an image is told; and a market without the
    site's texts is not ready."""
    no_registry = status in (502, 503, 504) and b"image" in (ask.query.encode() + ask.body)
    not_ready = status == 503 and ask.path == "/readyz"
    return status >= 500 and not no_registry and not not_ready


def fuzz(seed: int, seconds: float, caplog: pytest.LogCaptureFixture) -> Seen:
    logger.warning("fuzz with seed %s", seed)
    client, seen = Client(raise_request_exception=False), Seen(seed)
    asks, until, process = Fuzz(seed).asks(), monotonic() + seconds, psutil.Process()
    for ask in islice(asks, len(public_paths())):
        seen.look(ask, client)
    before = process.memory_info().rss
    # Their records hold every request and answer that was logged: that of the fixture, and that of
    # the report.
    kind, handlers = type(caplog.handler), logging.getLogger().handlers
    captures = [handler for handler in handlers if isinstance(handler, kind)]
    while monotonic() < until:
        seen.look(next(asks), client)
        for capture in captures:
            capture.reset()
    grown_mb = (process.memory_info().rss - before) / 2**20
    met = sorted(seen.statuses)
    logger.warning("%s requests, %.0f MB more, statuses %s", seen.asked, grown_mb, met)
    if grown_mb > MOST_GROWTH_MB:
        seen.faults.append(f"seed {seed}: {grown_mb:.0f} MB more after {seen.asked} requests")
    return seen


def test_every_public_page_is_asked() -> None:
    needing = {path for path in public_paths() if "%(" in path or "{" in path}
    assert needing == set()
    assert set(PATHS) <= public_names()
    assert {"/", "/check/", "/api/v1/offerings", "/providers/acme/pods/ssh/"} <= set(public_paths())


def test_a_seed_is_a_run() -> None:
    first, again, other = (
        [str(ask) for ask in islice(Fuzz(seed).asks(), 300)] for seed in (1, 1, 2)
    )
    assert first == again != other


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("as_in_a_web_process")
def test_whatever_is_asked_is_answered_in_time_and_without_a_fault(
    caplog: pytest.LogCaptureFixture,
) -> None:
    market()
    seen = fuzz(SEED, CI_S, caplog)
    assert seen.faults == []
    assert {200, 404} <= seen.statuses


@pytest.mark.soak
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("as_in_a_web_process")
def test_the_whole_catalog_answers_whatever_is_asked_for_long(
    caplog: pytest.LogCaptureFixture,
) -> None:
    load(configured.CATALOG_DIR)
    load_snapshot(configured.LISTINGS_DIR)
    seen = fuzz(random.SystemRandom().randrange(10**9), SOAK_S, caplog)
    assert seen.faults == []
