"""Two texts side by side: what is only in the one, what only in the other."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

_WORDS = re.compile(r"\s+|[^\s\w]|\w+")


@dataclass(frozen=True)
class Span:
    text: str
    differs: bool


@dataclass(frozen=True)
class Pair:
    """A line of both texts; no spans where one of them has none."""

    before: tuple[Span, ...]
    after: tuple[Span, ...]


def side_by_side(before: str, after: str) -> list[Pair]:
    """Line by line, and within lines that differ word by word."""
    old, new = before.splitlines(), after.splitlines()
    pairs: list[Pair] = []
    for same, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for left, right in zip_longest(old[a:b], new[c:d], fillvalue=""):
            pairs.append(_equal(left) if same == "equal" else _word_by_word(left, right))
    return pairs


def _equal(line: str) -> Pair:
    spans = (Span(line, differs=False),)
    return Pair(spans, spans)


def _word_by_word(left: str, right: str) -> Pair:
    old, new = _WORDS.findall(left), _WORDS.findall(right)
    before: list[Span] = []
    after: list[Span] = []
    for same, a, b, c, d in SequenceMatcher(None, old, new).get_opcodes():
        for spans, words in ((before, old[a:b]), (after, new[c:d])):
            if words:
                spans.append(Span("".join(words), differs=same != "equal"))
    return Pair(tuple(before), tuple(after))
