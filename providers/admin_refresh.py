"""The curators' desk, for what refreshes leave behind: runs, batches, rows kept out, rates."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from gpucompare.roles import SETTLE_BATCHES
from providers.admin import LookedAt
from providers.desk.batches import BatchPage
from providers.desk.filters import LastRunFilter
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


# Neither accepted nor kept out.
_WAITING: Mapping[str, None] = {"accepted_at": None, "kept_out_at": None}


class WaitingFilter(admin.SimpleListFilter):
    title = "standing"
    parameter_name = "waiting"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[Any, str]]:
        return [("yes", "Waiting"), ("no", "Settled")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        match self.value():
            case "yes":
                return queryset.filter(**_WAITING)
            case "no":
                return queryset.exclude(**_WAITING)
        return queryset


@admin.register(RejectedBatch)
class RejectedBatchAdmin(BatchPage, LookedAt):
    list_display = ("run", "guard", "accepted_at", "kept_out_at")
    list_filter = (WaitingFilter,)
    list_select_related = ("run",)
    exclude = ("rows",)
    actions = ("accept", "keep_out")
    search_fields = ("run__source",)

    @admin.display(description=_("guard"))
    def guard(self, batch: RejectedBatch) -> str:
        return str(batch.run.guard)

    @admin.action(description=_("Accept: the batch was right, merge it"), permissions=["settle"])
    def accept(self, request: HttpRequest, batches: QuerySet[RejectedBatch]) -> None:
        for batch in batches.filter(**_WAITING).select_related("run"):
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
                self.log_change(request, batch, "Accepted.")
                self.message_user(request, told)

    @admin.action(description="Keep out: the guard was right", permissions=["settle"])
    def keep_out(self, request: HttpRequest, batches: QuerySet[RejectedBatch]) -> None:
        waiting = list(batches.filter(**_WAITING).select_related("run"))
        RejectedBatch.objects.filter(pk__in=[b.pk for b in waiting], **_WAITING).update(
            kept_out_at=timezone.now()
        )
        for batch in waiting:
            self.log_change(request, batch, "Kept out.")
            self.message_user(request, f"{batch.run}: kept out")

    def has_settle_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(SETTLE_BATCHES)


@admin.register(QuarantinedRow)
class QuarantinedRowAdmin(LookedAt):
    list_display = ("run", "place", "reason")
    list_filter = (LastRunFilter,)
    list_select_related = ("run",)
    search_fields = ("place", "reason", "run__source")


@admin.register(ExchangeRate)
class ExchangeRateAdmin(LookedAt):
    list_display = ("currency", "day", "usd")
    search_fields = ("currency",)
    list_filter = ("currency",)
    date_hierarchy = "day"
