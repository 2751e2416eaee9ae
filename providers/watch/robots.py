"""What a robots.txt allows us, as RFC 9309 reads it.

The standard library's `urllib.robotparser` takes the `*` within a path for a letter, and the first
rule for the one that counts: it would let us into what most sites with such rules forbid.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes

_MOST_LINES, _LONGEST = 20_000, 500
_SAFE = "/?&=:@!$'()*+,;~%"


@dataclass(frozen=True)
class Robots:
    """The rules of the group that is for us, each a pattern and whether it allows."""

    rules: tuple[tuple[str, bool], ...] = ()
    delay_s: float = 0.0  # between two calls

    def allows(self, path: str) -> bool:
        """The longest pattern decides, of two alike the one that allows; `path` has its query."""
        path = _normal(path)
        fitting = [(len(p), allowed) for p, allowed in self.rules if _fits(p, path)]
        return max(fitting, default=(0, True))[1]


# For a site whose rules cannot be read to their end.
NOWHERE = Robots((("/", False),))


def parse(text: str, agent: str) -> Robots:
    """The group of `agent`, or else that of all. What cannot be read is passed over."""
    named: set[str] = set()
    in_rules = False
    rules: dict[str, list[tuple[str, bool]]] = {}
    delays: dict[str, float] = {}
    for line in text.lstrip("\ufeff").splitlines()[:_MOST_LINES]:
        key, _colon, value = line.partition("#")[0][:_LONGEST].partition(":")
        key, value = key.strip().lower(), value.strip()
        if key == "user-agent":
            named = {value.lower()} if in_rules else named | {value.lower()}
            in_rules = False
            rules.setdefault(value.lower(), [])
        elif key in ("allow", "disallow"):
            in_rules = True
            for group in named if value else ():
                rules[group].append((_normal(value), key == "allow"))
        elif key == "crawl-delay":
            in_rules = True
            delays |= dict.fromkeys(named, _seconds(value))
    group = agent.lower() if agent.lower() in rules else "*"
    return Robots(tuple(rules.get(group, ())), delays.get(group, 0.0))


def _seconds(value: str) -> float:
    return float(value) if re.fullmatch(r"\d{1,4}(?:\.\d{1,3})?", value, re.A) else 0.0


def _normal(path: str) -> str:
    """One spelling for one path, whatever of it was escaped."""
    return quote(unquote_to_bytes(path), safe=_SAFE)


def _fits(pattern: str, path: str) -> bool:
    """Whether the path begins with the pattern; `*` is anything, `$` at its end is the end.

    Each piece is looked for once, after the one before: no pattern takes longer than its length.
    """
    ends = pattern.endswith("$")
    first, *pieces = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    if not pieces:
        return path == first if ends else True
    at = len(first)
    *middle, last = pieces
    for piece in middle:
        found = path.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    if ends:
        return len(path) - len(last) >= at and path.endswith(last)
    return path.find(last, at) >= 0
