"""Which texts a page shows in a language, and how translations stand to the English."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from operator import or_

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet

from checks.content.rules import ORIGINAL
from checks.models import ContentEntry


class Standing(StrEnum):
    """How a translation stands to the English."""

    CURRENT = "current"
    OUTDATED = "outdated"  # the English was changed after it
    MISSING = "missing"


def translations() -> tuple[str, ...]:
    """The languages that texts are translated to."""
    return tuple(code for code, _name in settings.LANGUAGES if code != ORIGINAL)


@dataclass(frozen=True)
class Standings:
    """One English text and how it stands in each other language."""

    key: str  # "faq#who-pays"
    digest: str
    by_language: Mapping[str, Standing]


def wanting(texts: QuerySet[ContentEntry]) -> QuerySet[ContentEntry]:
    """The English ones whose translation is missing or outdated in some language."""
    same = ContentEntry.objects.filter(kind=OuterRef("kind"), key=OuterRef("key")).order_by()
    current = same.filter(of=OuterRef("digest"))
    lacks = [Q(~Exists(current.filter(language=code))) for code in translations()]
    return texts.filter(reduce(or_, lacks, Q()), language=ORIGINAL)


def texts_in(language: str, *kinds: str) -> list[ContentEntry]:
    """The texts of a page: the translation where it says what the English says, else the English.

    In the English order; one query.
    """
    rows = ContentEntry.objects.filter(Q(language=language) | Q(language=ORIGINAL), kind__in=kinds)
    found = {(row.kind, row.key, row.language): row for row in rows}
    return [
        _best(row, found.get((row.kind, row.key, language)))
        for row in found.values()
        if row.language == ORIGINAL
    ]


def _best(original: ContentEntry, translation: ContentEntry | None) -> ContentEntry:
    if translation is None or translation.language == ORIGINAL:
        return original
    return translation if translation.of == original.digest else original


def standing_of(original: ContentEntry, of: str | None) -> Standing:
    """`of` is what the translation was made from; None where there is none."""
    if of is None:
        return Standing.MISSING
    return Standing.CURRENT if of == original.digest else Standing.OUTDATED


def standings() -> list[Standings]:
    """Every English text with its translations; one query."""
    rows = list(ContentEntry.objects.all())
    made_from = {(row.kind, row.key, row.language): row.of for row in rows}
    return [
        Standings(
            f"{row.kind}#{row.key}",
            row.digest,
            {
                code: standing_of(row, made_from.get((row.kind, row.key, code)))
                for code in translations()
            },
        )
        for row in rows
        if row.language == ORIGINAL
    ]


def standing_lines() -> Iterator[str]:
    """What is left to translate, with the digest that a translation is to name."""
    for one in standings():
        for code, standing in one.by_language.items():
            if standing is not Standing.CURRENT:
                yield f"{code}/{one.key}: {standing} (of: {one.digest})"
