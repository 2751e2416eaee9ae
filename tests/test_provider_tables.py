"""The claims about a provider and the list of GPUs as files."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from tests.comparing import exported, make_pods, make_vms
from tests.factories import make_claim, make_gpu, make_listing, make_offering, make_provider

pytestmark = pytest.mark.django_db
ALPHA = "/providers/alpha/"


def rows(client: Client, address: str) -> list[dict[str, Any]]:
    return list(csv.DictReader(io.StringIO(exported(client, address), newline="")))


def test_each_claim_is_a_row_with_source_basis_and_day(client: Client) -> None:
    make_pods()
    make_vms()
    found = rows(client, f"{ALPHA}?format=csv")
    assert len(found) == 5
    assert found[0] == {
        "provider": "alpha",
        "offering": "pods",
        "dimension": "custom_image",
        "value": "any",
        "basis": "documented",
        "source": "https://docs.alpha.example/images",
        "source_kind": "provider",
        "read_on": "2026-11-01",
        "note": "",
        "decides": "yes",
        "contradicted": "no",
        "url": "/providers/alpha/pods/custom_image/",
        "licence": "CC-BY-4.0",
    }


def test_claims_that_contradict_each_other_are_all_there(client: Client) -> None:
    make_pods()
    spot = [r for r in rows(client, f"{ALPHA}?format=csv") if r["dimension"] == "spot"]
    assert {(r["value"], r["decides"], r["contradicted"]) for r in spot} == {
        ("yes", "no", "yes"),
        ("no", "no", "yes"),
    }


def test_a_claim_without_a_day_says_so_by_leaving_it_out(client: Client) -> None:
    make_claim(make_offering("x", make_provider("p")), "ssh", True, read_on=None, note="-a; =b")
    (row,) = rows(client, "/providers/p/?format=csv")
    assert (row["read_on"], row["note"]) == ("", "'-a;' =b")
    (plain,) = json.loads(exported(client, "/providers/p/?format=json"))["rows"]
    assert (plain["read_on"], plain["note"]) == (None, "-a; =b")


def test_a_value_of_several_stays_a_list_in_json(client: Client) -> None:
    pods = make_pods()
    make_claim(pods, "registries", ["any", "docker_hub"])
    found = json.loads(exported(client, f"{ALPHA}?format=json"))
    (row,) = [r for r in found["rows"] if r["dimension"] == "registries"]
    assert row["value"] == ["any", "docker_hub"]
    assert found["meta"]["source"] == "http://testserver/providers/alpha/?format=json"


def test_markdown_is_the_page_in_words(client: Client) -> None:
    pods = make_pods()
    price = {"usd_per_hour": Decimal("1.5"), "seen_at": timezone.now()}
    make_listing(pods, make_gpu("l4"), **price)
    text = exported(client, f"{ALPHA}?format=md")
    lines = text.splitlines()
    assert lines[0] == "# Alpha"
    assert "https://alpha.example" in lines[2]
    daemon = next(line for line in lines if line.startswith("| Pods | Docker daemon |"))
    assert daemon == (
        "| Pods | Docker daemon | None | Documented | https://docs.alpha.example/daemon "
        "| 1 November 2026 |  |"
    )
    assert any(line.startswith("- L4, Pods: on demand 1.50 (") for line in lines)


def test_markdown_names_what_is_unknown_and_what_is_contradicted(client: Client) -> None:
    make_pods()
    lines = exported(client, f"{ALPHA}?format=md").splitlines()
    assert any(re.fullmatch(r"\| Pods \| .+ \| Unknown \|  \|  \|  \|  \|", li) for li in lines)
    spot = [line for line in lines if "/spot |" in line]
    assert len(spot) == 2
    assert all("another source" in line for line in spot)


def test_markdown_says_that_a_provider_is_closed(client: Client) -> None:
    gone = make_provider("gone", status="closed", status_note="Shut down in 2026.")
    make_offering("x", gone)
    assert "Shut down in 2026." in exported(client, "/providers/gone/?format=md")


def test_a_provider_without_offerings_is_a_table_of_none(client: Client) -> None:
    make_provider("bare")
    assert rows(client, "/providers/bare/?format=csv") == []
    assert exported(client, "/providers/bare/?format=md").startswith("# Bare")


# --- GPUs --------------------------------------------------------------------------------


def test_each_model_is_a_row_with_what_its_family_costs(client: Client) -> None:
    sxm = make_gpu("h100-sxm", "h100", vram_gb=80, compute_capability="9.0")
    make_gpu("h100-pcie", "h100", vram_gb=80, compute_capability="9.0")
    make_gpu("mystery")
    listed = {"usd_per_hour": Decimal(4), "gpu_count": 2, "seen_at": timezone.now()}
    make_listing(make_offering("pods"), sxm, **listed)
    found = {row["gpu"]: row for row in rows(client, "/gpus/?format=csv")}
    assert set(found) == {"h100-sxm", "h100-pcie", "mystery"}
    row = found["h100-pcie"]
    assert (row["family"], row["vram_gb"], row["family_offerings"]) == ("h100", "80", "1")
    assert (row["usd_per_gpu_hour"], row["price_gpu_count"], row["price_origin"]) == (
        *("2", "2"),
        "live",
    )
    assert (row["first_cuda"], row["source"][:8]) == ("11.8", "https://")
    assert found["mystery"]["usd_per_gpu_hour"] == found["mystery"]["first_cuda"] == ""


def test_prices_of_gpus_follow_the_asked_units(client: Client) -> None:
    listed = {"usd_per_hour": Decimal(4), "gpu_count": 2, "seen_at": timezone.now()}
    make_listing(make_offering("pods"), make_gpu("l4"), **listed)
    (row,) = rows(client, "/gpus/?per=instance&period=day&format=csv")
    assert row["usd_per_instance_day"] == "96"


def test_days_without_hours_are_written_alike_everywhere(client: Client) -> None:
    make_claim(make_offering("x", make_provider("p")), "ssh", True, read_on=date(2026, 1, 2))
    (row,) = json.loads(exported(client, "/providers/p/?format=json"))["rows"]
    assert row["read_on"] == "2026-01-02"
