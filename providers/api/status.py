"""GET /api/v1/status: every source of prices, the snapshot, the rates, the coverage of claims."""

from __future__ import annotations

import os
from datetime import date, datetime
from typing import Any, Literal

from django.http import HttpRequest
from django.utils import timezone
from ninja import Router, Schema
from pydantic import Field

from providers.models import Outcome
from providers.status import SourceView, status_page
from providers.status_facts import SourceFacts, StatusFacts, status_facts

router = Router(tags=["status"])

BandKey = Literal["fresh", "ageing", "stale", "last_seen", "never"]


class Source(Schema):
    """Where a source stands."""

    slug: str
    standing: Literal["read", "no_key", "left"] = Field(
        description="Whether it is read here; left: an older version of the program read it"
    )
    band: BandKey = Field(description="How much its last good run still says")
    good_at: datetime | None = Field(description="Its last good run")
    rows: int | None = Field(description="Listings of that run")
    outcome: Outcome | None = Field(description="Of the last run that ended")
    ended_at: datetime | None
    failed: bool
    failure: str = Field(description="In words; empty unless it failed")


class Snapshot(Schema):
    day: date | None
    rows: int


class Rates(Schema):
    day: date | None
    currencies: int


class Coverage(Schema):
    """Counts over the offerings that can be rented."""

    offerings: int
    main_cells: int
    main_known: int
    contradicted: int
    answers: int
    due: int = Field(description="Of the answers, those due for review")


class StatusOut(Schema):
    sources: list[Source]
    snapshot: Snapshot
    rates: Rates
    coverage: Coverage


@router.get("/status", response=StatusOut, operation_id="status")
def status(request: HttpRequest) -> dict[str, Any]:
    """When each source was last read, how it went, and how much of the catalog is known."""
    now = timezone.now()
    facts = status_facts(now.date())
    page = status_page(facts, now, os.environ)
    return {
        "sources": [_source(view, facts) for view in page.sources],
        **{
            part: {name: getattr(getattr(facts, part), name) for name in shape.model_fields}
            for part, shape in _PARTS.items()
        },
    }


_PARTS: dict[str, type[Schema]] = {"snapshot": Snapshot, "rates": Rates, "coverage": Coverage}


def _source(view: SourceView, facts: StatusFacts) -> dict[str, Any]:
    found = facts.sources.get(view.slug, SourceFacts(view.slug))
    ended = found.ended
    return {
        "slug": view.slug,
        "standing": view.standing.value,
        "band": view.band,
        "good_at": found.good_at,
        "rows": view.rows,
        "outcome": ended.outcome if ended else None,
        "ended_at": ended.ended_at if ended else None,
        "failed": view.failed,
        "failure": str(view.failure),
    }
