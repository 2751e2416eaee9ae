"""What a machine reads of a page is the same in every language: only words and figures for people
follow it."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from html.parser import HTMLParser
from typing import Any

import pytest
from django.conf import settings
from django.db import transaction
from django.template import base
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import localize

from gpucompare.languages import in_language
from providers.catalog.store import load
from providers.models import Gpu, Listing, Offering, Outcome, PricePoint, RefreshRun, SourceState
from providers.refresh.snapshot import load_snapshot
from tests.factories import make_listing
from tests.whole_catalog import nobody_writes

# A comma in fractions, right to left, and digits of its own.
LANGUAGES = ("tr", "ar", "bn")
PAGES = {
    "browse": "/?kind=marketplace&docker_daemon=root&max_price=2.75",
    "nothing": "/?custom_image=curated_only&docker_daemon=rootless",
    "listings": "/listings/?gpu=h100&sort=price&max_price=9.5",
    "provider": "/providers/runpod/",
    "compare": "/compare/?o=runpod/pods&o=lambda/on-demand",
    "check": "/check/?cuda=12.4&framework=torch&release=2.6.0&kind=marketplace&hours=2.5",
    "cold": "/cold-start/?cuda=12.4&compressed_gb=16.3&hours=2.5&o=runpod/pods",
    "ranking": "/cold-start/?compressed_gb=16.3&kind=marketplace",
    "status": "/status/",
    "changes": "/changes/?gpu=h100",
    "gpu": "/gpus/h100-sxm/",
}
# Words of people, and what says which language they are in.
WORDS = {"title", "aria-label", "placeholder", "alt", "content", "lang", "dir", "hreflang"}
FIGURE = re.compile(r"[-+]?\d[\d.,:TZ+-]*")
PRICE = re.compile(r"[$€£₹]\s*\d+(?:[.,]\d+)*")


@pytest.fixture(scope="module", autouse=True)
def live(django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    """The catalog, its snapshot, and one live listing with figures that languages write apart."""
    with django_db_blocker.unblock(), transaction.atomic():
        load(settings.CATALOG_DIR)
        load_snapshot(settings.LISTINGS_DIR)
        yield reverse("listing", args=[_live_listing().pk])
        transaction.set_rollback(True)


def _live_listing() -> Listing:
    now = timezone.now()
    rates = {"row": 0.9996, "price": 0.985, "gpu_name": 1.0}
    counts = {"fetched": 12345, "new": 12, "changed": 1200, "unchanged": 11133}
    run = RefreshRun.objects.create(
        source="runpod", started_at=now, ended_at=now, outcome=Outcome.MERGED, fill_rates=rates,
        **counts,
    )  # fmt: skip
    SourceState.objects.update_or_create(
        slug="runpod", defaults={"current_run": run, "good_at": now}
    )
    listing = make_listing(
        Offering.objects.get(provider__slug="runpod", slug="pods"),
        Gpu.objects.get(slug="h100-sxm"),
        source="runpod",
        source_url="https://www.runpod.io/pricing",
        first_seen=now - timedelta(days=30),
        seen_at=now,
        gpu_count=8,
        vram_gb=80,
        usd_per_hour=Decimal("1234.5"),
        stock_count=1234,
        stock="available",
        driver="570.86.15",
        cuda="12.8",
        extras={"inet_down_mbps": "1234.5", "disk_usd_gb_month": "0.15"},
    )
    PricePoint.objects.bulk_create(
        PricePoint(listing=listing, at=now - timedelta(days=ago), usd_per_hour=Decimal(price))
        for ago, price in ((30, "1200.25"), (11, "1300.75"), (3, "1234.5"))
    )
    return listing


class Page(HTMLParser):
    """The attributes of a page, its text, and what its blocks of data hold."""

    def __init__(self, html: str, language: str) -> None:
        super().__init__()
        self.attributes: Counter[tuple[str, str, str]] = Counter()
        self.text: list[str] = []
        self.data: list[Any] = []
        self._prefix = f"/{language}"
        self._in = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self._in = given.get("type", tag)
        # The links to the other languages are another set in each.
        if "hreflang" in given:
            return
        for name, value in given.items():
            if name not in WORDS:
                # Sentences for scripts to show stand in data-*, too.
                figures = FIGURE.findall(value) if name.startswith("data-") else [value]
                self.attributes.update((tag, name, self._address(each)) for each in figures)

    def _address(self, value: str) -> str:
        """Addresses stand in links, forms and fields: each without its language."""
        path = value.removeprefix("http://testserver")
        is_prefixed = path == self._prefix or path.startswith(f"{self._prefix}/")
        return path.removeprefix(self._prefix) if is_prefixed else path

    def handle_data(self, data: str) -> None:
        if self._in == "application/ld+json" and data.strip():
            self.data.append(json.loads(data))
        elif self._in not in ("script", "style"):
            self.text.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._in = ""


def _leaves(found: Any) -> Iterator[str]:
    """Each number, time and price of a block of data."""
    if isinstance(found, dict):
        found = list(found.values())
    if isinstance(found, list):
        for each in found:
            yield from _leaves(each)
    elif FIGURE.fullmatch(str(found)):
        yield str(found)


@cache
def _page(address: str, language: str) -> Page:
    with nobody_writes(__name__):
        response = Client().get(in_language(address, language))
    assert response.status_code == 200, response.content
    return Page(response.content.decode(), language)


@pytest.fixture(params=[*PAGES, "listing"])
def address(request: pytest.FixtureRequest, live: str) -> str:
    return PAGES.get(request.param, live)


def test_machines_read_the_same_in_every_language(address: str) -> None:
    english = _page(address, settings.LANGUAGE_CODE)
    for language in LANGUAGES:
        page = _page(address, language)
        assert page.attributes - english.attributes == Counter()
        assert english.attributes - page.attributes == Counter()
        assert list(_leaves(page.data)) == list(_leaves(english.data))


def test_a_price_keeps_its_dot_in_every_language(address: str) -> None:
    english = Counter(PRICE.findall("".join(_page(address, settings.LANGUAGE_CODE).text)))
    for language in LANGUAGES:
        assert Counter(PRICE.findall("".join(_page(address, language).text))) == english


def test_all_digits_of_a_page_are_latin(address: str) -> None:
    for language in LANGUAGES:
        text = "".join(_page(address, language).text)
        digits = {char for char in text if unicodedata.category(char) == "Nd"}
        assert digits <= set("0123456789"), language


def test_no_template_writes_a_fraction_or_a_day_by_itself(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be written by Django's own rules: 1,5 in Turkish, wherever it stands."""
    raw: list[Any] = []

    def noted(value: Any, use_l10n: bool | None = None) -> Any:
        if isinstance(value, float | Decimal | date):
            raw.append(value)
        return localize(value, use_l10n=use_l10n)

    monkeypatch.setattr(base, "localize", noted)
    Client().get(in_language(address, "tr"))
    assert raw == []


def test_people_read_figures_as_their_language_writes_them(live: str) -> None:
    """Else all that stands above would hold of pages that follow no language at all."""
    turkish = "".join(_page(live, "tr").text)
    assert "1.234" in turkish
    assert "570.86.15" in turkish
    assert "12.8" in turkish
    assert "11.133" not in turkish
    assert "12.345" in "".join(_page("/status/", "tr").text)
    assert "12,345" in "".join(_page("/status/", "ar").text)
