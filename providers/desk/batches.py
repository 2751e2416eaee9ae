"""A rejected batch before it is accepted or kept out: why it was rejected, and some of its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseNotAllowed,
    HttpResponseRedirect,
)
from django.urls import URLPattern, path, reverse

from gpucompare.roles import SETTLE_BATCHES
from providers.answers import Text
from providers.failures import failure_text
from providers.models import Listing, Offering, Outcome, RejectedBatch
from providers.refresh.facts import ListingFacts
from providers.refresh.rejected import from_json

if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[RejectedBatch]
else:
    _ModelAdmin = admin.ModelAdmin

# As many rows are shown, from the whole batch.
SAMPLE: Final = 20
_DEEDS: Final = ("accept", "keep_out")


@dataclass(frozen=True)
class SampleRow:
    """A row of the batch beside the price that stands for it."""

    offering: str
    facts: ListingFacts
    stands: Decimal | None
    known: bool  # whether there is a listing of it


@dataclass(frozen=True)
class BatchView:
    why: Text
    guard: str
    figures: Mapping[str, Any]
    rows: int
    kept_out: int
    sample: Sequence[SampleRow]


def batch_view(batch: RejectedBatch) -> BatchView:
    """What a curator decides by; two queries."""
    run, found = batch.run, from_json(batch.rows)
    keys = list(found.rows)
    chosen = keys[:: max(1, len(keys) // SAMPLE)][:SAMPLE]
    names = {each.pk: str(each) for each in _offerings({pk for pk, _key in chosen})}
    standing = _standing(chosen)
    return BatchView(
        failure_text(Outcome.REJECTED, run.guard, run.figures),
        run.guard,
        run.figures,
        len(keys),
        len(found.quarantined),
        [
            SampleRow(
                names.get(key[0], str(key[0])),
                found.rows[key],
                standing.get(key),
                key in standing,
            )
            for key in chosen
        ],
    )


def _offerings(pks: set[int]) -> Sequence[Offering]:
    return list(Offering.objects.filter(pk__in=pks).select_related("provider"))


def _standing(keys: Sequence[tuple[int, str]]) -> dict[tuple[int, str], Decimal | None]:
    found = Listing.objects.filter(
        offering__in={pk for pk, _key in keys}, key__in={key for _pk, key in keys}
    )
    rows = found.filter(withdrawn_at=None).values_list("offering_id", "key", "usd_per_hour")
    return {(pk, key): usd for pk, key, usd in rows}


class BatchPage(_ModelAdmin):
    """The page of a batch, with the two deeds of its list."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.settle_view)
        own = path("<int:pk>/settle/", view, name="providers_rejectedbatch_settle")
        return [own, *super().get_urls()]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        batch = self.get_object(request, object_id)
        if batch is None or not self.has_view_permission(request, batch):
            return super().change_view(request, object_id, form_url, extra_context)
        waits = batch.accepted_at is None and batch.kept_out_at is None
        context = {"batch": batch_view(batch), "may_settle": waits and self._may_settle(request)}
        return super().change_view(
            request, object_id, form_url, {**(extra_context or {}), **context}
        )

    def settle_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        if not self._may_settle(request):
            raise PermissionDenied
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        chosen, deed = RejectedBatch.objects.filter(pk=pk), request.POST.get("deed", "")
        if deed not in _DEEDS or not chosen.exists():
            raise Http404
        getattr(self, deed)(request, chosen)
        return HttpResponseRedirect(reverse("admin:providers_rejectedbatch_change", args=[pk]))

    def _may_settle(self, request: HttpRequest) -> bool:
        return request.user.has_perm(SETTLE_BATCHES)
