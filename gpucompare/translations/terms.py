"""The glossary of a language, and whether a text keeps to it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

GLOSSARY = "glossary.yaml"
# What stands in a text and is no word of it: %(name)s, {name}, <b>, `code`.
_NO_WORDS = re.compile(r"%\([a-z_]+\)[sd]|%[sd]|\{[^{}]*\}|<[^<>]*>|`[^`]*`|\]\([^()]*\)")


@dataclass(frozen=True)
class Term:
    """What stands for a term of the glossary, and what must not."""

    key: str
    words: tuple[str, ...]
    avoid: tuple[str, ...]


def folded(text: str, language: str) -> str:
    """For comparing without case; Turkish parts i from ı, which casefold does not know."""
    if language == "tr":
        text = text.replace("İ", "i").replace("I", "ı")
    return text.casefold()


def glossary(folder: Path, language: str) -> dict[str, Term]:
    """The terms of a language by their keys; none where it has no glossary."""
    path = folder / language / GLOSSARY
    entries: dict[str, dict[str, Any]] = (
        yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else {}
    )
    return {
        key: Term(key, (entry["title"], *entry.get("forms", ())), tuple(entry.get("avoid", ())))
        for key, entry in entries.items()
    }


def terms_in(text: str, glossary: Mapping[str, Term]) -> set[str]:
    """The terms that an English text uses, as whole words; "NVIDIA Container Toolkit" is one and
    not also a container."""
    rest = _NO_WORDS.sub(" ", text)
    by_length = sorted(
        ((word, term.key) for term in glossary.values() for word in term.words),
        key=lambda pair: -len(pair[0]),
    )
    found = set()
    for word, key in by_length:
        rest, times = re.subn(rf"(?<![\w-]){re.escape(word)}(?![\w-])", " ", rest, flags=re.I)
        if times:
            found.add(key)
    return found


@dataclass(frozen=True)
class Glossaries:
    """The English terms and those of another language."""

    english: Mapping[str, Term]
    language: str
    terms: Mapping[str, Term]

    @classmethod
    def read(cls, folder: Path, language: str) -> Glossaries:
        return cls(glossary(folder, "en"), language, glossary(folder, language))

    def faults(self, english: str, text: str) -> Iterator[str]:
        """How a translation departs from the terms: other words for one, or words to avoid."""
        said = folded(text, self.language)
        for key in sorted(terms_in(english, self.english)):
            words = self.terms[key].words if key in self.terms else ()
            if words and not any(folded(word, self.language) in said for word in words):
                yield f"says {key!r} without {' or '.join(map(repr, words))}"
        for term in self.terms.values():
            for word in term.avoid:
                if re.search(rf"(?<!\w){re.escape(folded(word, self.language))}(?!\w)", said):
                    yield f"says {word!r} for {term.words[0]!r}"
