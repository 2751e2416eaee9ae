"""$NAME and ${NAME:-default} as Docker and a shell fill them in; a name without value is empty."""

from __future__ import annotations

import re
from collections.abc import Mapping

# A value that doubles itself a few times would fill the memory; what we look for is shorter.
LONGEST = 4096

_NAME = r"[A-Za-z_][A-Za-z0-9_]{0,99}"
_PLACE = re.compile(
    rf"\\(?P<escaped>\$)|\$(?P<bare>{_NAME})"
    rf"|\$\{{(?P<braced>{_NAME})(?:(?P<how>:?[-+])(?P<other>[^{{}}]{{0,400}}))?\}}"
)
# How Dockerfiles make 12.8 and 128 of a CUDA version.
_CUT = re.compile(
    r"""\$\(\s*echo\s+["']?(\d{1,3})\.(\d{1,3})[\d.]{0,20}["']?\s*\|\s*cut\s+-d\s*["']?\.["']?"""
    r"""\s+-f\s*1[,-]2\s*(?P<joined>\|\s*(?:tr\s+-d\s*["']?\.["']?|sed\s+["']?s/\\?\.//g?["']?)\s*)?\)"""
)


def expand(text: str, values: Mapping[str, str], room: int = LONGEST) -> str:
    """`text` with the values in place, cut at `room` letters. Names without a value become ""."""
    pieces: list[str] = []
    at = 0
    for match in _PLACE.finditer(text):
        for piece in (text[at : match.start()], _value(match, values)):
            pieces.append(piece[:room])
            room -= len(pieces[-1])
        at = match.end()
        if not room:
            break
    pieces.append(text[at:][:room])
    return _CUT.sub(_shortened, "".join(pieces))


def _value(match: re.Match[str], values: Mapping[str, str]) -> str:
    if match["escaped"]:
        return "$"
    value = values.get(match["bare"] or match["braced"], "")
    other = match["other"] or ""
    if match["how"] and "+" in match["how"]:
        return other if value else ""
    return value or other


def _shortened(match: re.Match[str]) -> str:
    return f"{match[1]}{'' if match['joined'] else '.'}{match[2]}"
