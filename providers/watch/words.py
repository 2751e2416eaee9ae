"""What a claim is about, as words that are looked for on its page."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from django.utils import translation

from providers.dimensions import DIMENSIONS
from providers.models import Claim
from providers.watch.passage import words_in
from providers.wording import CATALOG_LANGUAGE, answer_text, spelled

# How much a word tells: that the answer is this one, which question it is, anything else.
_ANSWER, _QUESTION, _LESS = 3, 2, 1
# They stand in every text.
_COMMON = words_in(
    "a an and any are as at be been by can cannot do does did for from has have how if in into is "
    "it its like may more most must need no nor not of on one only or other our own so such than "
    "that the their them then there these they this to under until up use used using was we what "
    "when where which while who whose will with without would yes you your true false"
)


def words_of(claim: Claim) -> dict[str, int]:
    """By word: what its answer, its note, its question and the anchor of its source say."""
    dimension = DIMENSIONS[claim.dimension]
    with translation.override(CATALOG_LANGUAGE):
        answer = f"{spelled(claim.value)} {answer_text(dimension, claim.value)}"
        question = f"{dimension.key.replace('_', ' ')} {dimension.label}"
        aside = str(dimension.question)
    anchor = unquote(urlsplit(claim.source).fragment)
    found: dict[str, int] = {}
    for text, weight in (
        (aside, _LESS),
        (f"{question} {anchor}", _QUESTION),
        (f"{answer.replace('_', ' ')} {claim.note}", _ANSWER),
    ):
        found |= dict.fromkeys(words_in(text) - _COMMON, weight)
    return {word: weight for word, weight in found.items() if len(word) > 1 or word.isdigit()}
