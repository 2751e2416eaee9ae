"""The database as files: what nobody changed is the same byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from providers.catalog.files import read_directory
from providers.catalog.store import dump, load
from providers.catalog.validate import documents
from providers.models import Claim, Offering, Provider
from tests import catalog_texts as made
from tests.factories import make_claim, make_offering, make_provider

pytestmark = pytest.mark.django_db

PODS = made.offering("pods", claims={"spot": made.claim(True), "ssh": made.claim(True)})


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return made.write(tmp_path / "catalog", made.provider("acme", PODS), made.provider("beta"))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out" / "deep"


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def test_an_unchanged_catalog_is_dumped_byte_for_byte(files: Path, out: Path) -> None:
    load(files)

    assert dump(out) == {"acme": False, "beta": False}
    assert contents(out) == contents(files)


def test_a_file_that_nobody_changed_keeps_its_comments_and_its_form(files: Path, out: Path) -> None:
    text = "# Ask Ada.\r\n" + made.text(made.provider("acme", PODS)).replace("Acme", '"Acme"')
    (files / "acme.yaml").write_bytes(text.encode())
    load(files)

    dump(out)

    assert (out / "acme.yaml").read_bytes() == text.encode()


def test_a_file_in_another_order_of_dimensions_counts_as_unchanged(files: Path, out: Path) -> None:
    lines = (files / "acme.yaml").read_text().splitlines(keepends=True)
    (files / "acme.yaml").write_text("".join([*lines[:-2], lines[-1], lines[-2]]))
    load(files)

    assert dump(out)["acme"] is False
    assert contents(out) == contents(files)


def test_a_change_at_the_desk_is_dumped_in_canonical_form(files: Path, out: Path) -> None:
    load(files)
    Claim.objects.filter(dimension="spot").update(value=False)

    assert dump(out) == {"acme": True, "beta": False}
    changed = made.offering("pods", claims={"spot": made.claim(False), "ssh": made.claim(True)})
    assert (out / "acme.yaml").read_text() == made.text(made.provider("acme", changed))
    assert (out / "beta.yaml").read_bytes() == (files / "beta.yaml").read_bytes()


def test_what_the_desk_made_is_dumped(out: Path) -> None:
    provider = make_provider("acme", name="Acme", kind="container_cloud")
    offering = make_offering("pods", provider, gpu_names=["L4"], access_modes=["base_image"])
    make_claim(offering, "registries", ["ghcr.io"], note="Only this.", read_on=None)

    dump(out)

    document = documents(read_directory(out))["acme"]
    assert document.offerings[0].gpus == ["L4"]
    assert document.offerings[0].access_modes == ["base_image"]
    [claim] = document.offerings[0].claims["registries"]
    assert (claim.value, claim.note, claim.read_on) == (["ghcr.io"], "Only this.", None)


def test_a_dump_of_desk_work_loads_back_without_a_change(files: Path, out: Path) -> None:
    load(files)
    Provider.objects.filter(slug="acme").update(name="ACME: the cloud", headquarters="NO")
    make_claim(Offering.objects.get(), "cuda_max", "12.8", note="Seen, once.")
    make_offering("desk", make_provider("gamma"))
    dump(out)

    report = load(out)

    assert report.changed_files == 2
    # Rows of the desk come to belong to their new files; nothing else changes.
    assert set(report.counts) == {("providers", "changed"), ("offerings", "changed")}
    assert set(Offering.objects.values_list("made_at", flat=True)) == {"catalog"}
    again = out.with_name("again")
    assert set(dump(again).values()) == {False}
    assert contents(again) == contents(out)


def test_an_offering_that_left_its_file_is_not_dumped(files: Path, out: Path) -> None:
    load(files)
    load(made.write(files, made.provider("acme"), made.provider("beta")))

    dump(out)

    assert contents(out) == contents(files)


def test_an_offering_that_left_and_was_opened_again_at_the_desk_is_dumped(
    files: Path, out: Path
) -> None:
    load(files)
    load(made.write(files, made.provider("beta")))
    Offering.objects.update(status="active")

    dump(out)

    assert contents(out) == contents(
        made.write(files, made.provider("acme", PODS), made.provider("beta"))
    )


def test_a_provider_that_left_with_its_file_is_not_dumped(files: Path, out: Path) -> None:
    load(files)
    load(made.write(files, made.provider("beta")))

    assert dump(out) == {"beta": False}
