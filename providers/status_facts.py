"""What the page of status reads. Seven queries, whatever the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery

from providers.dimensions import MAIN
from providers.freshness import REVIEW_WITHIN
from providers.models import (
    Claim,
    ExchangeRate,
    Listing,
    Offering,
    Origin,
    Outcome,
    Provider,
    RefreshRun,
    SourceState,
    Status,
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
class CoverageFacts:
    """Counts over the offerings that can be rented."""

    offerings: int
    main_cells: int
    main_known: int
    contradicted: int  # of all cells
    answers: int  # claims that decide one
    due: int  # of these


@dataclass(frozen=True)
class StatusFacts:
    sources: Mapping[str, SourceFacts]
    provider_names: Mapping[str, str]
    snapshot: SnapshotFacts
    rates: RateFacts
    coverage: CoverageFacts


def status_facts(today: date) -> StatusFacts:
    return StatusFacts(
        sources=_sources(),
        provider_names=dict(Provider.objects.order_by().values_list("slug", "name")),
        snapshot=_snapshot(),
        rates=_rates(),
        coverage=_coverage(today),
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


def _rented(prefix: str = "") -> Q:
    """Offerings that can still be rented; `prefix` leads from another table to them."""
    return ~Q(**{f"{prefix}status": Status.CLOSED}) & ~Q(
        **{f"{prefix}provider__status": Status.CLOSED}
    )


def _coverage(today: date) -> CoverageFacts:
    main = [d.key for d in MAIN]
    rows = list(Offering.objects.filter(_rented()).order_by().values(*main, "contradicted"))
    overdue = Q(read_on=None) | Q(read_on__lt=today - REVIEW_WITHIN)
    deciding = Claim.objects.filter(_rented("offering__"), decides=True)
    claims = deciding.aggregate(answers=Count("pk"), due=Count("pk", filter=overdue))
    return CoverageFacts(
        offerings=len(rows),
        main_cells=len(rows) * len(main),
        main_known=sum(row[key] is not None for row in rows for key in main),
        contradicted=sum(len(row["contradicted"]) for row in rows),
        answers=claims["answers"],
        due=claims["due"],
    )
