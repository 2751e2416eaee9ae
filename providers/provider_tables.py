"""The claims about a provider's offerings as a table for export: in keys, or in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from providers.answers import query_form
from providers.browse.criteria import Criteria
from providers.browse.export import Table
from providers.claim_views import ClaimView, cell_url
from providers.dimensions import DIMENSIONS
from providers.models import Claim, Offering
from providers.provider_pages import AnswerView, PriceRow, ProviderPage, provider_page
from providers.queries import ProviderFacts

_COLUMNS = (
    *("provider", "offering", "dimension", "value", "basis", "source", "source_kind", "read_on"),
    *("note", "decides", "contradicted", "url"),
)


def claims_table(facts: ProviderFacts, wanted: str, units: Criteria, now: datetime) -> Table:
    """Words in Markdown, which people and their models read; keys in all other formats."""
    if wanted == "md":
        return _for_readers(provider_page(facts, units, now))
    return Table(f"claims-{facts.provider.slug}", _COLUMNS, _claims(facts))


def _claims(facts: ProviderFacts) -> Iterator[tuple[Any, ...]]:
    """One record a claim, the deciding one of each question first."""
    offerings = {offering.pk: offering for offering in facts.offerings}
    for claim in facts.claims:
        yield _claim(claim, offerings[claim.offering_id])


def _claim(claim: Claim, offering: Offering) -> tuple[Any, ...]:
    value = claim.value
    return (
        offering.provider.slug,
        offering.slug,
        claim.dimension,
        value if isinstance(value, list) else query_form(value),
        claim.basis,
        claim.source,
        claim.source_kind,
        claim.read_on,
        claim.note,
        claim.decides,
        claim.dimension in offering.contradicted,
        cell_url(offering, DIMENSIONS[claim.dimension]),
    )


# --- In words ----------------------------------------------------------------------------


def _for_readers(page: ProviderPage) -> Table:
    """The provider's page: who it is, every question with its answer and its claims, prices."""
    columns = (_("Offering"), _("Question"), _("Answer"), _("Basis"), _("Source"), _("Read"))
    return Table(
        "provider",
        (*columns, _("Note")),
        tuple(_worded(page)),
        tuple(_lead(page)),
        tuple(_prices(page)),
    )


def _lead(page: ProviderPage) -> Iterator[str]:
    yield f"# {page.name}"
    about = (page.kind, page.website, page.headquarters)
    yield " · ".join(str(fact) for fact in about if fact)
    if page.status != "active" or page.status_note:
        yield f"**{page.status_text}.** {page.status_note}"
    for offering in page.offerings:
        known = _("%(known)s of %(all)s questions answered") % {
            "known": offering.known,
            "all": offering.questions,
        }
        told = (offering.summary, f"{offering.status_text} {offering.status_note}", known)
        yield f"**{offering.name}**: {' · '.join(t.strip() for t in told if t.strip())}"
    if page.snapshot_day:
        day = {"day": page.snapshot_day}
        yield _("Prices marked as a snapshot were read on %(day)s.") % day


def _worded(page: ProviderPage) -> Iterator[tuple[str, ...]]:
    for offering in page.offerings:
        for group in offering.groups:
            for answer in group.answers:
                yield from _rows(offering.name, answer)


def _rows(offering: str, answer: AnswerView) -> Iterator[tuple[str, ...]]:
    """The answer with the claim that decides it; the others below, each with what it says."""
    deciding = next((claim for claim in answer.claims if claim.decides), None)
    yield (offering, str(answer.label), str(answer.cell.text), *_told(deciding))
    for claim in answer.claims:
        if claim is not deciding:
            says = _("another source: %(answer)s") % {"answer": claim.answer}
            yield (offering, str(answer.label), says, *_told(claim))


def _told(claim: ClaimView | None) -> Sequence[str]:
    if claim is None:
        return ("",) * 4
    return (str(claim.basis), claim.source_url, str(claim.read_on), claim.note)


def _prices(page: ProviderPage) -> Iterator[str]:
    """One line a GPU at an offering, on demand and as spot."""
    for row in page.prices:
        yield from _price_lines(row, page)


def _price_lines(row: PriceRow, page: ProviderPage) -> Iterator[str]:
    for offering, offered in zip(page.offerings, row.offered, strict=True):
        kinds = ((_("on demand"), offered.on_demand), (_("spot"), offered.spot))
        told = [f"{label} {p.amount} ({p.age})" for label, p in kinds if p.amount]
        if told:
            yield f"{row.gpu.name}, {offering.name}: {', '.join(told)} {page.price_unit}"
