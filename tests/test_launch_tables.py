"""The tables of launching: every row has a source, and names what there is."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings

from checks.launch import fill
from checks.launch.fit import _BY_START, _NEEDS, _PRIVATE, Need
from checks.launch.shelf import (
    HERE,
    TABLES,
    TEMPLATES,
    CloudRow,
    DeviceRow,
    GpuNameRow,
    TemplateRow,
    read_templates,
    rows_of,
    shelf,
)
from checks.launch.words import Caution, Kind, Language, Way
from gpucompare.csv_rows import FaultyFilesError
from providers.catalog.files import read_directory
from providers.dimensions import DIMENSIONS
from providers.gpus import gpu_rows

ROWS = read_templates()
CLOUDS = [line.row for line in rows_of(TABLES / "clouds.csv", CloudRow)]
DEVICES = [line.row for line in rows_of(TABLES / "devices.csv", DeviceRow)]
NAMES = [line.row for line in rows_of(TABLES / "gpu_names.csv", GpuNameRow)]
GPUS = {row.slug: row for row in gpu_rows()}
EVERY_TEMPLATE = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.key)


def offerings_of_the_catalog() -> set[str]:
    files = [file.data for file in read_directory(Path(settings.CATALOG_DIR))]
    return {f"{p['slug']}/{o['slug']}" for p in files for o in p["offerings"]}


def test_every_offering_that_is_named_is_in_the_catalog() -> None:
    named = {key for row in ROWS for key in row.offerings}
    named |= {row.offering for row in CLOUDS} | {row.offering for row in DEVICES}
    assert named - offerings_of_the_catalog() == set()


def test_every_gpu_that_is_named_is_one_of_ours() -> None:
    assert {row.gpu for row in NAMES} - set(GPUS) == set()


def test_no_row_stands_twice() -> None:
    for keys in (
        [row.key for row in ROWS],
        [(row.engine, row.offering) for row in CLOUDS],
        [row.offering for row in DEVICES],
        [(row.engine, row.cloud, row.gpu) for row in NAMES],
    ):
        assert len(keys) == len(set(keys))


@pytest.mark.parametrize("row", [*ROWS, *CLOUDS, *DEVICES, *NAMES], ids=lambda row: row.source)
def test_every_row_names_a_page_that_says_so(row: TemplateRow) -> None:
    address = urlsplit(row.source)
    assert address.scheme == "https"
    assert address.hostname
    assert len(address.path) > 1


def test_a_name_that_several_forms_share_says_so() -> None:
    """Where an engine has one name for two GPUs of ours, it does not tell their form."""
    for row in NAMES:
        twins = [
            other
            for other in NAMES
            if (other.engine, other.cloud, other.name, other.memory_gb)
            == (row.engine, row.cloud, row.name, row.memory_gb)
        ]
        if len(twins) > 1:
            assert row.names_the_form == "no", row


def test_a_memory_that_is_named_is_that_of_the_card() -> None:
    for row in NAMES:
        if row.memory_gb:
            assert row.memory_gb == GPUS[row.gpu].vram_gb, row


def test_runpod_s_ids_are_aliases_of_the_same_gpu() -> None:
    rows = [row for row in NAMES if row.engine == "runpod"]
    assert len(rows) > 30
    for row in rows:
        assert f"runpod:{row.name}" in GPUS[row.gpu].aliases


def test_every_engine_of_the_names_has_a_template() -> None:
    assert {row.engine for row in NAMES} == {row.names for row in ROWS if row.names}
    assert {row.engine for row in CLOUDS} == {Kind.SKYPILOT.value, Kind.DSTACK.value}


@EVERY_TEMPLATE
def test_a_template_asks_for_nothing_that_nobody_fills_in(row: TemplateRow) -> None:
    asked = fill.places(row.text_of("template") + row.text_of("first") + row.text_of("then"))
    assert asked - FILLED == set()


# All that `checks.launch.write` puts in; a name that is not here would drop its line in silence.
FILLED = {
    "accelerators", "body", "cloud", "clouds", "command", "command_line", "command_lines",
    "count", "disk_gb", "docker_image", "docker_login", "docker_run", "full_image",
    "gpu_memory", "gpu_name", "image", "instance_type", "min_cuda", "name", "offer",
    "private", "private_registry", "pull_secret", "query", "query_spot", "region", "registry",
    "registry_server", "spot", "spot_flag", "spot_policy",
}  # fmt: skip


@EVERY_TEMPLATE
def test_a_template_is_of_the_language_that_its_row_says(row: TemplateRow) -> None:
    endings = {Language.SHELL: ".sh", Language.YAML: ".yaml", Language.DOCKERFILE: ".Dockerfile"}
    assert row.template.endswith(endings[row.language])
    assert all(name.endswith(".sh") for name in (row.first, row.then) if name)
    assert bool(row.body) == ("<body>" in row.text_of("template"))


@EVERY_TEMPLATE
def test_a_template_holds_the_image_or_starts_only_a_machine(row: TemplateRow) -> None:
    asked = fill.places(row.text_of("template") + row.body)
    has_image = bool(asked & {"image", "full_image", "docker_image", "docker_run"})
    assert has_image != (row.kind is Kind.PROVIDER_API and row.starts == "machine")


@EVERY_TEMPLATE
def test_no_template_asks_for_a_secret_in_plain_words(row: TemplateRow) -> None:
    """A credential is a variable of the reader's, in quotes, or a name that is handed over."""
    for text in (row.text_of("template"), row.text_of("first"), row.body):
        for line in text.splitlines():
            if "assword" in line and row.language is Language.SHELL:
                assert "$REGISTRY_TOKEN" in line or "--password-stdin" in line


def test_every_template_file_is_used() -> None:
    used = {name for row in ROWS for name in (row.template, row.first, row.then) if name}
    used |= {str(Path(row.template).with_suffix(".json")) for row in ROWS if row.body}
    there = {str(p.relative_to(TEMPLATES)) for p in TEMPLATES.rglob("*") if p.is_file()}
    assert there == used


def test_templates_are_small() -> None:
    for path in TEMPLATES.rglob("*.*"):
        assert len(path.read_text().splitlines()) <= 25, path.name


def test_templates_come_in_the_order_of_their_kinds() -> None:
    order = list(Kind)
    places = [order.index(row.kind) for row in ROWS]
    assert places == sorted(places)
    assert set(places) == set(range(len(order)))


def needs() -> list[Need]:
    tables = (*_NEEDS.values(), *_BY_START.values())
    return [_PRIVATE, *(need for group in tables for need in group)]


@pytest.mark.parametrize("need", needs(), ids=lambda need: need.dimension)
def test_what_decides_is_a_question_with_these_answers(need: Need) -> None:
    assert set(need.enough) <= set(DIMENSIONS[need.dimension].allowed)


def test_every_caution_is_given_by_someone() -> None:
    """One that is never said would be translated for nothing."""
    code = "".join(path.read_text() for path in HERE.glob("*.py") if path.name != "words.py")
    tables = (TABLES / "launch.csv").read_text()
    for caution in Caution:
        assert f"Caution.{caution.name}" in code or caution.value in tables, caution


def test_every_way_of_a_credential_is_used() -> None:
    assert {row.credential for row in ROWS} == {*Way, None}


def written(folder: Path, line: str) -> Path:
    heading, _rest = (TABLES / "launch.csv").read_text().split("\n", 1)
    path = folder / "launch.csv"
    path.write_text(f"{heading}\n{line}\n")
    return path


GOOD = (
    "a,docker_run,shell,docker/run.sh,,,,gpus,docker,container,,,,https://d.example/x,,documented"
)


def test_a_good_row_is_read(tmp_path: Path) -> None:
    (row,) = read_templates(written(tmp_path, GOOD))
    assert (row.key, row.device, row.warnings) == ("a", frozenset({"gpus"}), ())


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("docker/run.sh", "docker/gone.sh", "there is no templates/docker/gone.sh"),
        (",documented", ",memory", "basis"),
        ("https://d.example/x", "http://d.example/x", "source"),
        (",gpus,", ",usb,", "device"),
        ("docker_run,", "carrier_pigeon,", "kind"),
        ("container,,,,", "container,,,no_such_caution,", "warnings"),
    ],
)
def test_a_bad_row_is_told_with_its_line(tmp_path: Path, old: str, new: str, fault: str) -> None:
    path = written(tmp_path, GOOD.replace(old, new))
    with pytest.raises(FaultyFilesError, match=fault) as caught:
        read_templates(path)
    assert caught.value.faults[0].startswith("launch.csv:2: ")


def test_a_name_at_the_cloud_goes_before_the_general_one() -> None:
    at_runpod = shelf().gpu_name("skypilot", "runpod", "h100-sxm")
    elsewhere = shelf().gpu_name("skypilot", "aws", "h100-sxm")
    assert at_runpod is not None
    assert elsewhere is not None
    assert (at_runpod.name, elsewhere.name) == ("H100-SXM", "H100")
    assert shelf().gpu_name("skypilot", "aws", "no-such-gpu") is None
