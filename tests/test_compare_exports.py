"""A comparison as a file: the same rows for programs and for documents."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal

import pytest
from django.test import Client
from django.utils import timezone, translation

from providers.models import Offering
from tests.comparing import BOTH, exported, make_pods, make_vms
from tests.factories import make_gpu, make_listing

pytestmark = pytest.mark.django_db
pods = pytest.fixture(make_pods)
vms = pytest.fixture(make_vms)


@pytest.mark.usefixtures("pods", "vms")
def test_csv_holds_keys_a_row_a_question_and_a_column_an_offering(client: Client) -> None:
    read = list(csv.DictReader(io.StringIO(exported(client, f"{BOTH}&format=csv"))))
    daemon = next(row for row in read if row["row"] == "docker_daemon")
    assert daemon == {
        "group": "daemon",
        "row": "docker_daemon",
        "main": "yes",
        "standing": "different",
        "alpha/pods": "none",
        "beta/vms": "root",
        "alpha/pods source": "https://docs.alpha.example/daemon",
        "alpha/pods read_on": "2026-11-01",
        "beta/vms source": "https://docs.example/page",
        "beta/vms read_on": "2020-01-01",
        "licence": "CC-BY-4.0",
    }
    spot = next(row for row in read if row["row"] == "spot")
    assert (spot["standing"], spot["alpha/pods"], spot["beta/vms"]) == ("open", "contradicted", "")
    assert (spot["alpha/pods source"], spot["beta/vms read_on"]) == ("", "")


def test_json_holds_prices_as_numbers_of_a_named_unit(client: Client, pods: Offering) -> None:
    make_listing(
        pods,
        make_gpu("l4"),
        usd_per_hour=Decimal("0.5"),
        seen_at=timezone.now(),
    )
    read = json.loads(exported(client, "/compare/?o=alpha/pods&period=day&format=json"))
    prices = {r["row"]: r["alpha/pods"] for r in read["rows"] if r["group"] == "price"}
    assert Decimal(prices["on_demand_usd_per_gpu_day"]) == 12
    assert prices["on_demand_gpu"] == "L4"
    assert prices["spot_usd_per_gpu_day"] is None
    assert read["meta"]["source"] == "http://testserver/compare/?o=alpha/pods&period=day"


@pytest.mark.usefixtures("pods", "vms")
def test_markdown_reads_like_a_document(client: Client) -> None:
    text = exported(client, f"{BOTH}&equal=fold&format=md")
    assert text.startswith("Differs in 1 of 7 main questions")
    assert "| Question | Alpha Pods | Beta Vms |" in text
    assert "| **Docker daemon** | None | ≠ Root |" in text
    assert "Own image |" not in text
    assert "- Alpha Pods: Docker daemon: <https://docs.alpha.example/daemon>" in text
    assert f"http://testserver{BOTH}&equal=fold" in text


@pytest.mark.usefixtures("pods", "vms")
def test_markdown_speaks_the_language_of_the_address_and_csv_speaks_none(client: Client) -> None:
    with translation.override("ar"):
        assert exported(client, f"/ar{BOTH}&format=csv") == exported(client, f"{BOTH}&format=csv")
    assert "**" in exported(client, f"/ar{BOTH}&format=md")


@pytest.mark.parametrize("wanted", ["csv", "json", "md"])
def test_an_empty_comparison_exports_too(client: Client, wanted: str) -> None:
    assert exported(client, f"/compare/?format={wanted}")
