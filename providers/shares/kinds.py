"""The kinds of shares. The app that owns a kind registers it when it starts; all else is the same
for every kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.http import QueryDict

from providers.answers import Text
from providers.browse.world import World
from providers.models import Offering
from providers.shares.content import Content, Verdict


class NothingToShareError(Exception):
    """The address shows nothing that could be frozen; `reason` is a key of the words for it."""

    def __init__(self, reason: str = "nothing") -> None:
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True)
class Now:
    """The world that a share is opened in."""

    world: World
    moment: datetime
    # What became of the offerings of the share, by their number in it; those that are gone are not
    # among them.
    offerings: Mapping[int, Offering]


def _no_words(verdict: Verdict) -> Sequence[Text]:
    return ()


def _no_facts(content: Content) -> Sequence[tuple[Text, Text]]:
    return ()


@dataclass(frozen=True)
class Kind:
    """How one page is frozen, and how it would look today."""

    key: str
    # The query string of the page → its content. Raises NothingToShareError.
    freeze: Callable[[QueryDict, World, datetime], Content]
    # The same offerings and criteria today: each offering that is still there has a row.
    again: Callable[[Content, Now], Content]
    # Where the page itself is, under the names of today.
    address: Callable[[Content, Now], str]
    title: Callable[[Content], Text]
    # Questions stand down the side, offerings across; else the other way about.
    across: bool = False
    # A label and a value for what is asked besides criteria.
    facts: Callable[[Content], Sequence[tuple[Text, Text]]] = _no_facts
    # A verdict's reasons, what helps and what is missing, in sentences.
    words: Callable[[Verdict], Sequence[Text]] = _no_words


_kinds: dict[str, Kind] = {}


def register(kind: Kind) -> None:
    """Called once, in the `ready` of the app that owns the page."""
    if kind.key in _kinds:
        raise ValueError(f"a kind of share {kind.key!r} is registered already")
    _kinds[kind.key] = kind


def kind_of(key: str) -> Kind | None:
    return _kinds.get(key)


def keys() -> tuple[str, ...]:
    return tuple(_kinds)
