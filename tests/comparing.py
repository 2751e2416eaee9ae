"""Two offerings to compare, and how a test reads the page that compares them."""

from __future__ import annotations

from datetime import date

from django.test import Client

from providers.compare.page import ComparedCell, ComparedRow, ComparePage
from providers.models import Offering
from tests.factories import make_claim, make_offering, make_provider

BOTH = "/compare/?o=alpha/pods&o=beta/vms"


def make_pods() -> Offering:
    found = make_offering(
        "pods",
        make_provider("alpha"),
        custom_image="any",
        docker_daemon="none",
        persistent_volume="network",
        registries=["any"],
        contradicted=["spot"],
    )
    make_claim(found, "docker_daemon", "none", source="https://docs.alpha.example/daemon")
    make_claim(found, "custom_image", "any", source="https://docs.alpha.example/images")
    make_claim(found, "spot", True, decides=False, source="https://docs.alpha.example/spot")
    make_claim(found, "spot", False, decides=False, source="https://blog.alpha.example/spot")
    make_claim(found, "ssh", True, decides=False, source="https://old.alpha.example/ssh")
    return found


def make_vms() -> Offering:
    found = make_offering(
        "vms", make_provider("beta"), custom_image="any", docker_daemon="root", ssh=True
    )
    make_claim(found, "docker_daemon", "root", read_on=date(2020, 1, 1))
    return found


def page_of(client: Client, address: str) -> ComparePage:
    response = client.get(address)
    assert response.status_code == 200
    page: ComparePage = response.context["page"]
    return page


def row(page: ComparePage, key: str) -> ComparedRow:
    return next(row for group in page.groups for row in group.rows if row.key == key)


def standings(page: ComparePage, key: str) -> list[str]:
    return [compared.standing for compared in row(page, key).cells]


def cells(page: ComparePage, key: str) -> list[ComparedCell]:
    return list(row(page, key).cells)


def exported(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]
