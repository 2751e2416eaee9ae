"""HTML as blocks of text, in time and memory that grow with its length and no faster.

The standard library's parser reads an unclosed mark again for every piece that follows it, so that
a page of a megabyte can hold it for minutes. Here each letter is passed once: what is not closed
ends with the page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape

# Of one page; what comes after is not read. The longest pages of documentation have a tenth.
MOST_CHARACTERS = 1_000_000
MOST_TAGS = 60_000
MOST_BLOCKS = 20_000

_RAW = frozenset(("script", "style", "textarea", "title", "iframe", "xmp", "noembed", "noframes"))
_RAW_ENDS = {name: re.compile(rf"</{name}(?=[\s/>])", re.I | re.A) for name in _RAW}
# What is about other pages, or another at every visit.
_SKIPPED = frozenset(
    ("nav", "footer", "template", "noscript", "svg", "math", "button", "select", "time", "dialog")
)
_BREAKS = frozenset(
    re.findall(
        r"\w+",
        "address article aside blockquote body caption dd details div dl dt fieldset figcaption "
        "figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table "
        "tbody tfoot thead tr ul",
    )
)
_HEADING = re.compile(r"h([1-6])")
# Who forgot to close these goes on with its contents all the same.
_ENDS = {
    "nav": frozenset(("main", "article")),
    "footer": frozenset(("main", "article")),
    "time": _BREAKS,
    "button": _BREAKS,
}
_NAME = re.compile(r"[a-z][^\s/>]{0,40}", re.I | re.A)
# The end of a tag; in a value within quotes there is none.
_TAG_END = re.compile(r"""(?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+')?+)*+>""")
# More digits than any character has; Python refuses to read thousands of them.
_ENDLESS_NUMBER = re.compile(r"&#x?[0-9a-f]{8,};?", re.I)


@dataclass(frozen=True)
class Block:
    """A heading, a paragraph, a row of a table …; `level` is 1 to 6 for a heading."""

    text: str
    level: int = 0


@dataclass
class _Reader:
    blocks: list[Block] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    level: int = 0
    skipped: str = ""  # the element within which nothing is read
    depth: int = 0
    in_pre: bool = False

    def text(self, text: str) -> None:
        if self.skipped:
            return
        if not self.in_pre:
            self.parts.append(text)
            return
        first, *lines = text.split("\n")
        self.parts.append(first)
        for line in lines:
            self.end_block()
            self.parts.append(line)

    def end_block(self) -> None:
        text = plain("".join(self.parts))
        self.parts.clear()
        if text and len(self.blocks) < MOST_BLOCKS:
            self.blocks.append(Block(text, self.level))

    def opened(self, name: str, *, closed: bool) -> None:
        if self.skipped:
            if name in _ENDS.get(self.skipped, ()):
                self.skipped = ""
            elif name == self.skipped:
                self.depth += 1
        elif name in _SKIPPED and not closed:
            self.skipped, self.depth = name, 1
        if self.skipped:
            return
        self._boundary(name)
        if heading := _HEADING.fullmatch(name):
            self.level = int(heading[1])
        self.in_pre = self.in_pre or name == "pre"

    def closed(self, name: str) -> None:
        if self.skipped and (name == self.skipped or name in _ENDS.get(self.skipped, ())):
            self.depth -= 1 if name == self.skipped else self.depth
            if not self.depth:
                self.skipped = ""
        if self.skipped:
            return
        self._boundary(name)
        if _HEADING.fullmatch(name):
            self.level = 0
        self.in_pre = self.in_pre and name != "pre"

    def _boundary(self, name: str) -> None:
        if name in _BREAKS:
            self.end_block()
        elif name in ("td", "th", "br"):
            self.parts.append(" ")


def plain(text: str) -> str:
    """With its character references resolved, on one line."""
    return " ".join(unescape(_ENDLESS_NUMBER.sub(" ", text)).split())


def blocks_of(html: str) -> list[Block]:
    """The text of a page, whatever it is, without navigation and scripts."""
    html, reader, at = html[:MOST_CHARACTERS], _Reader(), 0
    for _tag in range(MOST_TAGS):
        mark = html.find("<", at)
        if mark < 0:
            reader.text(html[at:])
            break
        reader.text(html[at:mark])
        at = _past_mark(html, mark, reader)
        if at < 0:
            break
    reader.end_block()
    return reader.blocks


def _past_mark(html: str, mark: int, reader: _Reader) -> int:
    """Where the text after the mark at `mark` begins; -1: nowhere, the page ends within it."""
    if html.startswith("<!--", mark):
        # A comment may be as short as <!--> is.
        return _past(html, "-->", mark + 2)
    if html.startswith(("<!", "<?"), mark):
        return _past(html, ">", mark)
    closes = html.startswith("</", mark)
    name = _NAME.match(html, mark + 1 + closes)
    if not name:
        reader.text("<")
        return mark + 1
    end = _TAG_END.match(html, name.end())
    if not end:
        return -1
    tag = name[0].lower()
    if closes:
        reader.closed(tag)
        return end.end()
    reader.opened(tag, closed=html[end.end() - 2] == "/")
    return _past_raw(html, tag, end.end()) if tag in _RAW else end.end()


def _past_raw(html: str, tag: str, at: int) -> int:
    found = _RAW_ENDS[tag].search(html, at)
    return _past(html, ">", found.end()) if found else -1


def _past(html: str, text: str, at: int) -> int:
    found = html.find(text, at)
    return -1 if found < 0 else found + len(text)
