"""Small things that people write: "not stated", "580+", "older than 550", "535 (12.2)"."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NOT_STATED = re.compile(
    r"|-+|\?+|n/?a|none given|unknown|any|various|"
    r"not (stated|given|known|kept|recorded|specified).*"
)
_BELOW = re.compile(r"(?:below|before|under|older than|less than|<)\s*$")
_UP_TO = re.compile(r"(?:up to|at most|<=|≤|until)\s*$")
_FROM = re.compile(r"(?:at least|from|since|>=|≥|newer than|later than|above|>)\s*$")
_OR_MORE = re.compile(r"\s*(?:\+|or (?:newer|later|above|higher|more)|and (?:newer|later|up))")


def is_not_stated(text: str) -> bool:
    return bool(_NOT_STATED.fullmatch(text.strip().casefold()))


@dataclass(frozen=True)
class Bounds:
    """A version, or the two ends of a range; an empty end is open."""

    exact: str = ""
    low: str = ""
    high: str = ""


def bounds(text: str, version: re.Pattern[str]) -> Bounds:
    """What a text says about the first version in it; nothing where there is none.

    `version` matches one version in its first group.
    """
    text = text.casefold()
    found = version.search(text)
    if found is None:
        return Bounds()
    first, before, after = found[1], text[: found.start()], text[found.end() :]
    if _BELOW.search(before):
        return Bounds(high=just_below(first))
    if _UP_TO.search(before):
        return Bounds(high=first)
    if _FROM.search(before) or _OR_MORE.match(after):
        return Bounds(low=first)
    second = re.match(r"\s*(?:-|–|to|or|/|\.\.\.?)\s*", after)
    other = second and version.match(after, second.end())
    return Bounds(low=first, high=other[1]) if other else Bounds(exact=first)


def just_below(version: str) -> str:
    """The branch or minor version before: 549 for 550, 12.5 for 12.6, 579 for 580.65.06."""
    *head, last = version.split(".")
    if len(head) > 1:
        return ".".join(head)
    if head and last == "0":
        return f"{int(head[0]) - 1}.99"
    return ".".join([*head, str(int(last) - 1)])
