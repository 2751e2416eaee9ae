"""Rules every style sheet and drawing keeps, so that right-to-left and print need no second one."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SHEETS = sorted((ROOT / "static/css").glob("*.css"))
MARKED = sorted((ROOT / "static/css").glob("*.css")) + sorted((ROOT / "templates").rglob("*.html"))
SVG = "{http://www.w3.org/2000/svg}"

PHYSICAL = re.compile(
    r"(?<![\w-])("
    r"(margin|padding|border|scroll-margin|scroll-padding)-(left|right|top|bottom)(-\w+)*"
    r"|left|right|top|bottom|(min-|max-)?(width|height)"
    r"|border-(top|bottom)-(left|right)-radius"
    r")\s*:"
)
PHYSICAL_VALUE = re.compile(r"(?<![\w-])(text-align|float|clear)\s*:\s*(left|right)\b")
# Conditions of a media query are about the window, which has no reading direction.
CONDITION = re.compile(r"@(media|supports|container)[^{]*")


def _rules(css: str) -> str:
    return CONDITION.sub("", re.sub(r"/\*.*?\*/", "", css, flags=re.S))


def test_the_check_itself_finds_physical_properties() -> None:
    assert PHYSICAL.search("a { margin-left: 1px }")
    assert PHYSICAL.search("a { width: 1px }")
    assert PHYSICAL_VALUE.search("a { text-align: right }")
    assert not PHYSICAL.search("a { max-inline-size: 1px; stroke-width: 2 }")


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: path.name)
def test_sheets_speak_of_start_and_end_not_of_left_and_right(sheet: Path) -> None:
    rules = _rules(sheet.read_text())
    found = [m[0] for pattern in (PHYSICAL, PHYSICAL_VALUE) for m in pattern.finditer(rules)]
    assert found == []


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: path.name)
def test_every_rule_lies_in_a_layer(sheet: Path) -> None:
    depth, outside = 0, []
    for line in _rules(sheet.read_text()).splitlines():
        stripped = line.strip()
        if depth == 0 and stripped and not stripped.startswith("@layer") and "{" in line:
            outside.append(stripped)
        depth += line.count("{") - line.count("}")
    # The conditions were cut out above: only whole rules count.
    assert [rule for rule in outside if not rule.startswith("{")] == []
    assert depth == 0


def test_every_token_that_is_used_is_declared() -> None:
    css = "\n".join(sheet.read_text() for sheet in SHEETS)
    used = set(re.findall(r"var\(--([\w-]+)", css))
    declared = set(re.findall(r"--([\w-]+)\s*:", css))
    assert used - declared == set()


def test_colours_come_from_tokens_only() -> None:
    for sheet in SHEETS:
        if sheet.name != "tokens.css":
            colours = re.findall(r"#[0-9a-fA-F]{3,8}\b|oklch\(|hsl\(", _rules(sheet.read_text()))
            assert set(colours) <= {"#000"}, f"{sheet.name}: a mask may be #000, nothing else"


def test_every_state_of_a_cell_has_a_mark_of_its_own_shape() -> None:
    tokens = (ROOT / "static/css/tokens.css").read_text()
    components = (ROOT / "static/css/components.css").read_text()
    states = ("yes", "partly", "no", "unknown", "contradicted", "fact")
    drawn = {state: re.search(rf"--mark-{state}: (url\(.+\));", tokens) for state in states}
    assert all(drawn.values())
    assert len({match[1] for match in drawn.values() if match}) == len(states)
    for state in states:
        assert f".{state} {{ --mark: var(--mark-{state}); --mark-ink: var(--" in components


def test_the_sprite_holds_every_symbol_that_templates_use_and_no_other() -> None:
    sprite = ET.parse(ROOT / "static/img/sprite.svg").getroot()  # noqa: S314 (our own file)
    held = {symbol.get("id") for symbol in sprite.iter(f"{SVG}symbol")}
    pages = "".join(path.read_text() for path in (ROOT / "templates").rglob("*.html"))
    used = set(re.findall(r'img/sprite\.svg" %\}#([\w-]+)"', pages))
    assert held == used


def test_motion_colour_schemes_contrast_and_print_are_provided_for() -> None:
    css = "\n".join(sheet.read_text() for sheet in SHEETS)
    for condition in (
        "prefers-reduced-motion: reduce",
        "prefers-color-scheme: dark",
        "forced-colors: active",
        "pointer: coarse",
        "@media print",
    ):
        assert condition in css


def test_controls_are_high_enough_for_a_mouse_and_for_a_finger() -> None:
    tokens = (ROOT / "static/css/tokens.css").read_text()
    heights = re.findall(r"--control: ([\d.]+)rem", tokens)
    assert [float(height) * 16 for height in heights] == [36, 44]
