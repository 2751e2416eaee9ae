"""Catalog files → rows, by three-way merge: all of it or nothing."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from providers.catalog import store
from providers.catalog.faults import CatalogFaults
from providers.catalog.merge import Conflicts, Side
from providers.catalog.store import load
from providers.models import CatalogFile, Claim, Listing, Offering, Origin, Provider
from providers.resolve import resolve_offerings
from tests import catalog_texts as made
from tests.catalog_loading import SPOT, loaded, pods, the_offering
from tests.factories import make_claim, make_offering, make_provider

pytestmark = pytest.mark.django_db


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return tmp_path / "catalog"


def test_a_first_load_fills_every_column(files: Path) -> None:
    loaded(
        files,
        made.provider(
            "acme",
            pods(
                SPOT, access_modes=["base_image"], gpus=["L4"], status="closed", status_note="Over."
            ),
            headquarters="DE",
            pricing_api={"public": False, "docs": "https://api.example"},
            status_note="Young.",
        ),
    )

    provider, offering, claim = Provider.objects.get(), the_offering(), Claim.objects.get()
    assert provider.slug == "acme"
    assert (provider.headquarters, provider.status_note) == ("DE", "Young.")
    assert (provider.pricing_api_public, provider.pricing_api_docs) == (
        False,
        "https://api.example",
    )
    assert (offering.answer("access_modes"), offering.gpu_names) == (["base_image"], ["L4"])
    assert (offering.status, offering.status_note, offering.made_at) == (
        "closed",
        "Over.",
        "catalog",
    )
    assert (claim.dimension, claim.value, claim.note) == ("spot", True, "By auction.")
    assert str(claim.read_on) == "2026-11-01"


def test_what_is_left_out_is_unknown(files: Path) -> None:
    loaded(files, made.provider("acme", pods()))

    provider, offering = Provider.objects.get(), the_offering()
    assert (provider.pricing_api_public, provider.headquarters) == (None, "")
    assert (offering.answer("access_modes"), offering.gpu_names) == (None, None)


def test_a_load_resolves_the_answers(files: Path) -> None:
    loaded(files, made.provider("acme", pods(SPOT)))

    assert the_offering().answer("spot") is True
    assert Claim.objects.get().decides


def test_a_load_makes_the_named_gpus_listings_without_a_price(files: Path) -> None:
    loaded(files, made.provider("acme", pods(gpus=["H100 SXM"])))

    listing = Listing.objects.get()
    assert (listing.origin, listing.gpu_name, listing.usd_per_hour) == (
        Origin.CATALOG,
        "H100 SXM",
        None,
    )


def test_order_is_that_of_the_file(files: Path) -> None:
    claims = {
        "spot": [made.claim(value, source=f"https://{value}.example") for value in (True, False)]
    }
    loaded(files, made.provider("acme", made.offering("z"), made.offering("a", claims=claims)))

    assert list(Offering.objects.values_list("slug", flat=True)) == ["z", "a"]
    assert list(Claim.objects.values_list("value", flat=True)) == [True, False]


def test_a_second_load_writes_nothing(files: Path) -> None:
    loaded(files, made.provider("acme", pods(SPOT)), made.provider("beta"))

    with CaptureQueriesContext(connection) as queries:
        report = load(files)

    assert report.changed_files == 0
    assert not report.counts
    assert not [q["sql"] for q in queries if q["sql"].startswith(("INSERT", "UPDATE", "DELETE"))]


def test_only_what_changed_is_written_and_claims_keep_their_rows(files: Path) -> None:
    claims = {"spot": made.claim(True), "ssh": made.claim(True), "jupyter": made.claim(True)}
    loaded(files, made.provider("acme", pods(claims), made.offering("vms")))
    before = set(Claim.objects.values_list("pk", flat=True))

    changed = claims | {"ssh": made.claim(False)}
    report = loaded(files, made.provider("acme", pods(changed), made.offering("vms")))

    assert dict(report.counts) == {("claims", "changed"): 1}
    assert set(Claim.objects.values_list("pk", flat=True)) == before
    assert the_offering().answer("ssh") is False


def test_a_claim_that_the_file_dropped_is_retired(files: Path) -> None:
    loaded(files, made.provider("acme", pods(SPOT)))

    report = loaded(files, made.provider("acme", pods()))

    assert report.counts["claims", "retired"] == 1
    assert not Claim.objects.exists()
    assert Claim.every.get().retired_why == "no longer in its file"
    assert the_offering().answer("spot") is None


def test_an_offering_that_left_the_file_is_closed_and_keeps_its_claims(files: Path) -> None:
    loaded(files, made.provider("acme", pods(SPOT), made.offering("vms")))

    report = loaded(files, made.provider("acme", made.offering("vms")))

    assert report.counts["offerings", "closed"] == 1
    assert the_offering().status == "closed"
    assert Claim.objects.count() == 1
    assert the_offering("vms").status == "active"


def test_an_offering_that_came_back_is_the_same_row_and_open_again(files: Path) -> None:
    both = made.provider("acme", pods(SPOT), made.offering("vms"))
    loaded(files, both)
    pk = the_offering().pk
    loaded(files, made.provider("acme", made.offering("vms")))

    loaded(files, both)

    assert (the_offering().pk, the_offering().status) == (pk, "active")
    assert Claim.objects.count() == 1


def test_an_offering_made_at_the_desk_stays_open(files: Path) -> None:
    loaded(files, made.provider("acme"))
    make_offering("desk", Provider.objects.get())

    loaded(files, made.provider("acme", name="Changed"))

    assert the_offering("desk").status == "active"


def test_an_offering_gone_from_the_file_but_changed_at_the_desk_is_a_conflict(files: Path) -> None:
    loaded(files, made.provider("acme", pods(SPOT)))
    Offering.objects.update(summary="Better words.")

    with pytest.raises(Conflicts, match=r"acme.yaml: offerings.pods: the file has nothing"):
        loaded(files, made.provider("acme"))

    loaded(files, made.provider("acme"), take=Side.DESK)
    assert (the_offering().status, the_offering().made_at) == ("active", "desk")


def test_an_offering_gone_from_the_file_can_be_closed_against_the_desk(files: Path) -> None:
    loaded(files, made.provider("acme", pods(SPOT)))
    Offering.objects.update(summary="Better words.")

    loaded(files, made.provider("acme"), take=Side.FILE)

    assert (the_offering().status, the_offering().summary) == ("closed", "Better words.")


def test_a_provider_whose_file_left_closes_its_offerings(files: Path) -> None:
    loaded(files, made.provider("acme", pods(SPOT)), made.provider("beta"))

    loaded(files, made.provider("beta"))

    assert the_offering().status == "closed"
    assert Provider.objects.filter(slug="acme").exists()
    assert list(CatalogFile.objects.values_list("slug", flat=True)) == ["beta"]


def test_a_provider_whose_file_left_and_came_back_is_open_again(files: Path) -> None:
    acme, beta = made.provider("acme", pods(SPOT)), made.provider("beta")
    loaded(files, acme, beta)
    loaded(files, beta)

    loaded(files, acme, beta)

    assert the_offering().status == "active"


def test_a_first_load_over_a_provider_of_the_desk_joins_both(files: Path) -> None:
    provider = make_provider("acme", name="Acme", kind="container_cloud", headquarters="FR")
    make_claim(make_offering("desk", provider), "spot", True)

    with pytest.raises(Conflicts, match="headquarters"):
        loaded(files, made.provider("acme", pods(SPOT), headquarters="DE"))

    loaded(files, made.provider("acme", pods(SPOT), headquarters="FR"))
    provider.refresh_from_db()
    assert (provider.made_at, provider.pk) == ("catalog", Provider.objects.get().pk)
    assert list(Offering.objects.values_list("slug", flat=True)) == ["pods", "desk"]


def test_faults_of_one_file_keep_all_files_out(files: Path) -> None:
    made.write(files, made.provider("acme", pods(SPOT)))
    (files / "beta.yaml").write_text("slug: beta\n")

    with pytest.raises(CatalogFaults):
        load(files)

    assert not Provider.objects.exists()


def test_a_base_that_todays_rules_would_refuse_can_still_be_merged(files: Path) -> None:
    loaded(files, made.provider("acme", pods(SPOT)))
    old = CatalogFile.objects.get()
    old.text = old.text.replace("value: true", "value: [old, form]").replace("name: Acme", "nom: A")
    old.save()
    Claim.objects.update(value=["old", "form"])

    loaded(files, made.provider("acme", pods({"spot": made.claim(False, note="By auction.")})))

    assert the_offering().answer("spot") is False


def test_a_check_says_what_would_change_and_keeps_nothing(files: Path) -> None:
    report = loaded(files, made.provider("acme", pods(SPOT)), check=True)

    assert report.counts["claims", "new"] == 1
    assert not Provider.objects.exists()
    assert not CatalogFile.objects.exists()


def test_a_load_mends_answers_that_no_longer_follow_from_the_claims(files: Path) -> None:
    loaded(files, made.provider("acme", pods(SPOT)))
    Offering.objects.update(spot=None)

    report = load(files)

    assert (report.changed_files, report.resolved) == (0, 1)
    assert the_offering().answer("spot") is True
    assert resolve_offerings() == 0


def test_many_files_cost_as_many_queries_as_few(files: Path) -> None:
    def cost(*slugs: str) -> int:
        for model in (Listing, Offering, Provider, CatalogFile):
            model.objects.all().delete()
        with CaptureQueriesContext(connection) as queries:
            loaded(files, *[made.provider(slug, pods(SPOT)) for slug in slugs])
        return len(queries)

    cost("warm-up")
    assert cost("a") == cost(*"abcdefgh")


@pytest.mark.django_db(transaction=True)
def test_two_loads_at_once_wait_for_each_other(files: Path) -> None:
    made.write(files, *[made.provider(slug, pods(SPOT)) for slug in "abcdef"])
    failures: list[Exception] = []

    def run() -> None:
        try:
            load(files)
        except Exception as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not failures
    assert Provider.objects.count() == Offering.objects.count() == Claim.objects.count() == 6


def test_the_base_of_a_provider_without_a_file_is_nothing() -> None:
    assert store.base_document("acme", None) is None
