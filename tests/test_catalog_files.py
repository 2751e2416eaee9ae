"""YAML text → plain data with its lines, and faults instead of exceptions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.catalog.files import MAX_BYTES, Parsed, parse, read_directory


def faults(text: str) -> list[str]:
    return [str(fault) for fault in parse("a.yaml", text).faults]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("true", True),
        ("False", False),
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("'true'", "true"),
        ("2026-08-20", "2026-08-20"),
        ("12:30:00", "12:30:00"),
        ("~", None),
        ("null", None),
        ("", None),
        ("12", 12),
        ("0x1f", 31),
        ("0o17", 15),
        ("017", 17),
        ("1_000", "1_000"),
        ("12.8", 12.8),
        ("1e3", 1000.0),
        ("580.126.20", "580.126.20"),
        ('"12.8"', "12.8"),
        ("https://a.example/b#c", "https://a.example/b#c"),
    ],
)
def test_scalars_are_read_by_the_core_schema(written: str, read: Any) -> None:
    value = parse("a.yaml", f"key: {written}\n").data["key"]

    assert value == read
    assert type(value) is type(read)


@pytest.mark.parametrize(("written", "read"), [(".inf", "inf"), ("-.INF", "-inf"), (".nan", "nan")])
def test_numbers_that_are_none_are_read_as_such(written: str, read: str) -> None:
    assert str(parse("a.yaml", f"key: {written}").data["key"]) == read


LINES = """\
slug: acme
offerings:
  - slug: pods
    claims:
      spot: {value: true, note: short}
      ssh:
        - value: true
        - {value: false,
           note: long}
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 1),
        (("slug",), 1),
        (("offerings", 0), 3),
        (("offerings", 0, "claims", "spot", "note"), 5),
        (("offerings", 0, "claims", "ssh", 0, "value"), 7),
        (("offerings", 0, "claims", "ssh", 1, "note"), 9),
    ],
)
def test_every_part_knows_its_line(path: tuple[str | int, ...], line: int) -> None:
    assert parse("a.yaml", LINES).line_of(path) == line


def test_a_part_that_is_left_out_has_the_line_of_what_should_hold_it() -> None:
    parsed = parse("a.yaml", LINES)

    assert parsed.line_of(("offerings", 0, "claims", "spot", 0, "value")) == 5
    assert parsed.line_of(("offerings", 0, "claims", "ssh", 1, "source")) == 8
    assert parsed.line_of(("website",)) == 1


def test_a_key_that_stands_twice_is_a_fault_at_its_second_line() -> None:
    assert faults("slug: a\nname: b\nslug: c\n") == ["a.yaml:3: slug: stands twice; keep one"]


def test_every_repeated_key_is_reported_at_once() -> None:
    assert len(faults("a: 1\na: 2\nb: {c: 1, c: 2}\n")) == 2


def test_an_alias_is_a_fault() -> None:
    assert faults("a: &x [1]\nb: *x\n") == ["a.yaml:1: b: is an alias; write the value out"]


def test_a_tree_of_aliases_does_not_grow() -> None:
    bomb = "a: &a [x, x]\n" + "".join(
        f"{new}: &{new} [{','.join([f'*{old}'] * 9)}]\n"
        for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    )

    assert all("is an alias" in fault for fault in faults(bomb))


def test_an_alias_of_itself_ends() -> None:
    assert "is an alias" in faults("a: &a [*a]\n")[0]


@pytest.mark.parametrize("tag", ["!!python/object/apply:os.system", "!!set", "!mine"])
def test_tags_are_faults(tag: str) -> None:
    assert "has the tag" in faults(f"a: {tag} x\n")[0]


def test_a_number_that_is_too_long_is_a_fault() -> None:
    assert faults(f"a: {'9' * 5000}\n") == ["a.yaml:1: a: is not a int"]


def test_a_key_that_is_a_list_is_a_fault() -> None:
    assert faults("? [a, b]\n: 1\n") == ["a.yaml:1: has a key that is not a word"]


@pytest.mark.parametrize("depth", [20, 900, 100_000])
def test_deep_nesting_is_a_fault(depth: int) -> None:
    assert len(faults("[" * depth + "]" * depth)) == 1


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a: [1\nb: 2\n", "a.yaml:2: is not YAML: while parsing a flow sequence"),
        ("a: 'open\n", "a.yaml:2: is not YAML: while scanning a quoted scalar"),
        ("a: 1\n---\nb: 2\n", "a.yaml:2: is not YAML: expected a single document"),
        ("a: \x07\n", "a.yaml:1: is not YAML: "),
        ("", "a.yaml:1: is empty"),
        ("# only a comment\n", "a.yaml:1: is empty"),
        ("x" * (MAX_BYTES + 1), "a.yaml:1: is larger than 256 KiB"),
    ],
)
def test_text_that_cannot_be_read_is_one_fault(text: str, fault: str) -> None:
    [only] = faults(text)

    assert only.startswith(fault)
    assert "\n" not in only


@given(st.text())
def test_no_text_raises(text: str) -> None:
    parsed = parse("a.yaml", text)

    assert isinstance(parsed, Parsed)
    assert parsed.faults or parsed.text == text


@given(st.text(st.sampled_from("ab:,-[]{}&*!|>'\"#%@` \n0.1~")))
def test_no_text_full_of_signs_raises(text: str) -> None:
    for fault in parse("a.yaml", text).faults:
        assert 1 <= fault.line <= text.count("\n") + 2


def test_a_directory_gives_its_files_by_name(tmp_path: Path) -> None:
    for name in ("b.yaml", "a.yaml", "notes.txt"):
        (tmp_path / name).write_text("x: 1\n")

    assert [file.name for file in read_directory(tmp_path)] == ["a.yaml", "b.yaml"]


@pytest.mark.parametrize("name", ["empty", "missing"])
def test_a_directory_without_catalog_files_is_a_fault(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()

    [file] = read_directory(tmp_path / name)

    assert str(file.faults[0]).endswith("holds no catalog files (*.yaml)")


def test_a_file_that_is_not_text_is_a_fault_at_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(b"slug: a\nname: \xff\n")

    [file] = read_directory(tmp_path)

    assert str(file.faults[0]) == "a.yaml:2: is not UTF-8 text"


def test_a_file_that_cannot_be_opened_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").mkdir()

    [file] = read_directory(tmp_path)

    assert "cannot be read" in str(file.faults[0])
