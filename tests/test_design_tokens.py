"""The colours of tokens.css: readable in both themes, and one set of values in two notations."""

from __future__ import annotations

import math
import re
from itertools import product
from pathlib import Path

import pytest

TOKENS = (Path(__file__).parent.parent / "static/css/tokens.css").read_text()
Rgb = tuple[float, float, float]  # linear light, 0 to 1

GROUNDS = ("n0", "n1", "n2", "accent-soft")
TEXTS = ("n6", "n7", "accent", "caution")
MARKS = ("yes", "partly", "no", "unknown", "contradicted", "n5", "n6")
THEMES = ("light", "dark")


def _block(selector: str) -> dict[str, str]:
    """The `--name: #hex` declarations of the first rule with this selector."""
    body = TOKENS.split(f"{selector} {{", 1)[1].split("}", 1)[0]
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", body))


def _linear(hexed: str) -> Rgb:
    channels = (int(hexed[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    )
    return red, green, blue


def _oklab(colour: Rgb) -> Rgb:
    """Björn Ottosson's OKLab of a linear sRGB colour."""
    r, g, b = colour
    l_ = math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
    m_ = math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
    s_ = math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
    return (
        0.2104542553 * l_ + 0.7936177850 * m_ - 0.0040720468 * s_,
        1.9779984951 * l_ - 2.4285922050 * m_ + 0.4505937099 * s_,
        0.0259040371 * l_ + 0.7827717662 * m_ - 0.8086757660 * s_,
    )


def _from_oklab(lab: Rgb) -> Rgb:
    lightness, a, b = lab
    l_ = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    m_ = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    s_ = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * l_ - 3.3077115913 * m_ + 0.2309699292 * s_,
        -1.2684380046 * l_ + 2.6097574011 * m_ - 0.3413193965 * s_,
        -0.0041960863 * l_ - 0.7034186147 * m_ + 1.7076147010 * s_,
    )


def _contrast(one: Rgb, other: Rgb) -> float:
    """WCAG 2's contrast ratio, 1 to 21."""
    dark, light = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in (one, other))
    return (light + 0.05) / (dark + 0.05)


PALETTES = {
    "light": {k: _linear(v) for k, v in _block(':root[data-theme="light"]').items()},
    "dark": {k: _linear(v) for k, v in _block(':root[data-theme="dark"]').items()},
}
OKLCH = dict(re.findall(r"--([\w-]+): light-dark\((.+)\);", TOKENS))


def test_contrast_is_measured_as_wcag_does() -> None:
    assert _contrast(_linear("#000000"), _linear("#ffffff")) == pytest.approx(21)
    assert _contrast(_linear("#777777"), _linear("#ffffff")) == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize(("theme", "text", "ground"), list(product(THEMES, TEXTS, GROUNDS)))
def test_text_stands_out_from_every_ground(theme: str, text: str, ground: str) -> None:
    palette = PALETTES[theme]
    assert _contrast(palette[text], palette[ground]) >= 4.5


@pytest.mark.parametrize(("theme", "mark", "ground"), list(product(THEMES, MARKS, GROUNDS)))
def test_marks_stand_out_from_every_ground(theme: str, mark: str, ground: str) -> None:
    palette = PALETTES[theme]
    assert _contrast(palette[mark], palette[ground]) >= 3


@pytest.mark.parametrize("theme", THEMES)
def test_the_word_on_a_main_button_is_readable(theme: str) -> None:
    assert _contrast(PALETTES[theme]["n0"], PALETTES[theme]["accent"]) >= 4.5


@pytest.mark.parametrize(("theme", "mark"), list(product(THEMES, MARKS[:5])))
def test_a_faded_mark_is_still_seen(theme: str, mark: str) -> None:
    components = (Path(__file__).parent.parent / "static/css/components.css").read_text()
    fresh = re.search(r"\.due \{ --fresh: (\d+)%", components)
    assert fresh, "a claim that is due no longer fades its mark"
    share, palette = int(fresh[1]) / 100, PALETTES[theme]
    own, grey = _oklab(palette[mark]), _oklab(palette["n5"])
    lightness, a, b = (x * share + y * (1 - share) for x, y in zip(own, grey, strict=True))
    faded = _from_oklab((lightness, a, b))
    assert min(_contrast(faded, palette[ground]) for ground in GROUNDS) >= 3


@pytest.mark.parametrize("theme", THEMES)
def test_both_themes_give_a_value_to_the_same_tokens(theme: str) -> None:
    assert set(PALETTES[theme]) == set(OKLCH)


def test_the_chosen_theme_and_the_systems_theme_are_the_same_colours() -> None:
    system = TOKENS.split("prefers-color-scheme: dark) {", 1)[1]
    body = system.split("}", 1)[0]
    assert dict(re.findall(r"--([\w-]+): (#\w+);", body)) == _block(':root[data-theme="dark"]')
    assert _block("  :root") == _block(':root[data-theme="light"]')


@pytest.mark.parametrize(("name", "theme"), list(product(sorted(OKLCH), THEMES)))
def test_the_fallback_is_the_oklch_colour_rounded(name: str, theme: str) -> None:
    lightness, chroma, hue = map(
        float, re.findall(r"oklch\(([^)]+)\)", OKLCH[name])[THEMES.index(theme)].split()
    )
    angle = math.radians(hue)
    wanted = _from_oklab((lightness, chroma * math.cos(angle), chroma * math.sin(angle)))
    for got, want in zip(PALETTES[theme][name], wanted, strict=True):
        assert got == pytest.approx(min(1, max(0, want)), abs=0.006)
