"""What the curators' screens read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from django.contrib.postgres.aggregates import ArrayAgg
from django.db import transaction
from django.db.models import Count, Min, Q

from providers.changes.catalog import read_state
from providers.freshness import REVIEW_WITHIN
from providers.models import Claim, Offering, Provider

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class SourceRow:
    """A source's address with the claims that rest on it."""

    source: str
    claims: int
    oldest: date | None  # None: of one of them the day is not recorded
    due: int
    providers: Sequence[str]


@contextmanager
def held() -> Iterator[None]:
    """Whoever edits the catalog at the same time waits until the block ends.

    So what is compared with what a curator was shown is what is written then.
    """
    with transaction.atomic():
        # All of them, in the order in which each edit locks them: two edits cannot deadlock.
        read_state()
        yield


def offering(pk: int) -> Offering | None:
    return Offering.objects.select_related("provider").filter(pk=pk).first()


def claims_of(offering: Offering) -> list[Claim]:
    """All claims that stand about an offering, in the order in which they are resolved."""
    return list(offering.claims.order_by("dimension", "position", "pk"))


def claims_on(offering: Offering, dimension: str) -> list[Claim]:
    """Those that stand about one of its dimensions, in the same order."""
    return list(offering.claims.filter(dimension=dimension).order_by("position", "pk"))


def claim(offering: Offering, pk: int) -> Claim | None:
    """A claim about this offering, retired or not."""
    return Claim.every.select_related("offering__provider").filter(offering=offering, pk=pk).first()


def every(pks: Collection[int]) -> dict[int, Claim]:
    """These claims, retired or not, by id."""
    found = Claim.every.select_related("offering__provider").filter(pk__in=pks)
    return {claim.pk: claim for claim in found}


def sources(today: date, *, due: bool = False, provider: str = "") -> list[SourceRow]:
    """Every address that claims rest on; first where most is due, then what is oldest."""
    is_due = Q(read_on=None) | Q(read_on__lt=today - REVIEW_WITHIN)
    found = Claim.objects.order_by().values("source")
    rows = found.annotate(
        total=Count("pk"),
        oldest=Min("read_on"),
        dayless=Count("pk", filter=Q(read_on=None)),
        due=Count("pk", filter=is_due),
        of=ArrayAgg("offering__provider__name", distinct=True),
        at=Count("pk", filter=Q(offering__provider__slug=provider)),
    )
    rows = rows.filter(at__gt=0) if provider else rows
    rows = rows.filter(due__gt=0) if due else rows
    return [
        SourceRow(
            row["source"],
            row["total"],
            None if row["dayless"] else row["oldest"],
            row["due"],
            sorted(row["of"]),
        )
        for row in rows.order_by("-due", "oldest", "source")
    ]


def claims_from(source: str) -> list[Claim]:
    """All claims that rest on one address, offering by offering."""
    found = Claim.objects.filter(source=source).select_related("offering__provider")
    return list(
        found.order_by(
            *("offering__provider__name", "offering__position", "offering__slug"),
            *("dimension", "position", "pk"),
        )
    )


def providers_with_claims() -> list[tuple[str, str]]:
    """Slug and name of whoever has offerings, by name."""
    found = Provider.objects.filter(offerings__isnull=False).distinct().order_by("name")
    return list(found.values_list("slug", "name"))
