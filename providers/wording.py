"""Answers in words: how a value of a dimension reads in a cell, a facet, a chip or an export."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django.utils.functional import lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext, pgettext_lazy

from gpucompare import spoken
from gpucompare.cuda.answer import Standing
from providers.answers import Dimension, Kind, Text, query_form
from providers.dimensions import DIMENSIONS
from providers.models import Offering

# What the catalog tells in words, answers and notes, it tells in English.
CATALOG_LANGUAGE = "en"
UNKNOWN = gettext_lazy("Unknown")
CONTRADICTED = gettext_lazy("Contradicted")
# What a verdict on an image says of a host, in a filter.
STANDINGS: dict[str, Text] = {
    Standing.RUNS: pgettext_lazy("verdict", "Runs"),
    Standing.CONDITION: pgettext_lazy("verdict", "Runs with a condition"),
    Standing.UNKNOWN: pgettext_lazy("verdict", "Unknown"),
    Standing.FAILS: pgettext_lazy("verdict", "Fails"),
}


def answer_text(dimension: Dimension, answer: Any) -> str:
    """A known answer in words: a label, labels joined by commas, or a value with its unit."""
    match dimension.kind:
        case Kind.HOSTS:
            return spoken.joined(_("Any registry") if host == "any" else host for host in answer)
        case Kind.SET:
            return spoken.joined(v.label for v in dimension.values if v.key in answer)
        case Kind.NUMBER:
            return number_text(dimension, query_form(answer))
        case Kind.VERSIONS:
            return str(answer).replace("-", "–")
        case _:
            return value_text(dimension, query_form(answer))


def spelled(answer: Any) -> str:
    """An answer as a curator writes it: `docker_login, cloud_role`, `yes`, `12.8`, `600`."""
    return ", ".join(map(query_form, answer)) if isinstance(answer, list) else query_form(answer)


def value_text(dimension: Dimension, value: str) -> str:
    """One value, as a facet or a query string spells it, in words."""
    if value in dimension.by_key:
        return str(dimension.by_key[value].label)
    if dimension.kind is Kind.NUMBER:
        return number_text(dimension, value)
    if dimension.kind is Kind.HOSTS and value == "any":
        return _("Any registry")
    return value


def number_text(dimension: Dimension, value: str) -> str:
    """A number with its unit; whole minutes, hours and days instead of many seconds."""
    if dimension.key.endswith("_s") and value.isdecimal():
        return seconds_text(int(value))
    figure = spoken.number(Decimal(value)) if value.replace(".", "", 1).isdecimal() else value
    return f"{figure} {dimension.unit}".strip()


def seconds_text(seconds: int) -> str:
    """600 → 10 min. Zero stays a plain number of seconds."""
    if seconds and seconds % 86400 == 0:
        days = seconds // 86400
        return ngettext("%(n)s day", "%(n)s days", days) % {"n": spoken.number(days)}
    if seconds and seconds % 3600 == 0:
        return pgettext("hours", "%(n)s h") % {"n": spoken.number(seconds // 3600)}
    if seconds and seconds % 60 == 0:
        return pgettext("minutes", "%(n)s min") % {"n": spoken.number(seconds // 60)}
    return pgettext("seconds", "%(n)s s") % {"n": spoken.number(seconds)}


def cell_state(offering: Offering, dimension: Dimension) -> str:
    """What mark a cell bears: yes, partly, no, fact, unknown or contradicted."""
    if dimension.key in offering.contradicted:
        return "contradicted"
    answer = offering.answer(dimension.key)
    if answer is None:
        return "unknown"
    grade = dimension.grade_of(answer)
    return grade.value if grade else "fact"


def cell_text(offering: Offering, dimension: Dimension) -> Text:
    match cell_state(offering, dimension):
        case "contradicted":
            return CONTRADICTED
        case "unknown":
            return UNKNOWN
        case _:
            return answer_text(dimension, offering.answer(dimension.key))


def text_language(offering: Offering, dimension: Dimension) -> str:
    """The language of what `cell_text` says, where that is told in the catalog's own words."""
    return free_language(dimension) if cell_state(offering, dimension) == "fact" else ""


def free_language(dimension: Dimension) -> str:
    """The language of a known answer, where it is free text and no word of ours."""
    return CATALOG_LANGUAGE if dimension.kind is Kind.TEXT else ""


def cell_detail(offering: Offering, dimension: Dimension) -> str:
    """The known facts that stand under an answer: `580–595 · CUDA ≤ 13.0`."""
    facts = []
    for key in dimension.details:
        answer = offering.answer(key)
        if answer is not None:
            text = answer_text(DIMENSIONS[key], answer)
            # No-break spaces: a limit is read in one piece.
            facts.append(f"CUDA\u00a0≤\u00a0{text}" if key == "cuda_max" else text)
    return " · ".join(facts)


def joined(texts: Sequence[Text]) -> Text:
    """Texts in one line, translated when they are shown."""
    return _lazily_joined(tuple(texts))


_lazily_joined = lazy(spoken.joined, str)
