"""The curators' desk, for what refreshes leave behind: runs, batches, rows kept out, rates."""

from __future__ import annotations

from datetime import timedelta

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from providers.admin import LookedAt
from providers.models import ExchangeRate, QuarantinedRow, RefreshRun, RejectedBatch, SourceState


@admin.register(RefreshRun)
class RefreshRunAdmin(LookedAt):
    list_display = (
        *("source", "started_at", "duration", "outcome", "fetched"),
        *("new", "changed", "unchanged", "withdrawn", "quarantined"),
    )
    list_filter = ("outcome", "source")
    search_fields = ("source", "error")
    date_hierarchy = "started_at"

    @admin.display(description=_("duration"))
    def duration(self, run: RefreshRun) -> timedelta | None:
        return run.ended_at - run.started_at if run.ended_at else None


@admin.register(SourceState)
class SourceStateAdmin(LookedAt):
    list_display = ("slug", "good_at", "current_run")
    search_fields = ("slug",)
    list_select_related = ("current_run",)


@admin.register(RejectedBatch)
class RejectedBatchAdmin(LookedAt):
    list_display = ("run", "guard", "accepted_at")
    list_select_related = ("run",)
    exclude = ("rows",)
    search_fields = ("run__source",)

    @admin.display(description=_("guard"))
    def guard(self, batch: RejectedBatch) -> str:
        return str(batch.run.guard)


@admin.register(QuarantinedRow)
class QuarantinedRowAdmin(LookedAt):
    list_display = ("run", "place", "reason")
    list_select_related = ("run",)
    search_fields = ("place", "reason", "run__source")


@admin.register(ExchangeRate)
class ExchangeRateAdmin(LookedAt):
    list_display = ("currency", "day", "usd")
    search_fields = ("currency",)
    list_filter = ("currency",)
    date_hierarchy = "day"
