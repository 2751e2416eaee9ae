"""Corrections in words, for those who send them."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from gpucompare import spoken
from providers.answers import Dimension, Kind, Text

# Why a form was not taken; what was typed stands in it again.
REFUSALS: Mapping[str, Text] = {
    "origin": gettext_lazy(
        "This form was not sent from a page of this site. Look it over and send it from here."
    ),
    "kind": gettext_lazy("Nothing could be read of what was sent. Use the form on this page."),
    "large": gettext_lazy("That was more than the form takes. Shorten it, and send it again."),
    "trap": gettext_lazy(
        "A field was filled in that has to stay empty; it tells programs from people. "
        "It is empty again: send the form once more."
    ),
    "quick": gettext_lazy(
        "That was quicker than anyone reads the form. Look it over, and send it again."
    ),
    "old": gettext_lazy(
        "This page was open for a long time. Nothing is lost: look it over, and send it again."
    ),
    "faults": gettext_lazy("Not sent yet: see what is said beside the fields."),
    "often": gettext_lazy(
        "That is more corrections than one may send in a while. Nothing is lost: "
        "leave this page open, and send it later."
    ),
    "cell": gettext_lazy(
        "Enough corrections of this answer are waiting for a curator already. Thank you: "
        "it will be looked at."
    ),
    "full": gettext_lazy(
        "More corrections are waiting than curators can read just now. Please send yours "
        "on another day."
    ),
}
FAULTS: Mapping[str, Text] = {
    "nothing": gettext_lazy("Say what the answer should be."),
    "several": gettext_lazy("Choose one answer."),
    "both": gettext_lazy("Choose “Something else” if the answer is the one that you typed."),
    "address": gettext_lazy(
        "This is no address of a page. It begins with https:// and has no name or password in it."
    ),
    "links": gettext_lazy("At most two addresses, please. The source has a field of its own."),
}
# How an answer is written where none can be chosen.
HINTS: Mapping[Kind, Text] = {
    Kind.HOSTS: gettext_lazy("Names of registries with commas between, or “any”."),
    Kind.VERSION: gettext_lazy("A version, such as 12.8."),
    Kind.VERSIONS: gettext_lazy("A version, or the lowest and the highest: 535-595."),
    Kind.NUMBER: gettext_lazy("A number."),
}
DECLINED = pgettext_lazy("correction", "Not taken over")


def too_long(most: int, length: int) -> str:
    return _("At most %(most)s characters fit here; these are %(length)s.") % {
        "most": spoken.number(most),
        "length": spoken.number(length),
    }


def hint(dimension: Dimension) -> Text:
    if dimension.kind is Kind.NUMBER and dimension.unit:
        return _("A number, in %(unit)s.") % {"unit": dimension.unit}
    return HINTS.get(dimension.kind, "")
