"""Cells of CSV that no spreadsheet takes for a formula."""

from __future__ import annotations

import re

# Full-width forms are taken for the plain ones.
_FORMULA = "[=+\\-@＝＋－＠]"
# Where a program may begin a cell: at the start, which quotes and blanks do not hide; at a tab or a
# break, which some drop; and behind what another country's spreadsheet splits a line at.
_OPEN = re.compile(
    rf"""^(?=[\s"']*{_FORMULA}|["']*[\t\r\n])|(?<=[;\t\r\n])(?=[\x20"']*{_FORMULA})"""
)
_GUARDED = re.compile(
    rf"""^'(?=[\s"']*{_FORMULA}|["']*[\t\r\n])|(?<=[;\t\r\n])'(?=[\x20"']*{_FORMULA})"""
)
# Nearly every cell, told at a glance: a million rows have twenty million of them.
_HARMLESS = re.compile(r"(?:[^\W_＝＋－＠]|/)[^;\t\r\n]*")


def guarded(text: str) -> str:
    """`text` with an apostrophe wherever it could start a formula."""
    return text if not text or _HARMLESS.fullmatch(text) else _OPEN.sub("'", text)


def unguarded(text: str) -> str:
    """What `guarded` was given, for whoever reads such a file back."""
    return _GUARDED.sub("", text)
