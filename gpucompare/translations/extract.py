"""Every text of the interface, found where it stands in code and templates."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent.parent
CODE = ("checks", "providers", "gpucompare")
TEMPLATES = "templates"
_WORDS = {
    **dict.fromkeys(("_", "gettext", "gettext_lazy"), None),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
    **dict.fromkeys(("npgettext", "npgettext_lazy"), ((1, "c"), 2, 3)),
}

# Line, text (or its singular and plural), comments for translators, context.
Found: TypeAlias = tuple[int, str | tuple[str, ...], list[str], str | None]


def messages(root: Path = ROOT) -> Catalog:
    """All of them, without a translation, each with the files that it stands in."""
    catalog = Catalog(charset="utf-8")
    for path, found in (*_of_code(root), *_of_templates(root)):
        _line, text, comments, context = found
        # Without its lines: a text that moves within a file changes no catalogue.
        place = (path.relative_to(root).as_posix(), 0)
        catalog.add(text, locations=[place], auto_comments=comments, context=context)
    return catalog


def _of_code(root: Path) -> Iterator[tuple[Path, Found]]:
    for folder in CODE:
        for path in sorted((root / folder).rglob("*.py")):
            with path.open("rb") as file:
                for found in extract("python", file, _WORDS, comment_tags=["Translators:"]):
                    yield path, found


def _of_templates(root: Path) -> Iterator[tuple[Path, Found]]:
    for path in sorted((root / TEMPLATES).rglob("*.*")):
        # Django turns a template into something like code, strings and calls among rows of X:
        # Babel's reader of JavaScript takes it, where its reader of Python stumbles over quotes.
        code = io.BytesIO(templatize(path.read_text(encoding="utf-8"), origin=str(path)).encode())
        for found in extract("javascript", code, _WORDS, comment_tags=["Translators:"]):
            yield path, found
