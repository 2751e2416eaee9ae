"""The texts of every language, read against their glossary and the English."""

from __future__ import annotations

import re

import pytest
from django.conf import settings

from checks.content.files import read_content
from checks.content.markup import Link
from checks.content.placeholders import Placeholder
from checks.content.rules import parts_of
from checks.content.schema import EntryDocument, digest
from gpucompare.translations.terms import Glossaries

FILES = read_content(settings.CONTENT_DIR).entries
LANGUAGES = [code for code, _name in settings.LANGUAGES[1:]]
KINDS = ("guide", "faq", "glossary")
IN_EACH = [(code, kind) for code in LANGUAGES for kind in KINDS]
_CODE = re.compile(r"`[^`]*`")
# ١٢ and ۱۲ and ১২; and a tatweel, which stretches a word for looks and hides it from a search.
_NOT_PLAIN = re.compile("[٠-٩۰-۹০-৯ـ]")


def told(entry: EntryDocument) -> str:
    """What a reader reads, in one line, without markup."""
    return " ".join(" ".join(filter(None, (entry.title, entry.body, entry.live))).split())


def holes(text: str | None) -> list[str]:
    """The placeholders and links of a text: what it counts and where it leads."""
    parts = parts_of(text or "")
    links = [part.address for part in parts if isinstance(part, Link)]
    return sorted([*links, *(str(part) for part in parts if isinstance(part, Placeholder))])


@pytest.mark.parametrize(("code", "kind"), IN_EACH)
def test_every_text_is_translated_from_the_english_of_today(code: str, kind: str) -> None:
    english, texts = FILES[f"en/{kind}"], FILES[f"{code}/{kind}"]
    assert texts.keys() == english.keys()
    made_of = {key: digest(one.title, one.body, one.live) for key, one in english.items()}
    assert {key: one.of for key, one in texts.items()} == made_of


@pytest.mark.parametrize(("code", "kind"), IN_EACH)
def test_texts_use_the_terms_of_their_glossary(code: str, kind: str) -> None:
    glossaries = Glossaries.read(settings.CONTENT_DIR, code)
    faults = [
        f"{key} {fault}"
        for key, entry in FILES[f"{code}/{kind}"].items()
        for fault in glossaries.faults(told(FILES[f"en/{kind}"][key]), told(entry))
    ]
    assert not faults


@pytest.mark.parametrize(("code", "kind"), IN_EACH)
def test_a_translation_counts_and_links_what_the_english_does(code: str, kind: str) -> None:
    for key, entry in FILES[f"{code}/{kind}"].items():
        original = FILES[f"en/{kind}"][key]
        for name in ("body", "live"):
            said = holes(getattr(entry, name))
            assert said == holes(getattr(original, name)), f"{key}, {name}"
        assert (entry.sources, entry.dimension) == (original.sources, original.dimension)


@pytest.mark.parametrize(("code", "kind"), IN_EACH)
def test_digits_are_latin_and_commands_are_those_of_the_english(code: str, kind: str) -> None:
    for key, entry in FILES[f"{code}/{kind}"].items():
        assert not _NOT_PLAIN.search(told(entry)), key
        allowed = {*_CODE.findall(told(FILES[f"en/{kind}"][key])), "`pull`"}
        assert {*_CODE.findall(told(entry))} <= allowed, key


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_two_terms_of_a_language_are_called_the_same(code: str) -> None:
    titles = [entry.title for entry in FILES[f"{code}/glossary"].values()]
    assert len(titles) == len(set(titles))
