"""Why a run brought nothing in, in words: by its outcome, and by the guard that it broke.

The text of an error is for the curators' desk: it may quote a provider's answer. What everybody
reads is said here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from gpucompare import spoken
from providers.answers import Text
from providers.models import Outcome
from providers.refresh.guards import DEFAULT

Figures = Mapping[str, Any]

_OUTCOMES: Mapping[str, Text] = {
    Outcome.UNREACHABLE: gettext_lazy("The provider did not answer in time."),
    Outcome.THROTTLED: gettext_lazy("The provider asked for fewer questions."),
    Outcome.REFUSED: gettext_lazy(
        "The provider refused: the address is gone, or the key is not accepted."
    ),
    Outcome.MALFORMED: gettext_lazy("The answer had another shape than the one that can be read."),
    Outcome.EMPTY: gettext_lazy("The answer held no listing at all."),
    Outcome.FAILED: gettext_lazy("This program failed on the answer; its operators have the log."),
    Outcome.INTERRUPTED: gettext_lazy("The run was stopped half way; nothing of it was written."),
    Outcome.OVERTAKEN: gettext_lazy("A later run took over before this one was done."),
}
# What the shares of filled rows are shares of, as the guards name it.
FILLED: Mapping[str, Text] = {
    "row": gettext_lazy("readable"),
    "price": gettext_lazy("with a price"),
    "gpu_name": gettext_lazy("with a GPU"),
}


def failure_text(outcome: str, guard: str, figures: Figures) -> Text:
    """One sentence; empty for a run that went in, or that still goes on."""
    if outcome == Outcome.REJECTED:
        return _GUARDS.get(guard, _unknown_guard)(figures)
    return _OUTCOMES.get(outcome, "")


def percent(share: float) -> str:
    """0.9996 → 99.9 %: what is not all never reads as all."""
    tenths = int(share * 1000 + 1e-6)
    return spoken.percent(Decimal(tenths) / 10)


def _rows(figures: Figures) -> str:
    said = ngettext(
        "%(rows)s row came where %(usual)s are usual; fewer than %(least)s are not believed.",
        "%(rows)s rows came where %(usual)s are usual; fewer than %(least)s are not believed.",
        int(figures["rows"]),
    )
    return said % {name: spoken.number(round(figures[name])) for name in ("rows", "usual", "least")}


def _filled(figures: Figures) -> str:
    short = spoken.joined(
        f"{label} {percent(figures[name])}" for name, label in FILLED.items() if name in figures
    )
    said = _("Too few rows are complete: %(short)s. At least %(least)s are needed.")
    return said % {"short": short, "least": percent(figures["least"])}


def _share(figures: Figures, name: str) -> dict[str, Any]:
    count, of = (spoken.number(int(figures[key])) for key in (name, "of"))
    return {"n": count, "of": of, "most": percent(figures["most"])}


def _jumped(figures: Figures) -> str:
    if "spot_jumped" in figures:
        said = _(
            "%(n)s of %(of)s spot prices are %(jump)s times what they were, or more, or as many "
            "times less; more than %(most)s is not believed."
        )
        return said % (_share(figures, "spot_jumped") | {"jump": DEFAULT.jump})
    said = _(
        "%(n)s of %(of)s prices are %(jump)s times what they were, or more, or as many times "
        "less; more than %(most)s is not believed."
    )
    return said % (_share(figures, "jumped") | {"jump": DEFAULT.jump})


def _not_rising(figures: Figures) -> str:
    said = _(
        "In %(n)s of %(of)s cases more GPUs cost no more than fewer; more than %(most)s is not "
        "believed."
    )
    return said % _share(figures, "not_rising")


def _unknown_names(figures: Figures) -> str:
    said = _(
        "%(n)s of %(of)s rows name a GPU that is not known here; more than %(most)s is not "
        "believed."
    )
    return said % _share(figures, "unknown")


def _duplicates(figures: Figures) -> str:
    said = _("%(n)s of %(of)s rows came twice; more than %(most)s is not believed.")
    return said % _share(figures, "duplicates")


def _unknown_guard(figures: Figures) -> str:
    return _("A check of the whole batch kept it out.")


_GUARDS: Mapping[str, Callable[[Figures], str]] = {
    "rows": _rows,
    "filled": _filled,
    "jumped": _jumped,
    "not_rising": _not_rising,
    "unknown_names": _unknown_names,
    "duplicates": _duplicates,
}
