"""The one form of a catalog file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from providers.catalog import canonical
from providers.catalog.files import parse, read_directory
from providers.catalog.schema import ProviderDocument
from providers.catalog.validate import document_of, trusted
from tests import catalog_texts as made

FILES = read_directory(Path(settings.CATALOG_DIR))


def test_a_provider_is_written_in_the_declared_order_with_a_claim_a_line() -> None:
    pods = made.offering(
        access_modes=["bring_your_own_image"],
        gpus=["H100 SXM", "RTX 6000, Ada"],
        claims={
            "spot": [made.claim(True), made.claim(False, read_on=None)],
            "cuda_max": made.claim("12.8", note="Stops lower: ask."),
            "registry_auth": made.claim(["no"]),
        },
    )
    data = made.provider("acme", pods, headquarters="NO", pricing_api={"public": True})

    assert made.text(data) == (
        "slug: acme\n"
        "name: Acme\n"
        "kind: container_cloud\n"
        "website: https://acme.example\n"
        "headquarters: 'NO'\n"
        "status: active\n"
        "pricing_api: {public: true}\n"
        "offerings:\n"
        "  - slug: pods\n"
        "    name: Pods\n"
        "    status: active\n"
        "    summary: One GPU container.\n"
        "    docs: https://docs.example/pods\n"
        "    access_modes: [bring_your_own_image]\n"
        "    gpus: [H100 SXM, 'RTX 6000, Ada']\n"
        "    claims:\n"
        "      registry_auth: {value: ['no'], basis: documented,"
        " source: https://docs.example/page, source_kind: provider, read_on: 2026-11-01}\n"
        "      cuda_max: {value: '12.8', basis: documented,"
        " source: https://docs.example/page, source_kind: provider, read_on: 2026-11-01,"
        " note: 'Stops lower: ask.'}\n"
        "      spot:\n"
        "        - {value: true, basis: documented,"
        " source: https://docs.example/page, source_kind: provider, read_on: 2026-11-01}\n"
        "        - {value: false, basis: documented,"
        " source: https://docs.example/page, source_kind: provider, read_on: null}\n"
    )


def test_a_provider_without_offerings_has_an_empty_list() -> None:
    assert made.text(made.provider()).endswith("\nofferings: []\n")


@pytest.mark.parametrize(
    ("value", "in_brackets", "on_a_line"),
    [
        ("plain words", "plain words", "plain words"),
        ("a, b", "'a, b'", "a, b"),
        ("[x]", "'[x]'", "'[x]'"),
        ("it's", "it's", "it's"),
        ("'tis", "'''tis'", "'''tis'"),
        ("a: b", "'a: b'", "'a: b'"),
        ("a #b", "'a #b'", "'a #b'"),
        ("C#", "C#", "C#"),
        ("ends:", "'ends:'", "'ends:'"),
        ("- x", "'- x'", "'- x'"),
        ("no", "'no'", "'no'"),
        ("On", "'On'", "'On'"),
        ("null", "'null'", "'null'"),
        ("12", "'12'", "'12'"),
        ("12.8", "'12.8'", "'12.8'"),
        ("12:30", "'12:30'", "'12:30'"),
        ("1_000", "'1_000'", "'1_000'"),
        ("580.126.20", "580.126.20", "580.126.20"),
        ("2026-08-20", "2026-08-20", "2026-08-20"),
        ("", "''", "''"),
        ("বাংলা, اردو", "'বাংলা, اردو'", "বাংলা, اردو"),
        ("a\u00a0b", '"a\\u00a0b"', '"a\\u00a0b"'),
        ('tab\t"q"\\', '"tab\\t\\"q\\"\\\\"', '"tab\\t\\"q\\"\\\\"'),
        (True, "true", "true"),
        (1, "1", "1"),
        (0.5, "0.5", "0.5"),
        (1e-07, "0.0000001", "0.0000001"),
        (None, "null", "null"),
        (["a", True], "[a, true]", "[a, true]"),
    ],
)
def test_quotes_stand_only_where_they_are_needed(
    value: Any, in_brackets: str, on_a_line: str
) -> None:
    assert canonical.scalar(value) == in_brackets
    assert canonical.scalar(value, flow=False) == on_a_line


@given(st.text(st.characters(exclude_categories=["Cs"])), st.booleans())
def test_any_text_is_read_back_as_itself(text: str, flow: bool) -> None:
    scalar = canonical.scalar(text, flow=flow)
    line = f"[{scalar}, x]" if flow else scalar

    data = parse("a.yaml", f"key: {line}\n").data["key"]

    assert data == ([text, "x"] if flow else text)


@given(st.text(st.sampled_from("nyoNYOefx019.:-+_~=<") | st.characters(codec="ascii")))
def test_a_reader_of_the_older_yaml_sees_the_same_texts(text: str) -> None:
    written = canonical.scalar(text)

    read = yaml.load(f"[{written}]", yaml.CSafeLoader)[0]

    assert str(read) == text


@limits(deadline=None)
@given(made.provider_documents())
def test_reading_what_was_written_gives_the_same_document(document: ProviderDocument) -> None:
    text = canonical.text_of(document)

    again, faults = document_of(parse("acme.yaml", text))

    assert not faults
    assert again == document
    assert canonical.text_of(document) == canonical.text_of(again or document)
    assert trusted(parse("acme.yaml", text).data) == document


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_file_of_the_catalog_is_in_canonical_form(file: Any) -> None:
    document, faults = document_of(file)

    assert not faults
    assert document is not None
    assert canonical.text_of(document) == file.text
