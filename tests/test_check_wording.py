"""Every key that a verdict or a condition may give has its words, in every language one day."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

import pytest
from django.utils.functional import Promise

from checks import wording
from checks.conditions import Condition
from gpucompare.cuda import reasons
from gpucompare.cuda.answer import Run, Standing, Start
from providers.answers import Text
from providers.wording import STANDINGS

WORDS: list[tuple[str, Mapping[Any, Text], Iterable[StrEnum]]] = [
    ("headings", wording.HEADINGS, Standing),
    ("meanings", wording.MEANINGS, Standing),
    ("standings", STANDINGS, Standing),
    ("starts", wording.STARTS, Start),
    ("runs", wording.RUNS, Run),
    ("reasons", wording.REASONS, reasons.REASONS),
    ("fixes", wording.FIXES, reasons.FIXES),
    ("missing", wording.MISSING, reasons.MISSING),
    ("conditions", wording.CONDITIONS, Condition),
]


@pytest.mark.parametrize(("words", "keys"), [w[1:] for w in WORDS], ids=[w[0] for w in WORDS])
def test_every_key_has_its_words_and_none_is_without_a_key(
    words: Mapping[Any, Text], keys: Iterable[StrEnum]
) -> None:
    assert set(words) == set(keys)


@pytest.mark.parametrize("words", [w[1] for w in WORDS], ids=[w[0] for w in WORDS])
def test_the_words_are_translated_and_differ(words: Mapping[Any, Text]) -> None:
    assert all(isinstance(text, Promise) for text in words.values())
    said = [str(text) for text in words.values()]
    assert len(set(said)) == len(said)
    assert all(text == text.strip() != "" for text in said)


@pytest.mark.parametrize("words", [wording.REASONS, wording.CONDITIONS, wording.STARTS])
def test_what_stands_alone_is_a_sentence(words: Mapping[Any, Text]) -> None:
    wrong = [str(text) for text in words.values() if not str(text).endswith(".")]
    assert wrong == []


def test_a_key_without_words_shows_itself() -> None:
    assert wording.texts(wording.FIXES, ("new_key",)) == ("new_key",)
