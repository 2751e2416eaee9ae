"""A check as Markdown: the page in words, for a document or a model."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal

import pytest
from django.test import Client
from django.utils import timezone

from providers.models import Origin
from tests.comparing import exported
from tests.factories import make_gpu, make_listing, make_offering, make_provider

pytestmark = pytest.mark.django_db
BY_HAND = "/check/?cuda=12.4&framework=torch&release=2.6.0"


@pytest.fixture(autouse=True)
def market() -> None:
    gpu = make_gpu("h100-sxm", "h100", compute_capability="9.0", vram_gb=80)
    answers = {"custom_image": "any", "gpu_passthrough": "automatic"}
    good = make_offering("pods", make_provider("good"), **answers)
    old = make_offering("vms", make_provider("old"), **answers)
    make_offering("closed", make_provider("gone"), status="closed", **answers)
    now = timezone.now()
    make_listing(good, gpu, usd_per_hour=Decimal(2), seen_at=now, driver="580.95.05", cuda="13.0")
    make_listing(
        old,
        gpu,
        usd_per_hour=Decimal(1),
        seen_at=now - timedelta(days=40),
        driver="450.80.02",
        cuda="11.0",
        origin=Origin.SNAPSHOT,
    )


def table(client: Client, query: str = "", prefix: str = "") -> list[list[str]]:
    lines = exported(client, f"{prefix}{BY_HAND}{query}&format=md").splitlines()
    rows = [line for line in lines if line.startswith("| ") and "| --- |" not in line]
    return [[cell.strip() for cell in row.strip("|").split(" |")] for row in rows]


def test_it_begins_with_the_sentence_of_the_page(client: Client) -> None:
    text = exported(client, f"{BY_HAND}&format=md")
    first = text.splitlines()[0]
    assert first.startswith("Runs unchanged at 1 offering of 1 provider; ")
    page = client.get(BY_HAND).content.decode()
    assert first.partition(";")[0] in page


def test_each_offering_has_its_verdict_with_the_reason(client: Client) -> None:
    head, *rows = table(client)
    assert head[:5] == ["Offering", "Verdict", "Why", "What helps", "Of its listings"]
    assert head[-1] == "Cheapest ($ / GPU / hour)"
    found = {row[0]: row for row in rows}
    good, old = found["Good Pods"], found["Old Vms"]
    assert (good[1], good[3], good[4]) == ("Runs", "", "1 of 1 listing")
    assert old[1] == "Fails"
    assert old[2]
    assert all(len(row) == len(head) for row in rows)


def test_prices_bear_their_day(client: Client) -> None:
    found = {row[0]: row[-1] for row in table(client)}
    assert re.fullmatch(r"2\.00 H100-SXM \(\d+ \w+ \d{4}\)", found["Good Pods"])
    assert re.fullmatch(r"1\.00 H100-SXM \(snapshot, \d+ \w+ \d{4}\)", found["Old Vms"])
    assert found["Gone Closed (closed)"] == "no price"


def test_what_may_match_says_so_and_can_be_hidden(client: Client) -> None:
    names = [row[0] for row in table(client, "&docker_daemon=root")][1:]
    assert "Good Pods (may match)" in names
    hidden = [row[0] for row in table(client, "&docker_daemon=root&unknown=hide")][1:]
    assert hidden == ["Gone Closed (closed)"]


def test_the_columns_are_those_that_are_asked_for(client: Client) -> None:
    head = table(client, "&columns=docker_daemon&columns=ssh")[0]
    assert head[5:-1] == ["Docker daemon", "SSH"]


def test_there_are_all_rows_and_not_one_page(client: Client) -> None:
    busy = make_provider("busy")
    for n in range(60):
        make_offering(f"o{n}", busy, custom_image="any")
    assert len(table(client)) == 1 + 63


def test_programs_still_get_keys(client: Client) -> None:
    text = exported(client, f"{BY_HAND}&format=csv")
    assert "verdict" in text.splitlines()[0].split(",")
    arabic = exported(client, f"/ar{BY_HAND}&format=csv")
    assert arabic == text.replace("/providers/", "/ar/providers/")
