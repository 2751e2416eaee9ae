"""Retiring claims at the desk, one or several, with the reason."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from providers import claims as catalog
from providers.models import Claim

if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Any]
else:
    _ModelAdmin = admin.ModelAdmin

# As many of them are named before somebody says yes.
_NAMED = 100


class WhyForm(forms.Form):
    why = forms.CharField(
        label="Why",
        max_length=Claim._meta.get_field("retired_why").max_length,
        widget=forms.TextInput(attrs={"size": 80}),
    )


class RetiredFilter(admin.SimpleListFilter):
    """Claims that stand, unless the others are asked for."""

    title = "standing"
    parameter_name = "retired"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[Any, str]]:
        return [("yes", "Retired"), ("all", "All")]

    def choices(self, changelist: Any) -> Iterator[Any]:
        first, *others = super().choices(changelist)
        yield first | {"display": "Standing"}
        yield from others

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "all":
            return queryset
        return queryset.filter(retired_at__isnull=self.value() != "yes")


class Retiring(_ModelAdmin):
    """Instead of deleting."""

    actions = ("retire",)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.retire_view)
        own = path("<path:object_id>/retire/", view, name="providers_claim_retire")
        return [own, *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Claim]:
        """The retired ones too: they are looked at and put back here."""
        return Claim.every.order_by(*(self.ordering or Claim._meta.ordering or ()))

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if obj is not None and obj.retired_at is not None:
            return False
        return super().has_change_permission(request, obj)

    def retire_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        claim = self.get_object(request, unquote(object_id))
        if claim is None:
            raise Http404
        if not self.has_change_permission(request, claim):
            raise PermissionDenied
        return self._asked(request, Claim.objects.filter(pk=claim.pk)) or HttpResponseRedirect(
            reverse("admin:providers_claim_changelist")
        )

    @admin.action(description="Retire, with a reason", permissions=["change"])
    def retire(self, request: HttpRequest, chosen: QuerySet[Claim]) -> HttpResponse | None:
        return self._asked(request, chosen.filter(retired_at=None))

    def _asked(self, request: HttpRequest, claims: QuerySet[Claim]) -> HttpResponse | None:
        """The page that asks why; None once it was answered."""
        form = WhyForm(request.POST if "why" in request.POST else None)
        if form.is_valid():
            number = catalog.retire(list(claims), form.cleaned_data["why"])
            self.message_user(request, f"Retired: {number}.", messages.SUCCESS)
            return None
        named = claims.select_related("offering__provider")
        context = {
            **self.admin_site.each_context(request),
            "title": "Retire claims",
            "opts": self.opts,
            "claims": named[:_NAMED],
            "more": max(0, claims.count() - _NAMED),
            "form": form,
            "carried": list(_carried(request)),
        }
        return TemplateResponse(request, "admin/desk/retire.html", context)


def _carried(request: HttpRequest) -> Iterator[tuple[str, str]]:
    """What the list sent, to be sent again with the reason."""
    for name in ("action", "select_across", ACTION_CHECKBOX_NAME):
        for value in request.POST.getlist(name):
            yield name, value
