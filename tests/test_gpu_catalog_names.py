"""Every GPU name that the repository holds is explained, or excused with a reason."""

from __future__ import annotations

import csv
from collections.abc import Iterator

import yaml
from django.conf import settings

from providers.gpu_file import ExceptionKind, read_exceptions
from providers.gpus import GpuMatch, resolve

Named = tuple[str, str, float | None]


def catalog_names() -> Iterator[Named]:
    for path in sorted(settings.CATALOG_DIR.glob("*.yaml")):
        provider = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
        for offering in provider["offerings"]:
            for name in offering.get("gpus") or ():
                yield provider["slug"], name, None


def snapshot_names() -> Iterator[Named]:
    for path in sorted(settings.LISTINGS_DIR.glob("*.csv")):
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                yield row["provider"], row["gpu_name"], float(row["vram_gb"])


def unexplained(names: Iterator[Named]) -> set[tuple[str, str]]:
    return {(p, name) for p, name, vram in names if resolve(name, vram, p) == GpuMatch()}


def excused() -> set[tuple[str, str]]:
    rows = read_exceptions()
    return {(r.source, r.name) for r in rows if r.kind is not ExceptionKind.NOT_A_GPU}


def test_the_files_hold_the_names_that_are_checked() -> None:
    assert len({name for _p, name, _v in catalog_names()}) > 100
    assert len({name for _p, name, _v in snapshot_names()}) > 50


def test_every_name_of_the_catalog_and_the_prices_is_explained_or_excused() -> None:
    assert unexplained(catalog_names()) | unexplained(snapshot_names()) == excused()


def test_no_exception_is_a_name_that_means_something() -> None:
    met = {(r.source, r.name): resolve(r.name, source=r.source) for r in read_exceptions()}
    assert {key: match for key, match in met.items() if match != GpuMatch()} == {}


def test_every_exception_stands_once() -> None:
    keys = [(row.source, row.name.casefold()) for row in read_exceptions()]
    assert len(keys) == len(set(keys))
