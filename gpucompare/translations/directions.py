"""Texts that run from right to left, made safe for the names and figures that stand in them. Pure.

Translators write no marks of direction; they are put in when a catalogue is compiled, so that none
is forgotten and none has to be seen in an editor.
"""

from __future__ import annotations

import re
import unicodedata

from babel import Locale

# First strong isolate, and its end: what is between them is ordered by itself, and a price, which
# has no letter at all, from left to right.
ISOLATE, END = "\u2068", "\u2069"
# A letter of no width: whoever looks for the first letter finds that the text is Arabic.
RIGHT_TO_LEFT_MARK = "\u200f"

_HOLE = re.compile(r"<[^<>]*>|`[^`]*`|(%\([a-z_0-9]+\)s|%s)")
_CODE = re.compile(r"<code\b.*?</code>", re.DOTALL)


def runs_from_right(locale: Locale | None) -> bool:
    return locale is not None and locale.text_direction == "rtl"


def directed(text: str) -> str:
    """A translation as it is compiled: each placeholder stands by itself, and the whole runs from
    right to left also where it begins with a name. Tags and code are left as they are."""
    if _CODE.search(text):
        return text
    whole = _HOLE.sub(_isolated, text)
    return RIGHT_TO_LEFT_MARK + whole if _begins_otherwise(whole) else whole


def _isolated(found: re.Match[str]) -> str:
    return f"{ISOLATE}{found[1]}{END}" if found[1] else found[0]


def _begins_otherwise(text: str) -> bool:
    """Whether it has letters that run from right to left and begins with none of them."""
    strong = [kind for kind in map(unicodedata.bidirectional, text) if kind in {"L", "R", "AL"}]
    first = unicodedata.bidirectional(text[0]) if text else ""
    return bool({"R", "AL"} & set(strong)) and first not in {"R", "AL"}
