"""The catalogues on disk: `django.po` is written by people, `django.mo` is made of it."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from babel import Locale, UnknownLocaleError
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from gpucompare.translations.directions import directed, runs_from_right

PO = "LC_MESSAGES/django.po"
# What a language that nobody has described has: one form for one, one for all else.
_TWO_FORMS = "nplurals=2; plural=(n != 1);"
# Babel gives Turkish a single form, as nouns after a number stay singular; but a sentence about
# one thing may need other words than one about several, and CLDR tells both apart.
_PLURALS = {"tr": _TWO_FORMS}
_HEADER = "Texts of the interface; `manage.py translations update` keeps them in step."


def languages(folder: Path) -> list[str]:
    """The languages that have a catalogue there."""
    return sorted(path.parent.parent.name for path in folder.glob(f"*/{PO}"))


def read(folder: Path, language: str) -> Catalog:
    """A language's catalogue; an empty one where it has none yet."""
    path = folder / language / PO
    if not path.exists():
        return _empty(language)
    with path.open("rb") as file:
        # Babel refuses languages that it does not know, and needs to know none.
        return read_po(file, locale=_known(language), domain="django", abort_invalid=True)


def write(folder: Path, language: str, catalog: Catalog) -> bool:
    """Write it in one order, without days or lines; false where nothing changed."""
    catalog.header_comment = f"# {_HEADER}"
    body = io.BytesIO()
    write_po(body, catalog, width=96, sort_by_file=True, include_lineno=False, omit_header=True)
    head = (
        f'# {_HEADER}\nmsgid ""\nmsgstr ""\n"Language: {language}\\n"\n'
        '"Content-Type: text/plain; charset=utf-8\\n"\n'
        f'"Plural-Forms: {plural_forms(language)}\\n"\n\n'
    )
    return _replace(folder / language / PO, head.encode() + body.getvalue())


def updated(folder: Path, language: str, texts: Catalog) -> Catalog:
    """A language's catalogue with the texts of now. What was reworded is marked fuzzy, what is
    gone is left out."""
    catalog = read(folder, language)
    catalog.update(texts, update_header_comment=False)
    catalog.obsolete.clear()
    return catalog


def compile_all(folder: Path) -> Iterator[Path]:
    """Make each `.mo` that is older than its `.po`; yields those that were made."""
    for language in languages(folder):
        source = folder / language / PO
        made = source.with_suffix(".mo")
        if not made.exists() or made.stat().st_mtime_ns < source.stat().st_mtime_ns:
            body = io.BytesIO()
            # Fuzzy ones are left out: they show in English.
            write_mo(body, _compiled(folder, language))
            if _replace(made, body.getvalue()):
                yield made
            else:
                made.touch()


def _compiled(folder: Path, language: str) -> Catalog:
    catalog = read(folder, language)
    if runs_from_right(_known(language)):
        for message in catalog:
            if message.id and isinstance(message.string, str):
                message.string = directed(message.string)
            elif message.id and message.string:
                message.string = tuple(map(directed, message.string))
    return catalog


def plural_forms(language: str) -> str:
    """The header that says how many forms a noun takes after a number."""
    known = _known(language)
    if language in _PLURALS or known is None:
        return _PLURALS.get(language, _TWO_FORMS)
    return Catalog(locale=known).plural_forms


def _empty(language: str) -> Catalog:
    header = f'msgid ""\nmsgstr ""\n"Plural-Forms: {plural_forms(language)}\\n"\n'
    return read_po(io.BytesIO(header.encode()), locale=_known(language), domain="django")


def _known(language: str) -> Locale | None:
    try:
        return Locale.parse(language, sep="-")
    except (UnknownLocaleError, ValueError):
        return None


def _replace(path: Path, content: bytes) -> bool:
    """Whole or not at all: a process that starts meanwhile reads the old file or the new one."""
    if path.exists() and path.read_bytes() == content:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
    Path(file.name).chmod(0o644)
    os.replace(file.name, path)  # noqa: PTH105 - both are strings of one folder
    return True
