"""Rehearsals: every provider played by a server on this machine, over the project's own catalog."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from decimal import Decimal

from django.conf import settings
from django.db import transaction

from providers.catalog.store import load
from providers.models import ExchangeRate, Listing, RefreshRun
from providers.refresh.run import refresh
from providers.sources import SOURCES
from providers.sources.http import Bounds, HttpClient
from tests.plays import PLAYS, Play
from tests.provider_server import Answer, Exchange, ProviderServer, sample_answer
from tests.source_client import FREELY, QUICK

# A call may wait for a busy machine; the body of a fault is small enough to pass any bound.
PATIENT = replace(QUICK, tries=2, retry_after_max_s=0.05, body_bytes=2**19, stream_bytes=2**19)
# For providers that never end an answer: what is good is not read with these.
IMPATIENT = replace(PATIENT, read_s=0.15, call_s=0.4, stream_s=0.4)


@contextmanager
def catalog_with_rates() -> Iterator[None]:
    """The whole catalog and a rate of the euro in the database until the block ends."""
    with transaction.atomic():
        load(settings.CATALOG_DIR)
        ExchangeRate.objects.create(currency="EUR", day=date(2026, 11, 30), usd=Decimal("1.16"))
        yield
        transaction.set_rollback(True)


def source_of(name: str) -> str:
    """The source that a play is of."""
    return PLAYS[name].source or name


def played(play: Play, change: Callable[[bytes], bytes] = bytes) -> Answer:
    """The provider's usual answers, with a change to their bodies."""

    def answer(exchange: Exchange) -> None:
        code, body, headers = sample_answer(exchange.seen)
        exchange.whole(code, change(play.usual(body)) if code == 200 else body, headers)

    return answer


def all_played(exchange: Exchange) -> None:
    """Every provider's usual answers, by the first part of the path."""
    slug = exchange.seen.path.split("/")[1]
    played(PLAYS[slug])(exchange)


def run_of(name: str, url: str, bounds: Bounds = PATIENT, *, dry_run: bool = False) -> RefreshRun:
    """A refresh by a play, at the server's `url`."""
    slug = source_of(name)
    environ = {f"GPUCOMPARE_SOURCE_{slug.upper()}_URL": f"{url}/{slug}"}
    http = HttpClient.of(SOURCES[slug], environ, bounds=bounds, network=FREELY)
    return refresh(SOURCES[slug](PLAYS[name].key), http, dry_run=dry_run)


def good_run_of(name: str, server: ProviderServer) -> RefreshRun:
    server.always = played(PLAYS[name])
    return run_of(name, server.url)


Shelf = dict[tuple[str, str], tuple[Decimal | None, Decimal | None]]


def shelf(slug: str) -> Shelf:
    """(offering, key) → on-demand and spot price of what is on offer now."""
    rows = Listing.objects.filter(source=slug, withdrawn_at=None).order_by()
    names = ("offering__slug", "key", "usd_per_hour", "spot_usd_per_hour")
    return {(offering, key): (usd, spot) for offering, key, usd, spot in rows.values_list(*names)}
