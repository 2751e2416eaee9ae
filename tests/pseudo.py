"""A language that nobody speaks: every text of the interface with an accent on each letter.

A word without accents on a page in it either is a name, or never went through a translation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

from babel.messages.catalog import Catalog
from django.conf import settings
from django.test import override_settings

from gpucompare.translations import catalogues
from gpucompare.translations.extract import messages

# Django and Babel know it, the project does not.
CODE, NAME = "eo", "Esperanto"
_ACCENTS = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "áƀćďéƒğĥíĵķĺḿńóṕɋŕśţúṽŵẋýžÁƁĆĎÉƑĞĤÍĴĶĹḾŃÓṔɊŔŚŢÚṼŴẊÝŽ",
)
# Placeholders, tags, entities and what is quoted as code stay as they are.
_KEPT = re.compile(r"(%\([a-z_0-9]+\)[sd]|%[sd%]|\{[a-z_0-9]*\}|<[^<>]*>|&\w+;|`[^`]*`)")


def accented(text: str) -> str:
    return "".join(
        part if index % 2 else part.translate(_ACCENTS)
        for index, part in enumerate(_KEPT.split(text))
    )


def accent(catalog: Catalog) -> Catalog:
    for message in catalog:
        if isinstance(message.id, tuple):
            message.string = tuple(accented(text) for text in message.id)
        elif message.id:
            message.string = accented(str(message.id))
    return catalog


@contextmanager
def spoken(folder: Path) -> Iterator[None]:
    """The site with one language more, whose catalogue is made under `folder`."""
    for code in catalogues.languages(settings.LOCALE_PATHS[0]):
        catalogues.write(folder, code, catalogues.read(settings.LOCALE_PATHS[0], code))
    catalogues.write(folder, CODE, accent(catalogues.updated(folder, CODE, messages())))
    made = list(catalogues.compile_all(folder))
    assert made
    languages = [*settings.LANGUAGES, (CODE, NAME)]
    with override_settings(LANGUAGES=languages, LOCALE_PATHS=[folder]):
        yield


_VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "use", "wbr"}
_CODE = {"code", "kbd", "samp", "pre", "script", "style", "textarea", "svg"}
_SPOKEN_ATTRIBUTES = ("title", "aria-label", "alt", "placeholder", "aria-description")
_SPOKEN_METAS = {"description", "og:title", "og:description", "og:image:alt", "twitter:title"}


@dataclass
class Words(HTMLParser):
    """What a page says in its own language: texts outside code and outside parts marked as in
    another language, and the attributes that are read out."""

    html: str
    found: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self._open: list[tuple[str, bool]] = []
        self.feed(self.html)

    @property
    def _aside(self) -> bool:
        return any(aside for _tag, aside in self._open)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        elsewhere = given.get("lang", CODE) != CODE
        if not self._aside and not elsewhere:
            self.found += [given[name] for name in _SPOKEN_ATTRIBUTES if name in given]
            self.found += [v for name, v in given.items() if name.startswith("data-say")]
        if tag == "meta" and given.get("name", given.get("property", "")) in _SPOKEN_METAS:
            self.found.append(given.get("content", ""))
        if tag not in _VOID:
            self._open.append(
                (tag, elsewhere or tag in _CODE or "ltr" in given.get("class", "").split())
            )

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if data.strip() and not self._aside:
            self.found.append(data.strip())
