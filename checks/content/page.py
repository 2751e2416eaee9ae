"""What the pages of guide and FAQ show, ready for the template."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.urls import reverse
from django.utils import translation
from django.utils.safestring import SafeString
from django.utils.translation import get_language_info
from django.utils.translation import gettext as _

from checks.content.live import Live
from checks.content.placeholders import TextError
from checks.content.render import render
from checks.content.standing import texts_in
from checks.models import ContentEntry, ContentKind
from gpucompare import spoken
from providers.answers import Dimension, Kind, Text
from providers.browse.criteria import Criteria
from providers.browse.world import World
from providers.dimensions import DIMENSIONS

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class SourceLine:
    address: str
    name: str  # the address without https://
    day: Text  # "20 August 2026", or that none is recorded


@dataclass(frozen=True)
class AnswerLine:
    """One answer to a question of the seven; `url` shows the offerings that give it."""

    state: str
    label: Text
    help: Text
    count: int
    url: str


@dataclass(frozen=True)
class Asked:
    """A dimension with its answers and how many offerings give each today."""

    label: Text
    question: Text
    answers: tuple[AnswerLine, ...]
    unanswered: int
    total: int
    several: bool  # one offering may give several
    look: Text  # how a renter settles it
    command: str


@dataclass(frozen=True)
class Entry:
    """One section, question or term. `language` and `direction` are those of its words."""

    anchor: str
    title: str
    body: SafeString
    live: SafeString
    sources: tuple[SourceLine, ...]
    language: str
    direction: str
    asked: Asked | None = None


@dataclass(frozen=True)
class ContentPage:
    sections: tuple[Entry, ...]
    terms: tuple[Entry, ...]
    untranslated: int  # how many are shown in English on a page of another language
    path: str


def guide_page(language: str, now: datetime) -> ContentPage:
    return _page("guide", language, now, (ContentKind.GUIDE, ContentKind.GLOSSARY))


def faq_page(language: str, now: datetime) -> ContentPage:
    return _page("faq", language, now, (ContentKind.FAQ,))


def _page(name: str, language: str, now: datetime, kinds: Sequence[ContentKind]) -> ContentPage:
    live = Live(World.read(), now)
    rows = texts_in(language, *kinds)
    shown = [(row.kind, entry) for row in rows if (entry := _shown(row, live, language))]
    return ContentPage(
        tuple(entry for kind, entry in shown if kind != ContentKind.GLOSSARY),
        tuple(entry for kind, entry in shown if kind == ContentKind.GLOSSARY),
        sum(entry.language != language for _kind, entry in shown),
        reverse(name),
    )


def _shown(row: ContentEntry, live: Live, language: str) -> Entry | None:
    """A text of the desk may be older than the rules: one that they refuse is left out, not all."""
    try:
        return _entry(row, live, language)
    except TextError as fault:
        _log.error("%s is not shown: %s", row, fault)
        return None


def _entry(row: ContentEntry, live: Live, language: str) -> Entry:
    # Words of the interface inside a text are in the text's language.
    with translation.override(row.language):
        body, sentence = (render(text, live, language) for text in (row.body, row.live))
    bidi = get_language_info(row.language)["bidi"]
    return Entry(
        anchor=f"term-{row.key}" if row.kind == ContentKind.GLOSSARY else row.key,
        title=row.title,
        body=body,
        live=sentence,
        sources=tuple(_source(source) for source in row.sources),
        language=row.language,
        direction="rtl" if bidi else "ltr",
        asked=_asked(DIMENSIONS[row.dimension], live) if row.dimension in DIMENSIONS else None,
    )


def _source(source: dict[str, str | None]) -> SourceLine:
    address, day = str(source["address"]), source["read_on"]
    shown = spoken.day(date.fromisoformat(day)) if day else _("day not recorded")
    return SourceLine(address, address.partition("://")[2].rstrip("/"), shown)


def _asked(dimension: Dimension, live: Live) -> Asked:
    look = dimension.settled_by
    return Asked(
        dimension.label,
        dimension.question,
        tuple(_answers(dimension, live)),
        live.unanswered(dimension),
        live.total,
        dimension.kind is Kind.SET,
        look.text,
        look.command,
    )


def _answers(dimension: Dimension, live: Live) -> Iterator[AnswerLine]:
    browse = reverse("browse")
    for value, count in live.answers(dimension):
        url = Criteria.of({dimension.key: (value.key,)}).url(browse)
        yield AnswerLine(value.grade.value, value.label, value.help, count, url)
