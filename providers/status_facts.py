"""What the page of status reads. Seven queries, whatever the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import Count, Max, OuterRef, QuerySet, Subquery

from providers.coverage import Coverage, ProviderCoverage, by_provider, coverage
from providers.coverage_facts import coverage_facts
from providers.models import (
    ExchangeRate,
    Listing,
    Origin,
    Outcome,
    Provider,
    RefreshRun,
    SourceState,
)


@dataclass(frozen=True)
class SourceFacts:
    """What the database holds of a source."""

    slug: str
    good_at: datetime | None = None
    latest: RefreshRun | None = None  # may still be running
    ended: RefreshRun | None = None  # the latest that has ended
    good: RefreshRun | None = None  # the latest that went in


@dataclass(frozen=True)
class SnapshotFacts:
    day: date | None  # of its latest row
    rows: int


@dataclass(frozen=True)
class RateFacts:
    day: date | None  # of the latest table
    currencies: int


@dataclass(frozen=True)
class StatusFacts:
    sources: Mapping[str, SourceFacts]
    provider_names: Mapping[str, str]
    snapshot: SnapshotFacts
    rates: RateFacts
    coverage: Coverage
    by_provider: tuple[ProviderCoverage, ...]  # weakest first


def status_facts(today: date) -> StatusFacts:
    known = coverage_facts()
    return StatusFacts(
        sources=_sources(),
        provider_names=dict(Provider.objects.order_by().values_list("slug", "name")),
        snapshot=_snapshot(),
        rates=_rates(),
        coverage=coverage(known, today),
        by_provider=by_provider(known, today),
    )


def _latest(runs: QuerySet[RefreshRun]) -> Subquery:
    """The id of the latest of `runs`; the index on source and time answers it a source."""
    own = runs.filter(source=OuterRef("slug")).order_by("-started_at")
    return Subquery(own.values("pk")[:1])


def _sources() -> dict[str, SourceFacts]:
    runs = RefreshRun.objects.all()
    states = list(
        SourceState.objects.annotate(
            latest=_latest(runs),
            ended=_latest(runs.exclude(outcome=Outcome.RUNNING)),
            good=_latest(runs.filter(outcome=Outcome.MERGED)),
        ).values_list("slug", "good_at", "latest", "ended", "good")
    )
    found = runs.in_bulk({pk for _slug, _at, *pks in states for pk in pks if pk is not None})
    return {
        slug: SourceFacts(slug, good_at, *(found.get(pk) for pk in pks))
        for slug, good_at, *pks in states
    }


def _snapshot() -> SnapshotFacts:
    # No source: with it the index finds them, however many live rows there are.
    rows = Listing.objects.filter(source="", origin=Origin.SNAPSHOT, withdrawn_at=None)
    found = rows.aggregate(seen=Max("seen_at"), rows=Count("pk"))
    return SnapshotFacts(found["seen"].date() if found["seen"] else None, found["rows"])


def _rates() -> RateFacts:
    by_day = ExchangeRate.objects.order_by("-day").values_list("day")
    latest = by_day.annotate(currencies=Count("pk")).first()
    return RateFacts(*latest) if latest else RateFacts(None, 0)
