"""The curators' desk, for sources that changed under a claim: look at both texts, and settle it."""

from __future__ import annotations

from typing import Any, cast
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from providers.admin import LookedAt
from providers.claim_views import cell_url, claim_view
from providers.dimensions import DIMENSIONS
from providers.models import Claim, Passage, ReviewOutcome, SourcePage, SourceReview
from providers.watch.differences import side_by_side
from providers.watch.settle import SettledError, settle


class SettledFilter(admin.SimpleListFilter):
    """Those that wait, unless others are asked for."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[Any, str]]:
        return [("settled", "Settled"), ("all", "All")]

    def choices(self, changelist: Any) -> Any:
        first, *others = super().choices(changelist)
        yield first | {"display": "Waiting"}
        yield from others

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        match self.value():
            case "all":
                return queryset
            case "settled":
                return queryset.filter(settled_at__isnull=False)
        # Of a claim that was retired meanwhile, nothing is left to settle.
        return queryset.filter(settled_at=None, claim__retired_at=None)


@admin.register(SourceReview)
class SourceReviewAdmin(LookedAt):
    list_display = ("provider", "offering", "dimension", "kind", "found_at", "source", "outcome")
    list_display_links = ("provider", "offering", "dimension")
    list_filter = (SettledFilter, "kind", "claim__offering__provider")
    list_select_related = ("page", "claim__offering__provider")
    search_fields = (
        *("page__address", "claim__offering__name", "claim__offering__provider__name"),
        "claim__dimension",
    )

    @admin.display(description="provider", ordering="claim__offering__provider__name")
    def provider(self, review: SourceReview) -> str:
        return review.claim.offering.provider.name

    @admin.display(description="offering", ordering="claim__offering__name")
    def offering(self, review: SourceReview) -> str:
        return review.claim.offering.name

    @admin.display(description="dimension", ordering="claim__dimension")
    def dimension(self, review: SourceReview) -> str:
        return str(DIMENSIONS[review.claim.dimension].label)

    @admin.display(description="page")
    def source(self, review: SourceReview) -> SafeString:
        return _link(review.claim.source)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("providers.change_sourcereview")

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        found = self.get_object(request, unquote(object_id))
        if found is None:
            raise Http404
        review: SourceReview = found
        if request.method == "POST":
            return self._settled(request, review)
        if not self.has_view_permission(request, review):
            raise PermissionDenied
        return TemplateResponse(
            request, "admin/providers/sourcereview/change_form.html", self._page(request, review)
        )

    def _page(self, request: HttpRequest, review: SourceReview) -> dict[str, Any]:
        claim = review.claim
        dimension = DIMENSIONS[claim.dimension]
        waits = review.settled_at is None and claim.retired_at is None
        return {
            **self.admin_site.each_context(request),
            "title": f"{claim.offering}: {dimension.label}",
            "opts": self.opts,
            "original": review,
            "claim": claim_view(claim, timezone.now().date()),
            "dimension": dimension,
            "cell_url": cell_url(claim.offering, dimension),
            "pairs": side_by_side(review.before, review.after),
            "may_settle": waits and self.has_change_permission(request, review),
            "may_confirm": request.user.has_perm("providers.change_claim"),
            "is_retired": claim.retired_at is not None,
        }

    def _settled(self, request: HttpRequest, review: SourceReview) -> HttpResponse:
        outcome = _outcome(request)
        if not self.has_change_permission(request, review) or not _may(request, outcome):
            raise PermissionDenied
        if outcome is None:
            self.message_user(request, "Say what is to become of it.", messages.ERROR)
            return HttpResponseRedirect(request.path)
        try:
            # Whoever is let in here has logged in.
            settle(review.pk, outcome, cast("User", request.user))
        except SettledError as fault:
            by = fault.review.settled_by or "the program"
            told = f"Settled already, by {by}: {fault.review.get_outcome_display()}."
            self.message_user(request, told, messages.ERROR)
            return HttpResponseRedirect(request.path)
        told = str(outcome.label)
        self.log_change(request, review, told)
        self.message_user(request, f"{review.claim.offering}, {self.dimension(review)}: {told}.")
        if outcome == ReviewOutcome.CLAIM_CHANGED:
            return HttpResponseRedirect(_replace_url(review.claim))
        return HttpResponseRedirect(reverse("admin:providers_sourcereview_changelist"))


@admin.register(SourcePage)
class SourcePageAdmin(LookedAt):
    list_display = ("address", "look", "looked_at", "good_at", "failed", "moved_to")
    list_filter = ("look", "looked_at", ("moved_to", admin.EmptyFieldListFilter))
    search_fields = ("address", "moved_to")
    date_hierarchy = "looked_at"

    @admin.display(description="days failed")
    def failed(self, page: SourcePage) -> int:
        return len(page.failed_on)


@admin.register(Passage)
class PassageAdmin(LookedAt):
    list_display = ("claim", "page", "seen_at")
    list_select_related = ("claim", "page")
    search_fields = ("page__address", "text")
    date_hierarchy = "seen_at"


def _outcome(request: HttpRequest) -> ReviewOutcome | None:
    sent = request.POST.get("outcome", "")
    return ReviewOutcome(sent) if sent in ReviewOutcome.values else None


def _may(request: HttpRequest, outcome: ReviewOutcome | None) -> bool:
    """Confirming a claim is a change of the claim."""
    return outcome != ReviewOutcome.STILL_TRUE or request.user.has_perm("providers.change_claim")


def _replace_url(claim: Claim) -> str:
    screen = reverse("desk-answers", args=[claim.offering_id])
    return f"{screen}?{urlencode({'replace': claim.pk})}#entry"


def _link(address: str) -> SafeString:
    return format_html(
        '<a href="{0}" target="_blank" rel="noopener noreferrer nofollow">{0}</a>', address
    )
