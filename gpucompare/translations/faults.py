"""What is wrong with a catalogue: a reader would see English, or less than it says. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from babel.messages.catalog import Catalog, Message

from gpucompare.translations.terms import Glossaries

# Flags of a message, set by its translator.
SAME = "same-as-english"  # a name, or a word that is the same in both languages
OTHER_SENSE = "other-sense"  # the English word stands for something else than the glossary's term

_HOLES = re.compile(r"%\([a-z_0-9]+\)[sd]|%[sd%]|\{[a-z_0-9]*\}")
_TAGS = re.compile(r"</?[a-z][^<>]*>")
_OTHER_DIGITS = re.compile(r"[٠-٩۰-۹০-৯]")
# What turns the direction of all that follows; an isolate ends where it says.
_TURNING = re.compile("[\u202a-\u202e]")
_WORD = re.compile(r"[a-z]{3,}")


@dataclass(frozen=True)
class CatalogueFault:
    """`text` is the English that it is about."""

    language: str
    text: str
    fault: str

    def __str__(self) -> str:
        return f"{self.language}: {self.text!r} {self.fault}"


def faults(catalog: Catalog, texts: Catalog, glossaries: Glossaries) -> Iterator[CatalogueFault]:
    """Every fault of a language's catalogue; `texts` are those of the code."""
    asked = {(text.id, text.context) for text in texts if text.id}
    kept = {(message.id, message.context): message for message in catalog if message.id}
    language = glossaries.language
    for text, _context in sorted(asked - kept.keys(), key=repr):
        yield CatalogueFault(language, _forms(text)[0], "is missing: `translations update` adds it")
    for text, _context in sorted(kept.keys() - asked, key=repr):
        yield CatalogueFault(language, _forms(text)[0], "is used nowhere: update takes it out")
    for key in asked & kept.keys():
        for fault in _of_message(kept[key], glossaries, catalog.num_plurals):
            yield CatalogueFault(language, _forms(key[0])[0], fault)


def _of_message(message: Message, glossaries: Glossaries, forms: int) -> Iterator[str]:
    said = _forms(message.string or "")
    if len(said) != (forms if message.pluralizable else 1) or not all(said):
        yield "is not translated"
        return
    if message.fuzzy:
        yield "is fuzzy: its English was reworded; mend it and take the mark away"
    english = _forms(message.id)
    for text in said:
        yield from _of_text(english[-1], text, message, last=text is said[-1])
    if OTHER_SENSE not in message.flags:
        yield from glossaries.faults(" ".join(english), " ".join(said))


def _of_text(english: str, said: str, message: Message, *, last: bool) -> Iterator[str]:
    """One form. Only the last must name all: "a host" and "two hosts" may go without a number."""
    asked, given = Counter(_HOLES.findall(english)), Counter(_HOLES.findall(said))
    if given - asked or (last and asked - given):
        yield f"has the placeholders {_listed(given)}, not {_listed(asked)}"
    if Counter(_TAGS.findall(said)) != Counter(_TAGS.findall(english)):
        yield f"has the tags {_listed(_TAGS.findall(said))}, not {_listed(_TAGS.findall(english))}"
    if said != said.strip() and english == english.strip():
        yield "begins or ends with a space"
    if _OTHER_DIGITS.search(said):
        yield "has digits that are not Latin"
    if _TURNING.search(said):
        yield "turns the direction of the text; names are isolated by the page"
    if said == english and SAME not in message.flags and _WORD.search(_HOLES.sub(" ", english)):
        yield f"is the English; flag it {SAME} if that is right"


def _forms(text: str | Sequence[str]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


def _listed(parts: Sequence[str] | Counter[str]) -> str:
    return " ".join(sorted(parts.elements() if isinstance(parts, Counter) else parts)) or "none"
