"""The text of a page near what a claim says, and whether two such texts say the same.

Pure: blocks of text and the claim's words in, text and digest out.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from providers.watch.html import MOST_BLOCKS, Block

# Digests of other rules say nothing about a page: another number here makes every passage new.
RULES = 1
# A paragraph longer than this is taken sentence by sentence.
_WHOLE, _LONGEST = 400, 1000
_HEADING_LENGTH = 200
_MOST_PIECES = 6
# A piece belongs to the passage if it has this share, in tenths, of what the best has.
_NEAR = 6
_SECTION_LENGTH = 1500
# What a single word must tell so that its sentence is taken where no sentence has two.
_ALONE = 4

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"\w+(?:[.\-/]\w+)*")
_PART = re.compile(r"[^\W_]+")

Words = Mapping[str, int]  # what a claim is about, and how much each word tells


@dataclass(frozen=True)
class Near:
    """What stands near a claim; no text where the page has nothing of the kind."""

    text: str

    @property
    def digest(self) -> str:
        said = hashlib.sha256(_said(self.text).encode("utf-8", "replace")).hexdigest()
        return f"{RULES}-{said[:60]}"


class _Piece(NamedTuple):
    place: int
    heading: str
    text: str
    score: int
    words: int  # of the claim, in it and its heading


def near(blocks: Sequence[Block], words: Words) -> Near:
    """The sentences that hold most of `words`, in the page's order, each under its heading.

    Each sentence is judged by itself and its heading, so that no other text moves the passage.
    Where no sentence tells enough: the section whose heading does, or nothing.
    """
    found = list(_pieces(blocks, words))
    pieces = [piece for piece in found if piece.words > 1]
    pieces = pieces or [piece for piece in found if piece.score >= _ALONE]
    return Near(_storable(_joined(pieces) if pieces else _section(blocks, words)))


def _joined(pieces: Sequence[_Piece]) -> str:
    best = max(piece.score for piece in pieces)
    close = [piece for piece in pieces if piece.score * 10 >= best * _NEAR]
    first = sorted(close, key=lambda piece: (-piece.score, piece.place))[:_MOST_PIECES]
    lines, heading = [], ""
    for piece in sorted(first, key=lambda piece: piece.place):
        if piece.heading and piece.heading != heading:
            lines.append(f"# {piece.heading}")
        heading = piece.heading
        lines.append(piece.text)
    return "\n".join(lines)


def _storable(text: str) -> str:
    """Without what no database takes: a zero, half of a character."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


def words_in(text: str) -> set[str]:
    """The words of a text as they are compared: with their parts, without the plural's s."""
    found = set()
    for match in _WORD.finditer(text.casefold()):
        for word in (match[0], *_PART.findall(match[0])):
            found.add(word[:-1] if len(word) > 3 and word.endswith("s") else word)
    return found


def _pieces(blocks: Sequence[Block], words: Words) -> Iterator[_Piece]:
    """Those that hold a word of the claim; a word of the heading above counts half."""
    heading, above, place = "", frozenset[str](), 0
    for block in blocks:
        if block.level:
            heading = block.text[:_HEADING_LENGTH]
            above = frozenset(words_in(heading) & words.keys())
            continue
        for text in _sentences(block.text):
            place += 1
            if place > MOST_BLOCKS:
                return
            held = words_in(text) & words.keys()
            if held:
                score = sum(2 * words[w] for w in held) + sum(words[w] for w in above - held)
                yield _Piece(place, heading, text, score, len(held | above))


def _sentences(text: str) -> Iterator[str]:
    if len(text) <= _WHOLE:
        yield text
        return
    for sentence in _SENTENCE_END.split(text):
        for start in range(0, len(sentence), _LONGEST):
            yield sentence[start : start + _LONGEST]


def _section(blocks: Sequence[Block], words: Words) -> str:
    scores = [
        sum(words[word] for word in words_in(block.text[:_HEADING_LENGTH]) & words.keys())
        if block.level
        else 0
        for block in blocks
    ]
    if not any(scores):
        return ""
    start = scores.index(max(scores))
    lines = [f"# {blocks[start].text[:_HEADING_LENGTH]}"]
    for block in blocks[start + 1 :]:
        if block.level or sum(map(len, lines)) > _SECTION_LENGTH:
            break
        lines.append(block.text[:_LONGEST])
    return "\n".join(lines)


# --- What two visits may differ in ------------------------------------------------------

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DAY = (
    rf"(?:\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}(?:t[\d:.]{{4,12}}z?)?|\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{2,4}}"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|\d{{1,2}}(?:st|nd|rd|th)? {_MONTH},? \d{{4}}"
    r"|\d{1,4} (?:second|minute|hour|day|week|month|year)s? ago|yesterday|today)"
)
_PASSING = re.compile(
    rf"\b(?:last )?(?:updated|modified|reviewed|edited|published|posted|accessed|generated)"
    rf"(?: on| at)?:? {_DAY}"
    r"|\b\d{1,4} (?:second|minute|hour|day|week|month|year)s? ago\b"
    r"|\b\d{1,3} min(?:ute)?s?[ -]read\b"
    r"|(?:©|\bcopyright) (?:\(c\) )?\d{4}(?: ?[-–] ?\d{4})?"
    r"|\b\d[\d.,]{0,12}[km]? (?:view|star|fork|like|download|comment|repl|watcher|follower|vote"
    r"|reaction|contributor)(?:s|y|ies)?\b"
)
_QUOTES = str.maketrans("‘’‚“”„–—‑", "'''" + '"""' + "---")


def _said(text: str) -> str:
    """What a passage says: without case, kinds of quotes, and what passes with time."""
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_QUOTES)
    return " ".join(_PASSING.sub(" ", " ".join(folded.split())).split())
