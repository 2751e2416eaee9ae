"""manage.py load_catalog and dump_catalog: what they print, and how they fail."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from providers.models import CatalogFile, Claim, Provider
from tests import catalog_texts as made

pytestmark = pytest.mark.django_db

PODS = made.offering("pods", claims={"spot": made.claim(True, note="By auction.")})


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return made.write(tmp_path / "catalog", made.provider("acme", PODS))


def run(command: str, *arguments: str | Path) -> str:
    out = StringIO()
    call_command(command, *map(str, arguments), stdout=out)
    return out.getvalue()


def test_a_load_says_in_one_line_what_it_did(files: Path) -> None:
    assert run("load_catalog", files) == (
        "catalog: 1 files, 1 of them changed: 1 claims new, 1 offerings new, 1 providers new,"
        " answers of 1 offerings resolved\n"
    )


def test_a_second_load_says_that_nothing_changed(files: Path) -> None:
    run("load_catalog", files)

    assert run("load_catalog", files) == ("catalog: 1 files, 0 of them changed: nothing changed\n")


def test_a_check_says_what_would_change_and_keeps_nothing(files: Path) -> None:
    assert run("load_catalog", files, "--check").endswith("resolved (checked only)\n")
    assert not CatalogFile.objects.exists()


def test_a_load_prints_every_fault_and_fails(files: Path) -> None:
    (files / "beta.yaml").write_text("slug: beta\nname: Beta\n")

    with pytest.raises(CommandError) as raised:
        run("load_catalog", files)

    assert str(raised.value).splitlines() == [
        "beta.yaml:1: kind: is missing",
        "beta.yaml:1: offerings: is missing",
        "beta.yaml:1: website: is missing",
        "3 fault(s); nothing loaded",
    ]


def test_a_load_prints_conflicts_and_how_to_settle_them(files: Path) -> None:
    run("load_catalog", files)
    Provider.objects.update(name="Desk")
    made.write(files, made.provider("acme", PODS, name="File"))

    with pytest.raises(CommandError) as raised:
        run("load_catalog", files)

    assert str(raised.value).splitlines() == [
        "acme.yaml: name (was 'Acme'): the file has 'File'; the desk has 'Desk'",
        "nothing loaded; settle them at /admin/catalog/conflicts/,"
        " or say --take file or --take desk",
    ]


@pytest.mark.parametrize(("side", "name"), [("file", "File"), ("desk", "Desk")])
def test_a_load_says_which_side_it_took(files: Path, side: str, name: str) -> None:
    run("load_catalog", files)
    Provider.objects.update(name="Desk")
    made.write(files, made.provider("acme", PODS, name="File"))

    out = run("load_catalog", files, "--take", side)

    assert out.startswith(f"took the {side}: acme.yaml: name (was 'Acme'): the file has 'File'")
    assert Provider.objects.get().name == name


def test_only_a_known_side_can_be_taken(files: Path) -> None:
    with pytest.raises(CommandError, match="invalid"):
        run("load_catalog", files, "--take", "mine")


def test_a_directory_without_files_loads_nothing(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="holds no catalog files"):
        run("load_catalog", tmp_path)


def test_a_dump_names_what_the_desk_changed_and_what_it_does_not_know(
    files: Path, tmp_path: Path
) -> None:
    run("load_catalog", files)
    Claim.objects.update(note="Seen.")
    out = made.write(tmp_path / "out", made.provider("stray"))

    assert run("dump_catalog", out) == (
        "acme.yaml: changed at the desk\n"
        "stray.yaml: no provider of the database; left as it is\n"
        f"catalog: 1 files written to {out}\n"
    )
    assert "note: Seen." in (out / "acme.yaml").read_text()
    assert (out / "stray.yaml").exists()


def test_a_dump_to_a_place_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")

    with pytest.raises(CommandError, match="taken"):
        run("dump_catalog", tmp_path / "taken")
