"""A check in words: what stands on its page, as a Markdown table for a document or a model."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from checks.present import columns_of, sentence
from checks.present_verdict import Cells, Names, share_text
from checks.verdicts import Checked, CheckResult
from gpucompare import spoken
from providers.browse import links
from providers.browse.export import Table
from providers.browse.judge import Truth
from providers.browse.present import amount
from providers.browse.query import Cheapest
from providers.dimensions import DIMENSIONS
from providers.models import Origin
from providers.wording import cell_text


def worded_table(result: CheckResult) -> Table:
    """All offerings, best first, with the sentence that stands above them on the page."""
    questions = (str(DIMENSIONS[key].label) for key in columns_of(result.criteria))
    verdict = (_("Verdict"), _("Why"), _("What helps"), _("Of its listings"))
    price = _("Cheapest (%(unit)s)") % {"unit": links.price_unit(result.criteria)}
    columns = (_("Offering"), *verdict, *questions, price)
    return Table("check", columns, _rows(result), lead=(sentence(result),))


def _rows(result: CheckResult) -> Iterator[tuple[str, ...]]:
    cells = Cells(Names.of(result.world))
    show = result.criteria.one("unknown") == "show"
    for one in result.rows:
        if show or one.row.truth is Truth.YES:
            yield _row(one, result, cells, "" if one.row.truth is Truth.YES else _("may match"))
    for one in result.closed:
        yield _row(one, result, cells, _("closed"))


def _row(one: Checked, result: CheckResult, cells: Cells, standing: str) -> tuple[str, ...]:
    offering, said = one.row.offering, cells.texts(one.stand.said)
    name = f"{offering} ({standing})" if standing else str(offering)
    keys = columns_of(result.criteria)
    answers = (str(cell_text(offering, DIMENSIONS[key])) for key in keys)
    verdict = (said.word, said.why, said.fix, share_text(one.stand))
    return (name, *verdict, *answers, _price(one.row.cheapest, result))


def _price(found: Cheapest | None, result: CheckResult) -> str:
    if found is None:
        return _("no price")
    day = spoken.day(found.seen_at)
    if found.origin == Origin.SNAPSHOT:
        day = _("snapshot, %(day)s") % {"day": day}
    kinds = (amount(found.shown, result.criteria), found.gpu_name, _("spot") if found.spot else "")
    return f"{' '.join(kind for kind in kinds if kind)} ({day})"
