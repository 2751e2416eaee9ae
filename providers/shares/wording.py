"""A share in words, in the language of whoever reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from gpucompare import spoken
from providers.answers import Text
from providers.browse import links
from providers.browse.criteria import Criteria
from providers.browse.parameters import PARAMETERS
from providers.browse.present import amount, divisor
from providers.dimensions import DIMENSIONS
from providers.models import Basis, Origin, SourceKind, Status
from providers.shares.content import Answer, Price, Row
from providers.shares.page import Said
from providers.wording import CONTRADICTED, STANDINGS, UNKNOWN, answer_text, free_language

PRICES: Mapping[str, Text] = {
    "cheapest": gettext_lazy("Cheapest price"),
    "on_demand": gettext_lazy("Cheapest on demand"),
    "spot": gettext_lazy("Cheapest as spot"),
}
HOW: Mapping[str, Text] = {
    "other": pgettext_lazy("what changed", "changed"),
    "known": pgettext_lazy("what changed", "now known"),
    "lost": pgettext_lazy("what changed", "no longer known"),
    "contradicted": pgettext_lazy("what changed", "now contradicted"),
    "up": pgettext_lazy("what changed", "up"),
    "down": pgettext_lazy("what changed", "down"),
    "new": pgettext_lazy("what changed", "now priced"),
    "none": pgettext_lazy("what changed", "no price now"),
    "better": pgettext_lazy("what changed", "better"),
    "worse": pgettext_lazy("what changed", "worse"),
}
MATCHES: Mapping[str, Text] = {
    "yes": gettext_lazy("Matches"),
    "may": gettext_lazy("May match"),
    "no": gettext_lazy("Does not match"),
}
REFUSALS: Mapping[str, Text] = {
    "origin": gettext_lazy(
        "This form was not sent from a page of this site. Open the page and send it."
    ),
    "kind": gettext_lazy("Nothing of this kind can be shared. Share from the page itself."),
    "nothing": gettext_lazy(
        "The page shows nothing that could be frozen. Take a filter away or pick an offering."
    ),
    "unread": gettext_lazy(
        "The image has not been read yet. Share once the page shows its verdicts."
    ),
    "large": gettext_lazy(
        "That is more than a share may hold. Narrow it down by a filter, or show fewer columns."
    ),
    "often": gettext_lazy("That is more shares than one may make in an hour. Try again later."),
    "full": gettext_lazy(
        "There is no room for new shares just now. The address of the page can still be sent."
    ),
}


def dimension_label(key: str, short: bool = False) -> Text:
    """A dimension that was given up is called by its key."""
    dimension = DIMENSIONS.get(key)
    if dimension is None:
        return key
    return dimension.column_label if short else dimension.label


def answer_said(answer: Answer) -> Said:
    """An answer that its dimension no longer knows stands as it was spelled."""
    if answer.contradicted:
        return Said("contradicted", CONTRADICTED)
    if answer.value is None:
        return Said("unknown", UNKNOWN)
    value: Any = list(answer.value) if isinstance(answer.value, tuple) else answer.value
    dimension = DIMENSIONS.get(answer.dimension)
    if dimension is None:
        return Said("fact", spoken.joined(value) if isinstance(value, list) else value)
    grade = dimension.grade_of(value)
    language = free_language(dimension)
    return Said(grade.value if grade else "fact", answer_text(dimension, value), language)


def answer_about(answer: Answer) -> str:
    """On what basis, by whom unless by the provider, and of which day."""
    if not answer.source:
        return ""
    day = spoken.short_day(answer.read_on) if answer.read_on else _("day not recorded")
    who = (
        "" if answer.source_kind == SourceKind.PROVIDER else _label(SourceKind, answer.source_kind)
    )
    return " · ".join(map(str, filter(None, (_label(Basis, answer.basis), who, day))))


def source_host(answer: Answer) -> str:
    return urlsplit(answer.source).hostname or answer.source


def _label(choices: Any, value: str) -> Text:
    return choices(value).label if value in choices.values else value


def detail(row: Row, dimension: str) -> str:
    """The known facts that stand under an answer: `580–595 · CUDA ≤ 13.0`."""
    asked = DIMENSIONS.get(dimension)
    answers = {answer.dimension: answer for answer in row.answers}
    facts = []
    for key in asked.details if asked else ():
        answer = answers.get(key)
        if answer and answer.value is not None:
            text = str(answer_said(answer).text)
            facts.append(f"CUDA\u00a0≤\u00a0{text}" if key == "cuda_max" else text)
    return " · ".join(facts)


def price_said(price: Price, criteria: Criteria) -> Said:
    """`$2.49 / GPU / hour` without its unit, which stands in the heading."""
    return Said("", f"{links.sign(criteria)}{amount(price.shown, criteria)}")


def price_detail(price: Price, criteria: Criteria) -> str:
    count = price.gpu_count or 1
    gpu = price.gpu if count == 1 else f"{count} × {price.gpu}"
    spot = _("spot") if price.spot and price.kind != "spot" else ""
    parts = (gpu, spot, divisor(price.instance, price.gpu_count, criteria))
    return " · ".join(filter(None, parts))


def price_about(price: Price) -> str:
    """Of which day; a snapshot is told from what was seen live."""
    day = spoken.day(price.day)
    if price.origin == Origin.SNAPSHOT:
        return _("snapshot, %(day)s") % {"day": day}
    return _("seen %(day)s") % {"day": day}


def percent(then: Price, now: Price) -> str:
    """How far a price moved: "down 12 %"; less than half a percent is only "down"."""
    word = HOW["up"] if now.shown > then.shown else HOW["down"]
    share = abs(now.shown - then.shown) / then.shown * 100 if then.shown else 0
    return f"{word} {spoken.percent(share, 0)}" if round(share) else str(word)


def status_text(status: str) -> Text:
    if status == Status.CLOSED:
        return pgettext("offering", "Closed")
    return _label(Status, status)


def standing_text(standing: str) -> Text:
    return STANDINGS.get(standing, standing)


def criterion(criteria: Criteria, name: str, value: str, gpu_names: Mapping[str, str]) -> Text:
    """A value of a criterion in words; what is no longer known stands as it was spelled."""
    try:
        return links.words(criteria, name, value, gpu_names)
    except (KeyError, ValueError):
        return value


def criterion_label(name: str) -> Text:
    return PARAMETERS[name].label if name in PARAMETERS else name
