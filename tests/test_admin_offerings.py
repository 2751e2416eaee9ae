"""Providers and offerings at the desk: what may be entered, and what follows from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from providers.catalog.files import read_directory
from providers.catalog.store import dump, load
from providers.catalog.validate import documents
from providers.dimensions import CLAIMED
from providers.models import Listing, MadeAt, Offering, Origin, Provider, Status
from tests import catalog_texts as made
from tests.desk import address, change, curator, entered, save
from tests.factories import make_offering, make_provider

pytestmark = pytest.mark.django_db

ACME = {
    "slug": "acme",
    "name": "Acme",
    "kind": "vm_cloud",
    "website": "https://acme.example",
    "headquarters": "DE",
    "status": "active",
}


@pytest.fixture
def desk() -> Client:
    return curator()


@pytest.fixture
def acme() -> Provider:
    return make_provider("acme")


def add_provider(desk: Client, **entries: Any) -> Any:
    return save(desk, address(Provider, "add"), **(ACME | entries))


def add_offering(desk: Client, provider: Provider, **entries: Any) -> Any:
    said = {
        "provider": provider.pk,
        "slug": "pods",
        "name": "Pods",
        "summary": "Containers by the hour.",
        "docs": "https://acme.example/docs",
        "status": "active",
    }
    return save(desk, address(Offering, "add"), **(said | entries))


def stand_ins() -> set[str]:
    current = Listing.objects.filter(origin=Origin.CATALOG, withdrawn_at=None)
    return set(current.values_list("gpu_name", flat=True))


# --- What is made at the desk ----------------------------------------------------------


def test_what_is_made_at_the_desk_says_so(desk: Client) -> None:
    assert add_provider(desk, made_at="catalog") == {}
    acme = Provider.objects.get()
    assert add_offering(desk, acme, made_at="catalog") == {}
    assert (acme.made_at, Offering.objects.get().made_at) == (MadeAt.DESK, MadeAt.DESK)


def test_an_edit_does_not_change_where_a_row_was_made(desk: Client) -> None:
    acme = make_provider("acme", made_at="catalog")
    assert save(desk, change(acme), name="Acme Cloud", made_at="desk") == {}
    acme.refresh_from_db()
    assert (acme.name, acme.made_at) == ("Acme Cloud", MadeAt.CATALOG)


def test_what_is_made_at_the_desk_outlives_a_load(desk: Client, tmp_path: Path) -> None:
    add_provider(desk)
    add_offering(desk, Provider.objects.get())
    load(made.write(tmp_path, made.provider("beta")))
    assert Offering.objects.get().status == Status.ACTIVE


def test_what_the_desk_took_is_a_file_that_can_be_loaded(desk: Client, tmp_path: Path) -> None:
    add_provider(desk, pricing_api_docs="https://api.acme.example", status_note="Young.")
    add_offering(
        desk,
        Provider.objects.get(),
        ways_in=["base_image"],
        gpu_names="\r\nH100 SXM\r\n \r\nL4\r\n",
    )
    dump(tmp_path)
    document = documents(read_directory(tmp_path))["acme"]
    assert (document.headquarters, document.status_note) == ("DE", "Young.")
    assert document.offerings[0].gpus == ["H100 SXM", "L4"]
    assert document.offerings[0].access_modes == ["base_image"]


# --- Refusing --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("slug", "Acme"),
        ("slug", "acme_cloud"),
        ("name", ""),
        ("kind", "cloud"),
        ("website", "ftp://acme.example"),
        ("headquarters", "de"),
        ("headquarters", "Germany"),
        ("status", "sleeping"),
        ("pricing_api_docs", "ftp://api.acme.example"),
    ],
)
def test_a_provider_that_no_file_could_hold_is_refused(
    desk: Client, field: str, value: str
) -> None:
    assert list(add_provider(desk, **{field: value})) == [field]
    assert not Provider.objects.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("slug", "Pods"),
        ("summary", ""),
        ("docs", "see the site"),
        ("docs", "ftp://acme.example"),
        ("ways_in", ["side_door"]),
        ("gpu_names", "L4\nL4"),
        ("gpu_names", "G" * 121),
        ("position", "-1"),
    ],
)
def test_an_offering_that_no_file_could_hold_is_refused(
    desk: Client, acme: Provider, field: str, value: Any
) -> None:
    assert list(add_offering(desk, acme, **{field: value})) == [field]
    assert not Offering.objects.exists()


def test_two_offerings_of_a_provider_do_not_share_an_address(desk: Client, acme: Provider) -> None:
    add_offering(desk, acme)
    assert "__all__" in add_offering(desk, acme)
    assert add_offering(desk, make_provider()) == {}


def test_an_address_stays_what_it_is(desk: Client, acme: Provider) -> None:
    pods = make_offering("pods", acme)
    assert save(desk, change(acme), slug="other") == {}
    assert save(desk, change(pods), slug="other", provider=make_provider().pk) == {}
    pods.refresh_from_db()
    assert (pods.provider.slug, pods.slug) == ("acme", "pods")


# --- Columns that claims answer ----------------------------------------------------------


def test_no_form_writes_what_claims_answer(desk: Client, acme: Provider) -> None:
    pods = make_offering("pods", acme, docker_daemon="root", contradicted=["ssh"])
    assert entered(desk, change(pods)).keys().isdisjoint({d.key for d in CLAIMED})
    assert save(desk, change(pods), docker_daemon="none", contradicted="", name="Pod") == {}
    pods.refresh_from_db()
    assert (pods.name, pods.answer("docker_daemon"), pods.contradicted) == ("Pod", "root", ["ssh"])


def test_every_answer_stands_on_the_page_of_its_offering(desk: Client, acme: Provider) -> None:
    pods = make_offering("pods", acme, driver="535-595", registries=["ghcr.io", "nvcr.io"])
    page = desk.get(change(pods)).content.decode()
    assert [d.key for d in CLAIMED if f"field-{d.key}" not in page] == []
    assert "535-595" in page
    assert "ghcr.io, nvcr.io" in page


# --- Ways in -----------------------------------------------------------------------------


def test_the_ways_in_are_entered_at_the_offering(desk: Client, acme: Provider) -> None:
    pods = make_offering("pods", acme, access_modes=["base_image"])
    assert entered(desk, change(pods))["ways_in"] == ["base_image"]
    assert save(desk, change(pods), ways_in=["docker_daemon", "base_image"]) == {}
    assert Offering.objects.get().answer("access_modes") == ["docker_daemon", "base_image"]
    assert save(desk, change(pods), ways_in=[]) == {}
    assert Offering.objects.get().answer("access_modes") is None


def test_the_order_of_the_ways_in_is_kept_where_nothing_else_changed(
    desk: Client, acme: Provider
) -> None:
    modes = ["base_image", "docker_daemon"]
    pods = make_offering("pods", acme, access_modes=modes)
    assert save(desk, change(pods), ways_in=modes[::-1], name="Pod") == {}
    assert Offering.objects.get().answer("access_modes") == modes


# --- GPUs ----------------------------------------------------------------------------------


def test_gpus_of_a_new_offering_stand_as_listings(desk: Client, acme: Provider) -> None:
    assert add_offering(desk, acme, gpu_names="H100 SXM\r\nL4") == {}
    assert stand_ins() == {"H100 SXM", "L4"}


def test_changed_gpu_names_change_the_listings(desk: Client, acme: Provider) -> None:
    add_offering(desk, acme, gpu_names="H100 SXM\nL4")
    pods = Offering.objects.get()
    assert save(desk, change(pods), gpu_names="L4\nT4") == {}
    assert stand_ins() == {"L4", "T4"}
    assert save(desk, change(pods), gpu_names="") == {}
    assert stand_ins() == set()
    assert Offering.objects.get().gpu_names is None


def test_another_edit_leaves_the_listings_alone(desk: Client, acme: Provider) -> None:
    pods = make_offering("pods", acme, gpu_names=["L4"])
    assert save(desk, change(pods), name="Pod") == {}
    assert stand_ins() == set()
    assert Offering.objects.get().gpu_names == ["L4"]


def test_a_provider_is_closed_instead_of_deleted(desk: Client, acme: Provider) -> None:
    make_offering("pods", acme)
    note = {"status": "closed", "status_note": "Shut down in May 2026."}
    assert save(desk, change(acme), **note) == {}
    assert Provider.objects.get().status == Status.CLOSED
