"""Filters of the desk's lists: what the front page counts is what its lists show."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest

from providers.dimensions import MAIN
from providers.freshness import CURRENT_FOR, REVIEW_WITHIN, ReviewBand
from providers.models import Outcome, RefreshRun, SourceState, rented

_JUDGED = (Outcome.MERGED, Outcome.REJECTED)


def read_in(band: str, today: date, prefix: str = "") -> Q:
    """The claims whose day puts them in a band of review, as `claim_band` has it."""
    ageing_from, due_before = today - CURRENT_FOR, today - REVIEW_WITHIN
    day = f"{prefix}read_on"
    match band:
        case ReviewBand.CURRENT:
            return Q(**{f"{day}__gte": ageing_from})
        case ReviewBand.AGEING:
            return Q(**{f"{day}__lt": ageing_from, f"{day}__gte": due_before})
        case _:
            return Q(**{f"{day}__isnull": True}) | Q(**{f"{day}__lt": due_before})


def unknown_main() -> Q:
    """Offerings with a main question that nobody has answered; a contradiction is no gap."""
    found = Q()
    for dimension in MAIN:
        empty = Q(**{f"{dimension.key}__isnull": True})
        found |= empty & ~Q(contradicted__contains=[dimension.key])
    return found


def last_judged() -> QuerySet[Any, Any]:
    """Of each source, the last run whose batch was judged."""
    runs = RefreshRun.objects.filter(source=OuterRef("slug"), outcome__in=_JUDGED)
    last = Subquery(runs.order_by("-started_at").values("pk")[:1])
    return SourceState.objects.order_by().annotate(last=last).values("last")


class _YesFilter(admin.SimpleListFilter):
    """Those of which one thing is true, or all."""

    said = "Yes"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[Any, str]]:
        return [("yes", self.said)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(self.true()) if self.value() == "yes" else queryset

    def true(self) -> Q:
        raise NotImplementedError


class RentedFilter(_YesFilter):
    title = parameter_name = "rented"
    said = "Can be rented"

    def true(self) -> Q:
        return rented()


class ClaimRentedFilter(RentedFilter):
    def true(self) -> Q:
        return rented("offering__")


class UnknownMainFilter(_YesFilter):
    title = "main questions"
    parameter_name = "unknown_main"
    said = "Some unknown"

    def true(self) -> Q:
        return unknown_main()


class LastRunFilter(_YesFilter):
    title = "run"
    parameter_name = "last"
    said = "The last of its source"

    def true(self) -> Q:
        return Q(run__in=last_judged())
