"""What a look at a page means for the claims that cite it. Pure: texts in, a word out."""

from __future__ import annotations

from dataclasses import dataclass

from providers.models import ReviewKind
from providers.watch.passage import Near


@dataclass(frozen=True)
class Open:
    """A review that waits for a curator."""

    kind: str
    before: str


@dataclass(frozen=True)
class Finding:
    """What a curator is to look at; no kind: nothing is left to look at."""

    kind: ReviewKind | None
    before: str = ""


def judged(kept: str, now: Near, open_review: Open | None, *, moved: bool, newly: bool) -> Finding:
    """The page was read: what stood there, what stands there, and whether it moved for good.

    A review that waits keeps the text that it began with, however often the page changes; where
    the page says that again, and where it did, there is nothing left to look at.
    """
    before = open_review.before if open_review else kept
    waits_as_moved = open_review is not None and open_review.kind == ReviewKind.MOVED
    if moved and (newly or waits_as_moved):
        return Finding(ReviewKind.MOVED, before)
    if Near(before).digest != now.digest:
        return Finding(ReviewKind.CHANGED, before)
    return Finding(None)
