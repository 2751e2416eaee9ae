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
PHYSICAL_VALUE = re.compile(
    r"(?<![\w-])(text-align|float|clear|caption-side|(background|object|mask)-position(-x)?"
    r"|transform-origin|resize)\s*:[^;}]*\b(left|right)\b"
)
# Of four sides the second is the right one and the fourth the left one: they have to be the same.
FOUR_SIDES = re.compile(
    r"(?<![\w-])(inset|margin|padding|border-width|border-style|border-color|scroll-margin"
    r"|scroll-padding)\s*:([^;}]*)"
)
# The corners of a radius begin at the top left and go round.
ROUND = re.compile(r"(?<![\w-])border-radius\s*:([^;}]*)")
# What moves, mirrors or falls to one side, and has to do so to the other from right to left.
SIDEWAYS = re.compile(
    r"(?<![\w-])(?:box-shadow\s*:\s*(?:inset\s+)?(?!0(?:\s|$))(?:calc\(|-?[\d.])"
    r"|(?:transform|translate|scale|rotate)\s*:(?!\s*(?:none|translateY|0 ))"
    r"|text-shadow\s*:\s*(?!0\s|none))"
)
# Conditions of a media query are about the window, which has no reading direction.
CONDITION = re.compile(r"@(media|supports|container)[^{]*")


def _parts(value: str) -> list[str]:
    """The parts of a value; what stands in brackets is one of them."""
    return re.findall(r"(?:[^\s(]|\((?:[^()]|\([^()]*\))*\))+", value.replace("!important", ""))


def _lopsided(rules: str) -> list[str]:
    """Shorthands whose left is not their right."""
    found = [
        match[0]
        for match in FOUR_SIDES.finditer(rules)
        if len(parts := _parts(match[2])) == 4 and parts[1] != parts[3]
    ]
    for match in ROUND.finditer(rules):
        one, two, three, four = (_parts(match[1]) * 4)[:4] if "/" not in match[1] else "1234"
        if (one, four) != (two, three) and len(_parts(match[1])) > 1:
            found.append(match[0])
    return found


def _unmirrored(rules: str) -> list[str]:
    """Selectors of rules to one side without a rule of their own from right to left."""
    blocks = [
        (selector.strip(), body) for selector, body in re.findall(r"([^{}]+)\{([^{}]*)\}", rules)
    ]
    mirrored = {s.removeprefix('[dir="rtl"] ') for s, _body in blocks if s.startswith("[dir")}
    to_one_side = {s for s, body in blocks if SIDEWAYS.search(body) and not s.startswith("[dir")}
    return sorted(to_one_side - mirrored)


def _rules(css: str) -> str:
    return CONDITION.sub("", re.sub(r"/\*.*?\*/", "", css, flags=re.S))


def test_the_check_itself_finds_physical_properties() -> None:
    assert PHYSICAL.search("a { margin-left: 1px }")
    assert PHYSICAL.search("a { width: 1px }")
    assert PHYSICAL_VALUE.search("a { text-align: right }")
    assert PHYSICAL_VALUE.search("a { background-position: left 2px }")
    assert _lopsided("a { inset: 0 auto 0 0 }") == ["inset: 0 auto 0 0 "]
    assert _lopsided("a { border-radius: 0 4px 4px 0 }")
    assert not _lopsided("a { padding: 0 calc(2 * (1px + 1em)) 1px calc(2 * (1px + 1em)) }")
    assert not _lopsided("a { border-radius: 4px 4px 0 0; margin: 0 auto; inset: 1px 0 auto }")
    for side in ("box-shadow: inset 3px 0 red", "translate: 1em 0", "transform: translateX(1em)"):
        assert _unmirrored(f"a {{ {side} }}") == ["a"]
        assert _unmirrored(f'a {{ {side} }} [dir="rtl"] a {{ {side} }}') == []
    assert not _unmirrored("a { box-shadow: inset 0 3px red } b { box-shadow: var(--float) }")
    assert not PHYSICAL.search("a { max-inline-size: 1px; stroke-width: 2 }")


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: path.name)
def test_sheets_speak_of_start_and_end_not_of_left_and_right(sheet: Path) -> None:
    rules = _rules(sheet.read_text())
    found = [m[0] for pattern in (PHYSICAL, PHYSICAL_VALUE) for m in pattern.finditer(rules)]
    assert found + _lopsided(rules) == []


# Later is earlier turned round, and turned round once more from right to left with all of them.
TURNED = {".moves .later svg"}


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: path.name)
def test_what_leans_to_one_side_leans_to_the_other_from_right_to_left(sheet: Path) -> None:
    # Conditions are cut out with their bracket left, which then is no part of a selector.
    rules = _rules(sheet.read_text()).replace("@layer", "")
    assert set(_unmirrored(rules)) - TURNED == set()


# What holds the one symbol that points to a side; each of the two has a rule from right to left.
HOLDER = re.compile(r'class="(?:back|button icon[\w -]*)"')


def test_arrows_of_the_sprite_are_turned_round_from_right_to_left() -> None:
    pages = [path for path in MARKED if path.suffix == ".html"]
    lines = [line for path in pages for line in path.read_text().splitlines() if '#back"' in line]
    assert len(lines) > 9
    assert [line for line in lines if not HOLDER.search(line)] == []
    for sheet, holder in (("spec", ".back"), ("compare", ".back"), ("compare", ".moves .icon")):
        css = (ROOT / f"static/css/{sheet}.css").read_text()
        assert f'[dir="rtl"] {holder} svg {{ scale: -1 1; }}' in css


ARROW = re.compile(r"[→←⇒›»]")
# The desk of the curators is in English.
DESK = ROOT / "templates/admin"


def test_an_arrow_that_is_a_letter_is_turned_round_too() -> None:
    for path in (path for path in MARKED if DESK not in path.parents and path.suffix == ".html"):
        for line in path.read_text().splitlines():
            bare = line.replace('<span class="to" aria-hidden="true">→</span>', "")
            assert not ARROW.search(bare), f"{path.name}: {line.strip()[:80]}"
    for sheet in SHEETS:
        rules = _rules(sheet.read_text())
        for selector in re.findall(r'([^{};]+)\{[^{}]*content: "→', rules):
            assert f'[dir="rtl"] {selector.strip()} {{ content: "←' in rules, sheet.name


def test_time_runs_from_left_to_right_in_every_language() -> None:
    chart = (ROOT / "templates/providers/history/chart.html").read_text()
    assert re.search(r'<div class="plot[^>]* dir="ltr">', chart)
    cold = (ROOT / "static/css/cold.css").read_text()
    assert re.search(r"Phases from left to right[^}]*direction: ltr;", cold)


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
