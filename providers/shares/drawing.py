"""Draws the picture of a share: 1200 × 630, as Open Graph asks, from texts that are ready.

Pillow shapes and orders letters through raqm but knows no substitutes: each run of a text is drawn
with the font that has its letters. Where a script's font is missing, whoever asks draws in Latin.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from itertools import groupby
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont, features

SIZE = (1200, 630)
_EDGE = 56
_WIDTH = SIZE[0] - 2 * _EDGE
# Where the marks begin, and how far they stand apart.
_FIRST, _STEP = 430, 86
_GROUND, _INK, _QUIET, _LINE, _ACCENT = "#ffffff", "#171c25", "#505763", "#dde0e5", "#1b56ca"
# The states' colours are those of the light theme; each state has a shape of its own besides.
_COLOURS = {
    "yes": "#248d4d",
    "partly": "#bd720f",
    "no": "#c44037",
    "fact": "#505763",
    "unknown": "#797a8d",
    "contradicted": "#a132a9",
    "runs": "#248d4d",
    "condition": "#bd720f",
    "fails": "#c44037",
}
_FILES = {
    "latin": ("NotoSans-Regular.ttf", "NotoSans-Bold.ttf"),
    "arabic": ("NotoSansArabic-Regular.ttf", "NotoSansArabic-Bold.ttf"),
    "bengali": ("NotoSansBengali-Regular.ttf", "NotoSansBengali-Bold.ttf"),
}
_LETTERS = {
    "arabic": re.compile("[\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefe]"),
    # Its full stop is shared with Devanagari.
    "bengali": re.compile("[\u0980-\u09ff\u0964\u0965]"),
}
SCRIPTS = {"ar": "arabic", "ur": "arabic", "bn": "bengali"}
RIGHT_TO_LEFT = frozenset({"ar", "ur"})
Font = ImageFont.FreeTypeFont


@dataclass(frozen=True)
class _Style:
    size: int
    colour: str = _INK
    bold: bool = False
    end: bool = False  # the text ends at its place instead of beginning there


_BRAND = _Style(28, _ACCENT, bold=True)
_DAY = _Style(28, _QUIET, end=True)
_TITLE = _Style(44, bold=True)
_ABOUT = _Style(24, _QUIET)
_HEAD = _Style(15, _QUIET)
_NAME = _Style(24)
_PRICE = _Style(24, bold=True, end=True)
_MORE = _Style(20, _QUIET)


@dataclass(frozen=True)
class Line:
    """An offering: its name, the state of each answer that is shown, its price."""

    name: str
    states: tuple[str, ...]
    price: str = ""


@dataclass(frozen=True)
class Texts:
    """What stands on a picture, in the language it is for."""

    language: str
    title: str
    day: str
    about: str
    heads: tuple[str, ...]
    lines: tuple[Line, ...]
    more: str = ""


def can_draw(language: str, folders: tuple[Path, ...]) -> bool:
    """Whether there are fonts for the language, and whatever shapes its letters."""
    script = SCRIPTS.get(language)
    if script is None:
        return True
    return has_raqm() and _file(_FILES[script][0], folders) is not None


def has_raqm() -> bool:
    return bool(features.check("raqm"))


def draw(texts: Texts, folders: tuple[Path, ...]) -> bytes:
    """A PNG."""
    image = Image.new("RGB", SIZE, _GROUND)
    _Sheet(ImageDraw.Draw(image), folders, texts.language).fill(texts)
    written = BytesIO()
    image.quantize(64).save(written, "PNG", optimize=True)
    return written.getvalue()


# --- Letters ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """A stretch of a text that one font draws in one direction."""

    text: str
    script: str
    rtl: bool


def script_of(letter: str) -> str:
    """The script of a letter or digit; empty for what stands between them and for joiners."""
    for script, letters in _LETTERS.items():
        if letters.match(letter):
            return script
    category = unicodedata.category(letter)
    return "" if category[0] in "ZPC" or category in ("Sm", "Sk") else "latin"


def runs(text: str, rtl: bool = False) -> list[Run]:
    """The text cut where script or direction changes, in the order it is read.

    What stands between words goes their way if both go one way, else that of the whole, as in
    the Unicode rules N1 and N2.
    """
    scripts = [script_of(letter) for letter in text]
    before, after = _last_met(scripts), _last_met(scripts[::-1])[::-1]
    marks: list[tuple[str, bool]] = []
    for letter, script, left, right in zip(text, scripts, before, after, strict=True):
        goes = rtl if left != right and not script else (script or left) == "arabic"
        joins = letter.isspace() or unicodedata.category(letter) == "Cf"
        follows = marks[-1][0] if marks and joins else "latin"
        marks.append((script or follows, goes))
    found = []
    for mark, letters in groupby(zip(marks, text, strict=True), key=lambda pair: pair[0]):
        found.append(Run("".join(letter for _, letter in letters), *mark))
    return found


def _last_met(scripts: list[str]) -> list[str]:
    """For each place the script that was met last; empty before the first."""
    met, found = "", []
    for script in scripts:
        met = script or met
        found.append(met)
    return found


@cache
def _file(name: str, folders: tuple[Path, ...]) -> Path | None:
    return next((folder / name for folder in folders if (folder / name).is_file()), None)


@cache
def _font(script: str, size: int, bold: bool, folders: tuple[Path, ...]) -> Font:
    file = _file(_FILES[script][bold], folders)
    if file is None:
        # Pillow brings a Latin font along.
        plain = ImageFont.load_default(size)
        if isinstance(plain, Font):
            return plain
        raise RuntimeError("Pillow was built without FreeType, which draws letters")
    return ImageFont.truetype(str(file), size)


def _length_of(run: Run, font: Font) -> float:
    return font.getlength(run.text, direction=_direction(run, font))


def _direction(run: Run, font: Font) -> str | None:
    """Nothing but raqm knows of directions; the font that Pillow brings does without it."""
    if font.layout_engine != ImageFont.Layout.RAQM:
        return None
    return "rtl" if run.rtl else "ltr"


# --- The sheet -------------------------------------------------------------------------------


class _Sheet:
    """Coordinates count from the side where reading begins; `y` is the baseline of a text."""

    def __init__(self, pen: ImageDraw.ImageDraw, folders: tuple[Path, ...], language: str) -> None:
        self.pen, self.folders = pen, folders
        self.rtl = language in RIGHT_TO_LEFT

    def fill(self, texts: Texts) -> None:
        self._box(0, 0, SIZE[0], 10, _ACCENT)
        self._text(_EDGE, 70, "gpucompare", _BRAND)
        self._text(SIZE[0] - _EDGE, 70, texts.day, _DAY)
        for place, line in enumerate(self._wrapped(texts.title, _TITLE, _WIDTH, 2)):
            self._text(_EDGE, 138 + 56 * place, line, _TITLE)
        self._cut(_EDGE, 238, texts.about, _ABOUT, _WIDTH)
        for place, head in enumerate(texts.heads):
            for row, word in enumerate(self._wrapped(head, _HEAD, _STEP - 6, 2)):
                self._text(_FIRST + _STEP * place, 276 + 18 * row, word, _HEAD)
        for place, offering in enumerate(texts.lines):
            self._line(344 + 46 * place, offering)
        self._text(_EDGE, 612, texts.more, _MORE)

    def _line(self, y: int, line: Line) -> None:
        self._box(_EDGE, y - 33, SIZE[0] - _EDGE, y - 32, _LINE)
        self._cut(_EDGE, y, line.name, _NAME, _FIRST - _EDGE - 16)
        for column, state in enumerate(line.states):
            self._mark(_FIRST + _STEP * column + 13, y - 9, state)
        self._text(SIZE[0] - _EDGE, y, line.price, _PRICE)

    # --- Text --------------------------------------------------------------------------------

    def _text(self, x: int, y: int, text: str, style: _Style) -> None:
        """From `x` in the direction of reading, or up to it."""
        text = " ".join(text.split())  # raqm refuses what ends a line
        if style.end:
            x -= round(self._length(text, style))
        for run in runs(text, self.rtl):
            font = self._font(run.script, style)
            width = round(_length_of(run, font))
            left = SIZE[0] - x - width if self.rtl else x
            towards = _direction(run, font)
            self.pen.text((left, y), run.text, style.colour, font, anchor="ls", direction=towards)
            x += width

    def _cut(self, x: int, y: int, text: str, style: _Style, width: int) -> None:
        """One line, as much of it as there is room for."""
        self._text(x, y, "".join(self._wrapped(text, style, width, 1)), style)

    def _length(self, text: str, style: _Style) -> float:
        cut = runs(text, self.rtl)
        return sum(_length_of(run, self._font(run.script, style)) for run in cut)

    def _font(self, script: str, style: _Style) -> Font:
        return _font(script, style.size, style.bold, self.folders)

    def _wrapped(self, text: str, style: _Style, width: int, lines: int) -> list[str]:
        """At most that many lines of words; what is too long ends in an ellipsis."""
        found = [""]
        for word in text.split():
            longer = f"{found[-1]} {word}".strip()
            if self._length(longer, style) <= width or not found[-1]:
                found[-1] = longer
            else:
                found.append(word)
        if len(found) > lines:
            found[lines - 1 :] = [f"{found[lines - 1]}…"]
        return [self._fitting(line, style, width) for line in found]

    def _fitting(self, line: str, style: _Style, width: int) -> str:
        if self._length(line, style) <= width:
            return line
        line = line.removesuffix("…")
        while line and self._length(f"{line}…", style) > width:
            line = line[:-1]
        return f"{line}…"

    # --- Shapes ------------------------------------------------------------------------------

    def _box(self, x0: int, y0: int, x1: int, y1: int, colour: str) -> None:
        if self.rtl:
            x0, x1 = SIZE[0] - x1, SIZE[0] - x0
        self.pen.rectangle((x0, y0, x1, y1), fill=colour)

    def _mark(self, x: int, y: int, state: str) -> None:
        """Full, half, hollow, dotted or split: told apart without colour."""
        x = SIZE[0] - x if self.rtl else x
        around, colour = (x - 12, y - 12, x + 12, y + 12), _COLOURS.get(state, _QUIET)
        match state:
            case "yes" | "runs":
                self.pen.ellipse(around, fill=colour)
            case "partly" | "condition":
                self.pen.ellipse(around, outline=colour, width=3)
                self.pen.pieslice(around, 90, 270, fill=colour)
            case "no" | "fails":
                self.pen.ellipse(around, outline=colour, width=3)
                self.pen.line((x - 7, y + 7, x + 7, y - 7), fill=colour, width=3)
            case "contradicted":
                self.pen.pieslice(around, 100, 260, fill=colour)
                self.pen.pieslice(around, 280, 80, fill=colour)
            case "fact":
                self.pen.ellipse((x - 5, y - 5, x + 5, y + 5), fill=colour)
            case _:
                for start in range(0, 360, 45):
                    self.pen.arc(around, start, start + 25, fill=colour, width=3)
