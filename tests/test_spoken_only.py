"""Days and figures for people are written by gpucompare.spoken alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SPOKEN = "gpucompare/spoken.py"
# Each line that writes a day or a time for machines.
FOR_MACHINES = {
    "providers/browse/export.py": 'strftime("%Y-%m-%dT%H:%M:%SZ")',  # CSV and JSON
    "templates/discovery/sitemap.xml": 'place.changed|date:"c"',  # the sitemap protocol
}
IN_PYTHON = re.compile(
    r"\b(?:date_format|time_format|number_format|dateformat|timesince|timeuntil|strftime"
    r"|naturaltime|naturalday|intcomma|intword|floatformat|filesizeformat|localize)\b"
    r"|\bbabel\.(?:dates|numbers|lists|units)\b"
)
# Grouped digits, and days with the name of a month or a day, inside an f-string.
IN_SPEC = re.compile(r",|_|%[aAbBcpxX]")
IN_TEMPLATES = re.compile(
    r"\|\s*(?:date|time|timesince|timeuntil|floatformat|filesizeformat|intcomma|intword"
    r"|naturaltime|naturalday|localize|unlocalize)\b"
    r"|\{%\s*(?:localize|localtime|now)\b|\{%\s*load\b[^%]*\b(?:l10n|tz|humanize)\b"
)


def _told(name: str, text: str) -> list[str]:
    """The lines that write a day or a figure on their own."""
    is_python, lines = name.endswith(".py"), text.splitlines()
    pattern = IN_PYTHON if is_python else IN_TEMPLATES
    found = {number for number, line in enumerate(lines) if pattern.search(line)}
    if is_python:
        found |= set(_formatted(text))
    allowed = FOR_MACHINES.get(name, "\n")
    return [lines[number].strip() for number in sorted(found) if allowed not in lines[number]]


def _formatted(text: str) -> Iterator[int]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FormattedValue) and node.format_spec:
            spec = ast.unparse(node.format_spec)
            if IN_SPEC.search(re.sub(r"\{.*?\}", "", spec)):
                yield node.lineno - 1


def _sources() -> Iterator[str]:
    for part in ("checks", "gpucompare", "providers", "templates"):
        for path in (ROOT / part).rglob("*"):
            # The desk writes days as the files of the catalog do.
            desk = path.is_relative_to(ROOT / "templates" / "admin")
            if path.suffix in {".py", ".html", ".svg", ".txt", ".xml"} and not desk:
                yield str(path.relative_to(ROOT))


def test_days_and_figures_for_people_are_written_in_one_place() -> None:
    found = {name: _told(name, (ROOT / name).read_text()) for name in _sources() if name != SPOKEN}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_whatever_is_allowed_for_machines_is_there() -> None:
    for name, line in FOR_MACHINES.items():
        assert line in (ROOT / name).read_text()


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("a.py", "from django.utils.formats import date_format"),
        ("a.py", "from django.utils.timesince import timesince"),
        ("a.py", "from babel.numbers import format_decimal"),
        ("a.py", 'told = at.strftime("%d %B %Y")'),
        ("a.py", 'told = f"{count:,} rows"'),
        ("a.py", 'told = f"{at:%d %B}"'),
        ("a.html", '{{ page.day|date:"j F Y" }}'),
        ("a.html", "{{ page.share|floatformat:1 }}"),
        ("a.html", "{% load i18n humanize %}"),
        ("a.html", "{% localize on %}"),
        ("providers/browse/export.py", 'at.strftime("%d %B")'),
    ],
)
def test_another_way_to_write_them_is_found(name: str, line: str) -> None:
    assert _told(name, line) == [line]
