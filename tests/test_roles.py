"""Every address of the desk gives each role what its declaration says, and no more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from gpucompare import roles
from gpucompare.roles import ACTIONS, ROLES, SCREENS, Needs
from providers.models import Claim, Offering, Provider, RejectedBatch
from tests.desk import address, change, entered
from tests.desk_rows import one_of_each
from tests.factories import NOW

pytestmark = pytest.mark.django_db

# Whoever is logged in at the desk may open these; they show nothing of it.
OPEN = {
    *("admin:index", "admin:logout", "admin:password_change", "admin:password_change_done"),
    *("admin:jsi18n", "admin:app_list", "admin:autocomplete", "desk-front"),
}
# Leads to a page of the site, or to the page that says that there is none.
ELSEWHERE = {"admin:view_on_site", "admin:login", ""}
NOBODY = "nobody.may"
# What a form might send, were it shown: names that some model has.
FORGED = {
    **{"name": "Forged", "slug": "forged", "note": "Forged", "title": "Forged", "post": "yes"},
    **{"status": "closed", "status_note": "Forged", "is_superuser": "on", "why": "Forged"},
}


@pytest.fixture(autouse=True)
def _no_files(settings: Any, tmp_path: Path) -> None:
    """Screens about files read them: none, so that they read fast."""
    settings.CATALOG_DIR = settings.CONTENT_DIR = tmp_path


def people() -> dict[str, Client]:
    """A client for each role, one that is staff without a role, and two that are not let in."""
    roles.make_groups(apps, apps.get_app_configs())
    found = {role.name: User.objects.create(username=role.name, is_staff=True) for role in ROLES}
    for name, user in found.items():
        user.groups.add(Group.objects.get(name=name))
    found["staff"] = User.objects.create(username="staff", is_staff=True)
    found["reader"] = User.objects.create(username="reader")
    clients = {name: Client() for name in (*found, "anonymous")}
    for name, user in found.items():
        clients[name].force_login(user)
    return clients


def held(name: str) -> frozenset[str]:
    return next((role.permissions for role in ROLES if role.name == name), frozenset())


INSIDE = [*(role.name for role in ROLES), "staff"]
OUTSIDE = ["reader", "anonymous"]


@dataclass(frozen=True)
class Screen:
    name: str
    url: str
    needs: Needs


def screens() -> list[Screen]:
    """Every address under /admin/, each of a row that is there."""
    return list(_screens(get_resolver().url_patterns, "", ""))


def _screens(patterns: Any, route: str, space: str) -> Iterator[Screen]:
    for each in patterns:
        here = route + str(each.pattern).removeprefix("^")
        if not here.startswith("admin/"[: len(here)]):
            continue
        if isinstance(each, URLResolver):
            inner = f"{space}{each.namespace}:" if each.namespace else space
            yield from _screens(each.url_patterns, here, inner)
        elif isinstance(each, URLPattern) and here.startswith("admin/"):
            name = f"{space}{each.name}" if each.name else ""
            if name not in ELSEWHERE and "<path:object_id>/$" not in here:
                yield _screen(name, here)


def _screen(name: str, route: str) -> Screen:
    if name in OPEN:
        args = ["providers"] if name == "admin:app_list" else []
        return Screen(name, reverse(name, args=args), Needs("", ""))
    if name in SCREENS and "<" not in route:
        return Screen(name, reverse(name), SCREENS[name])
    model = _model(name, route)
    needs = SCREENS.get(name) or _usual(name, model)
    pk = model._default_manager.order_by("pk").values_list("pk", flat=True).first()
    assert pk is not None, f"{model} has no row to look at"
    return Screen(name, reverse(name, args=[pk] if "<" in route else []), needs)


def _model(name: str, route: str) -> Any:
    """The model that an address is about: the two parts behind `admin/`."""
    app, model = route.split("/")[1:3]
    return apps.get_model(app, model)


def _usual(name: str, model: Any) -> Needs:
    """What Django's own pages ask."""
    label, key = model._meta.app_label, model._meta.model_name
    page = name.removeprefix(f"admin:{label}_{key}_")
    may = {a: f"{label}.{a}_{key}" for a in ("view", "add", "change")}
    with_history = "history" if hasattr(model, "history") else ""
    match page:
        case "changelist":
            return Needs(may["view"], may["view"])
        case "add":
            return Needs(may["add"], may["add"])
        case "change":
            return Needs(may["view"], may["change"])
        case "history":
            return Needs(may["view"], may["change"] if with_history else may["view"])
        case "delete":
            return Needs(NOBODY, NOBODY)
    raise AssertionError(f"{name} has no line in gpucompare/roles.py")


def let_in(response: Any) -> bool:
    location = response.headers.get("Location", "")
    return response.status_code != 403 and not location.startswith("/admin/login/")


def everything() -> list[Any]:
    """All that the site and the desk keep, except who visited."""
    models = [m for label in ("providers", "checks", "auth") for m in _models(label)]
    return [list(model._base_manager.order_by("pk").values()) for model in models]


def _models(label: str) -> list[Any]:
    return list(apps.get_app_config(label).get_models(include_auto_created=True))


def may(needed: str, name: str) -> bool:
    return needed in held(name)


@pytest.mark.parametrize("name", INSIDE)
def test_each_role_opens_what_it_may(name: str) -> None:
    one_of_each()
    client = people()[name]
    found = {s.name: let_in(client.get(s.url)) for s in screens() if s.name not in OPEN}
    wanted = {s.name: may(s.needs.look, name) for s in screens() if s.name not in OPEN}
    assert found == wanted


@pytest.mark.parametrize("name", INSIDE)
def test_each_role_sends_what_it_may_and_nothing_else_changes_anything(name: str) -> None:
    one_of_each()
    client = people()[name]
    before = everything()
    found, wanted = {}, {}
    for screen in (s for s in screens() if s.name not in OPEN):
        wanted[screen.name] = may(screen.needs.send, name)
        with transaction.atomic():
            found[screen.name] = let_in(client.post(screen.url, FORGED))
            transaction.set_rollback(wanted[screen.name])
    assert everything() == before
    # A page that takes no form answers 405, or shows itself again.
    unasked = {s.name for s in screens() if not s.needs.send}
    assert {n: v for n, v in found.items() if n not in unasked} == {
        n: v for n, v in wanted.items() if n not in unasked
    }


@pytest.mark.parametrize("name", OUTSIDE)
def test_who_is_not_let_in_sees_the_login_and_nothing_else(name: str) -> None:
    one_of_each()
    client = people()[name]
    before = everything()
    for screen in screens():
        if screen.name == "admin:logout":
            continue
        for response in (client.get(screen.url), client.post(screen.url, {"post": "yes"})):
            assert not let_in(response), screen.name
    assert everything() == before


@pytest.mark.parametrize("name", INSIDE)
def test_each_role_finds_the_actions_that_it_may(name: str) -> None:
    one_of_each()
    client = people()[name]
    found, wanted = set(), set()
    for model, desk in admin.site._registry.items():
        url = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        response = client.get(url)
        if response.status_code == 200:
            request = response.wsgi_request
            found |= {(model._meta.model_name, action) for action in desk.get_actions(request)}
    wanted = {key for key, needed in ACTIONS.items() if may(needed, name)}
    assert found == wanted


@pytest.mark.parametrize("name", INSIDE)
def test_a_forged_action_changes_nothing_where_it_is_not_allowed(name: str) -> None:
    one_of_each()
    client = people()[name]
    before = everything()
    wrong = [key for key, needed in ACTIONS.items() if not may(needed, name)]
    for key, action in [*wrong, ("claim", "delete_selected"), ("offering", "delete_selected")]:
        model = apps.get_model("providers", key)
        chosen = {"action": action, "_selected_action": model._default_manager.get().pk}
        client.post(address(model, "changelist"), FORGED | chosen | {"reply": "Forged"})
    assert everything() == before


# --- Closing -------------------------------------------------------------------------


def closing(client: Client, row: Any) -> None:
    sent = {"status": "closed", "status_note": "Forged.", "summary": "Another summary."}
    client.post(change(row), entered(client, change(row)) | sent)


def test_a_curator_writes_the_texts_of_an_offering_and_does_not_close_it() -> None:
    one_of_each()
    curator = people()["curator"]
    closing(curator, Offering.objects.get())
    offering = Offering.objects.get()
    assert (offering.status, offering.status_note) == ("active", "")
    assert offering.summary == "Another summary."
    page = curator.get(change(offering)).content.decode()
    assert 'name="status"' not in page
    assert 'name="summary"' in page


def test_a_publisher_closes_with_a_reason_and_not_without() -> None:
    one_of_each()
    publisher = people()["publisher"]
    for row in (Offering.objects.get(), Provider.objects.get()):
        closed = {"status": "closed", "status_note": ""}
        refused = publisher.post(change(row), entered(publisher, change(row)) | closed)
        assert list(refused.context["adminform"].form.errors) == ["status_note"]
        closing(publisher, row)
        row.refresh_from_db()
        assert (row.status, row.status_note) == ("closed", "Forged.")


def test_what_was_closed_without_a_reason_can_still_be_edited() -> None:
    one_of_each()
    publisher = people()["publisher"]
    Offering.objects.update(status="closed")
    url = change(Offering.objects.get())
    assert publisher.post(url, entered(publisher, url) | {"name": "Pod"}).status_code == 302


def test_a_curator_does_not_reopen_through_the_history_either() -> None:
    one_of_each()
    clients = people()
    offering = Offering.objects.get()
    closing(clients["publisher"], offering)
    newest, first = Offering.history.order_by("-history_id")[:2]
    back = {"version": first.history_id, "newest": newest.history_id}
    clients["curator"].post(address(offering, "history"), back)
    assert Offering.objects.get().status == "closed"
    clients["publisher"].post(address(offering, "history"), back)
    assert Offering.objects.get().status == "active"


# --- Batches -------------------------------------------------------------------------


def test_a_publisher_keeps_a_batch_out_once() -> None:
    one_of_each()
    clients = people()
    batch = RejectedBatch.objects.get()
    sent = {"action": "keep_out", "_selected_action": batch.pk}
    clients["curator"].post(address(RejectedBatch, "changelist"), sent)
    assert RejectedBatch.objects.get().kept_out_at is None
    clients["publisher"].post(address(RejectedBatch, "changelist"), sent)
    first = RejectedBatch.objects.get().kept_out_at
    assert first is not None
    for action in ("keep_out", "accept"):
        clients["publisher"].post(address(RejectedBatch, "changelist"), sent | {"action": action})
    batch.refresh_from_db()
    assert (batch.kept_out_at, batch.accepted_at) == (first, None)


@pytest.mark.parametrize(("asked", "count"), [("yes", 1), ("no", 0)])
def test_batches_that_wait_are_filtered(asked: str, count: int) -> None:
    one_of_each()
    publisher = people()["publisher"]
    listed = publisher.get(address(RejectedBatch, "changelist"), {"waiting": asked})
    assert listed.context["cl"].result_count == count
    RejectedBatch.objects.update(kept_out_at=NOW)
    listed = publisher.get(address(RejectedBatch, "changelist"), {"waiting": asked})
    assert listed.context["cl"].result_count == 1 - count


JOINED = {"date_joined_0": "2026-11-30", "date_joined_1": "12:00:00"}

# --- People --------------------------------------------------------------------------


def test_an_admin_makes_nobody_mightier_than_admins_are() -> None:
    desk = people()["admin"]
    viewer, root = (
        User.objects.get(username="viewer"),
        User.objects.create(username="root", is_staff=True, is_superuser=True),
    )
    url = reverse("admin:auth_user_change", args=[viewer.pk])
    every = list(Permission.objects.values_list("pk", flat=True)[:5])
    sent = {"is_superuser": "on", "user_permissions": every, "first_name": "Vi", **JOINED}
    assert desk.post(url, entered(desk, url) | sent).status_code == 302
    viewer.refresh_from_db()
    assert (viewer.first_name, viewer.is_superuser) == ("Vi", False)
    assert not viewer.user_permissions.exists()
    for page in ("auth_user_change", "auth_user_password_change"):
        assert desk.post(reverse(f"admin:{page}", args=[root.pk]), {}).status_code == 403


def test_an_admin_gives_a_role() -> None:
    desk = people()["admin"]
    staff = User.objects.get(username="staff")
    url = reverse("admin:auth_user_change", args=[staff.pk])
    sent = {"groups": [Group.objects.get(name="curator").pk], **JOINED}
    assert desk.post(url, entered(desk, url) | sent).status_code == 302
    assert User.objects.get(pk=staff.pk).has_perm("providers.change_claim")


# --- The declaration -----------------------------------------------------------------


def test_every_permission_that_is_declared_exists() -> None:
    people()
    for role in ROLES:
        group = Group.objects.get(name=role.name)
        found = {f"{p.content_type.app_label}.{p.codename}" for p in group.permissions.all()}
        assert found == role.permissions


def test_each_role_holds_the_one_before_it() -> None:
    for lesser, greater in pairwise(ROLES):
        assert lesser.permissions < greater.permissions


def test_the_migration_makes_the_groups() -> None:
    module = __import__("gpucompare.migrations.0001_roles", fromlist=["make"])
    Group.objects.all().delete()
    module.make(apps, None)
    assert {g.name for g in Group.objects.all()} == {role.name for role in ROLES}
    assert Group.objects.get(name="viewer").permissions.exists()


def test_every_declared_screen_and_action_is_there() -> None:
    one_of_each()
    people()
    assert set(SCREENS) - {screen.name for screen in screens()} == set()
    known = {
        (model._meta.model_name, action if isinstance(action, str) else action.__name__)
        for model, desk in admin.site._registry.items()
        for action in desk.actions or ()
    }
    assert set(ACTIONS) == known
    assert Claim.objects.exists()
