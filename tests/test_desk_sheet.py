"""What the desk adds to the admin's look: small sheets and a small script."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.test_design_sheets import PHYSICAL, PHYSICAL_VALUE, ROOT

SHEETS = sorted((ROOT / "static/desk").glob("*.css"))
SCRIPTS = sorted((ROOT / "static/desk").glob("*.js"))
_FOREIGN = re.compile(r"#[0-9a-f]{3,8}\b|rgb|hsl|oklch|!important", re.IGNORECASE)


def _name(path: Path) -> str:
    return path.name


@pytest.mark.parametrize("path", SHEETS + SCRIPTS, ids=_name)
def test_it_is_small(path: Path) -> None:
    assert len(path.read_bytes()) < 4_096


@pytest.mark.parametrize("sheet", SHEETS, ids=_name)
def test_a_sheet_takes_its_colours_from_the_admin_and_knows_no_left_and_right(sheet: Path) -> None:
    css = re.sub(r"/\*.*?\*/|@media[^{]*\{", "", sheet.read_text(), flags=re.DOTALL)
    assert [p.search(css) for p in (_FOREIGN, PHYSICAL, PHYSICAL_VALUE)] == [None] * 3


def test_the_sheet_keeps_to_the_desks_own_screens() -> None:
    css = re.sub(r"/\*.*?\*/|@media[^{]*\{", "", (ROOT / "static/desk/desk.css").read_text())
    rules = [line.strip() for line in css.splitlines() if line.strip(" }")]
    assert [rule for rule in rules if not rule.startswith(".desk ")] == []


@pytest.mark.parametrize("path", SCRIPTS, ids=_name)
def test_the_script_calls_nothing_that_the_csp_forbids(path: Path) -> None:
    calls = r"\beval\(|new Function|\.innerHTML|document\.write|\.style\b"
    assert not re.search(calls, path.read_text())
