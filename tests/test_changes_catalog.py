"""Changes of answers and statuses: told once, where they happen, with before, after and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client, override_settings
from hypothesis import given
from hypothesis import strategies as st

from providers.catalog.merge import Side
from providers.catalog.store import LoadReport, load
from providers.changes.catalog import CONTRADICTED, State, Step, differences, read_state, told
from providers.dimensions import DIMENSIONS
from providers.models import Change, Claim, Offering, Provider, What, Why
from providers.resolve import resolve_offerings
from tests import catalog_texts as made
from tests.desk import address, change, curator, save
from tests.factories import make_claim, make_offering, make_provider

db = pytest.mark.django_db


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return tmp_path / "catalog"


def loaded(files: Path, *claims: dict[str, Any], **options: Any) -> LoadReport:
    """Load a catalog of one provider whose offerings, `a`, `b` …, have these claims."""
    offerings = [
        made.offering(slug, claims=answers) for slug, answers in zip("abcdef", claims, strict=False)
    ]
    return load(made.write(files, made.provider("acme", *offerings)), **options)


def daemon(*values: str, **fields: Any) -> dict[str, Any]:
    return {"docker_daemon": [made.claim(value, **fields) for value in values]}


def single() -> Change:
    """The one change that is no digest."""
    return Change.objects.exclude(what=What.DIGEST).get()


# --- Pure --------------------------------------------------------------------------------

_ANSWERS = st.sampled_from([None, "root", "none", True, 600, ["a", "b"], CONTRADICTED])
_STANDINGS = st.fixed_dictionaries(
    {
        "status": st.sampled_from(["active", "closed"]),
        "docker_daemon": _ANSWERS,
        "spot": _ANSWERS,
    }
)
_STATES = st.builds(
    State,
    st.dictionaries(st.integers(1, 4), _STANDINGS, max_size=4),
    st.dictionaries(st.integers(1, 2), st.sampled_from(["active", "closed"]), max_size=2),
)


def applied(state: State, steps: list[Step]) -> State:
    """What `state` becomes by `steps`; each must find what it says was before."""
    offerings = {pk: dict(standing) for pk, standing in state.offerings.items()}
    providers = dict(state.providers)
    for step in steps:
        if step.provider is not None:
            assert providers[step.provider] == step.before
            providers[step.provider] = step.after
        else:
            standing = offerings.setdefault(step.offering or 0, {})
            assert standing.get(step.field) == step.before
            standing[step.field] = step.after
    return State(offerings, providers)


@given(_STATES, _STATES)
def test_changes_applied_to_what_was_give_what_is(before: State, after: State) -> None:
    # Nothing leaves the catalog: it is closed.
    later = State({**before.offerings, **after.offerings}, {**before.providers, **after.providers})
    found = applied(before, differences(before, later))
    for pk in before.offerings:
        assert found.offerings[pk] == later.offerings[pk]
    for pk, status in before.providers.items():
        assert found.providers[pk] == later.providers[pk], status
    new = later.offerings.keys() - before.offerings.keys()
    assert {pk: found.offerings[pk] for pk in new} == {
        pk: {"status": later.offerings[pk]["status"]} for pk in new
    }


@given(_STATES)
def test_a_state_does_not_differ_from_itself(state: State) -> None:
    assert differences(state, state) == []


# --- A load -------------------------------------------------------------------------------


@db
def test_the_first_load_is_one_digest() -> None:
    load(settings.CATALOG_DIR)
    [digest] = Change.objects.all()
    assert (digest.what, digest.why) == (What.DIGEST, Why.CATALOG)
    assert digest.figures["first"]["offerings"] == Offering.objects.count() > 100
    assert digest.figures["first"]["answers"] > 1500


@db
def test_a_load_that_changes_nothing_tells_nothing(files: Path) -> None:
    loaded(files, daemon("root"))
    loaded(files, daemon("root"))
    load(files)
    assert Change.objects.count() == 1


@db
def test_a_load_that_is_only_tried_tells_nothing(files: Path) -> None:
    loaded(files, daemon("root"))
    loaded(files, daemon("none"), check=True)
    assert Change.objects.count() == 1


@db
@pytest.mark.parametrize(
    ("claims", "before", "after"),
    [
        ([{}, daemon("root")], None, "root"),
        ([daemon("root"), daemon("rootless")], "root", "rootless"),
        ([daemon("root"), {}], "root", None),
        ([daemon("root"), daemon("root", "none")], "root", CONTRADICTED),
        ([daemon("root", "none"), daemon("none")], CONTRADICTED, "none"),
    ],
    ids=["becomes known", "changes", "becomes unknown", "is contradicted", "is settled"],
)
def test_an_answer_that_changes_is_told_with_both_sides(
    files: Path, claims: list[dict[str, Any]], before: Any, after: Any
) -> None:
    loaded(files, claims[0])
    loaded(files, claims[1])
    found = single()
    assert (found.what, found.dimension, found.why) == (What.CLAIM, "docker_daemon", Why.CATALOG)
    assert (found.before, found.after) == (before, after)
    assert found.offering == Offering.objects.get()


@db
def test_a_change_names_who_says_so(files: Path) -> None:
    loaded(files, {})
    loaded(files, daemon("root", source="https://acme.example/docs"))
    assert single().source_url == "https://acme.example/docs"


@db
def test_another_source_for_the_same_answer_is_no_change(files: Path) -> None:
    loaded(files, daemon("root"))
    loaded(files, daemon("root", source="https://acme.example/other", note="As before."))
    assert Change.objects.count() == 1


@db
def test_the_order_of_a_set_is_no_change(files: Path) -> None:
    loaded(files, _hosts("a.io", "b.io"))
    loaded(files, _hosts("b.io", "a.io"))
    assert Change.objects.count() == 1


def _hosts(*hosts: str) -> dict[str, Any]:
    return {"registries": made.claim(list(hosts))}


@db
def test_an_offering_that_leaves_the_files_is_told_as_closed(files: Path) -> None:
    loaded(files, {}, {})
    loaded(files, {})
    found = single()
    assert (found.what, found.before, found.after) == (What.STATUS, "active", "closed")
    assert found.offering is not None
    assert found.offering.slug == "b"


@db
def test_an_offering_that_is_new_is_told_by_its_status_alone(files: Path) -> None:
    loaded(files, {})
    loaded(files, {}, daemon("root"))
    found = single()
    assert (found.what, found.before, found.after) == (What.STATUS, None, "active")


@db
def test_a_provider_that_closes_is_told_of_the_provider(files: Path) -> None:
    load(made.write(files, made.provider("acme", made.offering())))
    load(made.write(files, made.provider("acme", made.offering(), status="acquired")))
    found = single()
    assert (found.provider, found.offering) == (Provider.objects.get(), None)
    assert (found.before, found.after) == ("active", "acquired")


@db
@override_settings(CHANGES_SINGLY=2)
def test_many_changes_of_one_load_stand_behind_a_digest(files: Path) -> None:
    loaded(files, {}, {}, {})
    loaded(files, daemon("root"), daemon("root"), daemon("none"))
    digest = Change.objects.get(what=What.DIGEST, figures__has_key="counts")
    assert digest.members.count() == 3
    assert digest.figures["counts"] == {"claim": 3}
    assert digest.figures["offerings"] == 3


@db
@override_settings(CHANGES_SINGLY=3)
def test_as_many_as_are_told_singly_have_no_digest(files: Path) -> None:
    loaded(files, {}, {}, {})
    loaded(files, daemon("root"), daemon("root"), daemon("none"))
    assert Change.objects.filter(what=What.CLAIM, digest=None).count() == 3


@db
def test_the_changes_of_a_load_lead_from_the_old_answers_to_the_new(files: Path) -> None:
    loaded(files, daemon("root"), _hosts("a.io"), daemon("none") | _hosts("b.io"))
    before = read_state()
    loaded(
        files, daemon("root", "none"), daemon("rootless"), _hosts("b.io", "c.io"), take=Side.FILE
    )
    steps = [
        Step(c.dimension or "status", c.before, c.after, c.offering_id, c.provider_id)
        for c in Change.objects.exclude(what=What.DIGEST)
    ]
    assert len(steps) == 5
    assert applied(before, steps) == read_state()


@db
def test_later_changes_have_later_times_and_higher_ids(files: Path) -> None:
    for value in ("root", "none", "rootless"):
        loaded(files, daemon(value))
    found = list(Change.objects.order_by("pk"))
    assert [c.at for c in found] == sorted(c.at for c in found)
    assert [c.after for c in found] == [None, "none", "rootless"]


# --- The desk -----------------------------------------------------------------------------


@pytest.fixture
def desk() -> Client:
    return curator()


@pytest.fixture
def pods() -> Offering:
    return make_offering("pods", make_provider("acme"), access_modes=["base_image"])


@db
def test_a_claim_that_a_curator_saves_is_told(desk: Client, pods: Offering) -> None:
    claim = make_claim(pods, "docker_daemon", "root")
    resolve_offerings()
    assert save(desk, change(claim), value="none") == {}
    found = single()
    assert (found.why, found.dimension) == (Why.DESK, "docker_daemon")
    assert (found.before, found.after) == ("root", "none")


@db
def test_a_note_that_a_curator_saves_is_no_change(desk: Client, pods: Offering) -> None:
    claim = make_claim(pods, "docker_daemon", "root")
    resolve_offerings()
    assert save(desk, change(claim), note="Read again.") == {}
    assert not Change.objects.exists()


@db
def test_a_claim_that_a_curator_retires_is_told(desk: Client, pods: Offering) -> None:
    claim = make_claim(pods, "docker_daemon", "root")
    resolve_offerings()
    desk.post(address(claim, "retire"), {"why": "The page is gone."})
    assert not Claim.objects.exists()
    assert (single().before, single().after) == ("root", None)


@db
def test_claims_that_are_retired_together_are_told(desk: Client, pods: Offering) -> None:
    claims = [
        make_claim(pods, key, value) for key, value in (("spot", True), ("docker_daemon", "none"))
    ]
    resolve_offerings()
    chosen = {"action": "retire", "_selected_action": [c.pk for c in claims]}
    desk.post(address(Claim, "changelist"), chosen | {"why": "Gone."})
    assert {c.dimension for c in Change.objects.all()} == {"spot", "docker_daemon"}


@db
def test_a_status_that_a_curator_saves_is_told(desk: Client, pods: Offering) -> None:
    assert save(desk, change(pods), status="closed", status_note="Over.") == {}
    assert (single().offering, single().after) == (pods, "closed")


@db
def test_a_provider_that_a_curator_closes_is_told(desk: Client, pods: Offering) -> None:
    assert save(desk, change(pods.provider), status="closed", status_note="Over.") == {}
    assert (single().provider, single().after) == (pods.provider, "closed")


def close_all(fault: Exception | None = None) -> None:
    with told(Why.DESK):
        Offering.objects.update(status="closed")
        if fault:
            raise fault


@db
def test_what_fails_tells_nothing(pods: Offering) -> None:
    with pytest.raises(ValueError, match="full"):
        close_all(ValueError("the disk is full"))
    assert not Change.objects.exists()


@db
def test_curators_can_only_look_at_changes(desk: Client, pods: Offering) -> None:
    close_all()
    found = single()
    assert desk.get(address(Change, "changelist")).status_code == 200
    assert desk.get(change(found)).status_code == 200
    assert desk.post(change(found), {"after": '"active"'}).status_code == 403
    assert desk.get(address(Change, "add")).status_code == 403


def test_every_dimension_can_be_told() -> None:
    field = Change._meta.get_field("dimension")
    assert {key for key, _label in field.choices or ()} == set(DIMENSIONS)
    assert max(map(len, DIMENSIONS)) <= (field.max_length or 0)
