"""GET /api/v1/coverage: how well the catalog is known, by whom, and how old that is."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.http import Http404, HttpRequest
from django.utils import timezone
from ninja import Router, Schema
from pydantic import Field

from providers.api.paths import PREFIX, Slug
from providers.coverage import Cell, Coverage, Decided, by_provider, coverage
from providers.coverage_facts import coverage_facts, provider_coverage

router = Router(tags=["status"])


class CoverageFigures(Schema):
    """Counts over the offerings that can be rented, and over the claims that decide an answer."""

    offerings: int
    main_cells: int = Field(description="Main questions, once for each offering")
    main_known: int = Field(description="Of these, answered: neither unknown nor contradicted")
    main_known_share: float | None = Field(
        ge=0, le=1, description="Rounded down; null: there is none to know"
    )
    answers: int = Field(description="Claims that decide an answer, of all questions")
    own_source: int = Field(description="Of these, with a source of the provider's own")
    own_source_share: float | None = Field(
        ge=0, le=1, description="Rounded down; null: there is no answer"
    )
    undated: int = Field(description="Of the answers, those whose day was not recorded")
    due: int = Field(description="Of the answers, those due for review")
    median_age_days: int | None = Field(
        description="Of the answers, one without a day being the oldest; "
        "null: the middle one bears no day, or there is none"
    )
    contradicted: int = Field(description="Cells whose best claims disagree, of all questions")


class CoverageCell(Schema):
    """A question about an offering."""

    offering: str = Field(description="provider/offering")
    dimension: str
    url: str = Field(description="The page that shows it with all its claims")


class CoverageAnswer(CoverageCell):
    read_on: date | None = Field(description="null: not recorded")


class CoverageOfProvider(CoverageFigures):
    provider: str
    name: str
    url: str = Field(description="The same with its oldest answers and contradictions")


class CoverageDetail(CoverageFigures):
    day: date = Field(description="The day of which ages are told, in UTC")
    oldest: list[CoverageAnswer] = Field(
        max_length=10, description="The answers to be read again first, oldest first"
    )
    contradictions: list[CoverageCell]


class CoverageOut(CoverageDetail):
    providers: list[CoverageOfProvider] = Field(
        description="Those of whom something can be rented, the weakest first"
    )


class ProviderCoverageOut(CoverageDetail):
    provider: str
    name: str


@router.get("/coverage", response=CoverageOut, operation_id="coverage")
def all_coverage(request: HttpRequest) -> dict[str, Any]:
    """How much of the catalog is known, who says it, how old it is; in all and by provider."""
    today, facts = timezone.now().date(), coverage_facts()
    return {
        **_detail(coverage(facts, today), today),
        "providers": [
            {
                **_figures(each.figures),
                "provider": each.slug,
                "name": each.name,
                "url": f"{PREFIX}/coverage/{each.slug}",
            }
            for each in by_provider(facts, today)
        ],
    }


@router.get("/coverage/{provider}", response=ProviderCoverageOut, operation_id="provider_coverage")
def one_coverage(request: HttpRequest, provider: Slug) -> dict[str, Any]:
    """The same of one provider; all counts are 0 where nothing can be rented any more."""
    today = timezone.now().date()
    found = provider_coverage(provider, today)
    if found is None:
        raise Http404
    row, figures = found
    return {**_detail(figures, today), "provider": row.slug, "name": row.name}


def _figures(figures: Coverage) -> dict[str, Any]:
    return {name: getattr(figures, name) for name in CoverageFigures.model_fields}


def _detail(figures: Coverage, today: date) -> dict[str, Any]:
    return {
        **_figures(figures),
        "day": today,
        "oldest": [_answer(answer) for answer in figures.oldest],
        "contradictions": [_cell(cell) for cell in figures.contradictions],
    }


def _cell(cell: Cell) -> dict[str, Any]:
    key = cell.offering.key
    return {
        "offering": key,
        "dimension": cell.dimension,
        "url": f"/providers/{key}/{cell.dimension}/",
    }


def _answer(answer: Decided) -> dict[str, Any]:
    return {**_cell(answer.cell), "read_on": answer.read_on}
