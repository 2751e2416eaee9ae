"""What is asked: an image by its name, by what is known of it, or by what was pasted.

A question is parameters of the address, beside the criteria.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from django.http import QueryDict

from checks import told_address
from checks.image import manual
from checks.image.fact import ImageFacts
from checks.image.reference import BadReferenceError, Reference, parse
from providers.browse.criteria import MAX_IGNORED, Criteria, Ignored
from providers.browse.parameters import Vocabulary, clean

# The box takes an image's name or nothing, and nobody types more than this.
_LONGEST_NAME = 800
OWN = ("image", *manual.PARAMETERS, *told_address.SHAPES)


@dataclass(frozen=True)
class Question:
    """One of the three ways to ask. `pairs` is its canonical place in the address."""

    kind: Literal["image", "hand", "told", "nothing"]
    pairs: tuple[tuple[str, str], ...] = ()
    typed: str = ""  # the image's name as it was typed
    reference: Reference | None = None
    fault: BadReferenceError | None = None  # the name cannot be one
    facts: ImageFacts | None = None  # by hand, or told
    notices: tuple[manual.Notice, ...] = ()

    def value(self, name: str) -> str:
        """A parameter as the forms show it."""
        return dict(self.pairs).get(name, "")


NOTHING = Question("nothing")


def read_question(
    query: QueryDict, vocabulary: Vocabulary
) -> tuple[Question, Criteria, list[Ignored]]:
    """The question and the criteria of an address, and what in it was not understood."""
    question, ignored = _question(query)
    rest = query.copy()
    for name in OWN:
        rest.pop(name, None)
    criteria, refused = Criteria.parse(rest, vocabulary)
    criteria = replace(criteria, beside=question.pairs)
    return question, criteria, [*ignored, *refused][:MAX_IGNORED]


def _question(query: QueryDict) -> tuple[Question, list[Ignored]]:
    """A name goes before facts, and facts that were told before those by hand."""
    if name := clean(query.get("image", ""), _LONGEST_NAME):
        beside = [n for n in OWN if n != "image" and query.get(n, "").strip()]
        ignored = [Ignored(n, clean(query.get(n, ""), 40), (), "beside") for n in beside]
        return _by_name(name), ignored
    if "software" in query:
        told = told_address.told(dict(query.lists()))
        found = Question("told", told_address.pairs_of(told.facts), facts=told.facts)
        return found, [Ignored(name, clean(value, 40)) for name, value in told.ignored]
    return _by_hand(query), []


def _by_name(name: str) -> Question:
    try:
        reference = parse(name)
    except BadReferenceError as fault:
        return Question("image", (("image", name),), name, fault=fault)
    return Question("image", (("image", reference.familiar),), name, reference)


def _by_hand(query: QueryDict) -> Question:
    typed = {name: clean(query.get(name, ""), 40) for name in manual.PARAMETERS}
    found = manual.facts_by_hand(typed)
    pairs = tuple((name, value) for name, value in typed.items() if value)
    if not pairs:
        return NOTHING
    return Question("hand", pairs, facts=found.facts, notices=found.notices)
