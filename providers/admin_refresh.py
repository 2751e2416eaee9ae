"""The curators' desk, for what refreshes leave behind: runs, batches, rows kept out, rates."""

from __future__ import annotations

from datetime import timedelta

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from providers.admin import LookedAt
from providers.models import ExchangeRate, QuarantinedRow, RefreshRun, RejectedBatch, SourceState
from providers.refresh.run import NewerListingsError, accept


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
    actions = ("accept",)
    search_fields = ("run__source",)

    @admin.display(description=_("guard"))
    def guard(self, batch: RejectedBatch) -> str:
        return str(batch.run.guard)

    @admin.action(description=_("Accept: the batch was right, merge it"), permissions=["accept"])
    def accept(self, request: HttpRequest, batches: QuerySet[RejectedBatch]) -> None:
        for batch in batches.filter(accepted_at=None).select_related("run"):
            try:
                run = accept(batch)
            except NewerListingsError:
                told = _("%(run)s: newer listings stand by now") % {"run": batch.run}
                self.message_user(request, told, messages.ERROR)
            else:
                told = _("%(run)s: %(new)d new, %(changed)d changed, %(withdrawn)d withdrawn") % {
                    "run": run.source,
                    "new": run.new,
                    "changed": run.changed,
                    "withdrawn": run.withdrawn,
                }
                self.message_user(request, told)

    def has_accept_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("providers.change_rejectedbatch")


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
