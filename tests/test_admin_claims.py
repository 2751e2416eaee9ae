"""A claim that changes at the desk is judged first, and its offering follows at once."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from providers.admin_forms import read_answer
from providers.answers import Dimension, Kind
from providers.catalog.files import read_directory
from providers.catalog.store import dump
from providers.catalog.validate import documents
from providers.dimensions import CLAIMED, DIMENSIONS
from providers.models import Claim, Offering
from providers.resolve import resolve_offerings
from providers.wording import spelled
from tests.desk import address, change, curator, save
from tests.factories import make_claim, make_offering, make_provider

db = pytest.mark.django_db


@pytest.fixture
def desk() -> Client:
    return curator()


@pytest.fixture
def pods() -> Offering:
    provider = make_provider("acme")
    return make_offering("pods", provider, access_modes=["base_image"])


SAID = {
    "basis": "documented",
    "source": "https://docs.example/page",
    "source_kind": "provider",
    "read_on": "2026-11-20",
}


def add(desk: Client, offering: Offering, dimension: str, value: str, **entries: Any) -> Any:
    said = {"offering": offering.pk, "dimension": dimension, "value": value, **SAID}
    return save(desk, address(Claim, "add"), **(said | entries))


def answer(offering: Offering, dimension: str) -> Any:
    return Offering.objects.get(pk=offering.pk).answer(dimension)


# --- Saving ------------------------------------------------------------------------


@db
def test_a_day_that_has_not_come_is_no_day_on_which_a_source_was_read(
    desk: Client, pods: Offering
) -> None:
    faults = add(desk, pods, "docker_daemon", "root", read_on="2999-01-01")
    assert faults == {"read_on": ["This day has not come yet."]}
    assert not Claim.every.exists()


@db
@pytest.mark.parametrize(
    ("dimension", "value", "kept"),
    [
        ("docker_daemon", "root", "root"),
        ("registry_auth", "docker_login, cloud_role", ["docker_login", "cloud_role"]),
        ("registries", "ghcr.io,dkr.ecr.amazonaws.com", ["ghcr.io", "dkr.ecr.amazonaws.com"]),
        ("spot", "no", False),
        ("privileged", "True", True),
        ("cuda_max", "12.8", "12.8"),
        ("driver", "535-595", "535-595"),
        ("billing_increment_s", "0", 0),
        ("max_image_gb", "9.5", 9.5),
        ("cold_start", "Under a minute, says the page.", "Under a minute, says the page."),
    ],
)
def test_a_new_claim_answers_its_offering(
    desk: Client, pods: Offering, dimension: str, value: str, kept: Any
) -> None:
    assert add(desk, pods, dimension, value) == {}
    claim = Claim.objects.get()
    assert (claim.value, type(claim.value)) == (kept, type(kept))
    assert claim.decides
    assert answer(pods, dimension) == kept


@db
def test_a_changed_claim_changes_the_answer(desk: Client, pods: Offering) -> None:
    add(desk, pods, "docker_daemon", "root")
    assert save(desk, change(Claim.objects.get()), value="nested", note="Read again.") == {}
    assert answer(pods, "docker_daemon") == "nested"
    assert Claim.objects.get().note == "Read again."


@db
def test_a_stronger_claim_takes_over(desk: Client, pods: Offering) -> None:
    add(desk, pods, "spot", "yes", basis="reported", source_kind="third_party")
    add(desk, pods, "spot", "no")
    assert answer(pods, "spot") is False
    assert Claim.objects.get(decides=True).basis == "documented"


@db
def test_equal_claims_that_disagree_contradict(desk: Client, pods: Offering) -> None:
    add(desk, pods, "spot", "yes")
    add(desk, pods, "spot", "no", source="https://docs.example/other")
    assert answer(pods, "spot") is None
    assert Offering.objects.get().contradicted == ["spot"]


@db
def test_a_claim_stays_with_its_offering_and_its_question(desk: Client, pods: Offering) -> None:
    add(desk, pods, "ssh", "yes")
    claim = Claim.objects.get()
    moved = {"offering": make_offering().pk, "dimension": "jupyter"}
    assert save(desk, change(claim), **moved) == {}
    claim.refresh_from_db()
    assert (claim.offering, claim.dimension) == (pods, "ssh")


@db
def test_what_was_not_touched_is_kept_to_the_digit(desk: Client, pods: Offering) -> None:
    claim = make_claim(pods, "max_image_gb", 60.0)
    assert save(desk, change(claim), note="Compressed.") == {}
    claim.refresh_from_db()
    assert (repr(claim.value), claim.note) == ("60.0", "Compressed.")


# --- Refusing ----------------------------------------------------------------------


@db
@pytest.mark.parametrize(
    ("dimension", "value", "fault"),
    [
        ("docker_daemon", "maybe", "'maybe' is not one of root, rootless, nested, none"),
        ("registry_auth", "no, cloud_role", "'no' stands alone"),
        ("registries", "Docker Hub", "is not one of registry host names"),
        ("spot", "sometimes", "'sometimes' is not true or false"),
        ("cuda_max", "twelve", "'twelve' is not a version"),
        ("driver", "595-535", "ends below its start"),
        ("billing_increment_s", "a minute", "'a minute' is not a number"),
        ("billing_increment_s", "NaN", "'NaN' is not a number"),
        ("max_image_gb", "1e999999", "'1e999999' is not a number"),
        ("max_image_gb", "-1", "-1 is not a number from 0"),
    ],
)
def test_a_value_that_is_no_answer_is_refused_with_what_is_allowed(
    desk: Client, pods: Offering, dimension: str, value: str, fault: str
) -> None:
    errors = add(desk, pods, dimension, value)
    assert list(errors) == ["value"]
    assert fault in errors["value"][0]
    assert not Claim.objects.exists()


@db
@pytest.mark.parametrize(
    ("entries", "field"),
    [
        ({"source": ""}, "source"),
        ({"source": "ftp://docs.example/page"}, "source"),
        ({"source": "the docs"}, "source"),
        ({"basis": ""}, "basis"),
        ({"source_kind": ""}, "source_kind"),
        ({"read_on": "yesterday"}, "read_on"),
        ({"dimension": ""}, "dimension"),
        ({"dimension": "access_modes"}, "dimension"),
        ({"offering": ""}, "offering"),
        ({"value": " "}, "value"),
    ],
)
def test_a_claim_needs_its_evidence(
    desk: Client, pods: Offering, entries: dict[str, str], field: str
) -> None:
    said = {"offering": pods.pk, "dimension": "spot", "value": "yes", **SAID, **entries}
    assert list(save(desk, address(Claim, "add"), **said)) == [field]
    assert not Claim.objects.exists()


@db
def test_a_day_that_was_not_recorded_may_be_left_out(desk: Client, pods: Offering) -> None:
    assert add(desk, pods, "spot", "yes", read_on="") == {}
    assert Claim.objects.get().read_on is None


@db
def test_a_refused_change_leaves_the_answer_alone(desk: Client, pods: Offering) -> None:
    add(desk, pods, "spot", "yes")
    assert "value" in save(desk, change(Claim.objects.get()), value="perhaps")
    assert answer(pods, "spot") is True


@db
def test_the_same_claim_twice_is_refused(desk: Client, pods: Offering) -> None:
    add(desk, pods, "spot", "yes")
    assert add(desk, pods, "spot", "yes") == {
        "__all__": ["The same claim stands there already; once is enough."]
    }
    assert add(desk, pods, "spot", "yes", read_on="2026-11-21") == {}


@db
def test_the_page_of_a_claim_names_the_question_and_what_may_answer_it(
    desk: Client, pods: Offering
) -> None:
    page = desk.get(change(make_claim(pods, "docker_daemon", "root"))).content.decode()
    assert "Do you get a real Docker daemon" in page
    assert "root · rootless · nested · none" in page


# --- Back to files -------------------------------------------------------------------


@db
def test_what_the_desk_took_is_a_file_that_can_be_loaded(
    desk: Client, pods: Offering, tmp_path: Path
) -> None:
    for dimension, value in (("spot", "no"), ("max_image_gb", "9.5"), ("registries", "any")):
        add(desk, pods, dimension, value, note="As the page says.")
    dump(tmp_path)
    claims = documents(read_directory(tmp_path))["acme"].offerings[0].claims
    assert {key: several[0].value for key, several in claims.items()} == {
        "spot": False,
        "max_image_gb": 9.5,
        "registries": ["any"],
    }
    assert claims["spot"][0].read_on == date(2026, 11, 20)


@db
def test_the_desk_and_a_load_resolve_alike(desk: Client, pods: Offering) -> None:
    add(desk, pods, "driver", "535-595")
    add(desk, pods, "driver", "580", source="https://docs.example/other")
    assert resolve_offerings() == 0


# --- Spelling ------------------------------------------------------------------------

_VERSION = st.lists(st.integers(0, 999), min_size=1, max_size=3).map(
    lambda parts: ".".join(map(str, parts))
)
_BY_KIND: dict[Kind, st.SearchStrategy[Any]] = {
    Kind.HOSTS: st.lists(st.sampled_from(["any", "ghcr.io", "nvcr.io"]), min_size=1, unique=True),
    Kind.YES_NO: st.booleans(),
    Kind.VERSION: _VERSION,
    Kind.VERSIONS: _VERSION,
    Kind.NUMBER: st.integers(0, 10**9 - 1)
    | st.decimals(0, 999, places=3).filter(lambda d: d != int(d)).map(float),
    Kind.TEXT: st.just("About a minute, mostly."),
}


def answers(dimension: Dimension) -> st.SearchStrategy[tuple[Dimension, Any]]:
    of_choice = st.sampled_from(dimension.allowed or [""])
    kind = _BY_KIND.get(dimension.kind, of_choice)
    if dimension.kind is Kind.SET:
        kind = st.lists(st.sampled_from(dimension.allowed), min_size=1, unique=True)
    return st.tuples(st.just(dimension), kind)


@given(st.sampled_from(CLAIMED).flatmap(answers))
def test_an_answer_is_read_as_it_is_spelled(given_: tuple[Dimension, Any]) -> None:
    dimension, value = given_
    again = read_answer(dimension, spelled(value))
    assert (again, type(again)) == (value, type(value))


@pytest.mark.parametrize(("text", "value"), [("1e3", 1000), ("060", 60), ("0.50", 0.5)])
def test_a_number_may_be_spelled_in_any_way(text: str, value: float) -> None:
    read = read_answer(DIMENSIONS["max_image_gb"], text)
    assert (read, type(read)) == (value, type(value))
    assert Decimal(spelled(read)) == Decimal(text)
