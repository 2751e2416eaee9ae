"""The desk's first page: what waits, each count as its list has it, and what to do next."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from checks.models import ContentEntry
from gpucompare import roles
from providers.catalog.store import load
from providers.dimensions import MAIN
from providers.models import (
    Claim,
    Correction,
    Offering,
    Provider,
    QuarantinedRow,
    RefreshRun,
    RejectedBatch,
    SourcePage,
    SourceReview,
    SourceState,
    UnknownGpuName,
)
from tests import catalog_texts as made
from tests.desk import curator
from tests.factories import make_claim, make_gpu, make_listing, make_offering, make_provider
from tests.query_counts import queries_of

pytestmark = pytest.mark.django_db

NOW = timezone.now()
TODAY = NOW.date()


@pytest.fixture(autouse=True)
def _no_files(tmp_path: Path, settings: Any) -> None:
    """Files that were never loaded are none of this page's tests."""
    (tmp_path / "content" / "en").mkdir(parents=True)
    settings.CATALOG_DIR = made.write(tmp_path / "catalog", made.provider("acme"))
    settings.CONTENT_DIR = tmp_path / "content"


@pytest.fixture
def desk() -> Client:
    return curator()


def a_role(name: str) -> Client:
    roles.make_groups(apps, apps.get_app_configs())
    user = User.objects.create(username=name, is_staff=True)
    user.groups.add(Group.objects.get(name=name))
    client = Client()
    client.force_login(user)
    return client


def piles(desk: Client) -> dict[str, Any]:
    found = desk.get("/admin/").context["piles"]
    return {each.pile.key: each for each in found}


def tasks(desk: Client) -> list[str]:
    return [each.task.words for each in desk.get("/admin/").context["tasks"]]


def correction(offering: Offering, **fields: Any) -> Correction:
    number = Correction.objects.count()
    given = {"dimension": "ssh", "value": "yes", "made_at": NOW - timedelta(days=3)}
    return Correction.objects.create(token=f"{number:032}", offering=offering, **(given | fields))


def review(claim: Claim, **fields: Any) -> SourceReview:
    page, _made = SourcePage.objects.get_or_create(address=claim.source)
    given = {"kind": "changed", "found_at": NOW - timedelta(days=2)}
    return SourceReview.objects.create(page=page, claim=claim, **(given | fields))


def batch(source: str = "acme", days: int = 1, **fields: Any) -> RejectedBatch:
    run = RefreshRun.objects.create(
        source=source,
        started_at=NOW - timedelta(days=days),
        outcome="rejected",
        guard="rows",
        figures={"rows": 1, "usual": 10, "least": 6},
    )
    return RejectedBatch.objects.create(run=run, rows=[], **fields)


def quarantined(source: str, *outcomes: tuple[int, str]) -> None:
    """A row kept out in each run, given as (days ago, outcome)."""
    SourceState.objects.get_or_create(slug=source)
    for days, outcome in outcomes:
        at = NOW - timedelta(days=days)
        run = RefreshRun.objects.create(source=source, started_at=at, outcome=outcome)
        QuarantinedRow.objects.create(run=run, place="plans[3]", reason="no price")


def something_of_everything(rounds: int = 1) -> None:
    for number in range(rounds):
        offering = make_offering(contradicted=["ssh"])
        make_listing(offering, make_gpu(f"gpu-{Offering.objects.count()}"))
        for days in (10, 120, 200, None):
            day = TODAY - timedelta(days=days) if days else None
            make_claim(offering, MAIN[0].key, "any", read_on=day)
        correction(offering)
        review(make_claim(offering, "spot", True, source=f"https://docs.example/{number}"))
        batch(f"source-{RefreshRun.objects.count()}")
        quarantined(f"source-{RefreshRun.objects.count()}", (1, "merged"), (9, "merged"))
        name = f"Z{UnknownGpuName.objects.count()}"
        UnknownGpuName.objects.create(name=name, seen_at="acme", first_seen=NOW, last_seen=NOW)
        ContentEntry.objects.create(
            kind="faq", language="en", key=f"q-{ContentEntry.objects.count()}", position=0
        )


def closed_ones() -> None:
    """What hangs on offerings that nobody can rent any more waits for nobody."""
    for gone in (
        make_offering(contradicted=["ssh"], status="closed"),
        make_offering(provider=make_provider(status="closed"), contradicted=["ssh"]),
    ):
        make_claim(gone, MAIN[0].key, "any", read_on=None)


def test_each_count_is_that_of_the_list_it_leads_to(desk: Client) -> None:
    something_of_everything(3)
    closed_ones()
    retired = make_claim(make_offering(), "spot", True, retired_at=NOW, retired_why="Gone.")
    review(retired)
    batch("kept", kept_out_at=NOW)
    batch("taken", accepted_at=NOW)
    found = piles(desk)
    lists = {key: each for key, each in found.items() if not key.startswith("conflicts-")}
    counted = {key: each.pile.number for key, each in lists.items()}
    listed = {
        key: desk.get(each.pile.url).context["cl"].result_count for key, each in lists.items()
    }
    assert counted == listed
    assert counted == {
        **{"claims-due": 6, "claims-ageing": 3, "claims-current": 6},
        **{"contradictions": 3, "unknown-main": 4, "corrections": 3, "source-pages": 3},
        **{"batches": 3, "quarantined": 3, "texts": 3, "gpu-names": 3},
    }


def test_the_oldest_of_each_is_told(desk: Client) -> None:
    offering = make_offering()
    correction(offering, made_at=NOW - timedelta(days=9))
    correction(offering)
    make_claim(offering, "ssh", True, read_on=TODAY - timedelta(days=300))
    make_claim(offering, "spot", True, read_on=None)
    found = piles(desk)
    assert found["corrections"].age == "9 days ago"
    assert found["claims-due"].age == "300 days ago"
    assert found["claims-due"].pile.note.endswith("not recorded: 1")
    assert "oldest: 9 days ago" in desk.get("/admin/").content.decode()


def test_only_the_last_judged_run_of_a_source_counts_as_quarantined(desk: Client) -> None:
    quarantined("acme", (3, "merged"), (2, "rejected"), (1, "unreachable"))
    assert piles(desk)["quarantined"].age == "2 days ago"
    assert piles(desk)["quarantined"].pile.number == 1


def test_a_contradiction_is_no_unknown_answer(desk: Client) -> None:
    known = {d.key: None for d in MAIN}
    make_offering(contradicted=list(known))
    assert piles(desk)["unknown-main"].pile.number == 0


def test_more_work_takes_no_more_queries(desk: Client) -> None:
    something_of_everything()
    desk.get("/admin/")
    few = queries_of(lambda: desk.get("/admin/"))
    something_of_everything(12)
    assert queries_of(lambda: desk.get("/admin/")) <= few <= 30


def test_what_is_next_comes_in_the_order_that_is_told(desk: Client) -> None:
    offering = make_offering("pods", make_provider("acme"))
    make_claim(offering, MAIN[0].key, "any", read_on=None)
    review(make_claim(offering, "spot", True))
    batch("lambda")
    correction(offering)
    offering.contradicted = ["ssh"]
    offering.save()
    said = tasks(desk)
    assert [words.partition(": ")[2].partition(" ")[0] for words in said] == [
        *("sources", "a", "accept", "the", "read")
    ]
    page = desk.get("/admin/")
    assert [why.partition(",")[0] for why in page.context["order"]] == [
        *("contradictions", "corrections", "rejected batches", "source pages that changed"),
        "claims on main questions that are due",
    ]
    assert "Of each kind the oldest first" in page.content.decode()


def test_five_things_are_next_and_no_more(desk: Client) -> None:
    something_of_everything(7)
    assert len(tasks(desk)) == 5
    assert all("sources disagree" in words for words in tasks(desk))


def test_the_page_of_each_thing_to_do_answers(desk: Client) -> None:
    something_of_everything()
    for each in desk.get("/admin/").context["tasks"]:
        assert desk.get(each.task.url).status_code == 200, each.task.words


def test_claims_are_read_again_first_where_most_is_listed(desk: Client) -> None:
    few, many, none = (make_offering(slug) for slug in ("few", "many", "none"))
    gpu = make_gpu("h100")
    for offering, number in ((few, 1), (many, 3)):
        for _each in range(number):
            make_listing(offering, gpu)
    make_listing(none, gpu, withdrawn_at=NOW)
    for offering in (few, many, none):
        make_claim(offering, MAIN[0].key, "any", read_on=None)
        make_claim(offering, "spot", True, read_on=None)
    said = tasks(desk)
    assert [words.partition(":")[0].split()[-1] for words in said] == ["Many", "Few", "None"]
    assert said[0].endswith("read 1 claim on main questions again (3 listings)")


def test_a_role_sees_only_what_it_may() -> None:
    something_of_everything()
    viewer = a_role("viewer")
    assert "claims-due" in piles(viewer)
    assert viewer.get("/admin/").context["order"] == []
    assert tasks(viewer) == []
    staff = Client()
    staff.force_login(User.objects.create(username="staff", is_staff=True))
    page = staff.get("/admin/")
    assert (page.context["piles"], page.context["tasks"]) == ([], [])
    assert 'href="/admin/catalog/patch/"' not in page.content.decode()


def test_a_curator_is_not_told_to_settle_batches() -> None:
    batch()
    assert tasks(a_role("curator")) == []
    assert len(tasks(a_role("publisher"))) == 1


def test_who_is_not_let_in_sees_the_login(client: Client) -> None:
    assert client.get("/admin/")["Location"].startswith("/admin/login/")


def test_nothing_waits_on_an_empty_desk(desk: Client) -> None:
    page = desk.get("/admin/").content.decode()
    assert "Nothing waits." in page
    assert reverse("admin:providers_offering_changelist") in page


def test_the_page_keeps_the_strict_policy(desk: Client) -> None:
    something_of_everything()
    page = desk.get("/admin/").content.decode()
    assert re.findall(r"<script(?![^>]*src=)[^>]*>|<style|\son\w+=|\sstyle=", page) == []


@pytest.fixture
def loaded(settings: Any) -> Path:
    directory: Path = settings.CATALOG_DIR
    load(directory)
    return directory


def test_conflicts_of_files_and_desk_are_counted(desk: Client, loaded: Path) -> None:
    assert piles(desk)["conflicts-catalog_dir"].pile.number == 0
    Provider.objects.update(name="Desk")
    made.write(loaded, made.provider("acme", name="File"))
    found = piles(desk)["conflicts-catalog_dir"]
    assert found.pile.number == 1
    assert found.age
    assert desk.get(found.pile.url).status_code == 200


def test_a_file_that_cannot_be_read_is_told(desk: Client, loaded: Path) -> None:
    (loaded / "acme.yaml").write_bytes(b"name: \xff")
    assert piles(desk)["conflicts-catalog_dir"].pile.label == "Catalog: faults in files"
    page = desk.get(reverse("desk-conflicts"))
    assert "is not UTF-8 text" in page.content.decode()
