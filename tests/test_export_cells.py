"""What a spreadsheet makes of a cell, and how a file is read back."""

from __future__ import annotations

import csv
import io
import re
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.browse.export import Table, export_response, iso
from providers.browse.spreadsheet import guarded, unguarded

NOW = datetime(2026, 11, 30, 23, 30, tzinfo=UTC)
FORMULA = "=1+1"
TEXT = st.text(st.sampled_from("=+-@;\t\r\n\"' ,|＝－a1")) | st.text()


def cells(delimiter: str, *values: Any) -> list[list[str]]:
    """The file of these values in one row, read with a delimiter."""
    columns = tuple(f"c{n}" for n in range(len(values)))
    text = export_response(Table("t", columns, [values]), "csv", "/", NOW).getvalue().decode()
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


@pytest.mark.parametrize(
    "text",
    [
        FORMULA,
        "+1",
        "-1+2",
        "@SUM(A1)",
        "\tx",
        "\rx",
        "\nx",
        "＝1",
        "＠SUM(A1)",
        f" {FORMULA}",
        f'"{FORMULA}',
        f"'{FORMULA}",
        f"' \"{FORMULA}",
    ],
)
def test_what_would_start_a_formula_is_text(text: str) -> None:
    assert guarded(text) == f"'{text}"
    assert unguarded(guarded(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "a=1", "1-2", "ghcr.io/a@sha256:0", "H100 - SXM", "'quoted'", '"a"', "a, -b", "it's", "5"],
)
def test_all_other_text_is_left_as_it_is(text: str) -> None:
    assert guarded(text) == text


@pytest.mark.parametrize(
    "text", [f"\t{FORMULA}", f"a;{FORMULA}", f"a; {FORMULA}", f"a\n{FORMULA}", "a\t@x"]
)
def test_no_cell_is_opened_where_another_country_splits_the_line(text: str) -> None:
    assert unguarded(guarded(text)) == text
    for delimiter in ";\t":
        found = [cell for row in cells(delimiter, "x", text) for cell in row]
        assert not any(re.match(r"\s*[=+\-@]", cell) for cell in found)


@given(TEXT)
def test_a_guard_is_taken_away_without_a_trace(text: str) -> None:
    assert unguarded(guarded(text)) == text


@given(TEXT)
def test_no_text_ever_starts_with_what_starts_a_formula(text: str) -> None:
    assert guarded(text)[:1] not in (*"=+-@\t\r", "＝", "＋", "－", "＠")


@pytest.mark.parametrize(
    ("value", "written"),
    [(-5, "-5"), (Decimal("-0.50"), "-0.50"), (Decimal("1E-7"), "0.0000001"), (8, "8")],
)
def test_a_number_stays_a_number(value: Any, written: str) -> None:
    assert cells(",", value)[1][0] == written


def test_words_in_a_list_are_guarded_as_the_cell_they_make() -> None:
    assert cells(",", ["-a", "b"])[1][0] == "'-a b"


def test_days_and_moments_are_iso_8601_in_utc() -> None:
    east = datetime(2026, 12, 1, 5, 30, tzinfo=timezone(timedelta(hours=6)))
    assert iso(east) == iso(NOW) == "2026-11-30T23:30:00Z"
    assert cells(",", date(2026, 2, 3))[1][0] == "2026-02-03"


def test_a_file_is_named_by_its_day_in_utc() -> None:
    east = datetime(2026, 12, 1, 5, 30, tzinfo=timezone(timedelta(hours=6)))
    response = export_response(Table("t", ("a",), []), "csv", "/", east)
    assert response["Content-Disposition"] == 'inline; filename="t-2026-11-30.csv"'


def test_a_column_may_not_start_a_formula_either() -> None:
    response = export_response(Table("t", ("=a", "b"), []), "csv", "/", NOW)
    assert response.getvalue() == b"'=a,b,licence\r\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<script>", "\\<script>"),
        ("[x](javascript:1)", "\\[x](javascript:1)"),
        ("`a|b`", "\\`a\\|b\\`"),
        ("a\n\nb", "a b"),
    ],
)
def test_markdown_cells_hold_no_tag_no_link_and_no_code(text: str, shown: str) -> None:
    table = Table("t", ("a",), [(text,)])
    lines = export_response(table, "md", "/", NOW).getvalue().decode().splitlines()
    assert lines[2] == f"| {shown} |"
