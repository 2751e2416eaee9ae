"""The curators' desk, for what readers say is wrong: take it over as a claim, or decline it."""

from __future__ import annotations

from typing import Any, cast
from urllib.parse import urlsplit

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.admin.utils import unquote
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Case, QuerySet, Value, When
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.text import Truncator

from gpucompare import spoken
from providers.admin import LookedAt
from providers.corrections.desk import DeclineForm, TakeForm, desk_page, standing_claims, take_form
from providers.corrections.present import cell_now, value_text
from providers.corrections.settle import SettledError, decline, decline_all
from providers.corrections.typed import longest
from providers.dimensions import DIMENSIONS
from providers.models import Correction, CorrectionState

# Waiting ones first, and of those the one that waits longest.
_WAITING_FIRST = Case(When(state=CorrectionState.OPEN, then=Value(0)), default=Value(1))
_OLDEST_FIRST = ("made_at", "pk")


class StateFilter(admin.SimpleListFilter):
    """Those that wait, unless others are asked for."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        settled = [(CorrectionState.TAKEN, "Taken over"), (CorrectionState.DECLINED, "Declined")]
        return [*((str(state), label) for state, label in settled), ("all", "All")]

    def choices(self, changelist: Any) -> Any:
        first, *others = super().choices(changelist)
        yield first | {"display": "Waiting"}
        yield from others

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        asked = self.value() or CorrectionState.OPEN
        return queryset if asked == "all" else queryset.filter(state=asked)


class ReplyForm(ActionForm):
    """Beside the choice of the action: one answer to all that are declined at once."""

    reply = forms.CharField(
        label="Tell the readers:", max_length=longest("reply"), required=False, initial=""
    )


@admin.register(Correction)
class CorrectionAdmin(LookedAt):
    list_display = ("cell", "says", "now", "source_host", "age", "state")
    list_display_links = ("cell", "says")
    list_filter = (StateFilter, "dimension")
    list_select_related = ("offering__provider",)
    search_fields = ("value", "source", "note", "offering__name", "offering__provider__name")
    actions = ("decline_chosen",)
    action_form = ReplyForm

    def get_ordering(self, request: HttpRequest) -> Any:
        # One state is read off its index.
        mixed = request.GET.get(StateFilter.parameter_name) == "all"
        return (_WAITING_FIRST, *_OLDEST_FIRST) if mixed else _OLDEST_FIRST

    def get_urls(self) -> list[URLPattern]:
        own = [
            path(
                f"<path:object_id>/{name}/",
                self.admin_site.admin_view(view),
                name=f"{name}_correction",
            )
            for name, view in (("take", self.take_view), ("decline", self.decline_view))
        ]
        return [*own, *super().get_urls()]

    def has_settle_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("providers.change_correction")

    # --- The list -------------------------------------------------------------------

    @admin.display(description="about", ordering="offering__provider__name")
    def cell(self, correction: Correction) -> str:
        return f"{correction.offering}: {DIMENSIONS[correction.dimension].label}"

    @admin.display(description="the reader says", ordering="value")
    def says(self, correction: Correction) -> str:
        return Truncator(value_text(correction)).chars(80)

    @admin.display(description="the site says")
    def now(self, correction: Correction) -> str:
        cell = cell_now(correction.offering, DIMENSIONS[correction.dimension])
        return Truncator(str(cell.answer)).chars(80)

    @admin.display(description="source", ordering="source")
    def source_host(self, correction: Correction) -> str:
        return urlsplit(correction.source).hostname or "–"

    @admin.display(description="sent", ordering="made_at")
    def age(self, correction: Correction) -> str:
        when = correction.made_at
        return format_html(
            '<time datetime="{}">{}</time>', when.isoformat(), spoken.ago(when, timezone.now())
        )

    @admin.action(description="Decline, with one reply for all", permissions=["settle"])
    def decline_chosen(self, request: HttpRequest, chosen: QuerySet[Correction]) -> None:
        reply = request.POST.get("reply", "").strip()
        if not reply or len(reply) > longest("reply"):
            self.message_user(
                request, "Say in a sentence what the readers are told.", messages.ERROR
            )
            return
        rows = list(chosen.order_by().filter(state=CorrectionState.OPEN))
        count = decline_all(
            Correction.objects.filter(pk__in=[r.pk for r in rows]), _by(request), reply
        )
        LogEntry.objects.log_actions(_by(request).pk, rows, CHANGE, f"Declined: {reply}")
        self.message_user(request, f"{count} declined.")

    # --- One of them ------------------------------------------------------------------

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        correction = self._found(request, object_id)
        if not self.has_view_permission(request, correction) or request.method == "POST":
            raise PermissionDenied
        return self._page(request, correction, DeclineForm(prefix="decline"))

    def take_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        correction = self._to_settle(request, object_id)
        if request.method != "POST":
            return HttpResponseRedirect(_address(correction))
        form = take_form(self, request, correction, standing_claims(correction))
        if form.is_valid():
            try:
                settled = form.take(correction, _by(request))
            except SettledError as fault:
                return self._was_settled(request, fault)
            except ValidationError as fault:
                form.add_error(None, fault.messages)
            else:
                told = f"Taken over as claim no. {settled.claim_id}."
                return self._settled(request, settled, told)
        return self._page(request, correction, DeclineForm(prefix="decline"), form)

    def decline_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        correction = self._to_settle(request, object_id)
        if request.method != "POST":
            return HttpResponseRedirect(_address(correction))
        form = DeclineForm(request.POST, prefix="decline")
        if not form.is_valid():
            return self._page(request, correction, form)
        try:
            settled = decline(correction.pk, _by(request), form.cleaned_data["reply"])
        except SettledError as fault:
            return self._was_settled(request, fault)
        return self._settled(request, settled, "Declined.")

    def _found(self, request: HttpRequest, object_id: str) -> Correction:
        correction = self.get_object(request, unquote(object_id))
        if correction is None:
            raise Http404
        found: Correction = correction
        return found

    def _to_settle(self, request: HttpRequest, object_id: str) -> Correction:
        if not self.has_settle_permission(request):
            raise PermissionDenied
        return self._found(request, object_id)

    def _settled(self, request: HttpRequest, correction: Correction, told: str) -> HttpResponse:
        self.log_change(request, correction, told)
        self.message_user(request, f"{self.cell(correction)}: {told}")
        return HttpResponseRedirect(reverse("admin:providers_correction_changelist"))

    def _was_settled(self, request: HttpRequest, fault: SettledError) -> HttpResponse:
        by = fault.correction.settled_by
        told = f"Settled already, by {by or 'a curator'}: {fault.correction.get_state_display()}."
        self.message_user(request, told, messages.ERROR)
        return HttpResponseRedirect(_address(fault.correction))

    def _page(
        self,
        request: HttpRequest,
        correction: Correction,
        decline_form: DeclineForm,
        bound: TakeForm | None = None,
    ) -> HttpResponse:
        standing = standing_claims(correction)
        open_to_all = correction.state == CorrectionState.OPEN
        take = bound
        if take is None:
            take = take_form(self, request, correction, standing)
        context = {
            **self.admin_site.each_context(request),
            "title": self.cell(correction),
            "opts": self.opts,
            "original": correction,
            "desk": desk_page(correction, standing, timezone.now().date()),
            "may_settle": open_to_all and self.has_settle_permission(request),
            "take": take,
            "decline": decline_form,
        }
        return TemplateResponse(request, "admin/providers/correction/change_form.html", context)


def _by(request: HttpRequest) -> User:
    """Whoever is let in here has logged in."""
    return cast("User", request.user)


def _address(correction: Correction) -> str:
    return reverse("admin:providers_correction_change", args=[correction.pk])
