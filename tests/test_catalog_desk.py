"""Catalog files and the curators' desk: both sides' work is kept, and conflicts stop a load."""

from __future__ import annotations

from pathlib import Path

import pytest

from providers.catalog.merge import Conflicts, Side
from providers.catalog.store import load
from providers.claims import retire
from providers.models import CatalogFile, Claim, Offering, Provider
from tests import catalog_texts as made
from tests.catalog_loading import SPOT, loaded, pods, the_offering
from tests.factories import make_claim, make_offering

pytestmark = pytest.mark.django_db


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return tmp_path / "catalog"


def test_a_change_at_the_desk_survives_a_load(files: Path) -> None:
    loaded(files, made.provider("acme", pods(SPOT)))
    Claim.objects.update(note="Seen today.")
    Provider.objects.update(name="ACME")

    loaded(files, made.provider("acme", pods({"spot": made.claim(False, note="By auction.")})))

    claim = Claim.objects.get()
    assert (claim.value, claim.note) == (False, "Seen today.")
    assert Provider.objects.get().name == "ACME"


def test_an_addition_at_the_desk_survives_a_load(files: Path) -> None:
    loaded(files, made.provider("acme", pods(SPOT)))
    make_claim(the_offering(), "ssh", True)
    make_offering("desk", Provider.objects.get())

    loaded(files, made.provider("acme", pods(), made.offering("vms")))

    assert [(o.slug, o.made_at) for o in Offering.objects.all()] == [
        ("pods", "catalog"),
        ("vms", "catalog"),
        ("desk", "desk"),
    ]
    assert Claim.objects.get().dimension == "ssh"


def test_a_claim_retired_at_the_desk_stays_retired(files: Path) -> None:
    loaded(files, made.provider("acme", pods(SPOT)))
    retire(list(Claim.objects.all()), "The page is gone.")

    assert load(files).changed_files == 0
    assert the_offering().answer("spot") is None

    loaded(files, made.provider("acme", pods(SPOT), name="Changed"))

    assert not Claim.objects.exists()
    assert Provider.objects.get().name == "Changed"


@pytest.mark.parametrize(("take", "stand"), [(Side.FILE, [False]), (Side.DESK, [])])
def test_a_claim_retired_at_the_desk_that_its_file_changes_is_a_conflict(
    files: Path, take: Side, stand: list[bool]
) -> None:
    loaded(files, made.provider("acme", pods(SPOT)))
    retire(list(Claim.objects.all()), "The page is gone.")
    changed = made.provider("acme", pods({"spot": made.claim(False)}))

    with pytest.raises(Conflicts, match="the desk has nothing"):
        loaded(files, changed)
    assert not Claim.objects.exists()

    load(files, take=take)
    assert list(Claim.objects.values_list("value", flat=True)) == stand
    assert Claim.every.filter(retired_why="The page is gone.").count() == 1


def test_a_claim_that_comes_back_to_its_file_stands_again(files: Path) -> None:
    for claims in (SPOT, {}, SPOT):
        loaded(files, made.provider("acme", pods(claims)))
    assert Claim.objects.get().decides
    assert Claim.every.count() == 2


def test_a_conflict_stops_the_load_and_nothing_is_written(files: Path) -> None:
    loaded(files, made.provider("acme", pods(SPOT)), made.provider("beta"))
    Claim.objects.update(note="Desk.")

    with pytest.raises(Conflicts) as raised:
        loaded(
            files,
            made.provider("acme", pods({"spot": made.claim(True, note="File.")})),
            made.provider("beta", name="Changed"),
        )

    assert str(raised.value) == (
        "acme.yaml: offerings.pods.claims.spot[https://docs.example/page].note"
        " (was 'By auction.'): the file has 'File.'; the desk has 'Desk.'"
    )
    assert Claim.objects.get().note == "Desk."
    assert Provider.objects.get(slug="beta").name == "Beta"
    assert "By auction." in CatalogFile.objects.get(slug="acme").text


@pytest.mark.parametrize(("take", "note"), [(Side.FILE, "File."), (Side.DESK, "Desk.")])
def test_a_conflict_is_settled_by_the_side_that_is_taken(
    files: Path, take: Side, note: str
) -> None:
    loaded(files, made.provider("acme", pods(SPOT)))
    Claim.objects.update(note="Desk.")
    changed = made.provider("acme", pods({"spot": made.claim(True, note="File.")}))

    report = loaded(files, changed, take=take)

    assert Claim.objects.get().note == note
    assert len(report.settled["acme"]) == 1
    assert loaded(files, changed).changed_files == 0
