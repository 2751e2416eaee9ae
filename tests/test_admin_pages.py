"""Every model has its pages at the desk, and what the program writes can only be looked at."""

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.apps import apps
from django.contrib import admin
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext

from providers.freshness import ReviewBand, claim_band
from providers.models import (
    CatalogFile,
    Change,
    Claim,
    Correction,
    ExchangeRate,
    FormerKey,
    Gpu,
    GpuFamily,
    GpuStanding,
    Listing,
    Offering,
    Passage,
    PricePoint,
    Provider,
    QuarantinedRow,
    RefreshRun,
    RejectedBatch,
    Share,
    SourcePage,
    SourceReview,
    SourceState,
    UnknownGpuName,
)
from tests.desk import address, change, curator
from tests.factories import NOW, make_claim, make_gpu, make_listing, make_offering

pytestmark = pytest.mark.django_db

MODELS = [
    # A history is shown at the row that it is of.
    m
    for m in apps.get_app_config("providers").get_models()
    if not hasattr(m, "history_type")
]
PROGRAMS_OWN = [
    *(CatalogFile, Gpu, GpuFamily, Listing, PricePoint, UnknownGpuName),
    *(RefreshRun, RejectedBatch, QuarantinedRow, SourceState, ExchangeRate),
    *(Change, GpuStanding, Share, FormerKey),
]
CLOSED_INSTEAD = [Provider, Offering]


def rows() -> None:
    """One row of every model, with all that it can hang on."""
    offering = make_offering("pods", docker_daemon="root", registries=["any"], contradicted=["ssh"])
    claim = make_claim(offering, "docker_daemon", "root", note="On every machine.")
    listing = make_listing(offering, make_gpu("h100-sxm", "h100"), usd_per_hour=Decimal("2.5"))
    PricePoint.objects.create(listing=listing, at=NOW, usd_per_hour=Decimal("2.5"))
    CatalogFile.objects.create(slug="acme", text="slug: acme\n", loaded_at=NOW)
    run = RefreshRun.objects.create(source="acme", started_at=NOW, ended_at=NOW, outcome="merged")
    SourceState.objects.create(slug="acme", good_at=NOW, current_run=run)
    RejectedBatch.objects.create(run=run, rows=[])
    QuarantinedRow.objects.create(run=run, place="plans[3]", reason="price: field required")
    ExchangeRate.objects.create(currency="EUR", day=NOW.date(), usd=Decimal("1.1"))
    gpu = {"offering": offering, "family": listing.family, "gpu": listing.gpu}
    Change.objects.create(at=NOW, what="price", why="refresh", source="acme", run=run, **gpu)
    GpuStanding.objects.create(source="acme", spot=False, usd=Decimal("2.5"), **gpu)
    Share.objects.create(id="0123456789ab", kind="browse", day=NOW.date(), content=b"", size=0)
    FormerKey.objects.create(key="acme/pods", offering=offering)
    UnknownGpuName.objects.create(name="Z9", seen_at="acme", first_seen=NOW, last_seen=NOW)
    said = {"offering": offering, "dimension": "ssh", "value": "yes"}
    Correction.objects.create(token="t" * 32, made_at=NOW, **said)
    page = SourcePage.objects.create(address=claim.source)
    Passage.objects.create(page=page, claim=claim, text="Root.", digest="d", seen_at=NOW)
    SourceReview.objects.create(page=page, claim=claim, kind="changed", found_at=NOW)


@pytest.fixture
def desk() -> Client:
    rows()
    return curator()


def test_every_model_is_at_the_desk() -> None:
    assert {model for model in MODELS if not admin.site.is_registered(model)} == set()


def test_the_index_names_every_model(desk: Client) -> None:
    page = desk.get("/admin/").content.decode()
    assert [m for m in MODELS if f'href="{address(m, "changelist")}"' not in page] == []


@pytest.mark.parametrize("model", MODELS)
def test_the_list_and_every_page_of_a_model_answer(desk: Client, model: type[Model]) -> None:
    listed = desk.get(address(model, "changelist"))
    assert listed.status_code == 200
    assert listed.context["cl"].result_count == 1
    row = model._default_manager.get()
    assert change(row) in listed.content.decode()
    assert desk.get(change(row)).status_code == 200
    assert desk.get(address(row, "history")).status_code == 200


@pytest.mark.parametrize("model", MODELS)
def test_a_list_can_be_searched(desk: Client, model: type[Model]) -> None:
    found = desk.get(address(model, "changelist"), {"q": "nothing is called so"})
    assert found.context["cl"].result_count == 0


@pytest.mark.parametrize("model", MODELS)
def test_a_longer_list_takes_no_more_queries(desk: Client, model: type[Model]) -> None:
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            desk.get(address(model, "changelist"))
        return len(captured)

    few = queries()
    for n in range(3):
        offering = make_offering(f"more-{n}")
        listing = make_listing(offering, make_gpu(f"b{n}", "b200"))
        PricePoint.objects.create(listing=listing, at=NOW)
        make_claim(offering, "spot", True)
    assert queries() <= few


@pytest.mark.parametrize("model", [Provider, Offering, Claim])
def test_what_curators_write_can_be_added(desk: Client, model: type[Model]) -> None:
    assert desk.get(address(model, "add")).status_code == 200


@pytest.mark.parametrize("model", PROGRAMS_OWN)
def test_what_the_program_writes_can_neither_be_added_nor_changed(
    desk: Client, model: type[Model]
) -> None:
    row = model._default_manager.get()
    assert desk.get(address(model, "add")).status_code == 403
    assert desk.post(address(model, "add"), {}).status_code == 403
    assert desk.post(change(row), {}).status_code == 403
    assert b'name="_save"' not in desk.get(change(row)).content


@pytest.mark.parametrize("model", MODELS)
def test_rows_are_closed_or_retired_and_not_deleted(desk: Client, model: type[Model]) -> None:
    row = model._default_manager.get()
    assert desk.post(address(row, "delete"), {"post": "yes"}).status_code == 403
    listed = desk.get(address(model, "changelist"))
    assert b"delete_selected" not in listed.content
    chosen = {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"}
    desk.post(address(model, "changelist"), chosen)
    assert model._default_manager.count() == 1


@pytest.mark.parametrize("model", MODELS)
def test_no_page_needs_more_than_the_strict_policy_allows(desk: Client, model: type[Model]) -> None:
    for url in (address(model, "changelist"), change(model._default_manager.get())):
        response = desk.get(url)
        assert "unsafe" not in response["Content-Security-Policy"]
        page = response.content.decode()
        # Scripts by address, or data that no browser runs.
        assert re.findall(r"<script(?![^>]*(?:src=|application/json))[^>]*>", page) == []
        assert re.findall(r"<style|\son\w+=", page) == []


def test_only_curators_come_in(client: Client) -> None:
    response = client.get(address(Claim, "changelist"))
    assert (response.status_code, response["Location"].partition("?")[0]) == (302, "/admin/login/")


def test_a_row_leads_to_its_page_on_the_site(desk: Client) -> None:
    for model, place in (
        (Provider, "/providers/{0}/"),
        (Offering, "/providers/{0}/#pods"),
        (Claim, "/providers/{0}/pods/docker_daemon/"),
    ):
        page = desk.get(change(model._default_manager.get())).content.decode()
        assert f'href="{place.format(Provider.objects.get().slug)}"' in page


@pytest.mark.parametrize("band", ReviewBand.values)
def test_claims_are_filtered_by_review_as_the_site_counts_their_age(
    desk: Client, band: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("django.utils.timezone.now", lambda: NOW)
    offering = Offering.objects.get()
    days = [None, *(NOW.date() - timedelta(days=n) for n in (0, 90, 91, 180, 181, 400))]
    for day in days:
        make_claim(offering, "spot", True, read_on=day)
    listed = desk.get(address(Claim, "changelist"), {"review": band, "dimension__exact": "spot"})
    found: list[date | None] = [claim.read_on for claim in listed.context["cl"].result_list]
    assert len(found) == len([day for day in days if claim_band(day, NOW.date()) == band])
    assert all(claim_band(day, NOW.date()) == band for day in found)


@pytest.mark.parametrize(("asked", "slugs"), [("yes", {"pods"}), ("no", {"calm"})])
def test_offerings_are_filtered_by_contradiction(desk: Client, asked: str, slugs: set[str]) -> None:
    make_offering("calm")
    listed = desk.get(address(Offering, "changelist"), {"contradicted": asked})
    assert {offering.slug for offering in listed.context["cl"].result_list} == slugs


def test_a_run_shows_how_long_it_took(desk: Client) -> None:
    RefreshRun.objects.update(ended_at=NOW + timedelta(seconds=75))
    assert "0:01:15" in desk.get(address(RefreshRun, "changelist")).content.decode()
