"""A comparison in words: what a reader wants to know before the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gpucompare import spoken
from providers.browse.query import Cheapest
from providers.compare.comparison import Comparison
from providers.compare.differences import Line, telling
from providers.compare.page import Difference, GivenAnswer, Summary
from providers.models import Offering
from providers.wording import cell_state, cell_text, joined


def short_names(offerings: Sequence[Offering]) -> tuple[str, ...]:
    """The provider's name where it tells the offerings apart."""
    providers = [offering.provider_id for offering in offerings]
    return tuple(
        offering.provider.name if providers.count(offering.provider_id) == 1 else str(offering)
        for offering in offerings
    )


def summary(comparison: Comparison) -> Summary | None:
    """How far the offerings differ in the main questions; None of fewer than two."""
    if len(comparison.offerings) < 2:
        return None
    main = [line for line in comparison.lines if line.dimension.main]
    differing = sum(line.differs for line in main)
    undecided = sum(not line.differs and not line.equal for line in main)
    named = telling(comparison.lines, comparison.offerings)
    return Summary(
        _headline(differing, len(main)),
        _undecided(undecided),
        tuple(_difference(line, comparison.offerings) for line in named),
    )


def _headline(differing: int, total: int) -> str:
    if not differing:
        return _("No known difference in the %(total)d main questions") % {"total": total}
    text = ngettext(
        "Differs in %(n)d of %(total)d main questions",
        "Differs in %(n)d of %(total)d main questions",
        differing,
    )
    return text % {"n": differing, "total": total}


def _undecided(count: int) -> str:
    if not count:
        return ""
    text = ngettext(
        "%(n)d is not known well enough to compare",
        "%(n)d are not known well enough to compare",
        count,
    )
    return text % {"n": count}


def _difference(line: Line, offerings: Sequence[Offering]) -> Difference:
    """Who gives which answer, in the order of the columns; the unknown ones are left out."""
    given: dict[tuple[str, str], list[str]] = {}
    for offering, name in zip(offerings, short_names(offerings), strict=True):
        if offering.answer(line.key) is not None:
            state = cell_state(offering, line.dimension)
            answer = (state, str(cell_text(offering, line.dimension)))
            given.setdefault(answer, []).append(name)
    return Difference(
        line.dimension.label,
        tuple(GivenAnswer(state, text, joined(names)) for (state, text), names in given.items()),
    )


def sentences(said: Summary) -> tuple[str, ...]:
    """The same without marks: for exports and for what shows only a line of a page."""
    first = [str(said.headline), *([str(said.open)] if said.open else [])]
    return (
        spoken.sentence(*first),
        *(
            _("%(question)s: %(answers)s.")
            % {
                "question": difference.label,
                "answers": spoken.semicolon().join(
                    _("%(names)s: %(answer)s") % {"names": given.names, "answer": given.text}
                    for given in difference.answers
                ),
            }
            for difference in said.differences
        ),
    )


def price_kinds(comparison: Comparison) -> tuple[tuple[str, Mapping[int, Cheapest]], ...]:
    """The rows of prices: a label, and the cheapest by offering."""
    return (
        (_("Cheapest on demand"), comparison.prices.on_demand),
        (_("Cheapest as spot"), comparison.prices.spot),
    )
