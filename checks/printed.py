"""A check as lines for a terminal: what was learnt with its sources, advice, and the verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from checks.api.schemas import CheckAnswer, CheckedOffering, Fact, Verdict
from checks.wording import HEADINGS, RUNS
from checks.wording_image import FACTS
from gpucompare.cuda.answer import Standing


def lines(found: CheckAnswer) -> Iterator[str]:
    yield from _image(found)
    if found.image.advice:
        yield from ("", _("Advice"))
        yield from (f"  - {one.text}" for one in found.image.advice)
    if found.host:
        yield from ("", _("On that host: %(word)s") % {"word": HEADINGS[found.host.standing]})
        yield from _why(found.host)
        return
    yield ""
    yield _count(found)
    for standing in Standing:
        yield from _part(standing, found.offerings)


# --- The image ------------------------------------------------------------------------------


def _image(found: CheckAnswer) -> Iterator[str]:
    image = found.image
    yield image.reference or _("The pasted image")
    if image.pinned:
        yield f"  {image.pinned}"
    yield from (f"  {_fact(fact)}" for fact in image.facts)
    if not image.facts:
        yield f"  {_('Nothing was learnt of it.')}"


def _fact(fact: Fact) -> str:
    doubt = "" if fact.basis == "documented" else f", {fact.basis}"
    return f"{FACTS[fact.key]}: {fact.text}  ({fact.source}{doubt})"


# --- Verdicts -------------------------------------------------------------------------------------


def _count(found: CheckAnswer) -> str:
    runs = found.counts.runs
    text = ngettext(
        "Runs unchanged at %(n)d offering of %(providers)s",
        "Runs unchanged at %(n)d offerings of %(providers)s",
        runs.offerings,
    )
    providers = ngettext("%(n)d provider", "%(n)d providers", runs.providers) % {
        "n": runs.providers
    }
    return text % {"n": runs.offerings, "providers": providers}


def _part(standing: Standing, offerings: Iterable[CheckedOffering]) -> Iterator[str]:
    rows = [row for row in offerings if row.standing is standing]
    if rows:
        yield from ("", f"{HEADINGS[standing]} ({len(rows)})")
    for row in rows:
        yield f"  {row.key}{_price(row)}"
        yield from _why(row, "    ")
        yield from (f"    {condition.text}" for condition in row.conditions)


def _price(row: CheckedOffering) -> str:
    cheapest = row.cheapest
    if cheapest is None:
        return ""
    seen = cheapest.seen_at.date().isoformat()
    count = cheapest.gpu_count or 1
    return f"  ${cheapest.shown:.2f}/h/GPU  {count} × {cheapest.gpu_name}  ({seen})"


def _why(verdict: Verdict, indent: str = "  ") -> Iterator[str]:
    """Nothing needs to be said where it simply runs."""
    if verdict.standing is not Standing.RUNS:
        yield f"{indent}{RUNS[verdict.best.run]}"
        yield from (f"{indent}{reason.text}" for reason in verdict.reasons)
    yield from (f"{indent}→ {fix.text}" for fix in verdict.fixes)
    if verdict.missing:
        names = ", ".join(str(fact.text) for fact in verdict.missing)
        yield f"{indent}{capfirst(_('not known: %(names)s') % {'names': names})}"
