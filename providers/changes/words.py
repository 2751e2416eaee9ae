"""The words of digests, stocks and steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gpucompare import spoken
from gpucompare.languages import step
from providers.answers import Text
from providers.models import Change, Stock, What, Why

if TYPE_CHECKING:
    from providers.changes.present import Presenter


@dataclass(frozen=True)
class Side:
    """What stood before, or stands after: words, and a mark unless they are a price."""

    state: str
    text: Text
    language: str = ""  # of `text`, where it is the catalog's own words


def percent_text(ratio: Decimal) -> str:
    """−12 %, +3.4 %: to a tenth below ten, with a sign that lines up."""
    percent = abs(ratio) * 100
    size = spoken.percent(percent, 0 if percent >= 10 else 1).replace(" ", "\u00a0")
    return f"{'−' if ratio < 0 else '+'}{size}"


def stock_side(in_stock: Any) -> Side:
    if in_stock is None:
        return Side("unknown", Stock.UNKNOWN.label)
    return Side("yes", Stock.AVAILABLE.label) if in_stock else Side("no", Stock.NONE.label)


def digest_words(change: Change, known: Presenter) -> tuple[Text, tuple[Text, ...]]:
    """What a digest is called, and what it says, a line each."""
    figures = change.figures
    if "first" in figures:
        return _first(change, figures["first"])
    counts: Mapping[str, int] = figures["counts"]
    if change.why == Why.REFRESH:
        lines = [_counted(counts), *_extremes(figures, known)]
        return _("Prices and stock"), tuple(lines)
    subject = _("Answers and statuses")
    return subject, (_counted(counts), _offerings(figures["offerings"]))


def _first(change: Change, counts: Mapping[str, int]) -> tuple[Text, tuple[Text, ...]]:
    if change.why == Why.REFRESH:
        subject = _("First reading of a source")
        told = ngettext("%(n)s price", "%(n)s prices", counts["prices"])
        told %= {"n": spoken.number(counts["prices"])}
        return subject, (f"{told}, {_offerings(counts['offerings'])}",)
    told = ngettext("%(n)s answer", "%(n)s answers", counts["answers"])
    told %= {"n": spoken.number(counts["answers"])}
    return _("First load of the catalog"), (f"{told}, {_offerings(counts['offerings'])}",)


def _offerings(n: int) -> str:
    return ngettext("at %(n)s offering", "at %(n)s offerings", n) % {"n": spoken.number(n)}


def _counted(counts: Mapping[str, int]) -> str:
    return spoken.joined(_count(What(what), n) for what, n in counts.items())


def _count(what: What, n: int) -> str:
    text = {
        What.CLAIM: ngettext("%(n)s answer changed", "%(n)s answers changed", n),
        What.STATUS: ngettext("%(n)s status changed", "%(n)s statuses changed", n),
        What.LISTED: ngettext("%(n)s GPU newly listed", "%(n)s GPUs newly listed", n),
        What.WITHDRAWN: ngettext("%(n)s GPU no longer listed", "%(n)s GPUs no longer listed", n),
        What.PRICE: ngettext("%(n)s price changed", "%(n)s prices changed", n),
        What.STOCK: ngettext("%(n)s stock changed", "%(n)s stocks changed", n),
    }[what]
    return text % {"n": spoken.number(n)}


def _extremes(figures: Mapping[str, Any], known: Presenter) -> Iterator[str]:
    labels = {"fall": _("steepest fall: %(step)s"), "rise": _("steepest rise: %(step)s")}
    for name, label in labels.items():
        found = figures.get(name)
        if found and found["offering"] in known.offerings:
            yield label % {"step": _step(found, known)}


def _step(found: Mapping[str, Any], known: Presenter) -> str:
    offering = known.offerings[found["offering"]]
    gpu = known.gpu_name(found["family"], found["gpu"])
    before, after = (known.price_text(Decimal(found[side])) for side in ("before", "after"))
    moved = percent_text(Decimal(str(found["percent"])) / 100)
    return f"{offering.provider.name} {offering.name}, {gpu}: {step(before, after)} ({moved})"
