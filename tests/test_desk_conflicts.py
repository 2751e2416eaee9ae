"""Files against desk: each conflict with both sides, and a load that settles them as chosen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from checks.content import store as content_store
from checks.models import ContentEntry
from providers.catalog import store
from providers.catalog.merge import Conflict, Conflicts, Side
from providers.dimensions import DIMENSIONS
from providers.models import CatalogFile, Claim, Offering, Provider
from tests import catalog_texts as made
from tests import content_texts
from tests.desk import curator

pytestmark = pytest.mark.django_db

SOURCE = "https://docs.example/page"


def acme(note: str = "Base.", name: str = "Acme", **fields: Any) -> dict[str, Any]:
    claims = {"spot": made.claim(True, note=note), "ssh": made.claim(True)}
    return made.provider("acme", made.offering("pods", claims=claims), name=name, **fields)


@pytest.fixture
def files(tmp_path: Path, settings: Any) -> Path:
    settings.CATALOG_DIR = made.write(tmp_path / "catalog", acme())
    settings.CONTENT_DIR = tmp_path / "content"
    content_texts.write(settings.CONTENT_DIR, en_faq={"one": content_texts.question("One?")})
    store.load(settings.CATALOG_DIR)
    content_store.load(settings.CONTENT_DIR)
    directory: Path = settings.CATALOG_DIR
    return directory


@pytest.fixture
def desk() -> Client:
    return curator()


def two_conflicts(files: Path) -> None:
    """The note of a claim and the name of the provider; besides, each side changed one thing."""
    Claim.objects.filter(dimension="spot").update(note="Desk.")
    Claim.objects.filter(dimension="ssh").update(note="Only the desk.")
    Provider.objects.update(name="Desk")
    made.write(files, acme("File.", "File", headquarters="DE"))


def page(desk: Client) -> Any:
    return desk.get(reverse("desk-conflicts"))


def screen(response: Any, title: str = "Catalog") -> Any:
    return next(each for each in response.context["screens"] if each[0].records.title == title)


def form(desk: Client, of: str = "Catalog", **sides: str) -> dict[str, str]:
    """What the form sends: sides by the last word of the place of their conflict."""
    shown, seen, _may = screen(page(desk), of)
    chosen = {
        f"side-{each.id}": sides[word]
        for each in shown.conflicts
        if (word := each.place.words.split()[-1]) in sides
    }
    return {"files": shown.records.setting, "seen": seen, **chosen}


def send(desk: Client, entries: dict[str, str]) -> Any:
    return desk.post(reverse("desk-conflicts"), entries)


def stands() -> tuple[str, str, str]:
    return (
        Provider.objects.get().name,
        Claim.objects.get(dimension="spot").note,
        Provider.objects.get().headquarters,
    )


def test_no_conflict_is_said(desk: Client, files: Path) -> None:
    assert page(desk).content.decode().count("No conflict: the files are those") == 2


def test_each_conflict_shows_its_sides_and_leads_to_cell_and_source(
    desk: Client, files: Path
) -> None:
    two_conflicts(files)
    name, note = screen(page(desk))[0].conflicts
    assert (name.place.words, name.base, name.file, name.desk) == (
        *("acme › name", ["Acme"], ["File"], ["Desk"]),
    )
    label = DIMENSIONS["spot"].label
    assert note.place.words == f"{Offering.objects.get()} › {label} › note"
    assert (note.base, note.file, note.desk) == (["Base."], ["File."], ["Desk."])
    text = page(desk).content.decode()
    assert 'href="/providers/acme/pods/spot/"' in text
    assert f'href="{SOURCE}"' in text


def test_showing_conflicts_keeps_nothing(desk: Client, files: Path) -> None:
    two_conflicts(files)
    page(desk)
    assert stands() == ("Desk", "Desk.", "")
    assert "headquarters" not in CatalogFile.objects.get().text


@pytest.mark.parametrize(
    ("name", "note", "wanted"),
    [
        ("file", "desk", ("File", "Desk.", "DE")),
        ("desk", "file", ("Desk", "File.", "DE")),
        ("desk", "desk", ("Desk", "Desk.", "DE")),
    ],
)
def test_each_conflict_is_settled_as_chosen_and_the_rest_is_merged(
    desk: Client, files: Path, name: str, note: str, wanted: tuple[str, str, str]
) -> None:
    two_conflicts(files)
    assert send(desk, form(desk, name=name, note=note)).status_code == 302
    assert stands() == wanted
    assert Claim.objects.get(dimension="ssh").note == "Only the desk."
    assert "File" in CatalogFile.objects.get().text
    done = page(desk).content.decode()
    assert "Catalog: 1 changed file loaded, 2 conflicts settled." in done
    assert done.count("No conflict") == 2


def test_what_the_desk_said_stays_in_the_history_with_who_took_the_file(
    desk: Client, files: Path
) -> None:
    Provider.objects.get().save()  # a row of history of the name as it was loaded
    provider = Provider.objects.get()
    provider.name = "Desk"
    provider.save()
    made.write(files, acme(name="File"))
    send(desk, form(desk, name="file"))
    newest, before = Provider.history.order_by("-history_id")[:2]
    assert (newest.name, before.name) == ("File", "Desk")
    assert newest.history_user.username == "c"


def test_one_choice_can_be_made_for_all_others(desk: Client, files: Path) -> None:
    two_conflicts(files)
    assert send(desk, form(desk, name="file") | {"others": "desk"}).status_code == 302
    assert stands() == ("File", "Desk.", "DE")


def test_without_a_choice_for_each_nothing_is_loaded(desk: Client, files: Path) -> None:
    two_conflicts(files)
    refused = send(desk, form(desk, name="file"))
    assert refused.status_code == 409
    assert "Nothing was loaded: 1 without a choice." in refused.content.decode()
    assert [each.chosen for each in screen(refused)[0].conflicts] == ["file", ""]
    assert stands() == ("Desk", "Desk.", "")


@pytest.mark.parametrize("side", ["file", "desk"])
def test_what_changed_since_it_was_shown_is_told_and_nothing_is_loaded(
    desk: Client, files: Path, side: str
) -> None:
    two_conflicts(files)
    entries = form(desk, name="file", note="file") | {"others": "file"}
    if side == "desk":
        Claim.objects.filter(dimension="spot").update(note="Desk again.")
    else:
        made.write(files, acme("File again.", "File", headquarters="DE"))
    refused = send(desk, entries)
    assert refused.status_code == 409
    assert "has changed meanwhile" in refused.content.decode()
    found = screen(refused)[0]
    assert [each.fresh for each in found.conflicts] == [False, True]
    assert [each.chosen for each in found.conflicts] == ["file", ""]
    assert [words.split()[-1] for words in found.gone] == ["note"]
    assert stands()[0] == "Desk"


def test_a_conflict_that_went_away_is_told_and_nothing_is_loaded(desk: Client, files: Path) -> None:
    two_conflicts(files)
    entries = form(desk, name="file", note="file")
    Claim.objects.filter(dimension="spot").update(note="File.")
    refused = send(desk, entries)
    assert refused.status_code == 409
    assert [words.split()[-1] for words in screen(refused)[0].gone] == ["note"]
    assert stands() == ("Desk", "File.", "")
    assert "headquarters" not in CatalogFile.objects.get().text


def test_a_new_conflict_is_not_settled_by_the_choice_for_all_others(
    desk: Client, files: Path
) -> None:
    two_conflicts(files)
    entries = form(desk) | {"others": "file"}
    Claim.objects.filter(dimension="ssh").update(note="Desk too.")
    claims = {"spot": made.claim(True, note="File."), "ssh": made.claim(True, note="File too.")}
    made.write(files, made.provider("acme", made.offering("pods", claims=claims), name="File"))
    assert send(desk, entries).status_code == 409
    assert Claim.objects.get(dimension="ssh").note == "Desk too."


def test_changed_files_without_conflict_are_loaded(desk: Client, files: Path) -> None:
    made.write(files, acme(headquarters="DE"))
    assert "1 file changed since the last load: acme" in page(desk).content.decode()
    assert send(desk, form(desk)).status_code == 302
    assert Provider.objects.get().headquarters == "DE"


def test_a_claim_removed_here_and_changed_there_is_shown_whole(desk: Client, files: Path) -> None:
    Claim.objects.filter(dimension="spot").update(note="Desk.")
    claims = {"ssh": made.claim(True)}
    made.write(files, made.provider("acme", made.offering("pods", claims=claims)))
    (conflict,) = screen(page(desk))[0].conflicts
    assert (conflict.base, conflict.file, conflict.desk) == (
        *(["note: Base."], ["nothing"], ["note: Desk."]),
    )


def test_a_wrong_file_is_named_and_nothing_is_loaded(desk: Client, files: Path) -> None:
    two_conflicts(files)
    entries = form(desk, name="file", note="file")
    (files / "acme.yaml").write_text("slug: acme\n")
    refused = send(desk, entries)
    assert "a file is wrong" in refused.content.decode()
    assert "acme.yaml:1: name: is missing" in refused.content.decode()
    assert stands()[0] == "Desk"


def test_texts_are_settled_in_the_same_way(desk: Client, files: Path, settings: Any) -> None:
    ContentEntry.objects.update(title="Desk?")
    content_texts.write(
        settings.CONTENT_DIR, en_faq={"one": content_texts.question("File?", body="New.")}
    )
    assert send(desk, form(desk, "Texts", title="desk")).status_code == 302
    entry = ContentEntry.objects.get()
    assert (entry.title, entry.body) == ("Desk?", "New.")


@pytest.mark.parametrize("codenames", [[], ["view_catalogfile", "view_contententry"]])
def test_who_may_not_load_sees_no_button_and_loads_nothing(
    desk: Client, files: Path, codenames: list[str]
) -> None:
    two_conflicts(files)
    entries = form(desk, name="file", note="file")
    user = User.objects.create(username="viewer", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    viewer = Client()
    viewer.force_login(user)
    shown = page(viewer)
    assert shown.status_code == (200 if codenames else 403)
    assert 'type="radio"' not in shown.content.decode()
    assert send(viewer, entries).status_code == 403
    assert stands() == ("Desk", "Desk.", "")


def test_who_may_load_texts_does_not_load_the_catalog(desk: Client, files: Path) -> None:
    two_conflicts(files)
    entries = form(desk, name="file", note="file")
    user = User.objects.create(username="texts", is_staff=True)
    wanted = ["change_contententry", "view_catalogfile"]
    user.user_permissions.set(Permission.objects.filter(codename__in=wanted))
    client = Client()
    client.force_login(user)
    assert send(client, entries).status_code == 403
    assert send(client, entries | {"files": "STATIC_ROOT"}).status_code == 404
    assert stands()[0] == "Desk"


def test_a_load_can_be_told_each_side_in_code(files: Path) -> None:
    two_conflicts(files)

    def take(name: str, conflict: Conflict) -> Side | None:
        assert name == "acme"
        return Side.FILE if conflict.path == ("name",) else None

    with pytest.raises(Conflicts) as left:
        store.load(files, take=take)
    assert [c.path[-1] for c in left.value.conflicts["acme"]] == ["note"]
    assert stands() == ("Desk", "Desk.", "")


def test_looking_at_unchanged_files_parses_none_of_them(
    desk: Client, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "parse", lambda *_args: pytest.fail("parsed"))
    assert store.waiting(files).files == []
